"""Whatever goes wrong with a file: the state is the old or the new one, and the error says what is known."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from failing_files import FileOperations, Strike, input_output_error
from memory import folder_in_memory
from states import (
    APPLES,
    HARVEST,
    OPERATION,
    PEARS,
    PROJECT,
    LocalStore,
    apply,
    begin,
    completed,
    failure,
    record,
    resolution,
    started,
)

from streamt_ol.deploy.state.errors import (
    LockLostError,
    OperationStepError,
    ReleaseUnverifiedError,
    StateError,
    StateUnavailableError,
    UnknownOutcomeError,
)
from streamt_ol.deploy.state.history_file import INTENDED, RESOLVED
from streamt_ol.deploy.state.operations import last_completed
from streamt_ol.deploy.state.records import Authority, Control, Snapshot

BEFORE = {APPLES: record("apples.v1")}
FILES = {"dev.json", "dev.control.json", "dev.recovery-history.json", ".dev.json.lock"}
CODES = {
    UnknownOutcomeError: "E425_STATE_UNKNOWN_OUTCOME",
    StateUnavailableError: "E420_STATE_BACKEND_UNAVAILABLE",
    LockLostError: "E423_STATE_LOCK_LOST",
    ReleaseUnverifiedError: "E423_STATE_LOCK_LOST",
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory, where there is one: a disk takes most of the time, and shows nothing here."""
    with folder_in_memory(tmp_path) as made:
        yield made


STEPS: dict[str, Callable[[Authority], object]] = {
    "begin": lambda authority: begin(authority, APPLES),
    "start": lambda authority: authority.progress(started(0, APPLES)),
    "complete": lambda authority: authority.progress(completed(0, APPLES)),
    "commit": lambda authority: authority.commit(HARVEST),
}


class Moment(NamedTuple):
    """What others read between two writes."""

    serial: int
    resources: dict[str, object]
    status: str
    words: int


MOMENTS = [
    Moment(1, {**BEFORE}, "clear", 0),
    *(Moment(1, {**BEFORE}, "in_progress", words) for words in range(3)),
    Moment(2, {**HARVEST}, "in_progress", 2),
    Moment(2, {**HARVEST}, "clear", 0),
]
"""In their order: each write that is renamed into place leads to the next."""


def seen(store: LocalStore) -> Moment:
    observed = store.open().observe()
    snapshot, control = observed.snapshot, observed.control
    return Moment(snapshot.serial, dict(snapshot.resources), control.status, len(control.progress))


class Struck(NamedTuple):
    """An operation that something went wrong with."""

    operations: FileOperations
    step: str
    """The step that failed: the lock, a step of the operation, the release, or none."""
    error: BaseException | None


def operate(store: LocalStore, patched: pytest.MonkeyPatch, **says: object) -> Struck:
    """Carry an operation out while file operations go wrong."""
    backend = store.open()
    operations = FileOperations(**says)  # type: ignore[arg-type]
    operations.install(patched.setattr)
    step = "lock"
    try:
        with operations.armed(), backend.authority(0) as authority:
            for step, do in STEPS.items():  # noqa: B007 - the last one is told
                do(authority)
            step = "release"
    except (StateError, KeyboardInterrupt) as error:
        return Struck(operations, step, error)
    finally:
        patched.undo()
    return Struck(operations, "none", None)


def applied(folder: Path) -> LocalStore:
    """Return a store in which an operation has left what is there before the one that goes wrong."""
    template = LocalStore(folder.with_name("template"))
    if not template.folder.exists():
        apply(template.open(), BEFORE)
    shutil.copytree(template.folder, folder)
    return LocalStore(folder)


def counted(folder: Path) -> int:
    """Return how many file operations an operation takes."""
    with pytest.MonkeyPatch.context() as patched:
        done = operate(applied(folder / "counted"), patched)
    assert (done.error, done.step) == (None, "none")
    assert done.operations.names.count("replace") == len(MOMENTS) - 1
    return len(done.operations.names)


STRIKES: dict[str, tuple[Strike, bool]] = {
    "fails": (input_output_error, False),
    "fails-late": (input_output_error, True),
    "interrupted": (KeyboardInterrupt, False),
    "interrupted-late": (KeyboardInterrupt, True),
}


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from-then-on"])
@pytest.mark.parametrize(("strike", "late"), STRIKES.values(), ids=STRIKES)
def test_whatever_goes_wrong_the_state_is_what_was_written_before(
    folder: Path, strike: Strike, *, late: bool, lasting: bool
) -> None:
    total = counted(folder)
    steps = set()
    for number in range(1, total + 1):
        store = applied(folder / str(number))
        with pytest.MonkeyPatch.context() as patched:
            struck = operate(store, patched, at=number, strike=strike, late=late, lasting=lasting)
        replaced = struck.operations.done.count("replace")
        about = f"operation {number} of {total} ({struck.operations.names[number - 1]}), in {struck.step}"

        assert seen(store) == MOMENTS[replaced], about
        assert_is_told(struck, replaced, about)
        assert_recoverable(store, about)
        if not lasting:
            left = {path.name for path in (store.folder / ".streamt/state").iterdir()}
            assert left <= FILES or struck.operations.names[number - 1] == "unlink", about
        steps.add(struck.step)

    assert steps >= {"lock", *STEPS, "release"}


