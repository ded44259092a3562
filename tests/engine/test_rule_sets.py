"""A rule set is read whole or refused with the place of its fault."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from streamt_ol.engine.errors import (
    DomainError,
    DuplicateRowError,
    FactOutsideDomainError,
    GapError,
    MissingOutputError,
    OutputLeftOutError,
    OverlapError,
    RulesError,
    RulesFolderError,
    TableShapeError,
    TemplateError,
    UnknownCodeError,
    UnknownDomainError,
    UnknownFactError,
    UnknownRecordError,
    UnknownTableError,
    UnreachableRowError,
)
from streamt_ol.engine.ruleset import Needs, RuleSet, load_rules

FACTS = """
vocabulary: zoo
domains:
  animal: [cat, dog, fish]
  sound: [none, meow, bark]
records:
  pet:
    at: pointer
    name: text
    nickname: text?
    animal: $animal
    wet: $boolean
    toys: {each: toy}
  toy:
    name: text
    colour: text?
"""

CODES = """
catalogue: diagnostics
describes: codes
entry: {severity: [error, warning]}
entries:
  W1_LOUD: {severity: warning}
"""

SOUNDS = """
table: sounds
decides: what a pet says
about: [pet]
hit: unique
inputs: [animal]
outputs: {sound: $sound}
rows:
  - {id: cat, when: {animal: cat}, then: {sound: meow}}
  - {id: dog, when: {animal: dog}, then: {sound: bark}}
  - {id: fish, when: {animal: fish}, then: {sound: none}}
