"""What files are read as, and why they are refused: the same with both parsers."""

import gc

import pytest
import yaml

from streamt_ol.ground import yaml_errors, yaml_events, yaml_reader, yaml_text
from streamt_ol.ground.errors import Place

BACKENDS = [
    "pure",
    pytest.param("libyaml", marks=pytest.mark.skipif(not yaml.__with_libyaml__, reason="absent")),
]


@pytest.fixture(params=BACKENDS)
def backend(request):
    return request.param


def read(text, backend):
    return yaml_reader.parse(text if isinstance(text, bytes) else text.encode(), "p.yml", backend)


def refused(text, backend):
    with pytest.raises(yaml_errors.YamlError) as caught:
        read(text, backend)
    error = caught.value
    assert error.code == "E501_PARSE_ERROR"
    return type(error).__name__, str(error.place), error.location, error.message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("---\n", None),
        ("--- {a: 1}\n...\n", {"a": 1}),
        ("\ufeffa: b\r\nc: |\r\n  x\r\n  y\r\n", {"a": "b", "c": "x\ny\n"}),
        ("- no\n- 'no'\n- 1.0\n- 1.0.0\n- 017\n-\n", [False, "no", 1.0, "1.0.0", 15, None]),
        ('"on": 1\n\'2\': 2\n"<<": 3\n=: 4\n', {"on": 1, "2": 2, "<<": 3, "=": 4}),
        (
            'a: !!str 5\nb: !!int "3"\nc: !!seq [x]\nd: !!map {k: v}\n',
            {"a": "5", "b": 3, "c": ["x"], "d": {"k": "v"}},
        ),
        ("%TAG !y! tag:yaml.org,2002:\n---\na: !y!str 5\n", {"a": "5"}),
        ("%YAML 1.2\n---\na: no\n", {"a": False}),
        ("a: [why, not\n  , {x: y}]\n", {"a": ["why", "not", {"x": "y"}]}),
        ('a: "\\u00e9\\U0001F600"\n', {"a": "é😀"}),
        ("a: |\n  SELECT\t1 -- why? !x\n", {"a": "SELECT\t1 -- why? !x\n"}),
        ("a: x\u2028  y\nb: \ufeffz\n", {"a": "x\u2028y", "b": "\ufeffz"}),
        ("- &a k\n- {*a : *a }\n", ["k", {"k": "k"}]),
    ],
)
def test_a_file_is_read_as_plain_values(text, value, backend):
    assert read(text, backend) == value


def test_aliases_share_the_value_of_their_anchor(backend):
    first, second = read("- &a {x: [1]}\n- *a\n", backend)

    assert first == {"x": [1]}
    assert second is first


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("- &a {x: 1, y: 2}\n- {<<: *a, x: 3}\n", {"x": 3, "y": 2}),
        ("- &a {x: 1, y: 2}\n- {x: 3, <<: *a}\n", {"x": 3, "y": 2}),
        ("- &a {x: 1}\n- {<<: [*a, {x: 2, y: 3}], z: 4}\n", {"x": 1, "y": 3, "z": 4}),
        ("- &l [{x: 1}, {x: 2, y: 3}]\n- {<<: *l}\n", {"x": 1, "y": 3}),
        ("- &a {<<: {x: 1}, y: 2}\n- {<<: *a, z: 3}\n", {"x": 1, "y": 2, "z": 3}),
    ],
)
def test_own_keys_override_merged_ones_and_earlier_sources_later_ones(text, value, backend):
    assert read(text, backend)[-1] == value


