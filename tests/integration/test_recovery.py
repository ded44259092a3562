"""Recoveries that look at what is there, on a real broker."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from applied import apply, codes, control, state, told, topic, write_project
from brokers import Broker, until
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, NewPartitions, ResourceType
from dying import die
from recovered import backend, files, history, recover, recovery_plan

from streamt_ol.cli import recovery as steps
from streamt_ol.cli.entry import main


class Unfinished(NamedTuple):
    """A project of which the first apply was killed when its one topic was made and not yet recorded."""

    folder: Path
    name: str
    file: Path
    """Where its recovery plan will be."""


@pytest.fixture
def unfinished(broker: Broker, tmp_path: Path) -> Iterator[Unfinished]:
    name = f"t-{os.urandom(6).hex()}"
    folder = write_project(tmp_path / "p", topic(name, 2), address=broker.address)
    assert die("after execute 0", "apply", "-p", folder).returncode == -9
    yield Unfinished(folder, name, tmp_path / "recovery.json")
    delete(broker, name)


def delete(broker: Broker, name: str) -> None:
    admin = broker.admin()
    if name in broker.topics():
        admin.delete_topics([name])[name].result(30)
        until(lambda: name not in broker.topics())


def extend(broker: Broker, name: str, partitions: int) -> None:
    admin = broker.admin()
    admin.create_partitions([NewPartitions(name, partitions)])[name].result(30)
    until(lambda: len(admin.list_topics(timeout=30).topics[name].partitions) == partitions)


def set_retention(broker: Broker, name: str, value: str) -> None:
    entry = ConfigEntry("retention.ms", value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, name, incremental_configs=[entry])
    admin = broker.admin()
    admin.incremental_alter_configs([resource])[resource].result(30)
    plain = ConfigResource(ResourceType.TOPIC, name)
    until(lambda: admin.describe_configs([plain])[plain].result(30)["retention.ms"].value == value)


def reason(done: object) -> str:
    return str(told(done)["errors"][0]["message"])  # type: ignore[arg-type]


def test_people_read_what_is_there_and_what_the_state_will_say(unfinished: Unfinished) -> None:
    folder, name, file = unfinished

    planned = recovery_plan(folder, "observed", file, mode=()).stdout.splitlines()
    done = recover(folder, file, mode=()).stdout.splitlines()

    operation = history(folder)[0]["resolution"]["blocked_operation_id"]
    assert planned[1:6] == [
        f"Operation {operation}, by local-cli",
        f"  1 of 1  create  topic/{name}  started, and not known to have ended  now: there, as planned",
        "observed: what is there is written down as the state. No action is repeated, no service is changed.",
        "The state gets serial 1, after 0:",
        f"  a record of topic/{name}, {name}",
    ]
    assert done[-1] == "Recovered. The state has serial 1, and the next operation may begin."


def test_what_was_taken_back_is_rolled_back(broker: Broker, unfinished: Unfinished) -> None:
    folder, name, file = unfinished

    too_early = recovery_plan(folder, "rolled_back", file)
    delete(broker, name)
    planned = recovery_plan(folder, "rolled_back", file)
    done = recover(folder, file)

    assert codes(too_early) == ["E419_STATE_RECOVERY_REQUIRED"]
    assert reason(too_early) == f"not as it was before the operation: topic:{name}"
    assert (planned.exit_status, done.exit_status) == (0, 0)
    assert (control(folder)["status"], "default.json" in files(folder)) == ("clear", False)


def test_what_is_neither_is_put_right_by_hand_first(broker: Broker, unfinished: Unfinished) -> None:
    folder, name, file = unfinished
    extend(broker, name, 5)
    before = files(folder)

    refused = recovery_plan(folder, "observed", file)
    assert files(folder) == before
    delete(broker, name)
    planned = recovery_plan(folder, "observed", file)
    done = recover(folder, file)

    assert codes(refused) == ["E419_STATE_RECOVERY_REQUIRED"]
    assert reason(refused).endswith(f": topic:{name}")
    assert told(refused)["data"]["targets"][0]["stands"] == "neither"
    assert (planned.exit_status, done.exit_status) == (0, 0)
    assert told(apply(folder))["data"]["created"] == [f"topic:{name}"]


def test_a_record_of_what_is_not_there_any_more_is_taken_out(broker: Broker, tmp_path: Path) -> None:
    name, file = f"t-{os.urandom(6).hex()}", tmp_path / "recovery.json"
    folder = write_project(tmp_path / "p", topic(name), address=broker.address)
    assert die("after commit writes the state", "apply", "-p", folder).returncode == -9
    delete(broker, name)
    assert len(state(folder)["resources"]) == 1

    refused = recovery_plan(folder, "rolled_back", file)
    planned = recovery_plan(folder, "observed", file, mode=())
    done = recover(folder, file)

    assert reason(refused) == "the operation had written the state already, so that is not as it was"
    assert f"  no record any more of topic/{name}, {name}" in planned.stdout.splitlines()
    assert (done.exit_status, state(folder)["resources"], state(folder)["serial"]) == (0, {}, 2)


def test_a_setting_that_nobody_planned_is_seen(broker: Broker, unfinished: Unfinished) -> None:
    folder, name, file = unfinished
    set_retention(broker, name, "7200000")

    refused = recovery_plan(folder, "observed", file)

    assert codes(refused) == ["E419_STATE_RECOVERY_REQUIRED"]


def test_a_plan_is_stale_once_what_is_there_has_moved(broker: Broker, unfinished: Unfinished) -> None:
    folder, name, file = unfinished
    assert recovery_plan(folder, "observed", file).exit_status == 0
    before = files(folder)
    delete(broker, name)

    done = recover(folder, file)

    assert codes(done) == ["E409_PLAN_STALE"]
    assert reason(done) == (
        f"changed since the recovery plan was made: {name}, as the operation made it then"
    )
    assert files(folder) == before


def test_a_plan_is_stale_once_the_project_is_another(broker: Broker, unfinished: Unfinished) -> None:
    folder, name, file = unfinished
    assert recovery_plan(folder, "observed", file).exit_status == 0
    write_project(folder, topic(name, 2), topic("another"), address=broker.address)

    done = recover(folder, file)

    assert reason(done) == "changed since the recovery plan was made: what the project compiles to"
    assert "default.recovery-history.json" not in files(folder)


def test_a_topic_that_is_declared_otherwise_by_now_gets_no_record(
    broker: Broker, unfinished: Unfinished
) -> None:
    folder, name, file = unfinished
    write_project(folder, topic(name, 4), address=broker.address)

    refused = recovery_plan(folder, "observed", file)
    write_project(folder, topic(name, 2), address=broker.address)

    assert codes(refused) == ["E419_STATE_RECOVERY_REQUIRED"]
    assert (
        reason(refused) == f"as the operation made it, and not as the project declares it now: topic:{name}"
    )
    assert recovery_plan(folder, "observed", file).exit_status == 0


def test_a_plan_is_stale_once_another_has_recovered(unfinished: Unfinished, tmp_path: Path) -> None:
    folder, _name, file = unfinished
    other = tmp_path / "other.json"
    assert recovery_plan(folder, "observed", file).exit_status == 0
    assert recovery_plan(folder, "observed", other).exit_status == 0
    assert recover(folder, other).exit_status == 0

    done = recover(folder, file)

    assert (codes(done), reason(done)) == (["E409_PLAN_STALE"], "no operation is unfinished any more")
    assert state(folder)["serial"] == 1


def test_the_same_file_again_asks_no_broker(broker: Broker, unfinished: Unfinished) -> None:
    folder, name, file = unfinished
    assert recovery_plan(folder, "observed", file).exit_status == 0
    assert recover(folder, file).exit_status == 0
    write_project(folder, topic(name, 2), address="broker.invalid:9092")

    again = recover(folder, file)

    assert (again.exit_status, told(again)["data"]["already_recovered"]) == (0, True)


def test_a_failed_apply_is_recovered_after_its_marker(broker: Broker, tmp_path: Path) -> None:
    good, bad = (f"t-{os.urandom(6).hex()}-{number}" for number in range(2))
    folder = tmp_path / "p"
    write_project(
        folder, topic(good), topic(bad, config={"cleanup_policy": "nonsense"}), address=broker.address
    )
    assert codes(apply(folder)) == ["E407_DEPLOY_ERROR"]

    planned = recovery_plan(folder, "rolled_back", tmp_path / "recovery.json")
    done = recover(folder, tmp_path / "recovery.json")

    assert told(planned)["data"]["operation_status"]["failure_code"] == "runtime_action_failed"
    assert (planned.exit_status, done.exit_status) == (0, 0)
    assert control(folder)["status"] == "clear"
    assert broker.topics() & {good, bad} == set()


def test_a_lock_that_is_lost_after_all_is_written_is_told(
    unfinished: Unfinished, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _name, file = unfinished
    assert recovery_plan(folder, "observed", file).exit_status == 0
    plan = json.loads(file.read_text("utf-8"))
    resolve = steps.recovery_report.recovered_data

    def lose_the_lock(*arguments: object, **more: bool) -> dict[str, object]:
        backend(folder).lock_file.path.unlink()
        return resolve(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(steps.recovery_report, "recovered_data", lose_the_lock)
    confirmed = ["--confirm-operation-id", plan["blocked_operation_id"], "--confirm-resolution", "observed"]
    confirmed += ["--confirm-evidence-checksum", plan["evidence_checksum"]]
    asked = ["--output", "json", "state", "recover", "-p", str(folder), "--plan", str(file), *confirmed]
    with pytest.raises(SystemExit) as ended:
        main(asked)

    told_of = json.loads(capsys.readouterr().out)
    assert ended.value.code == 1
    assert [error["code"] for error in told_of["errors"]] == ["E426_STATE_RELEASE_FAILED_AFTER_COMMIT"]
    assert told_of["data"]["committed"] is True
    assert (control(folder)["status"], state(folder)["serial"]) == ("clear", 1)
