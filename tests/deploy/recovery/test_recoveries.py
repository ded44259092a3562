"""Recoveries that look at nothing, their files and their confirmations: without a connection."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from applied import apply, codes, control, state, told, topic, write_project
from program import run_streamt
from recovered import (
    backend,
    confirmations,
    files,
    history,
    leave,
    leave_adoption,
    recover,
    recovery_plan,
)

from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.records import Live
from streamt_ol.deploy.recovery.errors import RecoveryPlanFileError, RecoveryRefusedError
from streamt_ol.deploy.recovery.facts import RECOVERY_NEEDS
from streamt_ol.deploy.recovery.recovery_file import LARGEST, load_recovery_plan
from streamt_ol.deploy.recovery.resolving import require_allowed
from streamt_ol.deploy.recovery.targets import Seen, look
from streamt_ol.deploy.state.records import Control, IntendedAction, Intent, Observed, Snapshot
from streamt_ol.engine.ruleset import load_rules
from streamt_ol.ground.resources import rules_folder

ABANDONED = "abandoned_before_mutation"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a project whose broker cannot be reached: whoever asks it fails."""
    return write_project(tmp_path / "p", topic("apples"))


@pytest.fixture
def plan(folder: Path, tmp_path: Path) -> Path:
    leave(folder, "apples")
    file = tmp_path / "recovery.json"
    assert recovery_plan(folder, ABANDONED, file).exit_status == 0
    return file


# dropped before anything was begun


def test_an_operation_that_began_nothing_is_dropped(folder: Path, plan: Path) -> None:
    before = json.loads(plan.read_text("utf-8"))

    done = recover(folder, plan)

    data = told(done)["data"]
    assert (done.exit_status, data["committed"], data["already_recovered"]) == (0, True, False)
    assert (data["resolution"], data["state_serial"]) == (ABANDONED, 0)
    assert data["operation_status"] == {"status": "clear"}
    assert control(folder)["status"] == "clear"
    assert "default.json" not in files(folder)
    assert [event["event"] for event in history(folder)] == ["recovery_intended", "recovery_resolved"]
    assert history(folder)[0]["resolution"] == {
        "recovery_operation_id": before["recovery_operation_id"],
        "blocked_operation_id": before["blocked_operation_id"],
        "resolution": ABANDONED,
        "evidence_checksum": before["evidence_checksum"],
    }
    assert (before["targets"], before["candidate_state"]) == ([], None)
    assert (before["environment_fingerprint"], before["manifest_checksum"]) == (None, None)


def test_the_same_file_again_changes_nothing(folder: Path, plan: Path) -> None:
    assert recover(folder, plan).exit_status == 0
    before = files(folder)

    again = recover(folder, plan)

    assert (again.exit_status, told(again)["data"]["already_recovered"]) == (0, True)
    assert files(folder) == before


def test_a_file_that_was_carried_out_does_not_end_a_later_operation(folder: Path, plan: Path) -> None:
    assert recover(folder, plan).exit_status == 0
    with backend(folder).authority(0) as authority:
        observed = authority.observe()
        snapshot = checksum(
            {"state_version": 1, "project": "shop", "environment": "default", "serial": 0, "resources": {}}
        )
        other = "99999999-9999-4999-8999-999999999999"
        now = "2026-03-01T10:00:00.000000Z"
        authority.begin(Intent(other, "apply", now, "local-cli", 0, snapshot, None, ()), observed)

    again = recover(folder, plan)

    assert (again.exit_status, told(again)["data"]["already_recovered"]) == (0, True)
    assert control(folder)["intent"]["operation_id"] == other


def test_an_operation_that_has_begun_an_action_is_not_dropped(folder: Path, tmp_path: Path) -> None:
    leave(folder, "apples", begun=1)
    before = files(folder)

    done = recovery_plan(folder, ABANDONED, tmp_path / "recovery.json")

    assert (done.exit_status, codes(done)) == (1, ["E419_STATE_RECOVERY_REQUIRED"])
    assert told(done)["data"]["operation_status"]["actions"][0]["status"] == "started"
    assert not (tmp_path / "recovery.json").exists()
    assert files(folder) == before


