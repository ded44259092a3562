"""Schemas in a real registry, which is not the one whose documentation the program follows: Apicurio Registry."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from apicurio_registry import ApicurioRegistry, apicurio_registry
from applied import apply, codes, told, write_project
from program import run_streamt
from schema_plans import BROKEN, V1, V2, optional, provider_of, record, registration, surface, wanted

from streamt_ol.deploy.providers.errors import PreimageMovedError, RequestRefusedError

JSON = json.dumps({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "title": "Order"})
PROTOBUF = 'syntax = "proto3";\npackage shop;\n// an order\nmessage Order {\n  string id = 1;\n}\n'
NUMBERED = record({"name": "id", "type": "int"})


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApicurioRegistry]:
    with apicurio_registry(tmp_path_factory.mktemp("registry")) as registry:
        yield registry


@pytest.fixture
def registry(running: ApicurioRegistry) -> ApicurioRegistry:
    running.level("NONE")
    return running


@pytest.fixture
def subject() -> str:
    return f"orders-{uuid.uuid4().hex[:12]}"


def project(folder: Path, registry: ApicurioRegistry, subject: str, definition: str, **schema: Any) -> Path:
    declared = {"subject": subject, "definition": definition, **schema}
    source = {"name": "orders", "topic": "orders", "ownership": {"mode": "managed"}, "schema": declared}
    return write_project(folder, services={"schema_registry": {"url": registry.url}}, sources=[source])


def blocked(folder: Path) -> str:
    """Apply, which the plan has to block; return why."""
    done = apply(folder)
    assert (done.exit_status, codes(done)) == (1, ["E417_SAFETY_BLOCKED"]), done.stdout
    message: str = told(done)["errors"][0]["message"]
    return message


@pytest.mark.parametrize("odd", ["", "a/b", "a%2Fb", "a b", "ä", ":.ctx:", "a?b#c", "a+b&c;d"])
def test_whatever_a_subject_has_in_it_is_registered_seen_and_taken_back(
    registry: ApicurioRegistry, subject: str, odd: str
) -> None:
    step = registration(V1, subject=f"{odd}{subject}")
    provider = provider_of(registry.url)

    provider.execute(step)

    one = wanted(V1, subject=step.physical_name)
    assert provider.observe([one])[step.physical_name].surface == step.after
    assert step.physical_name in registry.ask("GET", "/subjects").json()
    assert provider.undo(step) is True
    assert step.physical_name not in registry.ask("GET", "/subjects").json()


@pytest.mark.parametrize(
    ("form", "text", "other"),
    [
        ("avro", V1, json.dumps(json.loads(V1), indent=2)),
        ("json", JSON, json.dumps(json.loads(JSON), indent=2, sort_keys=True)),
        ("protobuf", PROTOBUF, PROTOBUF.replace("// an order\n", "\n")),
    ],
)
def test_a_second_apply_finds_each_type_as_it_was_registered_in_whatever_words(
    registry: ApicurioRegistry, tmp_path: Path, subject: str, form: str, text: str, other: str
) -> None:
    folder = project(tmp_path, registry, subject, text, format=form)
    assert told(apply(folder))["data"]["created"] == [f"schema:{subject}"]

    project(tmp_path, registry, subject, other, format=form)
    data = told(apply(folder))["data"]

    assert (data["unchanged"], registry.versions(subject)) == ([f"schema:{subject}"], [1])


def test_a_compatible_schema_becomes_the_latest_version(
    registry: ApicurioRegistry, tmp_path: Path, subject: str
) -> None:
    registry.level("BACKWARD")
    folder = project(tmp_path, registry, subject, V1)
    assert apply(folder).exit_status == 0
    project(tmp_path, registry, subject, V2)

    assert told(apply(folder))["data"]["updated"] == [f"schema:{subject}"]
    assert registry.versions(subject) == [1, 2]


def test_a_level_that_all_subjects_have_blocks_and_the_registry_says_why(
    registry: ApicurioRegistry, tmp_path: Path, subject: str
) -> None:
    folder = project(tmp_path, registry, subject, V1)
    assert apply(folder).exit_status == 0
    registry.level("BACKWARD")
    project(tmp_path, registry, subject, BROKEN)

    assert blocked(folder) == (
        f"the Schema Registry finds the declared schema of subject '{subject}' incompatible with what is "
        f"registered: Incompatible artifact: {subject} [AVRO], num of incompatible diffs: {{1}}, list of diff "
        "types: [amount at /fields/1] Causes: amount at /fields/1"
    )
    assert registry.versions(subject) == [1]


def test_without_a_level_whatever_can_be_read_becomes_the_latest_version(
    registry: ApicurioRegistry, tmp_path: Path, subject: str
) -> None:
    folder = project(tmp_path, registry, subject, V1)
    assert apply(folder).exit_status == 0
    project(tmp_path, registry, subject, BROKEN)

    assert told(apply(folder))["data"]["updated"] == [f"schema:{subject}"]


def test_a_schema_that_becomes_incompatible_after_its_plan_is_not_registered(
    registry: ApicurioRegistry, subject: str
) -> None:
    registry.put(subject, V1)
    registry.level("BACKWARD")

    with pytest.raises(RequestRefusedError) as caught:
        provider_of(registry.url).execute(registration(BROKEN, V1, subject=subject))

    assert caught.value.code == "E402_SCHEMA_INCOMPATIBLE"
    assert registry.versions(subject) == [1]


def test_this_registry_judges_with_all_versions_where_a_registration_would_ask_the_latest_alone(
    registry: ApicurioRegistry, subject: str
) -> None:
    registry.put(subject, V1)
    registry.put(subject, NUMBERED)
    registry.level("BACKWARD")
    text = record({"name": "id", "type": "int"}, optional("note"))

    live = provider_of(registry.url).observe([wanted(text, subject=subject)])[subject]

    assert live.verdict == "incompatible"
    assert "reader type: INT not compatible with writer type: STRING" in live.reason
    assert registry.put(subject, text) > 0


def test_a_schema_that_was_there_before_is_not_taken_for_a_new_one(
    registry: ApicurioRegistry, tmp_path: Path, subject: str
) -> None:
    folder = project(tmp_path, registry, subject, V1)
    assert apply(folder).exit_status == 0
    registry.put(subject, V2)

    assert f"subject '{subject}' had the declared schema before: it is version 1" in blocked(folder)


def test_a_subject_that_somebody_deleted_is_registered_anew(
    registry: ApicurioRegistry, tmp_path: Path, subject: str
) -> None:
    folder = project(tmp_path, registry, subject, V1)
    assert apply(folder).exit_status == 0
    assert registry.ask("DELETE", f"/subjects/{subject}").is_success

    assert told(apply(folder))["data"]["created"] == [f"schema:{subject}"]
    assert registry.versions(subject) == [2]  # they go on counting


def test_a_subject_of_somebody_else_is_left_alone(
    registry: ApicurioRegistry, tmp_path: Path, subject: str
) -> None:
    registry.put(subject, V1)

    done = apply(project(tmp_path, registry, subject, V2))

    assert codes(done) == ["E410_OWNERSHIP_REQUIRED"]
    assert registry.versions(subject) == [1]


def test_what_a_schema_builds_on_is_seen(registry: ApicurioRegistry, subject: str) -> None:
    registry.put(subject, V1)
    shelf = record({"name": "order", "type": "Order"}, name="Shelf")
    reference = {"name": "Order", "subject": subject, "version": 1}
    registry.put(f"{subject}-shelf", shelf, references=[reference])

    live = provider_of(registry.url).observe([wanted(shelf, subject=f"{subject}-shelf")])

    there = live[f"{subject}-shelf"].surface
    assert there is not None
    assert there["references"] == [reference]


def test_a_subject_that_moved_since_the_plan_is_left_alone(registry: ApicurioRegistry, subject: str) -> None:
    registry.put(subject, V1)
    registry.put(subject, V2)

    with pytest.raises(PreimageMovedError) as caught:
        provider_of(registry.url).execute(registration(BROKEN, V1, subject=subject))

    assert caught.value.message == (
        f"schema '{subject}' is not as it was when this was planned: version 2 is the latest by now"
    )
    assert registry.versions(subject) == [1, 2]


def test_a_schema_that_the_registry_cannot_read_is_told_and_not_registered(
    registry: ApicurioRegistry, tmp_path: Path, subject: str
) -> None:
    done = apply(project(tmp_path, registry, subject, '{"type": "recrd"}'))

    assert codes(done) == ["E407_DEPLOY_ERROR"]
    assert "Failed to discover artifact type from content" in told(done)["errors"][0]["message"]
    assert registry.versions(subject) == []


def test_people_see_nothing_to_do_after_an_apply(
    registry: ApicurioRegistry, tmp_path: Path, subject: str
) -> None:
    folder = project(tmp_path, registry, subject, PROTOBUF, format="protobuf")
    assert apply(folder).exit_status == 0

    done = run_streamt("plan", "-p", folder)

    assert "Nothing to do: 1 resource as declared." in done.stdout
    live = provider_of(registry.url).observe([wanted(PROTOBUF, "PROTOBUF", subject=subject)])[subject]
    assert live.surface == surface(PROTOBUF, "PROTOBUF")
