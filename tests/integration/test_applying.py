"""`streamt apply` and `streamt adopt` on a real broker, with real states, files, processes and Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from applied import (
    JOBS,
    answer,
    apply,
    at_terminal,
    codes,
    control,
    events,
    kinds,
    state,
    state_files,
    to_log,
    told,
    topic,
    write_project,
)
from brokers import Broker, noida_broker, until
from confluent_kafka.admin import ConfigResource, ResourceType
from program import in_background, run_streamt

from streamt_ol.deploy.state.local import LocalBackend


@pytest.fixture
def names(broker: Broker) -> Iterator[list[str]]:
    """Give names of topics that no other test has; they are deleted at the end."""
    prefix = f"t-{os.urandom(6).hex()}"
    made = [f"{prefix}-{number}" for number in range(3)]
    yield made
    admin = broker.admin()  # held: what it was asked ends with it
    there = broker.topics() & {*made}
    if there:
        for gone in admin.delete_topics([*there]).values():
            gone.result(30)


def partitions(broker: Broker, name: str) -> int:
    return len(broker.admin().list_topics(timeout=30).topics[name].partitions)


def setting(broker: Broker, name: str, key: str) -> str:
    resource = ConfigResource(ResourceType.TOPIC, name)
    admin = broker.admin()
    entry = admin.describe_configs([resource])[resource].result(30)[key]
    value: str = entry.value
    return value


# create, nothing, change


def test_a_first_apply_creates_and_a_second_changes_nothing(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    first, second, _third = names
    folder = write_project(
        tmp_path / "p",
        topic(first, 2, config={"retention_ms": "7200000"}),
        topic(second),
        address=broker.address,
    )

    created = apply(folder, *JOBS, environment=to_log(log))
    again = apply(folder, *JOBS, environment=to_log(log))

    data = told(created)["data"]
    assert (created.exit_status, data["created"]) == (0, [f"topic:{first}", f"topic:{second}"])
    assert data["summary"] == {"total": 2, "succeeded": 2, "failed": 0, "unchanged": 0}
    assert (data["committed"], data["state_serial"]) == (True, 1)
    assert data["state_file"] == str(folder / ".streamt" / "state" / "default.json")
    assert (partitions(broker, first), partitions(broker, second)) == (2, 1)
    assert setting(broker, first, "retention.ms") == "7200000"
    nothing = told(again)["data"]
    assert (again.exit_status, nothing["created"], nothing["updated"]) == (0, [], [])
    assert nothing["unchanged"] == [f"topic:{first}", f"topic:{second}"]
    assert (nothing["state_serial"], "state_file" in nothing) == (1, False)
    assert kinds(log) == ["START", "COMPLETE", "START", "COMPLETE"]
    runs = [event["run"]["runId"] for event in events(log)]
    assert runs == [data["operation_id"]] * 2 + [nothing["operation_id"]] * 2
    assert control(folder)["status"] == "clear"
    assert {record["physical_name"] for record in state(folder)["resources"].values()} == {first, second}
    assert [warning["code"] for warning in told(created)["warnings"]] == ["W106_LOCAL_STATE_ONLY"]


def test_a_changed_project_applies_exactly_the_difference(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    first, second, third = names
    before = [topic(first, 1, config={"retention_ms": "7200000", "cleanup_policy": "compact"}), topic(second)]
    after = [topic(first, 3, config={"retention_ms": "3600000"}), topic(second), topic(third)]
    folder = write_project(tmp_path, *before, address=broker.address)
    assert apply(folder).exit_status == 0

    done = apply(write_project(tmp_path, *after, address=broker.address))

    data = told(done)["data"]
    assert (data["created"], data["updated"], data["unchanged"]) == (
        [f"topic:{third}"],
        [f"topic:{first}"],
        [f"topic:{second}"],
    )
    assert partitions(broker, first) == 3
    assert setting(broker, first, "cleanup.policy") == "compact"
    assert setting(broker, first, "retention.ms") == "3600000"
    assert data["state_serial"] == 2


def test_what_is_not_declared_any_more_is_left_alone(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    first, second, _third = names
    assert (
        apply(write_project(tmp_path, topic(first), topic(second), address=broker.address)).exit_status == 0
    )

    done = apply(write_project(tmp_path, topic(first), address=broker.address))

    assert (done.exit_status, told(done)["data"]["deleted"]) == (0, [])
    assert second in broker.topics()
    assert len(state(tmp_path)["resources"]) == 2


def test_only_what_is_selected_is_applied(broker: Broker, names: list[str], tmp_path: Path) -> None:
    first, second, third = names
    folder = write_project(
        tmp_path,
        topic(first),
        topic(second, **{"from": [{"ref": first}]}),
        topic(third, tags=["late"]),
        address=broker.address,
    )

    assert told(apply(folder, "-t", second))["data"]["created"] == [f"topic:{first}", f"topic:{second}"]
    assert third not in broker.topics()
    assert told(apply(folder, "-s", "tag:late"))["data"]["created"] == [f"topic:{third}"]
    assert len(state(folder)["resources"]) == 3


def test_an_empty_project_is_an_operation_too(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"

    done = apply(write_project(tmp_path / "p"), *JOBS, environment=to_log(log))

    assert (done.exit_status, told(done)["data"]["committed"]) == (0, True)
    assert kinds(log) == ["START", "COMPLETE"]


def test_people_read_what_was_done(broker: Broker, names: list[str], tmp_path: Path) -> None:
    first, second, _third = names
    folder = write_project(tmp_path, topic(first), address=broker.address)
    assert run_streamt("apply", "-p", folder).exit_status == 0

    folder = write_project(tmp_path, topic(first), topic(second), address=broker.address)
    done = run_streamt("apply", "-p", folder)

    lines = done.stdout.splitlines()
    assert lines[-5:-1] == [
        "1 to create, 0 to update, 0 to delete, 1 unchanged; risk: safe",
        "",
        f"create    topic:{second}  done",
        "1 done, 1 unchanged. The state has serial 2.",
    ]
    assert lines[2] == f"+ topic {second}"
    assert lines[-1].startswith("Operation ")


def test_at_a_terminal_each_action_has_its_line(broker: Broker, names: list[str], tmp_path: Path) -> None:
    first, second, _third = names
    folder = write_project(tmp_path, topic(first), topic(second), address=broker.address)

    status, shown = at_terminal("apply", "-p", folder)

    assert status == 0
    assert f"1 of 2  topic:{first} created" in shown
    assert f"2 of 2  topic:{second} created" in shown


# gates that ask a broker


def test_a_dry_run_passes_every_gate_and_changes_nothing(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    folder = write_project(tmp_path, topic(names[0]), address=broker.address)
    unreadable = {"OPENLINEAGE_CONFIG": "/nowhere/at/all.yml"}

    done = apply(folder, "--dry-run", *JOBS, environment=unreadable)

    data = told(done)["data"]
    assert (done.exit_status, data["dry_run"], data["creates"], data["has_changes"]) == (0, True, 1, True)
    assert data["plan_checksum"].startswith("sha256:")
    assert state_files(folder) == set()
    assert names[0] not in broker.topics()


def test_run_events_that_cannot_be_sent_stop_an_apply(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    folder = write_project(tmp_path, topic(names[0]), address=broker.address)

    done = apply(folder, *JOBS, environment={"OPENLINEAGE_CONFIG": "/nowhere/at/all.yml"})

    assert (done.exit_status, codes(done)) == (1, ["E506_OPENLINEAGE_INVALID"])
    assert told(done)["errors"][0]["location"] == "openlineage.config"
    assert state_files(folder) == set()
    assert names[0] not in broker.topics()


def test_fewer_partitions_are_never_applied(broker: Broker, names: list[str], tmp_path: Path) -> None:
    first, second, _third = names
    log = tmp_path / "log.jsonl"
    folder = write_project(tmp_path / "p", topic(first, 3), address=broker.address)
    assert apply(folder).exit_status == 0
    before = state(folder)

    folder = write_project(tmp_path / "p", topic(first, 1), topic(second), address=broker.address)
    done = apply(folder, "--force", *JOBS, environment=to_log(log))

    data = told(done)["data"]
    assert (done.exit_status, codes(done)) == (1, ["E417_SAFETY_BLOCKED"])
    assert [blocker["code"] for blocker in data["safety_blockers"]] == ["kafka_partition_reduction"]
    assert (partitions(broker, first), second in broker.topics()) == (3, False)
    assert (state(folder), log.exists()) == (before, False)


def test_a_foreign_topic_is_refused_then_adopted_then_managed(broker: Broker, tmp_path: Path) -> None:
    name = broker.new_topic(2)
    folder = write_project(tmp_path, topic(name, 2), address=broker.address)

    refused = apply(folder)
    undeclared = run_streamt("--output", "json", "adopt", f"topic:{name}", "-p", folder, "--confirm")
    write_project(folder, topic(name, 2, mode="adopted"), address=broker.address)
    unadopted = apply(folder)
    adopted = run_streamt("--output", "json", "adopt", f"topic:{name}", "-p", folder, "--confirm")
    write_project(folder, topic(name, 4, mode="adopted"), address=broker.address)
    managed = apply(folder)

    assert (codes(refused), codes(undeclared)) == (["E410_OWNERSHIP_REQUIRED"], ["E412_ADOPT_TARGET_INVALID"])
    assert told(refused)["data"]["ownership_requirements"][0]["reason"] == "requires_adoption"
    assert codes(unadopted) == ["E410_OWNERSHIP_REQUIRED"]
    assert adopted.exit_status == 0
    assert told(adopted)["data"]["live"] == {"partitions": 2, "replication_factor": 1}
    assert told(adopted)["data"]["state_serial"] == 1
    assert told(managed)["data"]["updated"] == [f"topic:{name}"]
    assert partitions(broker, name) == 4
    (record,) = state(folder)["resources"].values()
    assert (record["physical_name"], record["ownership"]) == (name, "adopted")


# reviewed plans and protected environments

PROTECTED = {"prod": {"environment": {"name": "prod", "protected": True}}}


def reviewed(folder: Path) -> Path:
    plan = folder.parent / "plan.json"
    assert run_streamt("plan", "-p", folder, "-e", "prod", "--out", plan).exit_status == 0
    return plan


def test_a_protected_environment_takes_a_confirmed_plan(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    folder = write_project(tmp_path / "p", topic(names[0]), address=broker.address, environments=PROTECTED)
    plan = reviewed(folder)
    checksum = json.loads(plan.read_text("utf-8"))["checksum"]

    unreviewed = apply(folder, "-e", "prod", "--confirm")
    unconfirmed = apply(folder, "-e", "prod", "--plan", plan)
    assert names[0] not in broker.topics()
    done = apply(
        folder, "-e", "prod", "--plan", plan, "--confirm-env", "prod", *JOBS, environment=to_log(log)
    )

    assert codes(unreviewed) == ["E418_REVIEWED_PLAN_REQUIRED"]
    assert codes(unconfirmed) == ["E503_ENVIRONMENT_ERROR"]
    data = told(done)["data"]
    assert (done.exit_status, data["created"]) == (0, [f"topic:{names[0]}"])
    assert (data["plan_checksum"], data["plan_file"]) == (checksum, str(plan))
    assert kinds(log) == ["START", "COMPLETE"]
    for part in (checksum.removeprefix("sha256:"), "plan.json", names[0]):
        assert part not in log.read_text("utf-8")


def test_a_plan_that_is_not_current_is_refused_with_what_changed(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    first, second, _third = names
    folder = write_project(tmp_path / "p", topic(first), address=broker.address, environments=PROTECTED)
    plan = reviewed(folder)
    arguments = ("-e", "prod", "--plan", plan, "--confirm")

    write_project(folder, topic(first), topic(second), address=broker.address, environments=PROTECTED)
    project_changed = apply(folder, *arguments)
    write_project(folder, topic(first), address=broker.address, environments=PROTECTED)
    assert apply(folder, *arguments).exit_status == 0
    state_changed = apply(folder, *arguments)

    assert codes(project_changed) == codes(state_changed) == ["E409_PLAN_STALE"]
    assert "the project compiles to something else" in told(project_changed)["errors"][0]["message"]
    assert "its state had the serial 0 and has 1 now" in told(state_changed)["errors"][0]["message"]
    assert second not in broker.topics()


def test_a_plan_is_refused_when_what_is_there_has_moved(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    folder = write_project(tmp_path / "p", topic(names[0]), address=broker.address, environments=PROTECTED)
    plan = reviewed(folder)
    foreign = write_project(tmp_path / "q", topic(names[0]), address=broker.address)
    assert apply(foreign).exit_status == 0

    done = apply(folder, "-e", "prod", "--plan", plan, "--confirm")

    assert codes(done) == ["E409_PLAN_STALE"]
    assert not (folder / ".streamt" / "state" / "prod.json").exists()


# adoption


def test_an_adoption_is_shown_and_asked_for(broker: Broker, tmp_path: Path) -> None:
    name = broker.new_topic(2)
    folder = write_project(tmp_path, topic(name, 3, mode="adopted"), address=broker.address)
    asked = ("adopt", f"topic:{name}", "-p", folder)

    shown = run_streamt(*asked, "--dry-run")
    unconfirmed = run_streamt(*asked)
    wrong, _said = answer("yes", *asked)
    assert state_files(folder) == set()
    right, said = answer(name, *asked)

    assert (shown.exit_status, unconfirmed.exit_status, wrong, right) == (0, 1, 1, 0)
    assert shown.stdout.splitlines()[:3] == [
        f"topic {name}, as it is",
        "    partitions          2",
        "    replication_factor  1",
    ]
    assert "    partitions  2 -> 3" in shown.stdout.splitlines()
    assert "E414_ADOPT_CONFIRMATION" in unconfirmed.stderr
    assert f"topic:{name} is adopted. The state has serial 1." in said
    assert partitions(broker, name) == 2


def test_what_is_not_there_or_has_a_record_is_not_adopted(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    def adopt(resource: str) -> Any:
        return run_streamt("--output", "json", "adopt", resource, "-p", tmp_path, "--confirm")

    there = broker.new_topic()
    models = [topic(names[0], mode="adopted"), topic(there, mode="adopted")]
    write_project(tmp_path, *models, address=broker.address)

    assert codes(adopt(f"topic:{names[0]}")) == ["E413_ADOPT_LIVE_MISSING"]
    assert codes(adopt("topic:other")) == ["E412_ADOPT_TARGET_INVALID"]
    assert codes(adopt(there)) == ["E412_ADOPT_TARGET_INVALID"]
    assert state_files(tmp_path) == set()
    assert adopt(f"topic:{there}").exit_status == 0
    assert codes(adopt(f"topic:{there}")) == ["E415_ADOPT_CONFLICT"]


# abnormal ends


def started(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Run an apply in JSON mode in the background."""
    return in_background("--output", "json", "apply", "-p", folder, *arguments, environment=environment)