def test_an_operation_that_goes_on_after_the_plan_is_not_dropped(folder: Path, plan: Path) -> None:
    path = folder / ".streamt/state/default.control.json"
    document = json.loads(path.read_text("utf-8"))
    intent = document["intent"]
    document["progress"] = [
        {
            "operation_id": intent["operation_id"],
            "action_index": 0,
            "resource_id": intent["actions"][0]["resource_id"],
            "action": "create",
            "status": "started",
            "succeeded": None,
            "recorded_at": intent["started_at"],
        }
    ]
    path.write_text(json.dumps(document), "utf-8")

    done = recover(folder, plan)

    assert codes(done) == ["E409_PLAN_STALE"]
    assert control(folder)["status"] == "in_progress"
    assert "default.recovery-history.json" not in files(folder)


def test_an_adoption_that_wrote_the_state_ends_with_that(folder: Path, tmp_path: Path) -> None:
    leave_adoption(folder, "pears")
    file = tmp_path / "recovery.json"

    planned = recovery_plan(folder, ABANDONED, file)
    done = recover(folder, file)

    assert (planned.exit_status, done.exit_status) == (0, 0)
    assert (state(folder)["serial"], control(folder)["status"]) == (1, "clear")
    assert [record["physical_name"] for record in state(folder)["resources"].values()] == ["pears"]


def test_where_nothing_is_unfinished_there_is_nothing_to_recover(folder: Path, tmp_path: Path) -> None:
    done = recovery_plan(folder, ABANDONED, tmp_path / "recovery.json")

    assert (done.exit_status, codes(done)) == (1, ["E424_STATE_CONFLICT"])
    assert not (tmp_path / "recovery.json").exists()
    assert files(folder) == {}


def test_nothing_else_begins_before_a_recovery_and_then_it_may(folder: Path, plan: Path) -> None:
    before = codes(apply(folder))
    assert recover(folder, plan).exit_status == 0

    assert before == ["E419_STATE_RECOVERY_REQUIRED"]
    assert codes(apply(folder)) == ["E406_CONNECTION_REFUSED"]


# what people read


def test_people_read_what_the_resolution_does(folder: Path, tmp_path: Path) -> None:
    operation = leave(folder, "apples", "pears")
    file = tmp_path / "recovery.json"

    planned = recovery_plan(folder, ABANDONED, file, mode=())
    evidence = json.loads(file.read_text("utf-8"))["evidence_checksum"]
    done = recover(folder, file, mode=())
    again = recover(folder, file, mode=())

    assert planned.stdout.splitlines() == [
        "The apply of 2026-03-01T10:00:00.000000Z did not end: nothing is known of its end.",
        f"Operation {operation}, by local-cli",
        "  1 of 2  create  topic/apples  not started",
        "  2 of 2  create  topic/pears   not started",
        "abandoned_before_mutation: nothing was begun, so the operation is dropped. No action is repeated, no service is changed.",
        "The state stays as it is, with serial 0.",
        f"Saved to {file}. Nothing is recovered yet; if this is right:",
        f"  streamt state recover -p {folder} --plan {file} --confirm-operation-id {operation}"
        f" --confirm-resolution {ABANDONED} --confirm-evidence-checksum {evidence}",
    ]
    assert (
        done.stdout.splitlines()[-1] == "Recovered. The state has serial 0, and the next operation may begin."
    )
    assert again.stdout.splitlines() == [
        f"Operation {operation} was recovered by this plan before: {ABANDONED}.",
        "The history says so; nothing was looked at, and nothing was written.",
    ]


