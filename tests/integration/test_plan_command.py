"""`streamt plan` as a user runs it: a process of its own, a real broker, and the state that `apply` left."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from brokers import Broker, free_port, until
from checked import write_project
from confluent_kafka.admin import NewPartitions
from program import Done, run_streamt

from streamt_ol.deploy.state.local import LocalBackend
from streamt_ol.deploy.state.records import IntendedAction, Intent
from streamt_ol.deploy.state.state_file import state_checksum


@pytest.fixture
def name() -> str:
    """Return the beginning of topic names that no other test has."""
    return f"plan-{uuid4().hex[:12]}"


def project(folder: Path, broker: Broker, *models: Mapping[str, Any], **more: Any) -> Path:
    folder.mkdir(exist_ok=True)
    kafka = {"bootstrap_servers": broker.address}
    return write_project(folder, runtime={"kafka": kafka}, models=[*models], **more)


def model(
    topic: str, partitions: int = 1, config: Mapping[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Return the model `orders_v2` on a topic."""
    block = {"name": topic, "partitions": partitions, "replication_factor": 1, "config": config or {}}
    return {"name": "orders_v2", "topic": block, **more}


def plan(folder: Path, *options: str | Path) -> Done:
    done = run_streamt("plan", "-p", folder, *options)
    assert done.exit_status == 0, done.stderr
    return done


def data(folder: Path, *options: str | Path) -> dict[str, Any]:
    done = run_streamt("--output", "json", "plan", "-p", folder, *options)
    assert done.exit_status == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["data"]
    return found


def apply(folder: Path, *options: str | Path) -> Done:
    return run_streamt("apply", "-p", folder, *options)


def applied(folder: Path, *options: str | Path) -> None:
    done = apply(folder, *options)
    assert done.exit_status == 0, done.stderr


def told(done: Done) -> list[str]:
    return done.stdout.splitlines()[2:]


def test_a_first_plan_makes_what_is_not_there_and_leaves_no_trace(
    broker: Broker, tmp_path: Path, name: str
) -> None:
    folder = project(tmp_path / "p", broker, model(name, 3, {"retention.ms": 3600000}))

    assert told(plan(folder)) == [
        f"+ topic {name}",
        "    partitions           3",
        "    replication_factor   1",
        "    config.retention.ms  3600000",
        "",
        "1 to create, 0 to update, 0 to delete, 0 unchanged; risk: safe",
        "Not saved: `streamt apply` plans again. With --out FILE exactly this plan can be applied.",
    ]
    assert [entry.name for entry in folder.iterdir()] == ["stream_project.yml"]
    assert name not in broker.topics()


def test_after_an_apply_only_what_changes_is_planned(broker: Broker, tmp_path: Path, name: str) -> None:
    folder = project(tmp_path / "p", broker, model(name, 1, {"retention.ms": 3600000}))
    applied(folder)

    assert told(plan(folder)) == ["Nothing to do: 1 resource as declared."]
    assert data(folder)["state_serial"] == 1

    settings = {"retention.ms": "7200000", "cleanup.policy": "compact,delete"}
    project(folder, broker, model(name, 4, settings))
    found = data(folder)

    assert found["changes"] == [
        {
            "kind": "topic",
            "name": name,
            "action": "update",
            "changes": [
                {"field": "partitions", "before": 1, "after": 4},
                {"field": "config.cleanup.policy", "before": None, "after": "compact,delete"},
                {"field": "config.retention.ms", "before": "3600000", "after": "7200000"},
            ],
        }
    ]
    assert (found["creates"], found["updates"], found["deletes"]) == (0, 1, 0)
    assert found["operation_status"]["status"] == "clear"
    assert found["risk_summary"]["overall"] == "risky"

    applied(folder)
    assert not data(folder)["has_changes"]


def test_what_the_project_forgets_stays(broker: Broker, tmp_path: Path, name: str) -> None:
    folder = project(tmp_path / "p", broker, model(name))
    applied(folder)
    project(folder, broker)

    assert told(plan(folder))[0] == "Nothing to do: 0 resources as declared."
    assert name in broker.topics()


def test_fewer_partitions_block_the_plan_which_is_no_failure(
    broker: Broker, tmp_path: Path, name: str
) -> None:
    folder = project(tmp_path / "p", broker, model(name, 3))
    applied(folder)
    project(folder, broker, model(name, 2))
    column = (folder / "stream_project.yml").read_text("utf-8").index('{"name": "orders_v2"') + 1

    assert told(plan(folder)) == [
        f"~ topic {name}",
        "    partitions  3 -> 2",
        "    risk: destructive (policy violation)",
        f"  ! never done: topic '{name}' has 3 partitions and 2 are declared: Kafka never removes any",
        "    what helps: declare 3 partitions, or a topic of another name",
        f"    where: stream_project.yml:1:{column}",
        "",
        "0 to create, 1 to update, 0 to delete, 0 unchanged; risk: destructive",
        "This plan cannot be applied, no part of it: 1 step never done (!).",
    ]


