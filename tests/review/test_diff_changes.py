"""Each kind of change: how severe it is, what is said about it, and what it feeds."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from designed_events import KAFKA, Event, dataset, facet, job, one, owners, pipeline, schema

from streamt_ol.engine.errors import DomainError
from streamt_ol.engine.ruleset import load_rules
from streamt_ol.review.diffs import downstream
from streamt_ol.review.diffs.diff import Diff, diff_exports

FOLDER = Path(__file__).resolve().parents[2] / "rules"
RULES = load_rules(FOLDER)


def changed(edit: Callable[[list[Event]], Any]) -> Diff:
    """Return the difference that an edit of the pipeline makes."""
    new = pipeline()
    edit(new)
    return diff_exports(pipeline(), new, RULES)


def told(diff: Diff) -> list[tuple[str, str, str]]:
    return [(change.severity, change.path, change.message) for change in diff.changes]


def fields_of(export: list[Event], name: str) -> list[dict[str, Any]]:
    return one(export, name)["facets"]["schema"]["fields"]


EDITS: dict[str, tuple[Callable[[list[Event]], Any], list[tuple[str, str, str]]]] = {
    "a dataset is gone": (
        lambda export: export.pop(3),
        [("breaking", "", "dataset late is gone")],
    ),
    "a job is gone, its edges with it": (
        lambda export: export.pop(5),
        [("breaking", "", "job paying is gone")],
    ),
    "a dataset and a job are new, fields and edges included": (
        lambda export: export.extend([dataset("more", "id"), job("adding", ["late"], ["more"])]),
        [("notable", "", "dataset more is new"), ("notable", "", "job adding is new")],
    ),
    "an input is gone": (
        lambda export: export[5].pop("inputs"),
        [("breaking", "/inputs/kafka:~1~1broker.example:9092/clean", "edge clean -> paying is gone")],
    ),
    "an output is another": (
        lambda export: export[5].update(outputs=[{"namespace": KAFKA, "name": "late"}]),
        [
            ("breaking", "/outputs/kafka:~1~1broker.example:9092/paid", "edge paying -> paid is gone"),
            ("notable", "/outputs/kafka:~1~1broker.example:9092/late", "edge paying -> late is new"),
        ],
    ),
    "a field is gone": (
        lambda export: fields_of(export, "clean").pop(),
        [("breaking", "/facets/schema/fields/amount", "field amount of dataset clean is gone")],
    ),
    "a field is new, in front of the others": (
        lambda export: one(export, "clean")["facets"].update(schema=schema("key", "id", "amount")),
        [("notable", "/facets/schema/fields/key", "field key of dataset clean is new")],
    ),
    "all fields are gone with their facet": (
        lambda export: one(export, "clean")["facets"].pop("schema"),
        [
            ("breaking", "/facets/schema/fields/amount", "field amount of dataset clean is gone"),
            ("breaking", "/facets/schema/fields/id", "field id of dataset clean is gone"),
        ],
    ),
    "a type is another": (
        lambda export: fields_of(export, "clean")[1].update(type="INT"),
        [
            (
                "breaking",
                "/facets/schema/fields/amount/type",
                "type of field amount of dataset clean was STRING, is INT",
            )
        ],
    ),
    "a type is not known any more": (
        lambda export: fields_of(export, "clean")[1].pop("type"),
        [("breaking", "/facets/schema/fields/amount/type", "type of field amount of dataset clean is gone")],
    ),
    "the order of fields is another": (
        lambda export: one(export, "raw")["facets"].update(schema=schema("amount", "id")),
        [
            (
                "breaking",
                "/facets/schema/fields",
                "order of fields of dataset raw changed: amount stands where id stood",
            )
        ],
    ),
    "a field has a description": (
        lambda export: fields_of(export, "clean")[0].update(description="The key"),
        [
            (
                "cosmetic",
                "/facets/schema/fields/id/description",
                "description of field id of dataset clean is new",
            )
        ],
    ),
    "a description is another": (
        lambda export: one(export, "raw")["facets"].update(documentation=facet(description="Raw")),
        [("cosmetic", "/facets/documentation/description", "description of dataset raw changed")],
    ),
    "a description is gone": (
        lambda export: one(export, "raw")["facets"].pop("documentation"),
        [("cosmetic", "/facets/documentation/description", "description of dataset raw is gone")],
    ),
    "an owner is another": (
        lambda export: one(export, "raw")["facets"].update(ownership=owners("bob")),
        [("notable", "/facets/ownership/owners", "owner of dataset raw was ann, is bob")],
    ),
    "an owner is new": (
        lambda export: one(export, "raw")["facets"].update(ownership=owners("bob", "ann")),
        [("notable", "/facets/ownership/owners/bob", "owner bob of dataset raw is new")],
    ),
    "the owners are gone": (
        lambda export: one(export, "raw")["facets"].pop("ownership"),
        [("notable", "/facets/ownership/owners/ann", "owner ann of dataset raw is gone")],
    ),
    "an owner has another type": (
        lambda export: one(export, "raw")["facets"]["ownership"]["owners"][0].update(type="team"),
        [("notable", "/facets/ownership/owners", "owner of dataset raw was ann, is ann (team)")],
    ),
    "a job is of another type": (
        lambda export: one(export, "cleaning")["facets"]["jobType"].update(jobType="QUERY"),
        [("notable", "/facets/jobType/jobType", "jobType of facet jobType of job cleaning changed")],
    ),
    "a facet is new": (
        lambda export: one(export, "paying")["facets"].update(vendor_cost=facet(euros=3)),
        [("notable", "/facets/vendor_cost", "facet vendor_cost of job paying is new")],
    ),
    "a facet is gone": (
        lambda export: one(export, "cleaning")["facets"].pop("jobType"),
        [("notable", "/facets/jobType", "facet jobType of job cleaning is gone")],
    ),
    "a facet is marked as deleted": (
        lambda export: one(export, "cleaning")["facets"].update(jobType=facet(_deleted=True)),
        [("notable", "/facets/jobType", "facet jobType of job cleaning is gone")],
    ),
    "a facet of an edge is new": (
        lambda export: export[5]["outputs"][0].update(facets={"columnLineage": facet(fields={})}),
        [
            (
                "notable",
                "/outputs/kafka:~1~1broker.example:9092/paid/facets/columnLineage",
                "facet columnLineage of edge paying -> paid is new",
            )
        ],
    ),
    "an input has no facets, written as such": (
        lambda export: export[5]["inputs"][0].update(facets={}, inputFacets={}),
        [],
    ),
    "an input is named twice": (lambda export: export[5]["inputs"].append(export[5]["inputs"][0]), []),
    "another producer": (
        lambda export: [
            export[3].update(producer="p"),
            one(export, "raw")["facets"]["schema"].update(_producer="p"),
        ],
        [
            ("cosmetic", "/producer", "producer of dataset late changed"),
            ("cosmetic", "/producer", "producer of dataset raw changed"),
        ],
    ),
    "another release of the standard": (
        lambda export: export[3].update(schemaURL="https://openlineage.example/3"),
        [("notable", "/schemaURL", "schema URLs of dataset late changed")],
    ),
    "another event time": (lambda export: export[3].update(eventTime="2030-01-01T00:00:00Z"), []),
    "a key outside the standard": (
        lambda export: export[3].update(vendor={"a": 1}),
        [("notable", "/vendor", "key vendor of dataset late is new")],
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_change_is_told_with_its_severity(name: str) -> None:
    edit, wanted = EDITS[name]

    assert told(changed(edit)) == wanted


def test_nested_fields_are_compared_by_their_path() -> None:
    def nested(*inner: dict[str, Any]) -> list[Event]:
        return [dataset("d", {"name": "row", "type": "ROW", "fields": list(inner)})]

    a, b = {"name": "a", "type": "INT"}, {"name": "b", "type": "INT"}
    diff = diff_exports(nested(a, b), nested(b, {**a, "type": "BIGINT"}, {"name": "c"}), RULES)

    assert told(diff) == [
        (
            "breaking",
            "/facets/schema/fields/row/fields/a/type",
            "type of field row.a of dataset d was INT, is BIGINT",
        ),
        (
            "breaking",
            "/facets/schema/fields/row/fields",
            "order of fields in row of dataset d changed: b stands where a stood",
        ),
        ("notable", "/facets/schema/fields/row/fields/c", "field row.c of dataset d is new"),
    ]


def test_fields_of_one_name_are_told_apart_by_their_order() -> None:
    old, new = [dataset("d", "id", "id")], [dataset("d", "id", {"name": "id", "type": "INT"})]

    assert told(diff_exports(old, new, RULES)) == [
        (
            "breaking",
            "/facets/schema/fields/id/2/type",
            "type of field id (2) of dataset d was STRING, is INT",
        )
    ]


def test_the_order_of_fields_is_that_of_their_positions() -> None:
    old, new = pipeline(), pipeline()
    fields_of(new, "raw").reverse()

    assert diff_exports(old, new, RULES).is_empty


def test_what_lies_downstream_is_named_nearest_first() -> None:
    diff = changed(lambda export: fields_of(export, "raw").pop())

    assert diff.changes[0].feeds == ("cleaning", "clean", "paying", "waiting", "paid", "late")
    assert diff.changes[0].fed == 6


def test_an_edge_feeds_its_far_end_and_what_that_feeds() -> None:
    reading = changed(lambda export: export[4].pop("inputs")).changes[0]
    writing = changed(lambda export: export[4].pop("outputs")).changes[0]

    assert reading.feeds == ("clean", "paying", "waiting", "paid", "late")
    assert writing.feeds == ("clean", "paying", "waiting", "paid", "late")


def test_at_most_100_names_are_given_and_all_are_counted() -> None:
    def chain(description: str) -> list[Event]:
        jobs = [job(f"j{number}", [f"d{number}"], [f"d{number + 1}"]) for number in range(150)]
        return [dataset("d0", documentation=facet(description=description)), *jobs]

    (change,) = diff_exports(chain("a"), chain("b"), RULES).changes

    assert (len(change.feeds), change.feeds[:3], change.fed) == (100, ("j0", "d1", "j1"), 300)


@pytest.mark.parametrize("block", [1, 7, 8192])
def test_the_size_of_a_block_changes_no_count(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downstream, "_BLOCK", block)
    both_ways = [
        job(f"j{number}", [f"d{number}"], [f"d{number + 1}", f"d{number - 1}"]) for number in range(1, 9)
    ]
    new = [*both_ways, job("last", ["d8"], ["end"], vendor={"a": 1})]
    old = [*both_ways[:3], *(job(f"j{number}") for number in range(4, 9)), job("last", ["d8"], ["end"])]

    counts = {(change.path, change.identity): change.fed for change in diff_exports(old, new, RULES).changes}
    assert counts["/facets/vendor", "last"] == 1
    # d1 to d8 and their jobs are one circle: each reaches the 15 others, and d0, d9, last and end
    assert {fed for (path, _name), fed in counts.items() if path.startswith("/inputs")} == {19}


def test_names_carry_as_much_as_tells_them_apart() -> None:
    old = [
        dataset("only"),
        dataset("twice"),
        dataset("twice", namespace="file"),
        dataset("same", namespace="ns"),
        job("same", namespace="ns"),
    ]

    assert [change.identity for change in diff_exports(old, [], RULES).changes] == [
        "file/twice",
        "kafka://broker.example:9092/twice",
        "ns/same (dataset)",
        "only",
        "ns/same (job)",
    ]


def retyped(kind: str) -> list[Event]:
    export = pipeline()
    fields_of(export, "clean")[1]["type"] = kind
    return export


def test_an_id_is_of_one_change_of_one_thing() -> None:
    def id_of(old: list[Event], new: list[Event]) -> str:
        (change,) = diff_exports(old, new, RULES).changes
        return change.id

    there, further, back = (
        id_of(retyped("STRING"), retyped("INT")),
        id_of(retyped("INT"), retyped("BIGINT")),
        id_of(retyped("INT"), retyped("STRING")),
    )

    assert there == id_of(retyped("STRING"), retyped("INT")) == "6c44e3959d8f"
    assert len({there, further, back}) == 3


def test_an_id_does_not_depend_on_how_an_identity_is_called() -> None:
    def id_of(*others: Event) -> tuple[str, str]:
        (change,) = diff_exports([*others, dataset("d")], others, RULES).changes
        return change.identity, change.id

    (short, first), (long, second) = id_of(), id_of(dataset("d", namespace="file"))

    assert (short, long) == ("d", "kafka://broker.example:9092/d")
    assert first == second


def test_at_least_gives_what_is_as_severe_or_more() -> None:
    def edit(export: list[Event]) -> None:
        fields_of(export, "clean").pop()
        one(export, "raw")["facets"].update(ownership=owners("bob"), documentation=facet(description="x"))

    diff = changed(edit)

    assert [len(diff.at_least(severity)) for severity in ("breaking", "notable", "cosmetic")] == [1, 2, 3]
    assert diff.counts() == {"breaking": 1, "notable": 1, "cosmetic": 1}


def rules_with(folder: Path, old: str, new: str) -> Path:
    shutil.copytree(FOLDER, folder)
    text = (folder / "changes.yml").read_text("utf-8")
    assert old in text
    (folder / "changes.yml").write_text(text.replace(old, new), "utf-8")
    return folder


def test_severities_and_sentences_are_rows(tmp_path: Path) -> None:
    row = 'then: {severity: notable, message: "{what} was {old}, is {new}"}'
    folder = rules_with(tmp_path / "rules", row, 'then: {severity: breaking, message: "{what} left"}')
    new = copy.deepcopy(pipeline())
    one(new, "raw")["facets"]["ownership"] = owners("bob")
    diff = diff_exports(pipeline(), new, load_rules(folder))

    assert told(diff) == [("breaking", "/facets/ownership/owners", "owner of dataset raw left")]


def test_a_severity_that_no_comparison_knows_is_refused(tmp_path: Path) -> None:
    folder = rules_with(
        tmp_path / "rules", "[breaking, notable, cosmetic]", "[breaking, notable, cosmetic, fatal]"
    )
    text = (folder / "changes.yml").read_text("utf-8")
    (folder / "changes.yml").write_text(
        text.replace("then: {severity: notable", "then: {severity: fatal"), "utf-8"
    )
    rules = load_rules(folder)

    with pytest.raises(DomainError) as caught:
        diff_exports([], [], rules)

    assert (
        caught.value.message
        == "row 'owner-changed' gives an unknown severity; known are breaking, notable, cosmetic"
    )
    assert caught.value.location == "/rows/3/then/severity"