# the three confirmations


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("operation_id", "11111111-1111-4111-8111-11111111111G", "must be a UUID in lower case"),
        ("operation_id", "", "must be a UUID in lower case"),
        (
            "resolution",
            "Observed",
            "must be one of observed, rolled_back, abandoned_before_mutation",
        ),
        ("evidence_checksum", "e" * 64, "must be `sha256:` and 64 hexadecimal digits in lower case"),
        (
            "evidence_checksum",
            f"sha256:{'E' * 64}",
            "must be `sha256:` and 64 hexadecimal digits in lower case",
        ),
        (
            "evidence_checksum",
            f"sha256:{'e' * 64}\n",
            "must be `sha256:` and 64 hexadecimal digits in lower case",
        ),
    ],
)
def test_a_malformed_confirmation_fails_before_the_plan_is_read(
    folder: Path, tmp_path: Path, name: str, text: str, words: str
) -> None:
    nowhere = tmp_path / "no-such-file.json"
    said = {
        "blocked_operation_id": "11111111-1111-4111-8111-111111111111",
        "resolution": "observed",
        "evidence_checksum": f"sha256:{'e' * 64}",
    }
    asked = ("--output", "json", "state", "recover", "-p", folder, "--plan", nowhere)

    done = run_streamt(*asked, *confirmations(said, **{name: text}))
    well_formed = run_streamt(*asked, *confirmations(said))

    (error,) = told(done)["errors"]
    assert (error["code"], error["location"], error["message"]) == (
        "E503_ENVIRONMENT_ERROR",
        f"confirm_{name}",
        words,
    )
    assert codes(well_formed) == ["E408_PLAN_FILE_INVALID"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("operation_id", "22222222-2222-4222-8222-222222222222"),
        ("resolution", "observed"),
        ("evidence_checksum", f"sha256:{'e' * 64}"),
    ],
)
def test_a_confirmation_of_something_else_recovers_nothing(
    folder: Path, plan: Path, name: str, text: str
) -> None:
    before = files(folder)

    done = recover(folder, plan, **{name: text})

    (error,) = told(done)["errors"]
    assert (error["code"], error["location"]) == ("E503_ENVIRONMENT_ERROR", f"confirm_{name}")
    assert files(folder) == before


@pytest.mark.parametrize("missing", range(3))
def test_all_three_confirmations_are_needed(folder: Path, plan: Path, missing: int) -> None:
    said = confirmations(json.loads(plan.read_text("utf-8")))
    del said[2 * missing : 2 * missing + 2]

    done = run_streamt("state", "recover", "-p", folder, "--plan", plan, *said)

    assert done.exit_status == 2
    assert control(folder)["status"] == "in_progress"


# the file


def test_a_recovery_plan_is_for_its_owner_alone(folder: Path, tmp_path: Path) -> None:
    leave(folder, "apples")
    path = tmp_path / "recovery.json"
    before = os.umask(0o377)
    try:
        done = recovery_plan(folder, ABANDONED, path)
    finally:
        os.umask(before)

    assert (done.exit_status, stat.S_IMODE(path.stat().st_mode)) == (0, 0o600)


def test_missing_folders_of_a_recovery_plan_are_made(folder: Path, tmp_path: Path) -> None:
    leave(folder, "apples")

    assert recovery_plan(folder, ABANDONED, tmp_path / "new" / "er" / "recovery.json").exit_status == 0
    assert load_recovery_plan(tmp_path / "new" / "er" / "recovery.json").plan.resolution == ABANDONED


def occupy_with_file(path: Path) -> None:
    path.write_bytes(b"mine")


