"""Schemas of sources in plans: what is wanted, what blocks, how risky it is, and that no text is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from checked import packaged_rules
from planned import wanted
from registry_stand_in import RegistryStandIn, registry_stand_in
from schema_plans import BROKEN, V1, V2, optional, provider_of, record, surface

from streamt_ol.deploy.planning.observing import observe
from streamt_ol.deploy.planning.plan_text import plan_lines
from streamt_ol.deploy.planning.plan_values import plan_values
from streamt_ol.deploy.planning.planning import plan
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.records import Desired, Live, Problem
from streamt_ol.deploy.state.records import Record, Snapshot

SUBJECT, ID = "shop.orders-value", "streamt://shop/default/schema/orders"


def desired(folder: Path, mode: str | None = "managed", **schema: Any) -> Desired:
    """Return the schema of the source `orders`; `mode` None for a source that says nothing of ownership."""
    source = {"name": "orders", "topic": "shop.orders", "schema": schema}
    if mode is not None:
        source["ownership"] = {"mode": mode}
    (one,) = (one for one in wanted(folder, sources=[source]).desired if one.kind == "schema")
    return one


def planned(one: Desired, registry: RegistryStandIn | None, *, owned: bool = True) -> Plan:
    """Return the plan about a schema beside what a registry has; None for a plan made offline."""
    record_of_it = Record(SUBJECT, "managed", f"sha256:{0:064}", "schema-registry")
    snapshot = Snapshot("shop", "default", 1, {ID: record_of_it} if owned else {})
    live = None if registry is None else observe([one], {"schema": provider_of(registry.url)})
    return plan([one], snapshot, live, packaged_rules())


def blocks(plan_made: Plan) -> list[tuple[str, str]]:
    return [(blocker.action, blocker.code) for blocker in plan_made.blockers]


def shown(plan_made: Plan) -> str:
    return "\n".join(line.text for line in plan_lines(plan_made)) + json.dumps(plan_values(plan_made))


# what is wanted


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        (None, "AVRO", V1),
        ("avro", "AVRO", V1),
        ("JSON", "JSON", '{"type": "object"}'),
        ("Protobuf", "PROTOBUF", "message Order {}"),
    ],
)
def test_a_schema_without_a_format_is_avro_as_it_is_for_a_registry(
    tmp_path: Path, said: str | None, kind: str, text: str
) -> None:
    one = desired(tmp_path, format=said, definition=text)

    assert (one.resource_id, one.physical_name, one.backend) == (ID, SUBJECT, "schema-registry")
    assert (one.surface, one.problems) == (surface(text, kind), ())
    assert one.payload == {"definition": text, "version": None}
    assert text not in repr(one)


@pytest.mark.parametrize(("version", "number"), [("latest", None), (None, None), (3, 3), ("007", 7)])
def test_a_version_is_a_number_or_the_latest(tmp_path: Path, version: Any, number: int | None) -> None:
    said = {} if version is None else {"version": version}

    assert desired(tmp_path, definition=V1, **said).payload == {"definition": V1, "version": number}


@pytest.mark.parametrize("mode", [None, "external"])
@pytest.mark.parametrize("schema", [{}, {"definition": V1}, {"definition": "no schema"}])
def test_of_an_external_source_nothing_is_judged(
    tmp_path: Path, mode: str | None, schema: dict[str, Any]
) -> None:
    one = desired(tmp_path, mode, **schema)

    assert (one.ownership, one.payload, one.problems) == ("external", None, ())


@pytest.mark.parametrize("mode", ["managed", "adopted"])
@pytest.mark.parametrize("schema", [{}, {"definition": ""}, {"fields": [{"name": "id", "type": "STRING"}]}])
def test_without_a_definition_nothing_is_made_up(tmp_path: Path, mode: str, schema: dict[str, Any]) -> None:
    assert desired(tmp_path, mode, **schema).problems == (
        Problem(
            "schema_definition_missing",
            "source 'orders' declares no `definition` of its schema: none is made up from fields",
            "write the text of the schema into `schema.definition`, or declare the source as external",
            "/sources/0/schema",
        ),
    )


@pytest.mark.parametrize("kind", ["avro", "json"])
def test_a_definition_that_is_no_json_is_told_at_its_place_and_not_quoted(tmp_path: Path, kind: str) -> None:
    (problem,) = desired(tmp_path, format=kind, definition="{planted").problems

    assert problem == Problem(
        "schema_definition_invalid",
        f"the schema of source 'orders' cannot be read as {kind.upper()}: it is no JSON, or has a key twice",
        "correct `schema.definition`, or say in `schema.format` what it is",
        "/sources/0/schema/definition",
    )


# plans


def test_a_schema_that_is_not_there_is_registered_and_shown_by_its_digest(tmp_path: Path) -> None:
    one = desired(tmp_path, definition=V1)
    with registry_stand_in() as registry:
        made = planned(one, registry, owned=False)

    (action,) = made.actions
    assert (action.action, action.before, action.after) == ("register", None, surface(V1))
    assert action.payload == {"definition": V1, "version": None}
    assert (made.risk_summary.overall, made.is_apply_blocked) == ("safe", False)
    assert made.risks[0].evidence == ("verified", ("schema-registry",), ())
    assert [line.text for line in plan_lines(made)][2:6] == [
        f"+ schema {SUBJECT} (register)",
        "    type    AVRO",
        f"    schema  {one.surface['schema']}",
        "",
    ]
    assert "fields" not in shown(made)


def test_a_schema_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    with registry_stand_in() as registry:
        registry.put(SUBJECT, V1)
        made = planned(desired(tmp_path, definition=V1), registry)

    assert (made.actions, made.unchanged, made.is_apply_blocked) == ((), (ID,), False)


def test_a_compatible_schema_is_a_risk_whose_readers_nobody_looked_at(tmp_path: Path) -> None:
    with registry_stand_in() as registry:
        registry.put(SUBJECT, V1)
        made = planned(desired(tmp_path, definition=V2), registry)

    (action,), (risk,) = made.actions, made.risks
    assert (action.action, action.before, action.after) == ("update", surface(V1), surface(V2))
    assert (risk.risk_class, risk.flags) == ("risky", ("schema_impact_unverified",))
    assert risk.evidence == ("partial", ("schema-registry",), ("consumers_not_observed",))
    assert made.blockers == ()


def test_an_incompatible_schema_blocks_and_the_registry_says_why(tmp_path: Path) -> None:
    with registry_stand_in() as registry:
        registry.put(SUBJECT, V1)
        made = planned(desired(tmp_path, definition=BROKEN), registry)

    (blocker,), (risk,) = made.blockers, made.risks
    assert blocker.code == "schema_incompatible"
    assert blocker.message == (
        f"the Schema Registry finds the declared schema of subject '{SUBJECT}' incompatible with what is "
        "registered: READER_FIELD_MISSING_DEFAULT_VALUE at /fields/1: amount"
    )
    assert (risk.risk_class, risk.flags) == ("schema_breaking", ("policy_violation", "schema_breaking"))
    assert risk.evidence.status == "verified"
    assert (made.executable, made.is_apply_blocked) == ((), True)


@pytest.mark.parametrize(
    ("schema", "there", "expected"),
    [
        ({}, [], ("register", "schema_definition_missing")),
        ({}, [V1], ("update", "schema_definition_missing")),
        ({"definition": "{"}, [V1], ("update", "schema_definition_invalid")),
        ({"definition": '{"type": "recodr"}'}, [V1], ("update", "schema_definition_invalid")),
        ({"definition": V1}, [V1, V2], ("update", "schema_superseded")),
        ({"definition": V1, "version": 1}, [], ("register", "schema_version_missing")),
        ({"definition": V1, "version": 2}, [V1], ("update", "schema_version_missing")),
        ({"definition": V2, "version": 1}, [V1, V2], ("update", "schema_version_differs")),
    ],
)
def test_what_cannot_be_made_as_it_is_declared_blocks_the_plan(
    tmp_path: Path, schema: dict[str, Any], there: list[str], expected: tuple[str, str]
) -> None:
    with registry_stand_in() as registry:
        for text in there:
            registry.put(SUBJECT, text)
        made = planned(desired(tmp_path, **schema), registry, owned=bool(there))

    assert blocks(made) == [expected]
    assert made.executable == ()
    assert registry.subjects.registered == len(there)


@pytest.mark.parametrize(("version", "text"), [(1, V1), (2, V2)])
def test_a_named_version_that_is_what_is_declared_is_as_it_is_wanted(
    tmp_path: Path, version: int, text: str
) -> None:
    with registry_stand_in() as registry:
        registry.put(SUBJECT, V1)
        registry.put(SUBJECT, V2)
        made = planned(desired(tmp_path, definition=text, version=version), registry)

    assert (made.unchanged, made.blockers) == ((ID,), ())


@pytest.mark.parametrize("schema", [{}, {"definition": BROKEN}, {"definition": "no schema"}])
def test_an_external_schema_stands_in_nobodys_way(tmp_path: Path, schema: dict[str, Any]) -> None:
    with registry_stand_in() as registry:
        registry.put(SUBJECT, V1)
        made = planned(desired(tmp_path, "external", **schema), registry, owned=False)

    assert [requirement.reason for requirement in made.requirements] == ["external"]
    assert (made.actions, made.is_apply_blocked) == ((), False)
    assert registry.requests == []


def test_an_external_schema_is_looked_at_beside_others_and_not_judged(tmp_path: Path) -> None:
    foreign = {"name": "foreign", "topic": "foreign", "schema": {"definition": V2}}
    own = {"name": "orders", "topic": "shop.orders", "schema": {"definition": V1}}
    made = wanted(tmp_path, sources=[foreign, {**own, "ownership": {"mode": "managed"}}])
    schemas = [one for one in made.desired if one.kind == "schema"]

    with registry_stand_in() as registry:
        registry.put("foreign-value", V1)
        observe(schemas, {"schema": provider_of(registry.url)})

    assert [(one.method, one.path) for one in registry.requests] == [
        ("GET", "/subjects/foreign-value/versions/latest"),
        ("GET", f"/subjects/{SUBJECT}/versions/latest"),
    ]


@pytest.mark.parametrize(
    ("schema", "would"), [({}, "none"), ({"definition": V1}, "none"), ({"definition": V2}, "update")]
)
def test_of_an_external_schema_it_is_told_what_would_be_done(
    tmp_path: Path, schema: dict[str, Any], would: str
) -> None:
    one = desired(tmp_path, "external", **schema)
    live = {"schema": {SUBJECT: Live("schema", SUBJECT, surface(V1))}}

    made = plan([one], Snapshot("shop", "default", 1, {}), live, packaged_rules())

    assert [requirement.observed_action for requirement in made.requirements] == [would]


@pytest.mark.parametrize(("mode", "owned"), [("managed", False), ("adopted", False)])
def test_a_subject_of_somebody_else_requires_its_adoption(tmp_path: Path, mode: str, *, owned: bool) -> None:
    with registry_stand_in() as registry:
        registry.put(SUBJECT, V1)
        made = planned(desired(tmp_path, mode, definition=BROKEN), registry, owned=owned)

    assert [requirement.reason for requirement in made.requirements] == ["requires_adoption"]
    assert (made.actions, made.blockers) == ((), ())


def test_offline_a_schema_counts_as_new(tmp_path: Path) -> None:
    made = planned(desired(tmp_path, definition=V1, version=3), None, owned=False)

    assert [(action.action, action.physical_name) for action in made.actions] == [("register", SUBJECT)]
    assert (made.executable, made.risk_summary.overall) == ((), "unknown")


def test_after_a_plan_is_carried_out_there_is_nothing_left_to_do(tmp_path: Path) -> None:
    with registry_stand_in() as registry:
        for text in (V1, V2, record("id", optional("note"), optional("more"))):
            one = desired(tmp_path, definition=text)
            for action in planned(one, registry).actions:
                provider_of(registry.url).execute(action)
            assert planned(one, registry).unchanged == (ID,)

    assert registry.subjects.registered == 3


def test_what_a_schema_builds_on_is_shown_where_it_changes(tmp_path: Path) -> None:
    references = [{"name": "Money", "subject": "money-value", "version": 1}]
    with registry_stand_in() as registry:
        registry.put("money-value", record("currency", name="Money"))
        registry.put(SUBJECT, V1, references=references)
        made = planned(desired(tmp_path, definition=V1), registry)

    assert [line.text for line in plan_lines(made)][2:4] == [
        f"~ schema {SUBJECT}",
        f"    references  {json.dumps(references)} -> []",
    ]


def test_no_text_of_a_schema_is_in_a_plan(tmp_path: Path) -> None:
    one = desired(tmp_path, definition=record("id", doc="password: planted"))
    with registry_stand_in() as registry:
        registry.put(SUBJECT, record("id", doc="planted before"))
        made = planned(one, registry)

    assert len(made.actions) == 1
    assert "planted" not in shown(made) + repr(made) + repr(one) + repr(made.actions)