def in_progress(folder: Path) -> bool:
    """Return whether an operation has begun its first action."""
    path = folder / ".streamt" / "state" / "default.control.json"
    return path.exists() and bool(json.loads(path.read_text("utf-8"))["progress"])


def test_ctrl_c_in_an_action_aborts_after_the_marker(tmp_path: Path) -> None:
    log, folder = tmp_path / "log.jsonl", tmp_path / "p"
    (tmp_path / "broker").mkdir()
    with noida_broker(tmp_path / "broker") as own:
        write_project(folder, *(topic(f"t{number}") for number in range(40)), address=own.address)
        with started(folder, *JOBS, environment=to_log(log)) as process:
            until(lambda: in_progress(folder))
            own.process.send_signal(signal.SIGSTOP)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=60)
        own.process.send_signal(signal.SIGCONT)
        following = apply(folder)

    envelope = json.loads(stdout)
    assert (process.returncode, envelope["status"]) == (130, "error")
    assert [error["code"] for error in envelope["errors"]] == ["E591_INTERRUPTED"]
    assert envelope["data"]["committed"] is False
    left = control(folder)
    assert (left["status"], left["recovery"]["failure_code"]) == (
        "recovery_required",
        "operation_interrupted",
    )
    assert left["intent"]["operation_id"] == envelope["errors"][0]["operation_id"]
    assert kinds(log) == ["START", "ABORT"]
    assert "facets" not in events(log)[1]["run"]
    assert codes(following) == ["E419_STATE_RECOVERY_REQUIRED"]
    assert b"E591_INTERRUPTED" in stderr