def assert_is_told(struck: Struck, replaced: int, about: str) -> None:
    """Compare the error with its cause: only one that says so leaves a write that may be there."""
    error = struck.error
    if error is None or isinstance(error, KeyboardInterrupt):
        return
    assert CODES[type(error)] == error.code, about  # type: ignore[index, attr-defined]
    complete = list(STEPS).index(struck.step) if struck.step in STEPS else 0
    if struck.step == "lock":
        assert type(error) is StateUnavailableError, about
    elif struck.step == "release":
        assert (type(error), replaced) == (ReleaseUnverifiedError, len(MOMENTS) - 1), about
    elif not isinstance(error, UnknownOutcomeError):
        of_the_commit = struck.step == "commit" and replaced == complete + 1  # the state, not yet the control
        assert replaced == complete or of_the_commit, about
    if isinstance(error, UnknownOutcomeError):
        assert error.operation_id == OPERATION, about


def assert_recoverable(store: LocalStore, about: str) -> None:
    """Recover at once what is unfinished, with a lock that is free."""
    unfinished = store.open().observe()
    with store.open().authority(0) as authority:
        if unfinished.control.intent is not None:
            authority.resolve(HARVEST, resolution())
    recovered = store.open().observe()
    expected = HARVEST if unfinished.control.intent or unfinished.snapshot.serial == 2 else BEFORE
    assert (dict(recovered.snapshot.resources), recovered.control) == (expected, Control("clear")), about


def test_a_file_is_on_the_disk_before_it_takes_its_place(folder: Path) -> None:
    operations = FileOperations()
    with pytest.MonkeyPatch.context() as patched, applied(folder / "synced").open().authority(0) as authority:
        operations.install(patched.setattr)
        with operations.armed():
            begin(authority, APPLES)
            authority.clear_before_mutation()

    durable = [name for name in operations.names if name in {"write", "flush", "fsync", "replace"}]
    assert durable == ["write", "flush", "fsync", "replace", "fsync"] * 2


def test_an_operation_can_be_marked_after_a_write_that_failed(folder: Path) -> None:
    total = counted(folder)
    marked = set()
    for number in range(1, total + 1):
        store = applied(folder / str(number))
        with pytest.MonkeyPatch.context() as patched:
            outcome = marking(store, patched, number)
        if outcome is not None:
            step, before = outcome
            control = store.open().observe().control
            recovery = failure(last_completed(control), "state_commit_uncertain")
            assert (control.status, control.recovery) == ("recovery_required", recovery)
            assert store.open().observe().snapshot == before
            marked.add(step)

    assert marked == set(STEPS)


def marking(store: LocalStore, patched: pytest.MonkeyPatch, number: int) -> tuple[str, Snapshot] | None:
    """Let a write fail, then mark the operation; return the step and the state, or None without either."""
    backend = store.open()
    operations = FileOperations(at=number, strike=input_output_error, late=True)
    operations.install(patched.setattr)
    try:
        with operations.armed():
            context = backend.authority(0)
            authority = context.__enter__()
    except StateError:
        return None
    step = ""
    try:
        with operations.armed():
            for step, do in STEPS.items():  # noqa: B007 - the last one is told
                do(authority)
    except UnknownOutcomeError:
        before = store.open().observe()
        last = last_completed(before.control)
        if before.control.status == "clear" and step == "commit":
            last = 0  # the operation was cleared, though not for certain: it blocks again
        try:
            authority.require_recovery(failure(last, "state_commit_uncertain"))
        except OperationStepError:
            assert (before.control.status, step) == ("clear", "begin")
            return None
        return step, before.snapshot
    except StateError:
        return None
    finally:
        authority.release()
    return None


RECOVERING: list[tuple[int, str, tuple[str, ...]]] = [
    (1, "in_progress", ()),
    (1, "in_progress", (INTENDED,)),
    (2, "in_progress", (INTENDED,)),
    (2, "in_progress", (INTENDED, RESOLVED)),
    (2, "clear", (INTENDED, RESOLVED)),
]
"""Serial, status and history between the writes of a recovery."""


@pytest.mark.parametrize(("strike", "late"), STRIKES.values(), ids=STRIKES)
def test_a_recovery_that_goes_wrong_goes_on_where_it_stopped(
    folder: Path, strike: Strike, *, late: bool
) -> None:
    for number in range(1, 1000):
        store = applied(folder / str(number))
        with store.open().authority(0) as authority:
            begin(authority, PEARS)
            authority.progress(started(0, PEARS))
        backend = store.open()
        operations = FileOperations(at=number, strike=strike, late=late)
        error: BaseException | None = None
        with pytest.MonkeyPatch.context() as patched:
            operations.install(patched.setattr)
            try:
                with operations.armed(), backend.authority(0) as authority:
                    authority.resolve(HARVEST, resolution())
            except (StateError, KeyboardInterrupt) as struck:
                error = struck
        observed = store.open().observe()
        history = tuple(event.event for event in store.open().recoveries())
        stage = (observed.snapshot.serial, observed.control.status, history)
        assert stage == RECOVERING[operations.done.count("replace")]
        if observed.control.intent is not None:
            with store.open().authority(0) as authority:
                authority.resolve(HARVEST, resolution())
        assert store.open().observe().snapshot == Snapshot(PROJECT, "dev", 2, HARVEST)
        assert [event.event for event in store.open().recoveries()] == [INTENDED, RESOLVED]
        if len(operations.names) < number:
            assert error is None
            return
    raise AssertionError