def test_a_topic_of_somebody_else_requires_a_decision(broker: Broker, tmp_path: Path) -> None:
    topic = broker.new_topic()
    folder = project(tmp_path / "p", broker, model(topic))
    found = data(folder)

    assert [(one["reason"], one["observed_action"]) for one in found["ownership_requirements"]] == [
        ("requires_adoption", "none")
    ]
    assert (found["is_apply_blocked"], found["has_changes"]) == (True, False)

    project(folder, broker, model(topic, ownership={"mode": "external"}))
    assert not data(folder)["is_apply_blocked"]


def test_a_saved_plan_is_applied_as_it_was_reviewed(broker: Broker, tmp_path: Path, name: str) -> None:
    folder = project(tmp_path / "p", broker, model(name, 2))
    saved = tmp_path / "reviewed" / "orders.plan"

    assert told(plan(folder, "--out", saved))[-1] == f"Saved to {saved}"
    found = data(folder, "--out", saved)
    assert (found["plan_file"], found["plan_format_version"]) == (str(saved), 5)
    assert found["plan_checksum"] == json.loads(saved.read_text("utf-8"))["checksum"]

    applied(folder, "--plan", saved)
    assert name in broker.topics()


def test_a_plan_is_refused_when_the_topic_has_changed_since(
    broker: Broker, tmp_path: Path, name: str
) -> None:
    folder = project(tmp_path / "p", broker, model(name, 2))
    applied(folder)
    project(folder, broker, model(name, 6))
    saved = tmp_path / "orders.plan"
    plan(folder, "--out", saved)
    admin = broker.admin()
    admin.create_partitions([NewPartitions(name, 3)])[name].result(30)
    until(lambda: len(admin.list_topics(timeout=30).topics[name].partitions) == 3)

    done = apply(folder, "--plan", saved)

    assert done.exit_status == 1
    assert (
        f"E409_PLAN_STALE at plan_file: the plan is not current: topic {name}: partitions was to go from 2 to 6, "
        "and it would go from 3 to 6 now"
    ) in done.stderr
    assert len(admin.list_topics(timeout=30).topics[name].partitions) == 3


def test_a_plan_is_refused_when_it_was_applied_already(broker: Broker, tmp_path: Path, name: str) -> None:
    folder = project(tmp_path / "p", broker, model(name))
    saved = tmp_path / "orders.plan"
    plan(folder, "--out", saved)
    applied(folder, "--plan", saved)

    done = apply(folder, "--plan", saved)

    assert done.exit_status == 1
    assert "the plan is not current: its state had the serial 0 and has 1 now" in done.stderr


def test_a_broker_that_is_not_there_is_told_and_offline_it_is_not_asked(tmp_path: Path, name: str) -> None:
    nobody = Broker(f"127.0.0.1:{free_port()}", None)  # type: ignore[arg-type]
    folder = project(tmp_path / "p", nobody, model(name))
    done = run_streamt("plan", "-p", folder)

    assert done.exit_status == 1
    assert done.stdout == ""
    assert done.stderr.startswith("ERROR: E406_CONNECTION_REFUSED at /runtime/kafka (stream_project.yml")
    assert plan(folder, "--offline").stderr == ""


def test_where_everything_is_external_no_broker_is_asked(tmp_path: Path, name: str) -> None:
    nobody = Broker(f"127.0.0.1:{free_port()}", None)  # type: ignore[arg-type]
    folder = project(tmp_path / "p", nobody, model(name, ownership={"mode": "external"}))

    assert told(plan(folder))[0] == f"= topic '{name}' is external: it is never changed here"


def test_an_operation_that_is_not_over_is_told(broker: Broker, tmp_path: Path, name: str) -> None:
    folder = project(tmp_path / "p", broker, model(name))
    operation = str(uuid4())
    wanted = f"sha256:{'c' * 64}"
    orders = "streamt://shop/default/topic/orders_v2"
    actions = (IntendedAction(0, orders, "create", "orders_v2", None, wanted, None),)
    started = "2026-01-02T03:04:05.000000Z"
    backend = LocalBackend(folder, "shop", "default")
    with backend.authority(5) as authority:
        known = authority.observe()
        prior = state_checksum(known.snapshot)
        authority.begin(Intent(operation, "apply", started, "local-cli", 0, prior, None, actions), known)

    assert told(plan(folder))[-2] == (
        f"Operation {operation} is not over: no apply begins before `streamt state status` says so."
    )
    assert data(folder)["operation_status"] == {
        "status": "in_progress",
        "operation_id": operation,
        "kind": "apply",
        "failure_code": None,
        "last_completed_action_index": None,
    }


def test_a_state_that_is_damaged_is_told_before_a_broker_is_asked(tmp_path: Path, name: str) -> None:
    nobody = Broker(f"127.0.0.1:{free_port()}", None)  # type: ignore[arg-type]
    folder = project(tmp_path / "p", nobody, model(name))
    state = folder / ".streamt" / "state" / "default.json"
    state.parent.mkdir(parents=True)
    state.write_text("{}", "utf-8")
    state.chmod(0o600)
    done = run_streamt("plan", "-p", folder)

    assert done.exit_status == 1
    assert "ERROR: E411_STATE_INVALID" in done.stderr