def test_a_lock_lost_in_an_action_leaves_it_in_progress(tmp_path: Path) -> None:
    log, folder = tmp_path / "log.jsonl", tmp_path / "p"
    (tmp_path / "broker").mkdir()
    with noida_broker(tmp_path / "broker") as own:
        write_project(folder, *(topic(f"t{number}") for number in range(40)), address=own.address)
        with started(folder, *JOBS, environment=to_log(log)) as process:
            until(lambda: in_progress(folder))
            own.process.send_signal(signal.SIGSTOP)
            (folder / ".streamt" / "state" / ".default.json.lock").unlink()
            own.process.send_signal(signal.SIGCONT)
            stdout, _stderr = process.communicate(timeout=60)

    envelope = json.loads(stdout)
    assert process.returncode == 1
    assert [error["code"] for error in envelope["errors"]] == ["E423_STATE_LOCK_LOST"]
    assert envelope["data"]["operation_status"] == "in_progress"
    assert control(folder)["status"] == "in_progress"
    assert control(folder)["intent"]["operation_id"] == envelope["errors"][0]["operation_id"]
    assert kinds(log) == ["START", "FAIL"]


def test_a_broker_that_refuses_fails_the_run_after_the_marker(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    first, second, _third = names
    log, folder = tmp_path / "log.jsonl", tmp_path / "p"
    refused = topic(second, config={"cleanup_policy": "planted-nonsense"})
    write_project(folder, topic(first), refused, address=broker.address)

    done = apply(folder, *JOBS, environment=to_log(log))

    data = told(done)["data"]
    assert (done.exit_status, codes(done)) == (1, ["E407_DEPLOY_ERROR"])
    assert told(done)["errors"][0]["message"].startswith(f"topic:{second}: create failed: ")
    assert told(done)["errors"][0]["location"] == "/models/1"
    assert (data["created"], data["rolled_back"], data["rollback_errors"]) == (
        [f"topic:{first}"],
        [f"topic:{first}"],
        [],
    )
    assert broker.topics() & {first, second} == set()
    assert control(folder)["recovery"]["failure_code"] == "runtime_action_failed"
    assert "default.json" not in state_files(folder)
    assert kinds(log) == ["START", "FAIL"]
    text = log.read_text("utf-8")
    for part in (first, second, "planted-nonsense", broker.address, str(folder), "kafka://", "streamt://"):
        assert part not in text


def test_what_cannot_be_delivered_changes_nothing_but_warnings(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"")
    log.chmod(0o444)
    folder = write_project(tmp_path / "p", topic(names[0]), address=broker.address)
    bare = ["setpriv", "--bounding-set", "-dac_override"] if os.geteuid() == 0 else []

    done = run_streamt("--output", "json", "apply", "-p", folder, *JOBS, environment=to_log(log), prefix=bare)

    warnings = [(one["code"], one.get("location")) for one in told(done)["warnings"]]
    assert (done.exit_status, told(done)["data"]["committed"]) == (0, True)
    assert warnings[1:] == [
        ("W112_OPENLINEAGE_EMIT_FAILED", "openlineage.start"),
        ("W112_OPENLINEAGE_EMIT_FAILED", "openlineage.terminal"),
    ]
    assert state(folder)["serial"] == 1


# two at once


def test_of_two_applies_at_once_one_waits_and_then_has_nothing_to_do(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    folder = write_project(tmp_path, *(topic(name) for name in names), address=broker.address)

    with started(folder) as one, started(folder) as other:
        ended = [json.loads(process.communicate(timeout=60)[0])["data"] for process in (one, other)]

    assert sorted(len(data["created"]) for data in ended) == [0, 3]
    assert [data["state_serial"] for data in ended] == [1, 1]
    assert state(folder)["serial"] == 1


def test_of_two_applies_at_once_one_is_refused_with_the_holder_named(
    broker: Broker, names: list[str], tmp_path: Path
) -> None:
    folder = write_project(tmp_path, topic(names[0]), address=broker.address)

    with LocalBackend(folder, "shop", "default").authority(0):
        done = apply(folder, "--lock-timeout", "0")

    assert codes(done) == ["E422_STATE_LOCK_TIMEOUT"]
    assert f"process {os.getpid()}" in told(done)["errors"][0]["message"]
    assert names[0] not in broker.topics()
