"""A saved plan: what is in it, and which files are none."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from planned import NOTHING, STORE, known, planned, surface, there, topic, topic_id, wanted

from streamt_ol import __version__
from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.planning.errors import PlanFileError
from streamt_ol.deploy.planning.plan_file import (
    FIELDS,
    LARGEST,
    check_target,
    load_plan,
    parse_plan,
    plan_bytes,
    write_plan,
)
from streamt_ol.deploy.planning.reviewed import ReviewedPlan, reviewed_plan

Document = dict[str, Any]


@pytest.fixture
def saved(tmp_path: Path) -> ReviewedPlan:
    """Return a plan that creates one topic and raises the partitions of another."""
    made = wanted(tmp_path / "project", models=[{"name": "b", "topic": {"partitions": 6}}, {"name": "a"}])
    plan = planned(made.desired, known("b"), there(a=None, b=surface(3)))
    return reviewed_plan(made.context(), plan)


def test_a_plan_says_what_is_done_and_what_it_was_made_from(saved: ReviewedPlan) -> None:
    document = json.loads(plan_bytes(saved))
    plan = document.pop("plan")

    assert document == {
        "kind": "streamt.reviewed-plan",
        "format_version": 5,
        "streamt_version": __version__,
        "project": "shop",
        "environment": "default",
        "environment_fingerprint": saved.document["environment_fingerprint"],
        "manifest_checksum": saved.document["manifest_checksum"],
        "state": {
            "backend": "local",
            "store_id": STORE,
            "address": "streamt-state://local/shop/default",
            "serial": 1,
            "checksum": f"sha256:{1:064}",
        },
        "selection": None,
        "offline": False,
        "actions": [
            {
                "index": 0,
                "resource_id": topic_id("a"),
                "action": "create",
                "gateway_evidence": None,
                "connector_evidence": None,
                "flink_evidence": None,
            },
            {
                "index": 1,
                "resource_id": topic_id("b"),
                "action": "update",
                "gateway_evidence": None,
                "connector_evidence": None,
                "flink_evidence": None,
            },
        ],
        "checksum": saved.checksum,
    }
    assert plan["resources"] == [
        {
            "kind": "topic",
            "name": "a",
            "action": "create",
            "changes": [
                {"field": "partitions", "before": None, "after": 1},
                {"field": "replication_factor", "before": None, "after": 1},
            ],
        },
        {
            "kind": "topic",
            "name": "b",
            "action": "update",
            "changes": [{"field": "partitions", "before": 3, "after": 6}],
        },
    ]
    assert plan["summary"] == {
        "creates": 1,
        "updates": 1,
        "deletes": 0,
        "has_changes": True,
        "ownership_requirements": 0,
        "safety_blockers": 0,
        "connector_removal_assessments": 0,
        "gateway_removal_assessments": 0,
        "is_apply_blocked": False,
        "risk": "risky",
    }


def test_a_plan_that_is_blocked_or_made_offline_has_no_actions(tmp_path: Path) -> None:
    made = wanted(tmp_path / "project", models=[{"name": "a"}])
    blocked = planned(made.desired, NOTHING, there(a=surface()))
    offline = planned(made.desired, NOTHING, None)

    assert reviewed_plan(made.context(), blocked).document["actions"] == []
    kept = reviewed_plan(made.context(offline=True), offline)
    assert (kept.document["actions"], kept.document["state"], kept.offline) == ([], None, True)


def test_the_same_plan_is_the_same_bytes(saved: ReviewedPlan) -> None:
    data = plan_bytes(saved)

    assert data == plan_bytes(parse_plan(data))
    assert data.startswith(b'{\n  "actions": [\n')
    assert data.endswith(b"}\n")


def test_what_is_written_is_read_again_and_only_its_owner_can_read_it(
    saved: ReviewedPlan, tmp_path: Path
) -> None:
    path = tmp_path / "new" / "folder" / "a.plan"
    write_plan(path, saved)

    assert load_plan(path) == saved
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["a.plan"]


def test_a_plan_takes_the_place_of_a_file_that_all_could_read(saved: ReviewedPlan, tmp_path: Path) -> None:
    path = tmp_path / "a.plan"
    path.write_text("something else", "utf-8")
    path.chmod(0o644)
    write_plan(path, saved)

    assert (load_plan(path), stat.S_IMODE(path.stat().st_mode)) == (saved, 0o600)


def test_what_is_no_file_is_refused_before_a_plan_is_made(tmp_path: Path) -> None:
    with pytest.raises(PlanFileError) as refused:
        check_target(tmp_path)

    assert refused.value.location == "out"
    assert refused.value.message == f"{tmp_path} is a directory, not a regular file"


def test_a_plan_that_cannot_be_written_is_told(saved: ReviewedPlan, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PlanFileError) as refused:
        write_plan(tmp_path / "file" / "a.plan", saved)

    assert (refused.value.code, refused.value.location) == ("E408_PLAN_FILE_INVALID", "out")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(PlanFileError, match="the plan cannot be read: No such file or directory"):
        load_plan(tmp_path / "a.plan")


def refusal(data: bytes) -> str:
    with pytest.raises(PlanFileError) as refused:
        parse_plan(data)
    assert refused.value.location == "plan_file"
    assert refused.value.suggestion == "make it again with `streamt plan --out FILE`"
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)
    return refused.value.message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the plan is not JSON"),
        (b"\xff{}", "the plan is not UTF-8"),
        (b"[" * 100_000, "the plan is nested too deep"),
        (b"[]", "the plan is no plan: its kind is not `streamt.reviewed-plan`"),
        (b'{"kind": "manifest"}', "the plan is no plan: its kind is not `streamt.reviewed-plan`"),
        (b'{"kind": "a", "kind": "b"}', "the plan has a key twice in one object"),
        (b'{"kind": NaN}', "the plan holds a number that is none"),
        (b" " * (LARGEST + 1), "the plan has more than 10485760 bytes"),
        (b'{"kind": "streamt.reviewed-plan"}', "the plan has no format version"),
        (b'{"kind": "streamt.reviewed-plan", "format_version": true}', "the plan has no format version"),
        (
            b'{"kind": "streamt.reviewed-plan", "format_version": 4}',
            "the plan has the format 4, which an earlier version wrote",
        ),
        (
            b'{"kind": "streamt.reviewed-plan", "format_version": 6}',
            "the plan has the format 6, which this version does not know",
        ),
    ],
)
def test_what_is_no_plan_is_refused(data: bytes, message: str) -> None:
    assert refusal(data) == message


def test_a_file_of_the_largest_size_is_still_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "a.plan"
    path.write_bytes(b" " * LARGEST)
    with pytest.raises(PlanFileError, match="is not JSON"):
        load_plan(path)

    path.write_bytes(b" " * (LARGEST + 1))
    with pytest.raises(PlanFileError, match="has more than 10485760 bytes"):
        load_plan(path)


@pytest.mark.parametrize("field", [name for name in FIELDS if name not in {"kind", "format_version"}])
def test_a_field_that_is_missing_is_named(saved: ReviewedPlan, field: str) -> None:
    document = json.loads(plan_bytes(saved))
    del document[field]

    assert refusal(json.dumps(document).encode()) == f"the plan lacks `{field}`"


def test_a_field_that_no_plan_has_is_named(saved: ReviewedPlan) -> None:
    document = {**json.loads(plan_bytes(saved)), "approved": True}

    assert refusal(json.dumps(document).encode()) == "the plan has the key `approved`, which no plan has"


@pytest.mark.parametrize("written", ["sha256:" + "0" * 64, "", None, 7, "\u00e4"])
def test_a_plan_that_was_changed_is_refused(saved: ReviewedPlan, written: object) -> None:
    document = {**json.loads(plan_bytes(saved)), "checksum": written}

    assert refusal(json.dumps(document).encode()) == (
        "the plan was changed after it was written: its checksum is another"
    )


def test_the_checksum_is_looked_at_before_the_shape(saved: ReviewedPlan) -> None:
    document = {**json.loads(plan_bytes(saved)), "offline": "no"}

    assert "its checksum is another" in refusal(json.dumps(document).encode())


def resealed(saved: ReviewedPlan, change: Callable[[Document], object]) -> bytes:
    """Return the file of a changed plan with the checksum that belongs to it."""
    document = json.loads(plan_bytes(saved))
    change(document)
    del document["checksum"]
    return json.dumps({**document, "checksum": checksum(document)}).encode()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda plan: plan.update(project=""), "project"),
        (lambda plan: plan.update(streamt_version=5), "streamt_version"),
        (lambda plan: plan.update(offline="no"), "offline"),
        (lambda plan: plan.update(selection=[]), "selection"),
        (lambda plan: plan.update(plan=[]), "plan"),
        (lambda plan: plan["plan"].pop("impact"), "plan"),
        (lambda plan: plan["plan"].update(more=1), "plan"),
        (lambda plan: plan.update(state=None), "state"),
        (lambda plan: plan["state"].update(serial=True), "state"),
        (lambda plan: plan["state"].update(serial=-1), "state"),
        (lambda plan: plan["state"].update(lock="held"), "state"),
        (lambda plan: plan["state"].update(address="streamt-state://local/shop/prod"), "state/address"),
        (lambda plan: plan.update(offline=True), "state"),
        (lambda plan: plan.update(offline=True, state=None), "actions"),
        (lambda plan: plan.update(actions={}), "actions"),
        (lambda plan: plan["actions"].reverse(), "actions/0"),
        (lambda plan: plan["actions"][1].update(index=True), "actions/1"),
        (lambda plan: plan["actions"][0].pop("gateway_evidence"), "actions/0"),
        (lambda plan: plan["actions"][0].update(resource_id="a"), "actions/0"),
        (lambda plan: plan["actions"][0].update(resource_id="streamt://shop/prod/topic/a"), "actions/0"),
        (lambda plan: plan["actions"][1].update(resource_id=topic_id("a")), "actions/1"),
    ],
)
def test_what_has_a_checksum_and_still_is_no_plan_is_refused(
    saved: ReviewedPlan, change: Callable[[Document], object], place: str
) -> None:
    assert refusal(resealed(saved, change)) == f"the plan has something at `{place}` that no plan has there"


EVIDENCE = {"before": f"sha256:{'a' * 64}", "after": None}
SINK = "streamt://shop/default/connector/sink"


def with_deletion(saved: ReviewedPlan, evidence: object, **says: object) -> bytes:
    """Return the file of a plan that deletes a connector, with this evidence."""
    last = {
        "index": 2,
        "resource_id": SINK,
        "action": "delete",
        "gateway_evidence": None,
        "connector_evidence": evidence,
        "flink_evidence": None,
        **says,
    }
    return resealed(saved, lambda plan: plan["actions"].append({**dict.fromkeys(plan["actions"][0]), **last}))


@pytest.mark.parametrize(
    "evidence",
    [
        None,
        {},
        {"before": None, "after": None},
        {"before": "sha256:abc", "after": None},
        {"before": EVIDENCE["before"]},
        {**EVIDENCE, "after": EVIDENCE["before"]},
        {**EVIDENCE, "more": 1},
        "sha256",
    ],
)
def test_a_plan_without_the_evidence_of_an_action_is_none(saved: ReviewedPlan, evidence: object) -> None:
    place = "actions/2/connector_evidence"

    assert parse_plan(with_deletion(saved, EVIDENCE)).document["actions"][2]["connector_evidence"] == EVIDENCE
    assert refusal(with_deletion(saved, evidence)) == (
        f"the plan has something at `{place}` that no plan has there"
    )


def test_evidence_stands_only_where_it_belongs(saved: ReviewedPlan) -> None:
    misplaced = with_deletion(saved, EVIDENCE, gateway_evidence=EVIDENCE)
    of_a_topic = resealed(saved, lambda plan: plan["actions"][0].update(connector_evidence=EVIDENCE))

    assert "`actions/2/gateway_evidence`" in refusal(misplaced)
    assert "`actions/0/connector_evidence`" in refusal(of_a_topic)


def test_a_plan_of_an_unchanged_document_is_one(saved: ReviewedPlan) -> None:
    assert parse_plan(resealed(saved, lambda _plan: None)) == saved


def test_an_offline_plan_can_be_read(tmp_path: Path) -> None:
    made = wanted(tmp_path / "project", models=[{"name": "a"}])
    kept = reviewed_plan(made.context(offline=True), planned([topic("a")], NOTHING, None))

    assert parse_plan(plan_bytes(kept)).offline
