"""`streamt plan`, `apply`, `adopt` and `state` with schemas: a stand-in for a registry beside a real broker."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from applied import (
    JOBS,
    NOWHERE,
    apply,
    codes,
    control,
    kinds,
    state,
    state_files,
    to_log,
    told,
    write_project,
)
from brokers import Broker
from http_stand_in import Fault, Handler, answers, hangs_up
from program import Done, run_streamt
from recovered import confirmations, recovery_plan
from registry_stand_in import RegistryStandIn, registry_stand_in
from schema_plans import BROKEN, V1, V2, surface

SUBJECT = "orders-value"
VERSIONS = f"/subjects/{SUBJECT}/versions"
RESOURCE = "streamt://shop/default/schema/orders"
PASSWORD = "planted-p@ss/word"


@pytest.fixture
def registry() -> Iterator[RegistryStandIn]:
    with registry_stand_in() as stand_in:
        stand_in.login = f"ada:{PASSWORD}"
        yield stand_in


def source(definition: str | None = V1, mode: str = "managed", **schema: Any) -> dict[str, Any]:
    block = schema if definition is None else {"definition": definition, **schema}
    return {"name": "orders", "topic": "orders", "ownership": {"mode": mode}, "schema": block}


def write(
    folder: Path,
    registry: RegistryStandIn,
    *sources: Mapping[str, Any],
    models: Sequence[Mapping[str, Any]] = (),
    address: str = NOWHERE,
) -> Path:
    login = {"url": registry.url, "username": "ada", "password": PASSWORD}
    return write_project(
        folder,
        *models,
        address=address,
        services={"schema_registry": login},
        sources=list(sources),
    )


def registered(tmp_path: Path, registry: RegistryStandIn) -> Path:
    """Write a project and apply it once."""
    folder = write(tmp_path / "p", registry, source())
    assert apply(folder).exit_status == 0
    return folder


def plan(folder: Path, *arguments: str | Path) -> dict[str, Any]:
    done = run_streamt("--output", "json", "plan", "-p", folder, *arguments)
    assert done.exit_status == 0, done.stderr
    data: dict[str, Any] = told(done)["data"]
    return data


def blockers(done: Done) -> list[str]:
    return [blocker["code"] for blocker in told(done)["data"]["safety_blockers"]]


# register, nothing, change


def test_a_first_apply_registers_and_a_second_changes_nothing(
    registry: RegistryStandIn, tmp_path: Path
) -> None:
    folder, log = write(tmp_path / "p", registry, source()), tmp_path / "log.jsonl"

    before = plan(folder)
    made = apply(folder, *JOBS, environment=to_log(log))
    again = apply(folder, *JOBS, environment=to_log(log))

    assert (before["creates"], before["risk_summary"]["overall"]) == (1, "safe")
    assert (made.exit_status, told(made)["data"]["created"]) == (0, [f"schema:{SUBJECT}"])
    assert (again.exit_status, told(again)["data"]["unchanged"]) == (0, [f"schema:{SUBJECT}"])
    assert len(registry.sent("POST", VERSIONS)) == 1
    assert registry.sent("POST", VERSIONS)[0].body == {"schema": V1, "schemaType": "AVRO"}
    assert state(folder)["resources"][RESOURCE]["physical_name"] == SUBJECT
    assert state(folder)["resources"][RESOURCE]["backend"] == "schema-registry"
    assert kinds(log) == ["START", "COMPLETE", "START", "COMPLETE"]
    assert SUBJECT not in log.read_text("utf-8")


def test_a_compatible_change_is_reviewed_and_applied_as_it_was(
    registry: RegistryStandIn, tmp_path: Path
) -> None:
    saved = tmp_path / "plan.json"
    folder = registered(tmp_path, registry)
    write(folder, registry, source(V2))

    data = plan(folder, "--out", saved)
    done = apply(folder, "--plan", saved)

    (change,) = data["changes"]
    digests = {"before": surface(V1)["schema"], "after": surface(V2)["schema"]}
    assert change["changes"] == [{"field": "schema", **digests}]
    assert data["risk_summary"]["overall"] == "risky"
    assert data["risk_summary"]["risk_flags"] == ["schema_impact_unverified"]
    assert (done.exit_status, told(done)["data"]["updated"]) == (0, [f"schema:{SUBJECT}"])
    assert len(registry.texts(SUBJECT)) == 2


def test_a_reviewed_plan_is_stale_once_somebody_else_registered(
    registry: RegistryStandIn, tmp_path: Path
) -> None:
    saved = tmp_path / "plan.json"
    folder = registered(tmp_path, registry)
    write(folder, registry, source(V2))
    plan(folder, "--out", saved)
    registry.put(SUBJECT, json.dumps({**json.loads(V1), "doc": "of somebody else"}))

    done = apply(folder, "--plan", saved)

    assert codes(done) == ["E409_PLAN_STALE"]
    assert len(registry.texts(SUBJECT)) == 2


def test_an_incompatible_change_is_never_applied(registry: RegistryStandIn, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    folder = registered(tmp_path, registry)
    before = state(folder)
    write(folder, registry, source(BROKEN))

    done = apply(folder, "--force", *JOBS, environment=to_log(log))

    assert (done.exit_status, codes(done), blockers(done)) == (
        1,
        ["E417_SAFETY_BLOCKED"],
        ["schema_incompatible"],
    )
    assert told(done)["errors"][0]["message"] == (
        f"the Schema Registry finds the declared schema of subject '{SUBJECT}' incompatible with what is "
        "registered: READER_FIELD_MISSING_DEFAULT_VALUE at /fields/1: amount"
    )
    assert (len(registry.texts(SUBJECT)), state(folder), log.exists()) == (1, before, False)


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        (source(None, format="avro"), "schema_definition_missing"),
        (source("{"), "schema_definition_invalid"),
        (source(version=1), "schema_version_missing"),
    ],
)
def test_what_cannot_be_made_as_it_is_declared_stops_an_apply(
    registry: RegistryStandIn, tmp_path: Path, schema: dict[str, Any], code: str
) -> None:
    done = apply(write(tmp_path, registry, schema))

    assert (codes(done), blockers(done)) == (["E417_SAFETY_BLOCKED"], [code])
    assert (registry.sent("POST"), state_files(tmp_path)) == ([], set())


@pytest.mark.parametrize("mode", ["external", None])
def test_an_external_schema_needs_no_registry(registry: RegistryStandIn, tmp_path: Path, mode: str) -> None:
    declared = source("whatever it is", "external")
    if mode is None:
        del declared["ownership"]

    done = apply(write(tmp_path, registry, declared))

    assert (done.exit_status, told(done)["data"]["committed"]) == (0, True)
    assert registry.requests == []


def test_a_subject_of_somebody_else_is_adopted_then_managed(
    registry: RegistryStandIn, tmp_path: Path
) -> None:
    registry.put(SUBJECT, V1)
    adopt = ("--output", "json", "adopt", f"schema:{SUBJECT}", "-p", tmp_path, "--confirm")
    refused = apply(write(tmp_path, registry, source()))
    write(tmp_path, registry, source(mode="adopted"))
    adopted = run_streamt(*adopt)
    managed = apply(write(tmp_path, registry, source(V2, "adopted")))

    assert codes(refused) == ["E410_OWNERSHIP_REQUIRED"]
    assert told(refused)["data"]["ownership_requirements"][0]["reason"] == "requires_adoption"
    live = {"type": "AVRO", "schema": surface(V1)["schema"]}
    assert (adopted.exit_status, told(adopted)["data"]["live"]) == (0, live)
    assert told(managed)["data"]["updated"] == [f"schema:{SUBJECT}"]
    assert len(registry.texts(SUBJECT)) == 2


def test_without_a_registry_it_is_said_where_to_set_it(registry: RegistryStandIn, tmp_path: Path) -> None:
    folder = write(tmp_path, registry, source())
    document = json.loads((folder / "stream_project.yml").read_text("utf-8"))
    del document["runtime"]["schema_registry"]
    (folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")

    done = apply(folder)

    assert codes(done) == ["E208_MISSING_CONFIG"]
    assert state_files(folder) == set()


def test_people_read_types_and_digests(registry: RegistryStandIn, tmp_path: Path) -> None:
    shown = run_streamt("plan", "-p", write(tmp_path, registry, source()))

    assert shown.stdout.splitlines()[2:6] == [
        f"+ schema {SUBJECT} (register)",
        "    type    AVRO",
        f"    schema  {surface(V1)['schema']}",
        "",
    ]


# beside topics


def topic(name: str, **config: str) -> dict[str, Any]:
    return {"name": name, "materialized": "topic", "topic": {"config": config}}


def test_schemas_are_registered_before_topics_are_made(
    registry: RegistryStandIn, broker: Broker, tmp_path: Path
) -> None:
    name = f"t-{os.urandom(6).hex()}"
    folder = write(tmp_path, registry, source(), models=[topic(name)], address=broker.address)

    done = apply(folder)

    assert told(done)["data"]["created"] == [f"schema:{SUBJECT}", f"topic:{name}"]
    assert name in broker.topics()


def test_a_schema_is_taken_back_when_a_later_step_fails(
    registry: RegistryStandIn, broker: Broker, tmp_path: Path
) -> None:
    name = f"t-{os.urandom(6).hex()}"
    refused = topic(name, **{"retention.ms": "for ever"})
    folder = write(tmp_path, registry, source(), models=[refused], address=broker.address)

    done = apply(folder)

    data = told(done)["data"]
    assert (done.exit_status, codes(done)) == (1, ["E407_DEPLOY_ERROR"])
    assert (data["rolled_back"], data["rollback_errors"]) == ([f"schema:{SUBJECT}"], [])
    assert registry.subjects.names() == []
    assert len(registry.sent("DELETE", f"/subjects/{SUBJECT}")) == 1


# failures


def test_a_registration_that_is_refused_is_told_and_leaves_nothing(
    registry: RegistryStandIn, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    folder = write(tmp_path / "p", registry, source())
    quoted = json.dumps({"error_code": 42201, "message": f"cannot parse; login was ada:{PASSWORD}"})
    registry.faults[f"POST {VERSIONS}"] = Fault(answers(422, quoted.encode()))

    done = apply(folder, *JOBS, environment=to_log(log))

    (error,) = told(done)["errors"]
    assert (done.exit_status, error["code"], error["location"]) == (1, "E407_DEPLOY_ERROR", "/sources/0")
    assert error["message"] == (
        f"schema:{SUBJECT}: register failed: the Schema Registry cannot read the schema for subject "
        f"'{SUBJECT}': cannot parse; login was ada:***"
    )
    assert control(folder)["recovery"]["failure_code"] == "runtime_action_failed"
    assert kinds(log) == ["START", "FAIL"]
    assert len(registry.sent("POST", VERSIONS)) == 1


def recover(folder: Path, resolution: str) -> Done:
    out = folder / f"{resolution}.plan"
    assert recovery_plan(folder, resolution, out).exit_status == 0
    words = confirmations(json.loads(out.read_text("utf-8")))
    return run_streamt("--output", "json", "state", "recover", "-p", folder, "--plan", out, *words)


UNSAID = "message Order { optional string id = 1; }"
"""The stand-in adds what it does not say: that its syntax is the older one."""


@pytest.mark.parametrize(
    ("carried_out", "resolution", "owned"),
    [(False, "rolled_back", []), (True, "observed", [RESOURCE])],
    ids=["lost on the way there", "lost on the way back"],
)
def test_a_registration_in_doubt_is_recovered_by_looking(
    registry: RegistryStandIn, tmp_path: Path, resolution: str, owned: list[str], *, carried_out: bool
) -> None:
    folder = write(tmp_path / "p", registry, source(UNSAID, format="protobuf"))

    def gone(handler: Handler) -> None:
        registry.forbidden[f"GET {VERSIONS}/latest"] = "not now"
        hangs_up(handler)

    registry.faults[f"POST {VERSIONS}"] = Fault(gone, carried_out=carried_out)
    done = apply(folder)
    doubtful = control(folder)
    registry.forbidden.clear()
    recovered = recover(folder, resolution)
    then = apply(folder)

    assert (done.exit_status, codes(done)) == (1, ["E407_DEPLOY_ERROR"])
    assert "it is not known whether" in told(done)["errors"][0]["message"]
    assert [entry["status"] for entry in doubtful["progress"]] == ["started"]
    assert recovered.exit_status == 0, recovered.stdout
    assert then.exit_status == 0
    assert list(state(folder)["resources"]) == [RESOURCE]
    assert told(then)["data"]["unchanged"] == ([f"schema:{SUBJECT}"] if owned else [])
    assert registry.subjects.registered == 1
    assert len(registry.sent("POST", VERSIONS)) == (1 if carried_out else 2)


# secrets


@pytest.mark.parametrize("inside", [False, True], ids=["as settings", "in the address"])
def test_no_password_of_the_registry_is_anywhere(
    registry: RegistryStandIn, tmp_path: Path, *, inside: bool
) -> None:
    folder = write(tmp_path, registry, source())
    if inside:
        document = json.loads((folder / "stream_project.yml").read_text("utf-8"))
        address = registry.url.replace("//", "//ada:planted-p%40ss%2Fword@")
        document["runtime"]["schema_registry"] = {"url": address}
        (folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")
    kept = json.dumps({"message": f"no: {PASSWORD}, planted-p%40ss%2Fword"}).encode()

    saved = run_streamt("plan", "-p", folder, "--out", folder / "a.plan")
    registry.faults[f"POST {VERSIONS}"] = Fault(answers(422, kept))
    failed = apply(folder)
    shown = run_streamt("state", "status", "-p", folder)
    registry.login = "ada:another"
    refused = run_streamt("plan", "-p", folder)

    assert [done.exit_status for done in (saved, failed, shown, refused)] == [0, 1, 0, 1]
    assert "E404_AUTH_FAILED" in refused.stderr
    said = "".join(done.stdout + done.stderr for done in (saved, failed, shown, refused))
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "stream_project.yml"]
    written = "".join(path.read_text("utf-8") for path in files)
    assert len(files) >= 2
    assert "planted" not in said + written
