"""One event by itself: its kind, the official schema of that kind, and the schemas of its facets."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
import referencing
from referencing.jsonschema import DRAFT202012
from sample_events import (
    CORE,
    EXAMPLES,
    FACETS,
    PRODUCER,
    custom_facet,
    dataset,
    dataset_event,
    event,
    facet,
    job,
    job_event,
    run_event,
)

from streamt_ol.ground.json_formats import FORMATS
from streamt_ol.lineage.schemas import OpenLineageSchemas
from streamt_ol.review.events.event_findings import Remark
from streamt_ol.review.events.event_rules import EventRules

SCHEMAS = OpenLineageSchemas.packaged()
RULES = EventRules(SCHEMAS)
STRICT = EventRules(SCHEMAS, strict=True)
NOT_PINNED, REFUSED = "W153_SCHEMA_NOT_PINNED", "E157_SCHEMA_NOT_PINNED"
MISTAKABLE = "W152_EVENT_MISTAKABLE"
INVALID = "E153_EVENT_INVALID"
TAKEN_FOR_ANOTHER = "receivers may take the event for another kind"


def remarks(value: Any, rules: EventRules = RULES) -> list[tuple[str, tuple[str | int, ...], str]]:
    found = rules.remarks(value, rules.kind_of(value))
    return [(remark.code, remark.path, remark.message) for remark in found]


def is_refused(value: Any) -> bool:
    return any(code.startswith("E") for code, _path, _message in remarks(value))


# Kinds


@pytest.mark.parametrize("value", [None, 1, "x", [], [dataset_event()]])
def test_a_value_that_is_no_object_is_no_event(value: Any) -> None:
    assert remarks(value) == [("E152_EVENT_KIND_UNKNOWN", (), "is no object")]


@pytest.mark.parametrize("says", [{}, {"schemaURL": f"{CORE}#/$defs/TestEvent"}, {"schemaURL": 3}])
def test_an_object_that_tells_no_kind_is_no_event(says: dict[str, Any]) -> None:
    assert remarks({"eventTime": "x", **says}) == [("E152_EVENT_KIND_UNKNOWN", (), "tells no kind of event")]


@pytest.mark.parametrize("kind", ["DatasetEvent", "JobEvent", "RunEvent"])
def test_the_definition_that_the_url_names_is_the_kind_whatever_the_keys(kind: str) -> None:
    assert RULES.kind_of({"schemaURL": f"{CORE}#/$defs/{kind}", "run": 1, "job": 2, "dataset": 3}) == kind


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "https://openlineage.io/spec/1-0-5/OpenLineage.json#/definitions/RunEvent",
            "names version 1-0-5, which is not pinned; checked as a RunEvent of 2-0-2",
        ),
        (
            f"{CORE}#/definitions/RunEvent",
            "names another definition, which is not pinned; checked as a RunEvent of 2-0-2",
        ),
        (
            "https://openlineage.io/spec/2-0-3/OpenLineage.json",
            "names version 2-0-3, which is not pinned; checked as a RunEvent of 2-0-2, told by its keys",
        ),
        (
            "urn:events/RunEvent/",
            "names another definition, which is not pinned; checked as a RunEvent of 2-0-2, told by its keys",
        ),
    ],
)
def test_another_definition_is_noted_and_refused_by_strict(url: str, message: str) -> None:
    run = run_event("START", schemaURL=url)

    assert remarks(run) == [(NOT_PINNED, ("schemaURL",), message)]
    assert remarks(run, STRICT) == [(REFUSED, ("schemaURL",), message)]


@pytest.mark.parametrize(
    "url", [CORE, f"{CORE}#/$defs/JOBEVENT", f"{CORE}#/$defs/JobEvent/", f"{CORE}#/$defs/JobEvent%20"]
)
def test_a_static_event_whose_url_names_no_kind_may_be_taken_for_a_run(url: str) -> None:
    assert remarks(job_event(schemaURL=url))[1:] == [
        (MISTAKABLE, ("schemaURL",), "does not end in JobEvent: receivers may take the event for a RunEvent")
    ]


def test_a_blank_behind_the_url_is_refused_by_its_format_too() -> None:
    found = remarks(dataset_event(schemaURL=f"{CORE}#/$defs/DatasetEvent "))

    assert [code for code, _path, _message in found] == [NOT_PINNED, MISTAKABLE, INVALID]
    assert found[2] == (INVALID, ("schemaURL",), 'does not satisfy format "uri"')


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        ({"run", "job"}, "RunEvent"),
        ({"run", "job", "dataset"}, "RunEvent"),
        ({"dataset"}, "DatasetEvent"),
        ({"dataset", "job"}, "DatasetEvent"),
        ({"dataset", "run"}, "DatasetEvent"),
        ({"job"}, "JobEvent"),
        ({"job", "inputs"}, "JobEvent"),
        ({"run"}, "RunEvent"),
        ({"inputs"}, None),
    ],
)
def test_without_a_url_the_keys_tell_the_kind(keys: set[str], kind: str | None) -> None:
    assert RULES.kind_of(dict.fromkeys(keys)) == kind


def test_a_missing_url_is_what_the_schema_refuses_and_nothing_else() -> None:
    without = job_event()
    del without["schemaURL"]

    assert remarks(without) == [(INVALID, (), "lacks 'schemaURL'")]


# Accepted by the schema and mistakable


@pytest.mark.parametrize(
    ("accepted", "key"),
    [
        (dataset_event(run={"runId": "x"}), "run"),
        (dataset_event(eventType="START"), "eventType"),
        (dataset_event(inputs=[]), "inputs"),
        (job_event(eventType="START"), "eventType"),
        (run_event("START", dataset=dataset("x")), "dataset"),
    ],
)
def test_a_key_of_another_kind_is_accepted_with_a_warning(accepted: dict[str, Any], key: str) -> None:
    kind = accepted["schemaURL"].rpartition("/")[2]

    assert remarks(accepted) == [(MISTAKABLE, (key,), f"is no key of a {kind}: {TAKEN_FOR_ANOTHER}")]


def test_a_dataset_event_and_job_event_in_one_is_refused_as_the_official_document_does() -> None:
    both = "is a DatasetEvent and a JobEvent in one: the official schema accepts no such event"

    assert remarks(dataset_event(job=job("x"))) == [(INVALID, (), both)]
    assert remarks(job_event(dataset=dataset("x"))) == [(INVALID, (), both)]


def test_a_dataset_event_with_half_a_job_is_accepted_with_a_warning() -> None:
    assert remarks(dataset_event(job={"name": "x"})) == [
        (MISTAKABLE, ("job",), f"is no key of a DatasetEvent: {TAKEN_FOR_ANOTHER}")
    ]


# The official schema of the kind


@pytest.mark.parametrize(
    ("wrong", "path", "message"),
    [
        (
            dataset_event(eventTime="2026-02-30T00:00:00Z"),
            ("eventTime",),
            'does not satisfy format "date-time"',
        ),
        (dataset_event(producer="me"), ("producer",), 'does not satisfy format "uri"'),
        (dataset_event(dataset={"name": "x"}), ("dataset",), "lacks 'namespace'"),
        (
            run_event("DONE"),
            ("eventType",),
            'does not satisfy enum ["START","RUNNING","COMPLETE","ABORT","FAIL","OTHER"]',
        ),
        (run_event("START", "7"), ("run", "runId"), 'does not satisfy format "uuid"'),
        (job_event(run={}), (), 'does not satisfy not {"required":["run"]}'),
        (job_event(inputs=[dataset("x"), {}]), ("inputs", 1), "lacks 'namespace', 'name'"),
        (
            dataset_event(dataset=dataset("x", facets={"a/b": {"_producer": PRODUCER}})),
            ("dataset", "facets", "a/b"),
            "lacks '_schemaURL'",
        ),
        (
            run_event("START", outputs=[dataset("x", outputFacets={"q": 1})]),
            ("outputs", 0, "outputFacets", "q"),
            'does not satisfy type "object"',
        ),
    ],
)
def test_what_the_official_schema_refuses_is_refused_where_it_stands(
    wrong: dict[str, Any], path: tuple[str | int, ...], message: str
) -> None:
    assert (INVALID, path, message) in remarks(wrong)


def test_everything_that_is_wrong_with_an_event_is_told() -> None:
    wrong = event("RunEvent", job={"namespace": "n", "name": 4}, run={"runId": "x"}, producer="")

    assert {path for _code, path, _message in remarks(wrong)} == {
        ("producer",),
        ("run", "runId"),
        ("job", "name"),
    }


def test_everything_that_is_wrong_with_several_facets_is_told() -> None:
    facets = {
        "a": {"_producer": PRODUCER},
        "b": 1,
        "c": custom_facet(),
        "d": {"_producer": "", "_schemaURL": ""},
    }

    assert [
        path[2:]
        for code, path, _message in remarks(job_event(job=job("x", facets=facets)))
        if code == INVALID
    ] == [
        ("a",),
        ("b",),
        ("d", "_producer"),
        ("d", "_schemaURL"),
    ]


def test_no_message_shows_a_value() -> None:
    secret = "hunter2"
    wrong = run_event(secret, secret, name=secret, producer=secret, eventTime=secret, schemaURL=f"a:{secret}")
    wrong["run"]["facets"] = {"x": facet("1-0-1/ErrorMessageRunFacet", message=[secret]), "y": secret}
    wrong["job"]["facets"] = {"z": {"_producer": secret, "_schemaURL": f"https://u:{secret}@example.com/"}}

    assert len(remarks(wrong)) > 6
    assert secret not in str(remarks(wrong))


# Facets


@pytest.mark.parametrize(
    "fragment", ["#/$defs/DocumentationDatasetFacet", "", "#", "#/definitions/DocumentationDatasetFacet"]
)
def test_a_facet_of_a_pinned_document_is_checked_whatever_the_fragment(fragment: str) -> None:
    said = {"_producer": PRODUCER, "_schemaURL": f"{FACETS}/1-1-0/DocumentationDatasetFacet.json{fragment}"}

    for key in ("documentation", "my_documentation"):
        assert remarks(dataset_event(dataset=dataset("x", facets={key: said}))) == [
            ("E154_FACET_INVALID", ("dataset", "facets", key), "lacks 'description'")
        ]
        assert remarks(dataset_event(dataset=dataset("x", facets={key: {**said, "description": "x"}}))) == []


@pytest.mark.parametrize(
    ("carrier", "path"),
    [
        ({"run": {"runId": "0197c3a4-7a7e-7bbb-8d4c-0a51c1f3b1aa", "facets": ...}}, ("run", "facets", "f")),
        ({"job": job("x", facets=...)}, ("job", "facets", "f")),
        ({"inputs": [dataset("x"), dataset("y", facets=...)]}, ("inputs", 1, "facets", "f")),
        ({"inputs": [dataset("x", inputFacets=...)]}, ("inputs", 0, "inputFacets", "f")),
        ({"outputs": [dataset("x", facets=...)]}, ("outputs", 0, "facets", "f")),
        ({"outputs": [dataset("x", outputFacets=...)]}, ("outputs", 0, "outputFacets", "f")),
    ],
)
def test_facets_are_checked_wherever_they_may_stand(carrier: Any, path: tuple[str | int, ...]) -> None:
    wrong = run_event("START", **filled(carrier, {"f": facet("1-0-1/OwnershipJobFacet", owners=1)}))

    assert remarks(wrong) == [("E154_FACET_INVALID", (*path, "owners"), 'does not satisfy type "array"')]


def filled(value: Any, facets: Any) -> Any:
    if isinstance(value, dict):
        return {key: filled(part, facets) for key, part in value.items()}
    if isinstance(value, list):
        return [filled(part, facets) for part in value]
    return facets if value is ... else value


def test_what_core_and_facet_schema_both_refuse_is_told_once() -> None:
    said = facet("1-1-0/DocumentationDatasetFacet", description="x", _producer="no uri")

    assert remarks(dataset_event(dataset=dataset("x", facets={"documentation": said}))) == [
        (INVALID, ("dataset", "facets", "documentation", "_producer"), 'does not satisfy format "uri"')
    ]


@pytest.mark.parametrize(
    ("key", "url", "message"),
    [
        ("load", "a:b", "no schema is pinned for the job facet 'load'"),
        ("k" * 81, "a:b", f"no schema is pinned for the job facet '{'k' * 80}...'"),
        (
            "jobType",
            f"{FACETS}/2-0-3/JobTypeJobFacet.json#/$defs/JobTypeJobFacet",
            "the job facet 'jobType' is of version 2-0-3; only 2-0-4 is pinned",
        ),
        ("jobType", "a:b", "the job facet 'jobType' is of another schema; only 2-0-4 is pinned"),
        ("schema", f"{FACETS}/9-9-9/X.json", "no schema is pinned for the job facet 'schema'"),
        ("_deleted", f"{CORE}#/$defs/JobFacet", "no schema is pinned for the job facet '_deleted'"),
    ],
)
def test_a_facet_without_a_pinned_schema_is_noted_and_refused_by_strict(
    key: str, url: str, message: str
) -> None:
    custom = job_event(job=job("x", facets={key: {"_producer": PRODUCER, "_schemaURL": url}}))

    assert remarks(custom) == [(NOT_PINNED, ("job", "facets", key), message)]
    assert remarks(custom, STRICT) == [(REFUSED, ("job", "facets", key), message)]


@pytest.mark.parametrize("example", EXAMPLES)
def test_strict_refuses_nothing_but_what_is_not_pinned(example: dict[str, Any]) -> None:
    assert [
        (REFUSED if code == NOT_PINNED else code, path, message) for code, path, message in remarks(example)
    ] == remarks(example, STRICT)


# Against jsonschema


def reference() -> jsonschema.Draft202012Validator:
    """Return the official schemas as one, for jsonschema alone.

    An event is valid if the official document accepts it, the definition that `schemaURL` names accepts it,
    and each facet that names a pinned document is accepted by its definition.
    """

    def when(key: str, pattern: str, schema: dict[str, Any]) -> dict[str, Any]:
        named = {"type": "string", "pattern": pattern}
        return {
            "if": {"type": "object", "properties": {key: named}, "required": [key]},
            "then": schema,
        }

    facets = {
        "additionalProperties": {
            "allOf": [
                when("_schemaURL", rf"\A{re.escape(each.id)}(#|\Z)", {"$ref": each.definition})
                for each in SCHEMAS.facets.values()
            ]
        }
    }
    carrier = {"properties": dict.fromkeys(("facets", "inputFacets", "outputFacets"), facets)}
    schema = {
        "$ref": SCHEMAS.core_id,
        "allOf": [
            when("schemaURL", rf"(\A|/){kind}\Z", {"$ref": SCHEMAS.event_url(kind)})
            for kind in ("DatasetEvent", "JobEvent", "RunEvent")
        ],
        "properties": {
            **{key: {"properties": {"facets": facets}} for key in ("run", "job", "dataset")},
            **{key: {"items": carrier} for key in ("inputs", "outputs")},
        },
    }
    formats = jsonschema.FormatChecker(formats=())
    for name, is_of_format in FORMATS.items():
        formats.checks(name)(lambda value, test=is_of_format: not isinstance(value, str) or test(value))
    registry = referencing.Registry().with_resources(
        (uri, DRAFT202012.create_resource(document)) for uri, document in SCHEMAS.documents.items()
    )
    return jsonschema.Draft202012Validator(schema, registry=registry, format_checker=formats)


REFERENCE = reference()
TEXTS = [
    "",
    "yesterday",
    "2026-03-04T05:06:07",
    "2016-12-31T23:59:60Z",
    "not a uri",
    "urn:x",
    "0197c3a47a7e7bbb8d4c0a51c1f3b1aa",
    "START",
    "Start",
    *(f"{CORE}#/$defs/{kind}" for kind in ("DatasetEvent", "JobEvent", "RunEvent", "RunEvent ", "RUNEVENT")),
    "https://openlineage.io/spec/1-0-5/OpenLineage.json#/definitions/JobEvent",
    *(each.definition for each in SCHEMAS.facets.values()),
]
VALUES: list[Any] = [None, True, 0, -1, 1.0, 2.5, 2**64, [], {}, [{}], [1], {"a": 1}, *TEXTS]
PARTS: dict[str, list[Any]] = {
    "run": [{"runId": "0197c3a4-7a7e-7bbb-8d4c-0a51c1f3b1aa"}, {}],
    "job": [job("x"), {"name": "x"}],
    "dataset": [dataset("x"), {}],
    "inputs": [[], [dataset("x"), {}], {}],
    "eventType": ["START", "x"],
    "facets": [
        {},
        {"x": custom_facet()},
        {"x": {}},
        {"schema": facet("1-2-0/SchemaDatasetFacet", fields=[{}])},
    ],
    "inputFacets": [{"x": custom_facet()}, {"x": {"_producer": PRODUCER}}],
    "outputFacets": [{"x": facet("1-0-1/OwnershipJobFacet", owners=[{"type": "x"}])}],
    "_deleted": [True, "yes"],
}
"""What mutations add: keys of the standard, rightly and wrongly."""


def containers(value: Any) -> Iterator[Any]:
    """Yield every list and object inside a value, itself first."""
    if isinstance(value, (dict, list)):
        yield value
        for part in value.values() if isinstance(value, dict) else value:
            yield from containers(part)


def mutated(chance: random.Random) -> Any:
    """Return an example with one to three parts removed, replaced, moved or added."""
    value = copy.deepcopy(chance.choice(EXAMPLES))
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        inside = list(containers(value))
        target = chance.choice(inside)
        keys = list(target) if isinstance(target, dict) else list(range(len(target)))
        deed = chance.choice(["remove", "replace", "move", "add", "add"])
        if deed == "add" or not keys:
            if isinstance(target, list):
                target.append(chance.choice(VALUES))
            else:
                key = chance.choice(list(PARTS))
                target[key] = copy.deepcopy(chance.choice(PARTS[key]))
        elif deed == "remove":
            del target[chance.choice(keys)]
        elif deed == "replace":
            target[chance.choice(keys)] = copy.deepcopy(chance.choice(VALUES))
        else:
            target[chance.choice(keys)] = copy.deepcopy(chance.choice(inside))
    return value


def mutations() -> list[Any]:
    chance = random.Random(20260304)  # noqa: S311 - the same mutations each time
    return [mutated(chance) for _ in range(500)]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_accepted_as_jsonschema_does(example: dict[str, Any]) -> None:
    assert list(REFERENCE.iter_errors(example)) == []
    assert [code for code, _path, _message in remarks(example) if code != NOT_PINNED] == []


def test_500_mutations_have_the_verdict_of_jsonschema() -> None:
    values = mutations()
    verdicts = [not REFERENCE.is_valid(value) for value in values]

    assert [is_refused(value) for value in values] == verdicts
    assert 150 < sum(verdicts) < 350


def test_a_refused_mutation_has_a_path_into_the_event() -> None:
    for value in mutations():
        for remark in RULES.remarks(value, RULES.kind_of(value)):
            assert holds(value, remark)


def holds(value: Any, remark: Remark) -> bool:
    for token in remark.path:
        value = value[token]  # raises where the path leads nowhere
    return True