"""


@dataclass(frozen=True)
class Toy:
    name: str
    colour: str | None = None


@dataclass(frozen=True)
class Pet:
    animal: str = "cat"
    wet: bool = False
    at: str = "/pets/0"
    name: str = "Mia"
    nickname: str | None = None
    toys: tuple[Toy, ...] = ()


@pytest.fixture
def write(tmp_path: Path):
    def rules(table: str = SOUNDS, facts: str = FACTS) -> RuleSet:
        (tmp_path / "facts.yml").write_text(dedent(facts))
        (tmp_path / "codes.yml").write_text(dedent(CODES))
        (tmp_path / "table.yml").write_text(dedent(table))
        return load_rules(tmp_path)

    return rules


def test_a_unique_table_decides_each_combination_by_its_one_row(write) -> None:
    sounds = write().table("sounds")

    assert [sounds.decide(Pet(animal))["sound"] for animal in ("cat", "dog", "fish")] == [
        "meow",
        "bark",
        "none",
    ]
    assert sounds.decide(Pet("dog")).row.id == "dog"


def test_a_decision_is_made_once_per_combination(write) -> None:
    sounds = write().table("sounds")

    assert sounds.decide(Pet("cat", name="Mia")) is sounds.decide(Pet("cat", name="Tom"))


def test_a_first_table_takes_the_first_row_that_matches(write) -> None:
    table = write(
        """
        table: first
        decides: order
        about: [pet]
        hit: first
        inputs: [animal, wet]
        outputs: {sound: $sound}
        rows:
          - {id: wet, when: {wet: true}, then: {sound: none}}
          - {id: cat, when: {animal: cat}, then: {sound: meow}}
          - {id: rest, then: {sound: bark}}
        """
    ).table("first")

    assert [
        table.decide(Pet(animal, wet)).row.id
        for animal, wet in (("cat", True), ("cat", False), ("fish", False))
    ] == [
        "wet",
        "cat",
        "rest",
    ]


def test_a_collect_table_gives_every_row_that_matches_and_may_give_none(write) -> None:
    table = write(
        """
        table: notes
        decides: what is noted
        about: [pet]
        hit: collect
        inputs: [animal, wet]
        outputs: {note: key, text: message}
        rows:
          - {id: wet, when: {wet: true}, then: {note: wet, text: "{name} is wet"}}
          - {id: cat, when: {animal: cat}, then: {note: cat, text: "{name} at {at}"}}
        """
    ).table("notes")
    pet = Pet("cat", wet=True)

    assert [decision["text"](pet) for decision in table.decide_all(pet)] == ["Mia is wet", "Mia at /pets/0"]
    assert table.decide_all(Pet("dog")) == ()


def test_a_pattern_table_takes_the_first_pattern_that_is_found(write) -> None:
    table = write(
        r"""
        table: shapes
        decides: the shape of a name
        about: [pet]
        hit: pattern
        outputs: {sound: $sound}
        rows:
          - {id: upper, pattern: '^[A-Z]+$', then: {sound: bark}}
          - {id: rest, then: {sound: meow}}
        """
    ).table("shapes")

    assert [table.match(text)["sound"] for text in ("REX", "Mia")] == ["bark", "meow"]


def test_an_output_can_copy_an_input_whose_values_it_has(write) -> None:
    table = write(
        """
        table: copies
        decides: what stays as it is
        about: [pet]
        hit: unique
        inputs: [animal]
        outputs: {becomes: $animal}
        rows:
          - {id: all, then: {becomes: $animal}}
        """
    ).table("copies")

    assert table.decide(Pet("fish"))["becomes"] == "fish"


def test_identities_are_percent_encoded_and_pointers_escaped(write) -> None:
    table = write(
        """
        table: names
        decides: names
        about: [pet]
        hit: unique
        outputs: {id: identity, where: pointer, said: message}
        rows:
          - {id: all, then: {id: "zoo/{name}", where: "{at}/toys/{name}", said: "<{name}>"}}
        """
    ).table("names")
    pet = Pet(name="a/b ~é")
    decision = table.decide(pet)

    assert decision["id"](pet) == "zoo/a%2Fb%20~%C3%A9"
    assert decision["where"](pet) == "/pets/0/toys/a~1b ~0é"
    assert decision["said"](pet) == "<a/b ~é>"


def test_a_body_copies_facts_leaves_absent_ones_out_and_maps_lists(write) -> None:
    table = write(
        """
        table: cards
        decides: the card of a pet
        about: [pet]
        hit: unique
        outputs: {body: body}
        rows:
          - id: all
            then:
              body:
                kind: {constant: PET, tags: [a, $name]}
                also: '$nickname?'
                toys: {each: toys, as: {name: $name, colour: '$colour?'}}
        """
    ).table("cards")
    pet = Pet(toys=(Toy("ball", "red"), Toy("mouse")))

    assert table.decide(pet)["body"](pet) == {
        "kind": {"constant": "PET", "tags": ["a", "Mia"]},
        "toys": [{"name": "ball", "colour": "red"}, {"name": "mouse"}],
    }


def test_every_body_is_a_fresh_value(write) -> None:
    table = write(
        """
        table: cards
        decides: the card of a pet
        about: [pet]
        hit: unique
        outputs: {body: body}
        rows:
          - {id: all, then: {body: {deep: {constant: [1]}}}}
        """
    ).table("cards")
    make = table.decide(Pet())["body"]
    first = make(Pet())
    first["deep"]["constant"].append(2)

    assert make(Pet()) == {"deep": {"constant": [1]}}


def test_a_watcher_hears_every_decision_with_its_location(write) -> None:
    rules = write()
    heard = []
    rules.watch(
        lambda question: heard.extend((question.table, one.row.id, question.at) for one in question.decisions)
    )
    rules.table("sounds").decide(Pet("dog", at="/pets/7"))
    rules.table("sounds").foresee(Pet("cat"))
    rules.watch(None)
    rules.table("sounds").decide(Pet("fish"))

    assert heard == [("sounds", "dog", "/pets/7")]


def test_a_fact_outside_its_domain_is_never_decided(write) -> None:
    with pytest.raises(FactOutsideDomainError, match="'animal' has a value outside the domain"):
        write().table("sounds").decide(Pet("horse"))


def refused(write, table: str, error: type[RulesError], facts: str = FACTS) -> RulesError:
    with pytest.raises(error) as caught:
        write(table, facts)
    return caught.value


def test_a_gap_is_refused_with_the_missing_row(write) -> None:
    error = refused(
        write, SOUNDS.replace("  - {id: fish, when: {animal: fish}, then: {sound: none}}\n", ""), GapError
    )

    assert error.message == "table 'sounds' has no row for some 'pet' records"
    assert error.suggestion == "add a row: {id: fish, when: {animal: fish}, then: {sound: TODO}}"
    assert error.place is not None
    assert (Path(error.place.file).name, error.place.line) == ("table.yml", 9)


def test_two_rows_for_one_combination_are_refused_where_one_is_allowed(write) -> None:
    error = refused(write, SOUNDS.replace("animal: dog", "animal: [cat, dog]"), OverlapError)

    assert error.message == "rows 'cat' and 'dog' of 'sounds' match the same records"
    assert (error.location, error.place.line) == ("/rows/1", 10)


def test_a_key_given_twice_by_a_collect_table_is_refused(write) -> None:
    table = """
    table: notes
    decides: what is noted
    about: [pet]
    hit: collect
    inputs: [animal, wet]
    outputs: {note: key}
    rows:
      - {id: wet, when: {wet: true}, then: {note: same}}
      - {id: cat, when: {animal: cat}, then: {note: same}}
    """

    assert (
        refused(write, table, OverlapError).message
        == "rows 'wet' and 'cat' of 'notes' match the same records"
    )
    assert write(table.replace("{animal: cat}", "{animal: cat, wet: false}")).table("notes").hit == "collect"


def test_a_row_behind_rows_that_cover_it_is_refused(write) -> None:
    error = refused(
        write,
        """
        table: first
        decides: order
        about: [pet]
        hit: first
        inputs: [animal, wet]
        outputs: {sound: $sound}
        rows:
          - {id: dry, when: {wet: false}, then: {sound: none}}
          - {id: wet, when: {wet: true}, then: {sound: none}}
          - {id: never, when: {animal: cat}, then: {sound: meow}}
        """,
        UnreachableRowError,
    )

    assert (error.message, error.location) == ("row 'never' of 'first' can never be reached", "/rows/2")


@pytest.mark.parametrize(
    ("old", "new", "error", "location"),
    [
        ("when: {animal: dog}", "when: {animal: horse}", DomainError, "/rows/1/when/animal"),
        ("when: {animal: dog}", "when: {colour: dog}", UnknownFactError, "/rows/1/when/colour"),
        ("inputs: [animal]", "inputs: [animal, size]", UnknownFactError, "/inputs/1"),
        ("inputs: [animal]", "inputs: [animal, name]", UnknownFactError, "/inputs/1"),
        ("about: [pet]", "about: [plant]", UnknownRecordError, "/about/0"),
        ("sound: bark}", "sound: moo}", DomainError, "/rows/1/then/sound"),
        ("sound: bark}", "noise: bark}", UnknownFactError, "/rows/1/then/noise"),
        ("then: {sound: bark}", "then: {}", OutputLeftOutError, "/rows/1/then/sound"),
        ("sound: bark}", "sound: $animal}", DomainError, "/rows/1/then/sound"),
        ("sound: bark}", "sound: $name}", UnknownFactError, "/rows/1/then/sound"),
        ("id: dog", "id: cat", DuplicateRowError, "/rows/1/id"),
        ("hit: unique", "hit: any", TableShapeError, "/hit"),
        ("outputs: {sound: $sound}", "outputs: {sound: $noise}", UnknownDomainError, "/outputs/sound"),
    ],
)
def test_a_fault_in_a_table_is_refused_at_its_place(write, old, new, error, location) -> None:
    assert SOUNDS.count(old) == 1

    caught = refused(write, SOUNDS.replace(old, new), error)

    assert caught.location == location
    assert caught.place is not None
    assert caught.place.line is not None


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        ("message", "'{size} is unknown'", UnknownFactError),
        ("message", "'a { brace'", TemplateError),
        ("code", "W9_SILENT", UnknownCodeError),
        ("body", "{a: $size}", UnknownFactError),
        ("body", "{a: $nickname}", TemplateError),
        ("body", "{a: '$name?'}", TemplateError),
        ("body", "{a: $toys}", TemplateError),
        ("body", "{a: {each: name, as: {}}}", UnknownFactError),
        ("body", "{a: {each: toys, as: {b: $animal}}}", UnknownFactError),
        ("integer", "'3'", DomainError),
        ("text", "' '", DomainError),
    ],
)
def test_a_fault_in_an_output_is_refused(write, kind, value, error) -> None:
    table = f"""
    table: outputs
    decides: one output
    about: [pet]
    hit: unique
    outputs: {{it: {kind}}}
    rows:
      - {{id: all, then: {{it: {value}}}}}
    """

    assert refused(write, table, error).location.startswith("/rows/0/then/it")


def test_a_pattern_table_needs_an_open_last_row(write) -> None:
    table = """
    table: shapes
    decides: the shape of a name
    about: [pet]
    hit: pattern
    outputs: {sound: $sound}
    rows:
      - {id: upper, pattern: 'A', then: {sound: bark}}
    """

    assert refused(write, table, GapError).message == "table 'shapes' needs a last row without a pattern"
    broken = refused(write, table.replace("'A'", "'('"), TemplateError)
    assert (broken.message, broken.location) == (
        "not a regular expression: missing ), unterminated subpattern",
        "/rows/0/pattern",
    )


def test_a_directory_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesFolderError):
        load_rules(tmp_path / "nowhere")


def test_two_tables_of_one_name_are_refused(write, tmp_path: Path) -> None:
    write()
    (tmp_path / "zz-copy.yml").write_text(SOUNDS)

    with pytest.raises(DuplicateRowError, match="'sounds' stands in two files"):
        load_rules(tmp_path)


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """Return a rule set whose files are named after what they hold, with a table that has a gap."""
    (tmp_path / "facts.yml").write_text(dedent(FACTS))
    (tmp_path / "diagnostics.yml").write_text(dedent(CODES))
    (tmp_path / "sounds.yml").write_text(SOUNDS)
    (tmp_path / "gaps.yml").write_text(SOUNDS.replace("table: sounds", "table: gaps").rpartition("\n  -")[0])
    return tmp_path


def test_who_names_tables_gets_them_with_the_codes_and_nothing_else(named: Path) -> None:
    rules = load_rules(named, only=["sounds"])

    assert (list(rules.tables), list(rules.catalogues)) == (["sounds"], ["diagnostics"])
    assert rules.table("sounds").decide(Pet("dog"))["sound"] == "bark"


def test_a_table_that_is_named_is_verified(named: Path) -> None:
    with pytest.raises(GapError, match="table 'gaps' has no row"):
        load_rules(named, only=["gaps"])


def test_a_table_in_a_file_of_another_name_makes_every_file_be_read(named: Path) -> None:
    (named / "gaps.yml").unlink()
    (named / "sounds.yml").rename(named / "voices.yml")

    assert list(load_rules(named, only=["sounds"]).tables) == ["sounds"]


def test_a_file_that_holds_another_table_makes_every_file_be_read(named: Path) -> None:
    (named / "sounds.yml").rename(named / "voices.yml")
    (named / "gaps.yml").rename(named / "sounds.yml")

    with pytest.raises(GapError, match="table 'gaps' has no row"):
        load_rules(named, only=["sounds"])


def test_what_the_program_reads_must_be_there(write) -> None:
    rules = write()

    with pytest.raises(UnknownTableError):
        rules.require(Needs(tables={"smells": []}, catalogues={}, records={}))
    with pytest.raises(MissingOutputError):
        rules.require(Needs(tables={"sounds": ["volume"]}, catalogues={}, records={}))
    with pytest.raises(UnknownFactError):
        rules.require(Needs(tables={}, catalogues={}, records={"pet": Toy}))
    rules.require(
        Needs(tables={"sounds": ["sound"]}, catalogues={"diagnostics": ["severity"]}, records={"pet": Pet})
    )