def test_merged_keys_come_first_as_the_safe_loader_has_them(backend):
    text = "- &a {x: 1, y: 2}\n- {z: 0, <<: *a, y: 3}\n"

    assert list(read(text, backend)[1].items()) == list(yaml.safe_load(text)[1].items())


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "models:\n  - name: m\n    owner: a\n    owner: b\n",
            (
                "DuplicateKeyError",
                "p.yml:4:5",
                "/models/0/owner",
                "The key `owner` is written twice, first at p.yml:3:5.",
            ),
        ),
        (
            "a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n",
            ("DuplicateKeyError", "p.yml:4:3", "/b/<<", "The key `<<` is written twice, first at p.yml:3:3."),
        ),
        (
            "a: {k: 1, 'k': 2}",
            ("DuplicateKeyError", "p.yml:1:11", "/a/k", "The key `k` is written twice, first at p.yml:1:5."),
        ),
        (
            "a/b:\n  on: x\n",
            ("NonStringKeyError", "p.yml:2:3", "/a~1b", "The key `on` was read as the boolean true."),
        ),
        ("1: x", ("NonStringKeyError", "p.yml:1:1", "", "The key `1` was read as the integer 1.")),
        (
            "2024-01-01: x",
            ("NonStringKeyError", "p.yml:1:1", "", "The key `2024-01-01` was read as a date or a time."),
        ),
        ("a:\n  ?\n  : x\n", ("NonStringKeyError", "p.yml:2:3", "/a", "An empty key was read as null.")),
        ("? [x]\n: y\n", ("NonStringKeyError", "p.yml:1:3", "", "A key was read as a list.")),
        ("- &n 5\n- *n : y\n", ("NonStringKeyError", "p.yml:2:3", "/1", "A key was read as the integer 5.")),
        (
            "a: 1\n---\nb: 2\n",
            ("SeveralDocumentsError", "p.yml:2:1", None, "The file holds more than one document."),
        ),
        (
            "a: !!python/object/apply:os.system [x]\n",
            (
                "UnknownTagError",
                "p.yml:1:4",
                "/a",
                "The tag `!!python/object/apply:os.system` is not supported here.",
            ),
        ),
        ("a: !env X\n", ("UnknownTagError", "p.yml:1:4", "/a", "The tag `!env` is not supported here.")),
        ("a: !!set {x}\n", ("UnknownTagError", "p.yml:1:4", "/a", "The tag `!!set` is not supported here.")),
        ("a: !!omap []\n", ("UnknownTagError", "p.yml:1:4", "/a", "The tag `!!omap` is not supported here.")),
        (
            "a: !!binary x\n",
            ("UnknownTagError", "p.yml:1:4", "/a", "The tag `!!binary` is not supported here."),
        ),
        ("a: !!str [x]\n", ("UnknownTagError", "p.yml:1:4", "/a", "The tag `!!str` is not supported here.")),
        ("a: !!map x\n", ("UnknownTagError", "p.yml:1:4", "/a", "The tag `!!map` is not supported here.")),
        (
            "a:\n- 2024-01-01\n",
            ("UnusableScalarError", "p.yml:2:3", "/a/0", "YAML reads this text as a date or a time."),
        ),
        (
            "a: .nan\n",
            ("UnusableScalarError", "p.yml:1:4", "/a", "YAML reads this text as infinity or not a number."),
        ),
        ("a: *x\n", ("UndefinedAliasError", "p.yml:1:4", "/a", "The alias `*x` names no anchor above it.")),
        (
            "a: &x [1, *x ]\n",
            ("RecursiveAnchorError", "p.yml:1:11", "/a/1", "The alias `*x` stands inside its own anchor."),
        ),
        (
            "a: &x 1\nb: &x 2\n",
            ("DuplicateAnchorError", "p.yml:2:4", "/b", "The anchor `&x` is set a second time."),
        ),
        (
            "a:\n  <<: 5\n",
            (
                "MergeError",
                "p.yml:2:3",
                "/a/<<",
                "`<<` takes a mapping or a list of mappings, not the integer 5.",
            ),
        ),
        (
            "a:\n  <<: [{}, null]\n",
            (
                "MergeError",
                "p.yml:2:3",
                "/a/<<",
                "`<<` takes a mapping or a list of mappings, not a list with null.",
            ),
        ),
        (
            "a:\n  b: x: y\n",
            (
                "YamlSyntaxError",
                "p.yml:2:7",
                None,
                "The file is not YAML: mapping values are not allowed here.",
            ),
        ),
        (
            "a:\tb\n",
            (
                "YamlSyntaxError",
                "p.yml:1:3",
                None,
                (
                    "The file is not YAML, while scanning for the next token:"
                    " found character '\\t' that cannot start any token."
                ),
            ),
        ),
        (
            "a: 'b",
            (
                "YamlSyntaxError",
                "p.yml:1:6",
                None,
                "The file is not YAML, while scanning a quoted scalar: found unexpected end of stream.",
            ),
        ),
        (
            'a: "\\q"',
            (
                "YamlSyntaxError",
                "p.yml:1:6",
                None,
                (
                    "The file is not YAML, while scanning a double-quoted scalar:"
                    " found unknown escape character 'q'."
                ),
            ),
        ),
    ],
)
def test_a_file_is_refused_with_place_pointer_and_reason(text, error, backend):
    assert refused(text, backend) == error


