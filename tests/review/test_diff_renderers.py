"""A difference as text, Markdown, a Mermaid picture and JSON."""

from __future__ import annotations

from pathlib import Path

from designed_events import Event, dataset, facet, job, one, owners, pipeline, schema

from streamt_ol.engine.ruleset import load_rules
from streamt_ol.review.diffs import diff_markdown, diff_text
from streamt_ol.review.diffs.diff import Diff, diff_exports
from streamt_ol.review.diffs.diff_mermaid import picture

RULES = load_rules(Path(__file__).resolve().parents[2] / "rules")


def difference() -> Diff:
    """Return the difference that renames a dataset, changes an owner and a description, and adds a job."""
    new = pipeline()
    one(new, "paid")["name"] = "settled"
    new[5]["outputs"][0]["name"] = "settled"
    one(new, "raw")["facets"].update(ownership=owners("bob"), documentation=facet(description="Raw"))
    new.append(job("adding", ["late"]))
    return diff_exports(pipeline(), new, RULES)


TEXT = """\
2 breaking, 4 notable, 1 cosmetic

breaking
  4584fb410c5e  dataset paid is gone
  450b42de2c67  edge paying -> paid is gone
                feeds: paid

notable
  19e7a8b3bdc8  dataset settled is new
  f50398b8e077  job adding is new
  1685fa5a185f  edge paying -> settled is new
                feeds: settled
  f9ffe269f8dc  owner of dataset raw was ann, is bob
                feeds: cleaning, clean, paying, waiting, paid, settled, late, adding

cosmetic
  55deebfe9864  description of dataset raw changed
                feeds: cleaning, clean, paying, waiting, paid, settled, late, adding

perhaps renamed
  4fb69ad654f3  dataset paid -> settled
"""
MARKDOWN = """\
## Review

2 breaking, 4 notable, 1 cosmetic.

### Breaking

- `dataset paid is gone` (4584fb410c5e)
- `edge paying -> paid is gone` (450b42de2c67); feeds `paid`

### Notable

- `dataset settled is new` (19e7a8b3bdc8)
- `job adding is new` (f50398b8e077)
- `edge paying -> settled is new` (1685fa5a185f); feeds `settled`
- `owner of dataset raw was ann, is bob` (f9ffe269f8dc); feeds `cleaning`, `clean`, `paying`, `waiting`, `paid`, `settled`, `late`, `adding`

### Cosmetic

- `description of dataset raw changed` (55deebfe9864); feeds `cleaning`, `clean`, `paying`, `waiting`, `paid`, `settled`, `late`, `adding`

### Perhaps renamed

- dataset `paid` to `settled` (4fb69ad654f3)

### The neighbourhood

```mermaid
flowchart LR
  n0[("paid")]:::removed
  n1(["paying"]):::changed
  n2[("settled")]:::added
  n3(["adding"]):::added
  n4[("raw")]:::changed
  n5[("clean")]
  n6[("late")]
  n7(["cleaning"])
  n5 --> n1
  n6 ==>|new| n3
  n4 --> n7
  n7 --> n5
  n1 -.->|gone| n0
  n1 ==>|new| n2
  classDef added stroke:#2da44e,stroke-width:3px
  classDef removed stroke:#cf222e,stroke-width:3px,stroke-dasharray:5
  classDef changed stroke:#bf8700,stroke-width:3px
```

Cylinders are datasets, rounded boxes are jobs.
"""


def test_text_tells_the_most_severe_first_with_ids_and_what_is_fed() -> None:
    assert diff_text.render(difference()) == TEXT


def test_markdown_is_a_section_with_a_picture() -> None:
    assert diff_markdown.render(difference(), "Review") == MARKDOWN


