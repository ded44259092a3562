"""LibYAML changes the speed and nothing else: mutated projects give one value or one error."""

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from streamt_ol.ground import yaml_outline, yaml_reader, yaml_syntax
from streamt_ol.ground.yaml_errors import YamlError
from streamt_ol.ground.yaml_marks import Marks

pytestmark = pytest.mark.skipif(not yaml.__with_libyaml__, reason="there is one parser only")

PROJECTS = (
    """\
apiVersion: streamt.dev/v1alpha1
project: {name: big, version: "1.0"}
shared:
  - &a {x: 1, y: [1, 2]}
  - <<: *a
    z: 'it''s'
models:
  - name: m0
    description: Is it "model" number 0 of - the: x?
    sql: |
      SELECT\tc0, c1
      \tFROM {{ ref("m1") }}

      WHERE a != 'x' -- c
    tags: [a, "b\\u00e9", c d, 'e']
    note: >-
      folded text
      more

      end
  # a\tcomment
  - name: !!str m1
    multi: first line
      second line
    quoted: "one
      two \\
      three"
    ? k
    : v
""",
    """\
%YAML 1.1
%TAG !e! tag:yaml.org,2002:
---
a: !e!str 5
b: &x !!int "3"
c:
- 1
- - 2
  - 3
- ~
d: {a, b: , "c":d, ? e : f, [x]: y}
e: [a: b, ? c, "k":v, http://x.y:80/]
f: |2-
    ind
   x
g: |+

  t

...
""",
)
PIECES = (
    *"\t:-'\"{}[]&*|>%\n?!,# ~@`<=.",
    *(
        "\x85",
        "\u2028",
        "\u2029",
        "\ufeff",
        "\0",
        "\r",
        "\r\n",
        "é",
        "😀",
        "\\ud800",
        "\\U00110000",
        "\\x41",
        "\\\n",
    ),
    *(
        "---",
        "...",
        "\n---\n",
        "- ",
        "? ",
        ": ",
        "!!str ",
        "! ",
        "&b ",
        "*a ",
        "<<: *a",
        "%YAML 1.2\n",
        "|2",
        ">+",
    ),
)


@st.composite
def documents(draw):
    lines = draw(st.sampled_from(PROJECTS)).split("\n")
    first = draw(st.integers(0, len(lines) - 1))
    text = "\n".join(lines[first : first + draw(st.integers(1, len(lines)))])
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        change = draw(st.sampled_from(("insert", "delete", "duplicate")))
        if change == "insert":
            text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
        elif change == "delete":
            text = text[:at] + text[at + draw(st.integers(1, 4)) :]
        else:
            length = draw(st.integers(1, 30))
            text = text[:at] + text[at : at + length] + text[at:]
    return text


def outcome(text, backend):
    try:
        value = yaml_reader.parse(text.encode(), "p.yml", backend)
    except YamlError as error:
        return type(error), error.message, error.place, error.location, error.suggestion
    return repr(value)


def paths(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths(inner, (*path, str(index)))


@settings(max_examples=400, deadline=None)
@given(documents())
@example("a:\tb\n")
@example("a: b\tc\n")
@example("a: b\t# c\n")
@example("a: &x\t'b'\n")
@example("a: |\t# c\n  x\n")
@example("a: |# c\n  x\n")
@example("a: [b?c]\n")
@example("a: [!!str, b]\n")
@example("a: !x.!y b\n")
@example("a: !\n")
@example('a: "\\ud800"\n')
@example("%YAML 1.3\n---\na: 1\n")
@example("%TAG ! tag:yaml.org,2002:\n---\na: !str 1\n")
@example("\r- 1\n- : ~")
@example("- a\t\n- b: 'c\n")
@example("a: 1\na: 2\nb: [c?]\n")
def test_both_parsers_give_one_value_or_one_error(text):
    assert outcome(text, "libyaml") == outcome(text, "pure")


@settings(max_examples=150, deadline=None)
@given(documents())
@example("---\n")
@example("- \n- {: x}\n")
@example("a: !!str\nb: &x\n")
def test_both_parsers_give_the_same_places(text):
    try:
        value = yaml_reader.parse(text.encode(), "p.yml")
    except YamlError:
        value = {"models": [{"name": "m"}]}
    if "\0" in text:
        return
    fast, slow = (Marks(text.encode(), "p.yml", backend) for backend in ("libyaml", "pure"))
    for path in paths(value):
        assert fast.find(path) == slow.find(path)
        assert fast.find(path, 1, 2) == slow.find(path, 1, 2)
        assert fast.find_key(path) == slow.find_key(path)


@pytest.mark.parametrize(
    "fault", ["  - name: @x", "  - a: b: c", "   - a", "  - {a: b", "  - 'a", "\tx", "  - a\tb"]
)
def test_a_large_file_is_cut_before_the_slow_parser_looks_for_the_error(fault):
    entry = "  - name: m{0}\n    sql: |\n      SELECT\n    columns:\n    - {{name: a}}\n    - name: b\n"
    text = "sources: []\nmodels:\n" + "".join(entry.format(n) for n in range(50)) + fault + "\n"

    outline = yaml_outline.outline(text)
    with pytest.raises(YamlError) as whole:
        yaml_syntax.check(text, "p.yml")
    with pytest.raises(YamlError) as cut:
        yaml_syntax.check(outline, "p.yml")

    assert outline.count("SELECT") <= 1
    assert (cut.value.message, cut.value.place) == (whole.value.message, whole.value.place)


def test_an_entry_below_its_dash_is_not_cut_off_from_it():
    text = "- a: 1\n-\n  b: 2\n  c: @\n"

    assert yaml_outline.outline(text) == "- a: 1\n-\n \n  c: @\n"
