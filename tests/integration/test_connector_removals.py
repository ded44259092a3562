"""Connectors that a project removes: a state in PostgreSQL, and a stand-in for a Kafka Connect worker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from applied import codes, told
from connect_stand_in import ConnectStandIn, connect_stand_in, refusing
from http_stand_in import answers
from postgres_projects import SharedState, shared_state
from postgres_server import PostgresServer
from program import Done

PLANTED = "planted-hunter2"
CONFIG = {"file": "old.txt", "file.password": PLANTED}


@pytest.fixture
def connect() -> Iterator[ConnectStandIn]:
    with connect_stand_in() as running:
        yield running


class Shop:
    """A project with a sink on a Connect cluster, and then without it."""

    def __init__(self, folder: Path, state: SharedState, connect: ConnectStandIn) -> None:
        self.folder = folder
        self.plan_file = folder.parent / "removal.plan"
        self.recovery = folder.parent / "recovery.json"
        self.state = state
        self._url = connect.url

    def writes(self, **more: Any) -> None:
        self.state.write(self.folder, sources=[{"name": "orders", "topic": "shop.orders"}], **more)
        path = self.folder / "stream_project.yml"
        document = json.loads(path.read_text("utf-8"))
        document["runtime"]["connect"] = {"clusters": {"main": {"rest_url": self._url}}}
        path.write_text(json.dumps(document), "utf-8")

    def declares(self) -> None:
        sink = {"connector": "file-sink", "config": CONFIG}
        model = {"name": "old", "from": [{"source": "orders"}], "connect_cluster": "main", "sink": sink}
        self.writes()
        path = self.folder / "stream_project.yml"
        document = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps({**document, "models": [model]}), "utf-8")

    def removes(self, **says: str) -> None:
        removal = {"logical_owner": "old", "name": "old", "cluster": "main", **says}
        self.writes(lifecycle={"connector_removals": [removal]})

    def runs(self, *arguments: str | Path, mode: str = "json") -> Done:
        return self.state.streamt(*arguments, "-p", self.folder, mode=mode)

    def plans(self) -> dict[str, Any]:
        done = self.runs("plan", "--out", self.plan_file)
        assert done.exit_status == 0, done.stdout
        data: dict[str, Any] = told(done)["data"]
        return data

    def applies(self, *arguments: str) -> Done:
        return self.runs("apply", "--plan", self.plan_file, *arguments)

    def recovers(self, resolution: str) -> Done:
        asked = ("--resolution", resolution, "--out", self.recovery)
        assert self.runs("state", "recovery-plan", *asked).exit_status == 0
        plan = json.loads(self.recovery.read_text("utf-8"))
        confirmed = {
            "--confirm-operation-id": plan["blocked_operation_id"],
            "--confirm-resolution": plan["resolution"],
            "--confirm-evidence-checksum": plan["evidence_checksum"],
        }
        options = [part for pair in confirmed.items() for part in pair]
        return self.runs("state", "recover", "--plan", self.recovery, *options)

    def owned(self) -> list[str]:
        return self.state.names(self.folder)


@pytest.fixture
def empty(tmp_path: Path, postgres_server: PostgresServer, connect: ConnectStandIn) -> Shop:
    """Return a project that removes a connector which nobody made."""
    made = Shop(tmp_path / "shop", shared_state(postgres_server), connect)
    made.removes()
    assert made.state.init(made.folder).exit_status == 0
    return made


@pytest.fixture
def shop(empty: Shop, connect: ConnectStandIn) -> Shop:
    """Return a project whose connector was applied and is to be removed."""
    empty.declares()
    applied = empty.runs("apply")
    assert applied.exit_status == 0, applied.stdout
    assert (set(connect.connectors), empty.owned()) == ({"old"}, ["old"])
    empty.removes()
    connect.asked.clear()
    return empty


def test_a_connector_is_removed_from_a_reviewed_plan(shop: Shop, connect: ConnectStandIn) -> None:
    data = shop.plans()
    plan = shop.plan_file.read_text("utf-8")
    locked = shop.applies()

    assert (data["deletes"], data["is_apply_blocked"]) == (1, False)
    assert [one["verdict"] for one in data["connector_removal_assessments"]] == ["delete"]
    assert codes(locked) == ["E503_ENVIRONMENT_ERROR"]
    assert connect.requests("DELETE") == []

    done = shop.applies("--force")

    envelope = told(done)
    assert (done.exit_status, envelope["data"]["deleted"]) == (0, ["connector:old"])
    assert [one["code"] for one in envelope["warnings"]] == ["W119_CONNECTOR_REMOVAL_DESTRUCTIVE"]
    assert envelope["warnings"][0]["message"] == (
        "connectors are deleted with their configuration, which nothing here brings back: old"
    )
    assert connect.requests("DELETE", "PUT", "POST") == ["DELETE /connectors/old"]
    assert (connect.connectors, shop.owned()) == ({}, [])
    assert PLANTED not in plan + json.dumps(data) + locked.stdout + done.stdout + done.stderr


def test_people_are_shown_which_keys_go_and_no_value(shop: Shop) -> None:
    shown = shop.runs("plan", "--out", shop.plan_file, mode="text").stdout

    assert "\n- connector old\n" in shown
    assert "file.password" in shown
    assert PLANTED not in shown


def test_a_removal_is_not_planned_in_passing(empty: Shop, connect: ConnectStandIn) -> None:
    assert codes(empty.runs("plan")) == ["E418_REVIEWED_PLAN_REQUIRED"]
    assert codes(empty.runs("plan", "--offline", "--out", empty.plan_file)) == ["E418_REVIEWED_PLAN_REQUIRED"]
    assert codes(empty.runs("apply")) == ["E418_REVIEWED_PLAN_REQUIRED"]
    assert connect.asked == []


def test_what_was_removed_is_told_as_removed(shop: Shop, connect: ConnectStandIn) -> None:
    shop.plans()
    assert shop.applies("--force").exit_status == 0
    connect.asked.clear()

    data = shop.plans()
    again = shop.applies()

    assert [one["verdict"] for one in data["connector_removal_assessments"]] == ["removed"]
    assert (again.exit_status, told(again)["data"]["deleted"]) == (0, [])
    assert "warnings" not in told(again) or told(again)["warnings"] == []
    assert connect.requests("DELETE") == []


def test_the_record_of_a_connector_that_is_gone_is_forgotten(shop: Shop, connect: ConnectStandIn) -> None:
    connect.connectors.clear()
    shop.plans()

    done = shop.applies()

    data = told(done)["data"]
    assert (done.exit_status, data["deleted"], data["forgotten"]) == (0, [], ["connector:old"])
    assert (connect.requests("DELETE"), shop.owned()) == ([], [])


def test_a_value_that_was_changed_since_makes_the_plan_stale(shop: Shop, connect: ConnectStandIn) -> None:
    shop.plans()
    connect.connectors["old"]["file"] = "other.txt"

    done = shop.applies("--force")

    assert codes(done) == ["E409_PLAN_STALE"]
    assert connect.requests("DELETE") == []


def test_a_connector_that_moves_while_it_is_removed_is_drift(shop: Shop, connect: ConnectStandIn) -> None:
    shop.plans()
    moved = {"name": "old", "config": {"name": "old", "file": "x"}, "tasks": [], "type": "sink"}
    connect.fail(
        "GET", "/connectors/old", None, answers(200, moved)
    )  # the second look is that before the deletion

    done = shop.applies("--force")

    error = told(done)["errors"][0]
    assert codes(done) == ["E428_CONNECTOR_REMOVAL_DRIFT"]
    assert error["location"] == "/lifecycle/connector_removals/0"
    assert error["operation_id"] == told(done)["data"]["operation_id"]
    assert PLANTED not in done.stdout + done.stderr
    assert connect.requests("DELETE") == []
    status = shop.state.status(shop.folder)["operation_status"]
    assert (status["status"], status["failure_code"]) == ("recovery_required", "connector_removal_drift")
    recovered = shop.recovers("observed")
    assert (recovered.exit_status, shop.owned()) == (0, ["old"])
    shop.plans()
    assert shop.applies("--force").exit_status == 0
    assert shop.owned() == []


def test_a_removal_that_is_refused_is_recovered_and_tried_again(shop: Shop, connect: ConnectStandIn) -> None:
    shop.plans()
    connect.fail("DELETE", "/connectors/old", refusing(403, f"no right to {PLANTED}"))

    done = shop.applies("--force")

    assert codes(done) == ["E407_DEPLOY_ERROR"]
    assert PLANTED not in done.stdout + done.stderr
    assert shop.recovers("rolled_back").exit_status == 0
    shop.plans()
    assert shop.applies("--force").exit_status == 0
    assert (connect.connectors, shop.owned()) == ({}, [])


@pytest.mark.parametrize(
    ("says", "code"),
    [
        ({"cluster": "gone"}, "E209_INVALID_CLUSTER_REF"),
        ({"name": "with/slash"}, "E427_CONNECTOR_REMOVAL_INVALID"),
    ],
)
def test_a_removal_that_leads_nowhere_asks_no_worker(
    empty: Shop, connect: ConnectStandIn, says: dict[str, str], code: str
) -> None:
    empty.plans()
    connect.asked.clear()
    empty.removes(**says)

    assert codes(empty.runs("plan", "--out", empty.plan_file.with_suffix(".new"))) == [code]
    assert codes(empty.applies("--force")) == [code]
    assert connect.asked == []


def test_a_removal_without_kafka_connect_is_refused(empty: Shop, connect: ConnectStandIn) -> None:
    empty.plans()
    connect.asked.clear()
    path = empty.folder / "stream_project.yml"
    document = json.loads(path.read_text("utf-8"))
    del document["runtime"]["connect"]
    path.write_text(json.dumps(document), "utf-8")

    done = empty.applies("--force")

    assert codes(done) == ["E205_CONNECT_REQUIRED"]
    assert told(done)["errors"][0]["location"] == "/lifecycle/connector_removals/0/cluster"
    assert connect.asked == []


@pytest.mark.parametrize("says", [{"logical_owner": "typo"}, {"name": "other"}])
def test_a_removal_of_what_is_not_ones_own_blocks_the_plan(
    shop: Shop, connect: ConnectStandIn, says: dict[str, str]
) -> None:
    connect.connectors["other"] = {"name": "other"}
    shop.removes(**says)

    data = shop.plans()
    done = shop.applies("--force")

    assert data["is_apply_blocked"]
    assert codes(done) == ["E417_SAFETY_BLOCKED"]
    assert (connect.requests("DELETE"), set(connect.connectors)) == ([], {"old", "other"})