def test_json_has_everything() -> None:
    document = difference().document()

    assert (document["same"], document["counts"]) == (False, {"breaking": 2, "notable": 4, "cosmetic": 1})
    assert document["changes"][0] == {
        "id": document["changes"][0]["id"],
        "severity": "breaking",
        "operation": "removed",
        "subject": "dataset",
        "identity": "paid",
        "kind": "dataset",
        "namespace": "kafka://broker.example:9092",
        "name": "paid",
        "path": "",
        "message": "dataset paid is gone",
        "feeds": [],
        "fed": 0,
    }
    assert document["changes"][5]["feeds"] == [
        "cleaning",
        "clean",
        "paying",
        "waiting",
        "paid",
        "settled",
        "late",
        "adding",
    ]
    assert document["renames"] == [
        {"id": document["renames"][0]["id"], "kind": "dataset", "old": "paid", "new": "settled"}
    ]


def test_no_difference_is_said_in_one_line() -> None:
    same = diff_exports(pipeline(), pipeline(), RULES)

    assert diff_text.render(same) == "The exports say the same\n"
    assert diff_markdown.render(same) == "## What changed in the lineage\n\nThe exports say the same.\n"
    assert same.document() == {
        "same": True,
        "counts": {"breaking": 0, "notable": 0, "cosmetic": 0},
        "changes": [],
        "renames": [],
    }


def wide(description: str) -> list[Event]:
    """Return a dataset that feeds 60 jobs."""
    return [
        dataset("hub", documentation=facet(description=description)),
        *(job(f"j{n:02}", ["hub"]) for n in range(60)),
    ]


def test_ten_of_many_names_are_shown_and_the_rest_is_counted() -> None:
    diff = diff_exports(wide("a"), wide("b"), RULES)

    assert diff_text.render(diff).splitlines()[-1].endswith(" j08, j09 and 50 more")
    assert "`j08`, `j09` and 50 more\n" in diff_markdown.render(diff)


def test_at_most_40_nodes_are_drawn_and_the_rest_is_counted() -> None:
    diff = diff_exports(wide("a"), wide("b"), RULES)
    lines, left_out = picture(diff)

    assert (len([line for line in lines if "[" in line]), left_out) == (40, 21)
    assert diff_markdown.render(diff).endswith("rounded boxes are jobs. 21 more are not drawn.\n")


HOSTILE = 'a"b`c|<i>[x](y)\n@team#1%%\x1b\u202e'


def test_names_cannot_steer_a_terminal() -> None:
    shown = diff_text.render(diff_exports([], [dataset(HOSTILE)], RULES))

    assert 'dataset a"b`c|<i>[x](y)\\n@team#1%%\\x1b\\u202e is new' in shown
    assert shown.isascii()


def test_names_are_no_markup() -> None:
    shown = diff_markdown.render(diff_exports([], [dataset(HOSTILE, "x")], RULES))

    assert '- `` dataset a"b`c|<i>[x](y)\\n@team#1%%\\x1b\\u202e is new `` (' in shown
    assert (
        '  n0[("a#34;b#96;c#124;#60;i#62;#91;x#93;#40;y#41;#92;n#64;team#35;1#37;#37;#92;x1b#92;u202e")]:::added\n'
        in shown
    )


def test_a_title_is_one_line() -> None:
    same = diff_exports([], [], RULES)

    assert diff_markdown.render(same, "a\n# b").startswith("## a\\n# b\n")


def test_a_long_label_shows_its_end() -> None:
    lines, _left_out = picture(diff_exports([], [dataset("x" * 70 + "end")], RULES))

    assert lines[1] == f'  n0[("…{"x" * 56}end")]:::added'


def test_a_picture_shows_the_changed_and_their_neighbours_alone() -> None:
    new = pipeline()
    one(new, "paid")["facets"]["schema"] = schema("id", "more")
    lines, left_out = picture(diff_exports(pipeline(), new, RULES))

    assert left_out == 0
    assert lines[:4] == ["flowchart LR", '  n0[("paid")]:::changed', '  n1(["paying"])', "  n1 --> n0"]
    assert [line.split()[0] for line in lines[4:]] == ["classDef"] * 3
