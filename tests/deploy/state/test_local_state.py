"""State in files: what they hold, who may read them, and what becomes of files that are none."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from states import (
    APPLES,
    EVIDENCE,
    HARVEST,
    OPERATION,
    PEARS,
    PROJECT,
    RECOVERY,
    LocalStore,
    apply,
    begin,
    carry_out,
    completed,
    failure,
    record,
    resolution,
    started,
)

from streamt_ol.deploy.state.errors import (
    LockLostError,
    LockTimeoutError,
    ReleaseUnverifiedError,
    StateConflictError,
    StateError,
    StateFileKindError,
    StateInvalidError,
    StateUnavailableError,
)
from streamt_ol.deploy.state.local import LocalBackend

FILES = ("dev.json", "dev.control.json", "dev.recovery-history.json", ".dev.json.lock")


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".streamt" / "state"


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


# What is written


def test_the_state_is_one_document_with_sorted_keys(store: LocalStore, folder: Path) -> None:
    apply(store.open(), HARVEST)

    assert (folder / "dev.json").read_text("utf-8") == (
        "{\n"
        '  "environment": "dev",\n'
        '  "project": "orchard",\n'
        '  "resources": {\n'
        '    "streamt://orchard/dev/topic/apples": {\n'
        f'      "artifact_checksum": "sha256:{"a" * 64}",\n'
        '      "backend": "direct-kafka",\n'
        '      "ownership": "managed",\n'
        '      "physical_name": "apples.v1"\n'
        "    },\n"
        '    "streamt://orchard/dev/topic/pears": {\n'
        f'      "artifact_checksum": "sha256:{"a" * 64}",\n'
        '      "backend": "direct-kafka",\n'
        '      "ownership": "managed",\n'
        '      "physical_name": "pears.v1"\n'
        "    }\n"
        "  },\n"
        '  "serial": 1,\n'
        '  "state_version": 1\n'
        "}\n"
    )


def test_the_control_says_every_word_of_an_operation(store: LocalStore, folder: Path) -> None:
    with store.open().authority(0) as authority:
        begun = begin(authority, APPLES)
        authority.progress(started(0, APPLES))
        authority.progress(completed(0, APPLES, succeeded=False))
        authority.require_recovery(failure())

    word = {"operation_id": OPERATION, "action_index": 0, "resource_id": APPLES, "action": "create"}
    assert json.loads((folder / "dev.control.json").read_text("utf-8")) == {
        "control_version": 1,
        "address": "streamt-state://local/orchard/dev",
        "status": "recovery_required",
        "intent": {
            "operation_id": OPERATION,
            "kind": "apply",
            "started_at": "2026-03-01T10:00:00.000000Z",
            "actor": "local-cli",
            "prior_state_serial": 0,
            "prior_state_checksum": begun.prior_state_checksum,
            "reviewed_plan_checksum": None,
            "actions": [
                {
                    "index": 0,
                    "resource_id": APPLES,
                    "action": "create",
                    "physical_name": "apples",
                    "prior": None,
                    "candidate": EVIDENCE,
                    "cluster": None,
                }
            ],
        },
        "progress": [
            {**word, "status": "started", "succeeded": None, "recorded_at": "2026-03-01T10:00:00.000000Z"},
            {**word, "status": "completed", "succeeded": False, "recorded_at": "2026-03-01T10:00:01.500000Z"},
        ],
        "recovery": {
            "operation_id": OPERATION,
            "failure_code": "runtime_action_failed",
            "failed_at": "2026-03-01T10:00:01.500000Z",
            "last_completed_action_index": None,
            "mutation_may_have_succeeded": True,
        },
    }


def test_the_history_says_every_recovery_and_chains_them(store: LocalStore, folder: Path) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES)
    with store.open().authority(0) as authority:
        authority.resolve(None, resolution("abandoned_before_mutation"))

    history = json.loads((folder / "dev.recovery-history.json").read_text("utf-8"))
    intended, resolved = history.pop("events")
    assert history == {"history_version": 1, "address": "streamt-state://local/orchard/dev"}
    assert (intended["event"], resolved["event"]) == ("recovery_intended", "recovery_resolved")
    assert intended["previous"] == f"sha256:{'0' * 64}"
    assert resolved["previous"] == intended["checksum"]
    assert (
        intended["resolution"]
        == resolved["resolution"]
        == {
            "recovery_operation_id": RECOVERY,
            "blocked_operation_id": OPERATION,
            "resolution": "abandoned_before_mutation",
            "evidence_checksum": EVIDENCE,
        }
    )


@pytest.mark.usefixtures("open_umask")
def test_every_file_is_open_to_its_owner_alone(store: LocalStore, folder: Path) -> None:
    for _ in range(2):
        apply(store.open(), HARVEST)
        with store.open().authority(0) as authority:
            begin(authority, APPLES)
        with store.open().authority(0) as authority:
            authority.resolve({}, resolution(recovery_operation_id=str(uuid.uuid4())))
        assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == dict.fromkeys(
            FILES, 0o600
        )
        for name in (*FILES[:2], FILES[3]):  # of the history another mode is refused
            (folder / name).chmod(0o644)


def test_reading_creates_nothing(store: LocalStore, tmp_path: Path) -> None:
    store.open().observe()
    store.open().recoveries()
    store.open().holder()

    assert list(tmp_path.iterdir()) == []


def test_the_lock_alone_creates_no_state(store: LocalStore, folder: Path) -> None:
    with store.open().authority(0) as authority:
        authority.observe()

    assert [path.name for path in folder.iterdir()] == [".dev.json.lock"]


# Where it is


def test_a_store_is_known_by_the_folder_that_it_is_in(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("here")
    here, there, linked = (
        LocalBackend(tmp_path / name, PROJECT, "dev") for name in ("here", "there", "link/../here")
    )

    expected = uuid.uuid5(uuid.NAMESPACE_URL, (tmp_path / "here").resolve().as_uri())
    assert here.store_id == linked.store_id == str(expected)
    assert LocalBackend(tmp_path / "link", PROJECT, "dev").store_id == here.store_id
    assert there.store_id != here.store_id


@pytest.mark.parametrize("name", ["", "a/b", "a\nb", "a\u202eb"])
def test_a_name_that_no_address_can_be_made_of_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StateInvalidError) as refused:
        LocalBackend(tmp_path, name, "dev")

    assert refused.value.location == "/project/name"


def test_the_state_of_another_project_is_not_used(store: LocalStore, tmp_path: Path) -> None:
    apply(store.open(), HARVEST)
    with pytest.raises(StateInvalidError) as refused:
        LocalBackend(tmp_path, "garden", "dev").observe()

    assert refused.value.location == "/project"
    assert refused.value.message == "`project` is another project's: this is not its state"


# Files that are none


def occupy(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "a symbolic link":
        path.symlink_to("elsewhere.json")
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a named pipe":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as server:
            os.chdir(path.parent)  # the path of a socket may not be long
            server.bind(path.name)


@pytest.mark.parametrize("kind", ["a symbolic link", "a folder", "a named pipe", "a socket"])
@pytest.mark.parametrize("name", FILES)
def test_what_is_no_regular_file_is_refused_and_never_waited_for(
    store: LocalStore, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    monkeypatch.chdir(folder.parent.parent)
    occupy(folder / name, kind)
    backend = store.open()
    reading = {
        "dev.json": backend.observe,
        "dev.control.json": backend.observe,
        "dev.recovery-history.json": backend.recoveries,
        ".dev.json.lock": lambda: backend.authority(0).__enter__(),
    }
    with pytest.raises(StateFileKindError) as refused:
        reading[name]()

    error = refused.value
    assert (error.code, error.message) == (
        "E411_STATE_INVALID",
        f".streamt/state/{name} is {kind}, not a regular file",
    )
    assert error.place is not None
    assert error.place.file == f".streamt/state/{name}"
    assert [path.name for path in folder.iterdir()] == [name]


@pytest.mark.parametrize("kind", ["a symbolic link", "a folder", "a named pipe"])
@pytest.mark.parametrize("name", FILES[:2])
def test_what_takes_the_place_of_a_file_meanwhile_is_not_replaced(
    store: LocalStore, folder: Path, name: str, kind: str
) -> None:
    with store.open().authority(0) as authority:
        carry_out(authority, APPLES)
        (folder / name).unlink(missing_ok=True)
        occupy(folder / name, kind)
        with pytest.raises(StateFileKindError):
            authority.commit(HARVEST)

    found = os.lstat(folder / name).st_mode
    assert not stat.S_ISREG(found)


def test_a_file_where_the_folder_belongs_makes_the_state_unavailable(
    store: LocalStore, tmp_path: Path
) -> None:
    (tmp_path / ".streamt").write_text("")
    for use in (store.open().observe, lambda: store.open().authority(0).__enter__()):
        with pytest.raises(StateUnavailableError) as refused:
            use()
        assert refused.value.code == "E420_STATE_BACKEND_UNAVAILABLE"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o400, 0o700])
def test_a_history_that_others_may_change_is_not_believed(store: LocalStore, folder: Path, mode: int) -> None:
    with store.open().authority(0) as authority:
        begin(authority)
    with store.open().authority(0) as authority:
        authority.resolve(None, resolution())
    (folder / "dev.recovery-history.json").chmod(mode)
    with pytest.raises(StateFileKindError) as refused:
        store.open().recoveries()

    assert refused.value.message == ".streamt/state/dev.recovery-history.json must be open to its owner alone"


# Under the hands of somebody who does not ask for the lock


@pytest.mark.parametrize("name", FILES[:2])
def test_files_that_change_under_the_lock_are_not_written_over(
    store: LocalStore, folder: Path, name: str
) -> None:
    apply(store.open(), {APPLES: record("apples.v1")})
    foreign = (folder / "dev.control.json").read_bytes()
    apply(store.open(), HARVEST)
    with store.open().authority(0) as authority:
        carry_out(authority, APPLES)
        if name == "dev.control.json":
            (folder / name).write_bytes(foreign)
        else:
            (folder / name).write_bytes((folder / name).read_bytes().replace(b"pears.v1", b"pears.v2"))
        changed = (folder / name).read_bytes()
        with pytest.raises(StateConflictError) as refused:
            authority.commit({PEARS: record("pears.v1")})

    assert refused.value.operation_id == OPERATION
    assert (folder / name).read_bytes() == changed


def test_a_control_that_changes_while_it_is_read_is_read_again(
    store: LocalStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = store.open()
    with backend.authority(0) as authority:
        begin(authority)
        begun = (folder / "dev.control.json").read_bytes()
        authority.clear_before_mutation()
    cleared = (folder / "dev.control.json").read_bytes()
    reads = iter([begun, cleared, cleared, cleared])
    monkeypatch.setattr(backend.control_file, "read", lambda _largest: next(reads))

    assert backend.observe() == store.open().observe()
    assert list(reads) == []


def test_a_control_that_never_stops_to_change_is_a_conflict(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = store.open()
    reads = iter([None, b""] * 16)
    monkeypatch.setattr(backend.control_file, "read", lambda _largest: next(reads))
    with pytest.raises(StateConflictError):
        backend.observe()

    assert list(reads) == []


# The lock file


def test_the_lock_file_says_who_holds_it_and_nothing_afterwards(store: LocalStore, folder: Path) -> None:
    with store.open().authority(0):
        holder = store.open().holder()
        with pytest.raises(LockTimeoutError) as refused, store.open().authority(0):
            raise AssertionError

    assert holder is not None
    assert (holder.pid, holder.host) == (os.getpid(), socket.gethostname())
    assert refused.value.message == (
        f"process {os.getpid()} on {holder.host}, since {holder.started_at}, holds the lock of the state; "
        "it was not free within 0 s"
    )
    assert (folder / ".dev.json.lock").read_bytes() == b""
    assert store.open().holder() is None


def removed(path: Path) -> str:
    path.unlink()
    return "its file was removed or replaced"


def replaced(path: Path) -> str:
    text = path.read_bytes()
    path.unlink()
    path.write_bytes(text)
    return "its file was removed or replaced"


def written_into(path: Path) -> str:
    path.write_bytes(path.read_bytes().replace(b'"pid": ', b'"pid": 1'))
    return "another process has written into its file"


@pytest.mark.parametrize("interfere", [removed, replaced, written_into])
def test_a_lock_whose_file_is_interfered_with_is_lost(
    store: LocalStore, folder: Path, interfere: object
) -> None:
    assert callable(interfere)
    reason = ""

    def lose() -> None:
        nonlocal reason
        with store.open().authority(0) as authority:
            begin(authority, APPLES)
            reason = interfere(folder / ".dev.json.lock")
            for step in (
                authority.check,
                lambda: authority.progress(started(0, APPLES)),
                lambda: authority.require_recovery(failure()),
                lambda: authority.commit({}),
            ):
                with pytest.raises(LockLostError) as lost:
                    step()
                assert lost.value.message == f"the lock of the state is lost: {reason}"
                assert lost.value.operation_id == OPERATION

    with pytest.raises(ReleaseUnverifiedError) as unverified:
        lose()

    assert unverified.value.message == f"the lock of the state could not be given back for certain: {reason}"
    assert (unverified.value.code, unverified.value.operation_id) == ("E423_STATE_LOCK_LOST", OPERATION)
    observed = store.open().observe()
    assert (observed.control.status, observed.control.progress) == ("in_progress", ())


def test_a_lock_that_the_system_gave_away_is_lost(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []
    real = os.open

    def remembering(path: Any, *arguments: Any, **options: Any) -> int:
        descriptor = real(path, *arguments, **options)
        if str(path).endswith(".lock"):
            opened.append(descriptor)
        return descriptor

    monkeypatch.setattr(os, "open", remembering)
    with store.open().authority(0) as authority:
        authority.check()
        fcntl.flock(opened[0], fcntl.LOCK_UN)
        with pytest.raises(LockLostError) as lost:
            authority.check()
        fcntl.flock(opened[0], fcntl.LOCK_EX)

    assert lost.value.message == "the lock of the state is lost: the system does not hold it any more"


def test_a_lock_that_is_lost_in_a_commit_leaves_an_operation_that_blocks(
    store: LocalStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = store.open()
    write = backend.state_file.write

    def write_and_lose(data: bytes) -> None:
        write(data)
        (folder / ".dev.json.lock").unlink()

    monkeypatch.setattr(backend.state_file, "write", write_and_lose)

    def commit() -> None:
        with backend.authority(0) as authority:
            carry_out(authority, APPLES)
            authority.commit(HARVEST)

    with pytest.raises(LockLostError):
        commit()

    observed = store.open().observe()
    assert (observed.snapshot.serial, observed.control.status) == (1, "in_progress")


def test_a_failure_of_the_release_does_not_hide_what_went_wrong_before(
    store: LocalStore, folder: Path
) -> None:
    def fail() -> None:
        with store.open().authority(0):
            (folder / ".dev.json.lock").unlink()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()


def test_errors_with_an_operation_say_which(store: LocalStore) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES)
        authority.release()
        with pytest.raises(StateError) as lost:
            authority.check()

    shown = lost.value.diagnostic()
    assert shown.message == f"the lock of the state is lost: it was given back (operation {OPERATION})"
    assert shown.as_dict()["operation_id"] == OPERATION


def test_errors_without_an_operation_say_none(store: LocalStore) -> None:
    with store.open().authority(0) as authority:
        authority.release()
        with pytest.raises(StateError) as lost:
            authority.check()

    assert "operation_id" not in lost.value.diagnostic().as_dict()