@pytest.mark.parametrize("escape", ["\\ud800", "\\ud83d\\ude00", "\\U00110000", "\\Uffffffff"])
def test_an_escape_that_is_no_character_is_refused_at_its_scalar(escape, backend):
    kind, place, location, _ = refused(f'- x\n- "a\n  {escape}"\n', backend)

    assert (kind, place, location) == ("InvalidEscapeError", "p.yml:2:3", None)


@pytest.mark.parametrize(
    ("data", "place", "said"),
    [
        (b"a: b\nc: \xe9\n", "p.yml:2:4", "Byte 0xe9 at byte offset 8 is not UTF-8."),
        (b"\xef\xbb\xbfa: \xff", "p.yml:1:4", "Byte 0xff at byte offset 6 is not UTF-8."),
        (
            "a: b".encode("utf-16"),
            "p.yml:1:1",
            "The file is UTF-16, as its first 2 bytes say (byte offset 0).",
        ),
        (
            "a: b".encode("utf-32"),
            "p.yml:1:1",
            "The file is UTF-32, as its first 4 bytes say (byte offset 0).",
        ),
    ],
)
def test_another_encoding_is_refused_with_the_byte_offset(data, place, said, backend):
    assert refused(data, backend) == ("NotUtf8Error", place, None, said)


@pytest.mark.parametrize(
    ("character", "name"), [("\0", "0000"), ("\x1b", "001B"), ("\x7f", "007F"), ("\uffff", "FFFF")]
)
def test_a_control_character_is_refused_by_its_code_point(character, name, backend):
    said = f"The control character U+{name} may not stand in a YAML file."

    assert refused(f'é: 1\na: "x{character}"', backend) == ("ControlCharacterError", "p.yml:2:6", None, said)


def test_the_byte_order_mark_is_no_part_of_the_text():
    assert yaml_text.decode(b"\xef\xbb\xbfa: 1", "p.yml") == "a: 1"


def test_a_syntax_error_comes_before_an_error_in_the_meaning(backend):
    assert refused("a: 1\na: 2\nb: @\n", backend)[:2] == ("YamlSyntaxError", "p.yml:3:4")


@pytest.mark.parametrize("digits", [4, 5000])
def test_a_directive_for_another_yaml_is_refused_without_a_traceback(digits, backend):
    assert refused(f"%YAML {'2' * digits}.0\n---\na: 1\n", backend)[0] == "YamlSyntaxError"


def test_collections_may_be_a_hundred_deep(backend):
    depth = yaml_events.MAX_DEPTH
    value = read("[" * depth + "]" * depth, backend)

    for _ in range(depth - 1):
        (value,) = value
    assert value == []


@pytest.mark.parametrize(
    "text", ["[" * 20_000, "{a: " * 20_000, "- " * 20_000, "a: 1\na: 2\nb: " + "[" * 20_000]
)
def test_deeper_collections_are_refused_however_deep(text, backend):
    kind, _, location, message = refused(text, backend)

    assert (kind, location, message) == ("NestingError", None, "Collections are nested more than 100 deep.")