def occupy_with_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def occupy_with_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("occupy", [occupy_with_file, occupy_with_link, occupy_with_folder])
def test_a_recovery_plan_takes_no_other_files_place(
    folder: Path, tmp_path: Path, occupy: Callable[[Path], None]
) -> None:
    leave(folder, "apples")
    path = tmp_path / "recovery.json"
    occupy(path)

    done = recovery_plan(folder, ABANDONED, path)

    (error,) = told(done)["errors"]
    assert (error["code"], error["location"]) == ("E408_PLAN_FILE_INVALID", "out")
    assert path.is_symlink() == (occupy is occupy_with_link)
    assert not (tmp_path / "nowhere").exists()
    assert occupy is not occupy_with_file or path.read_bytes() == b"mine"


def resealed(document: dict[str, Any]) -> dict[str, Any]:
    content = {name: value for name, value in document.items() if name != "evidence_checksum"}
    return {**content, "evidence_checksum": checksum(content)}


def put(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return the document with another value at a path, and with the checksum of that."""
    *parents, last = path.split("/")
    part = document
    for name in parents:
        part = part[name]
    part[last] = value
    return resealed(document)


DAMAGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "the resolution is another": lambda plan: {**plan, "resolution": "observed"},
    "the state is another": lambda plan: {**plan, "candidate_state": {}},
    "the checksum is none": lambda plan: {**plan, "evidence_checksum": None},
    "it is another kind of file": lambda plan: put(plan, "kind", "streamt.reviewed-plan"),
    "it is of a version to come": lambda plan: put(plan, "format_version", 2),
    "its version is a text": lambda plan: put(plan, "format_version", "1"),
    "a key is missing": lambda plan: resealed({k: v for k, v in plan.items() if k != "targets"}),
    "a key is one too many": lambda plan: put(plan, "note", "x"),
    "a key of the snapshot is one too many": lambda plan: put(plan, "snapshot/note", "x"),
    "its operation recovers itself": lambda plan: put(
        plan, "recovery_operation_id", plan["blocked_operation_id"]
    ),
    "its operation is no UUID": lambda plan: put(plan, "recovery_operation_id", "X"),
    "its resolution is none": lambda plan: put(plan, "resolution", "resumed"),
    "its serial is a text": lambda plan: put(plan, "snapshot/serial", "0"),
    "its targets are none": lambda plan: put(plan, "targets", None),
    "a target lacks everything": lambda plan: put(plan, "targets", [{}]),
    "its next state lacks resources": lambda plan: put(plan, "candidate_state", {"serial": 1}),
    "its fingerprint is a number": lambda plan: put(plan, "environment_fingerprint", 1),
    "it is a list": lambda plan: [plan],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_not_as_it_was_written_is_refused(plan: Path, damage: str) -> None:
    load_recovery_plan(plan)
    plan.write_text(json.dumps(DAMAGES[damage](json.loads(plan.read_text("utf-8")))), "utf-8")

    with pytest.raises(RecoveryPlanFileError):
        load_recovery_plan(plan)


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ('"targets": []', '"targets": [], "targets": []'),
        ('"serial": 0', '"serial": 0, "serial": 0'),
        ("}\n", "\n"),
        ("{", "\xff{"),
    ],
)
def test_a_key_that_stands_twice_and_what_is_no_json_is_refused(plan: Path, text: str, by: str) -> None:
    content = plan.read_text("utf-8")
    assert text in content
    plan.write_bytes(content.replace(text, by, 1).encode("latin-1"))

    with pytest.raises(RecoveryPlanFileError):
        load_recovery_plan(plan)


def test_a_file_of_more_than_ten_mebibytes_is_refused(plan: Path) -> None:
    plan.write_bytes(plan.read_bytes() + b" " * LARGEST)

    with pytest.raises(RecoveryPlanFileError, match="at most 10485760 bytes"):
        load_recovery_plan(plan)


def test_a_file_that_others_may_read_and_a_link_are_refused(plan: Path, tmp_path: Path) -> None:
    assert stat.S_IMODE(plan.stat().st_mode) == 0o600
    link = tmp_path / "link.json"
    link.symlink_to(plan)
    with pytest.raises(RecoveryPlanFileError, match="symbolic link"):
        load_recovery_plan(link)
    plan.chmod(0o640)
    with pytest.raises(RecoveryPlanFileError, match="must be open to its owner alone"):
        load_recovery_plan(plan)


def test_the_plan_of_another_folder_is_refused(folder: Path, plan: Path, tmp_path: Path) -> None:
    other = write_project(tmp_path / "q", topic("apples"))
    leave(other, "apples")

    done = recover(other, plan)

    assert codes(done) == ["E408_PLAN_FILE_INVALID"]
    assert control(other)["status"] == "in_progress"


# what the table refuses, attempt by attempt

RULES = load_rules(rules_folder(), only=set(RECOVERY_NEEDS.tables))
PRIOR, CANDIDATE, OTHER = (
    {"partitions": number, "replication_factor": 1, "config": {}} for number in (1, 2, 3)
)


class Shown:
    """A provider that shows what it is given."""

    kind, backend = "topic", "direct-kafka"

    def __init__(self, surface: dict[str, Any] | None) -> None:
        self._surface = surface

    def observe(self, wanted: Any) -> dict[str, Live]:
        return {name: Live("topic", name, self._surface) for one in wanted for name in (one.physical_name,)}

    def execute(self, _action: Any) -> None:
        raise AssertionError

    def undo(self, _action: Any) -> bool:
        raise AssertionError


def observed(serial: int = 0, began_with: int = 0) -> Observed:
    action = IntendedAction(
        0, "streamt://shop/default/topic/a", "update", "a", checksum(PRIOR), checksum(CANDIDATE), None
    )
    began = checksum(
        {
            "state_version": 1,
            "project": "shop",
            "environment": "default",
            "serial": began_with,
            "resources": {},
        }
    )
    intent = Intent("i", "apply", "now", "me", began_with, began, None, (action,))
    return Observed(Snapshot("shop", "default", serial, {}), "r", Control("in_progress", intent), "r")


def seen(surface: dict[str, Any] | None, kind: str = "topic") -> Seen:
    intent = observed().control.intent
    assert intent is not None
    return look(intent, {kind: Shown(surface)})


def refused(resolution: str, what: Seen, at: Observed | None = None) -> str:
    with pytest.raises(RecoveryRefusedError) as error:
        require_allowed(resolution, at or observed(), what, (), RULES)
    assert error.value.code == "E419_STATE_RECOVERY_REQUIRED"
    return error.value.message


@pytest.mark.parametrize("resolution", ["observed", "rolled_back"])
@pytest.mark.parametrize("surface", [OTHER, None])
def test_what_is_neither_as_it_was_nor_as_planned_is_refused(
    resolution: str, surface: dict[str, Any] | None
) -> None:
    assert refused(resolution, seen(surface)) == (
        "neither as it was before the operation nor as that was to make it: topic:a"
    )


def test_what_nobody_can_look_at_is_not_written_down() -> None:
    assert refused("observed", seen(PRIOR, kind="connector")).endswith(": topic:a")


def test_what_is_as_planned_is_not_as_it_was() -> None:
    assert refused("rolled_back", seen(CANDIDATE)) == "not as it was before the operation: topic:a"


def test_a_state_that_the_operation_has_written_is_not_as_it_was() -> None:
    written = observed(serial=1)

    assert refused("rolled_back", seen(PRIOR), written) == (
        "the operation had written the state already, so that is not as it was"
    )
    require_allowed("observed", written, seen(PRIOR), (), RULES)


def test_what_is_as_it_was_is_rolled_back_or_observed() -> None:
    require_allowed("rolled_back", observed(), seen(PRIOR), (), RULES)
    require_allowed("observed", observed(), seen(PRIOR), (), RULES)


def test_what_the_project_declares_otherwise_gets_no_record() -> None:
    assert refused("observed", seen(CANDIDATE)) == (
        "as the operation made it, and not as the project declares it now: topic:a"
    )