def test_one_collection_more_than_a_hundred_is_refused(backend):
    assert refused("[" * 101 + "]" * 101, backend)[:2] == ("NestingError", "p.yml:1:101")


def test_the_place_of_the_first_collection_too_deep_is_given(backend):
    assert refused("a:\n " + "[" * 200, backend)[1] == "p.yml:2:101"


def test_a_chain_of_aliases_may_not_nest_deeper_than_text_may(backend):
    links = "".join(f"- &a{n + 1} [*a{n} ]\n" for n in range(3000))

    assert refused("- &a0 [x]\n" + links, backend) == (
        "AmplificationError",
        "p.yml:100:9",
        "/99/0",
        "The alias `*a98` nests collections more than 100 deep.",
    )


def test_an_anchor_is_as_deep_as_its_deepest_entry_whatever_follows_it(backend):
    deep = "[" * 60 + "]" * 60

    said = refused(f"- &a [{deep}, &b x]\n- {'[' * 50}*a {']' * 50}\n", backend)[3]
    assert said == "The alias `*a` nests collections more than 100 deep."


def test_the_nine_level_bomb_is_refused_with_limit_and_value(backend):
    levels = ["a: &a [x, x, x, x, x, x, x, x, x]\n"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        levels.append(f"{name}: &{name} [{', '.join([f'*{before} '] * 9)}]\n")

    assert refused("".join(levels), backend) == (
        "AmplificationError",
        "p.yml:6:8",
        "/f/0",
        (
            "The alias `*e` brings the file to 141157 nodes, and its size allows 100000"
            " (2 for each character, never less than 100000)."
        ),
    )


def test_merges_count_as_much_as_aliases(backend):
    base = "- &a {" + ", ".join(f"k{n}: 1" for n in range(1000)) + "}\n"

    assert refused(base + "- {<<: *a }\n" * 60, backend)[0] == "AmplificationError"
    assert len(read(base + "- {<<: *a }\n" * 40, backend)) == 41


def test_size_without_aliases_is_not_limited():
    item = "- {name: m, columns: [{name: a, type: STRING}, {name: b, type: STRING}]}\n"

    assert len(read(item * 20_000, "auto")) == 20_000


def test_the_collector_is_as_it_was_before(backend):
    for switch in (gc.disable, gc.enable):
        switch()
        before = gc.isenabled()
        read("a: 1", backend)
        refused("a: @", backend)
        assert gc.isenabled() is before


def test_a_long_or_unprintable_key_is_shown_short_and_escaped(backend):
    message = refused('"\\e[2J' + "k" * 100 + '": 1\n"\\e[2J' + "k" * 100 + '": 2\n', backend)[3]

    assert message == "The key `\\x1b[2J" + "k" * 73 + "...` is written twice, first at p.yml:1:1."


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="absent")
def test_libyaml_reads_what_is_beyond_doubt():
    assert yaml_events.libyaml_trusted("a: b?\n", "auto")
    assert not yaml_events.libyaml_trusted("a: b\n", "pure")
    assert not yaml_events.libyaml_trusted("a: |# c\n  x\n", "auto")
    assert not yaml_events.libyaml_trusted("a: x\x85", "auto")


def test_libyaml_by_name_is_refused_where_it_is_absent(monkeypatch):
    monkeypatch.setattr(yaml_events, "_LIBYAML", None)

    assert read("a: 1", "auto") == {"a": 1}
    with pytest.raises(yaml_errors.LibYamlMissingError, match="built without LibYAML"):
        read("a: 1", "libyaml")


def test_the_environment_chooses_nothing(monkeypatch):
    monkeypatch.setenv("PYYAML_FORCE_LIBYAML", "0")

    assert read("a: 1", "auto") == {"a": 1}


def test_a_place_is_that_of_the_file_as_shown():
    with pytest.raises(yaml_errors.YamlError) as caught:
        yaml_reader.parse(b"a: @", "models/x.yml")

    assert caught.value.place == Place("models/x.yml", 1, 4)
