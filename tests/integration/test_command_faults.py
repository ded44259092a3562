"""Whatever goes wrong with a file while an apply holds the lock: through the whole command, on a real broker."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from applied import apply, codes, control, state, told, topic, write_project
from brokers import Broker
from confluent_kafka.admin import ConfigResource, ResourceType
from failing_files import FileOperations, input_output_error
from memory import folder_in_memory
from recovered import recover, recovery_plan

from streamt_ol.cli import deployment
from streamt_ol.cli.entry import main
from streamt_ol.deploy.state.local import LocalBackend
from streamt_ol.deploy.state.records import Authority

BEFORE = 7_200_000


class Armed(LocalBackend):
    """A local state of which, as long as its lock is wanted or held, file operations are counted."""

    operations: FileOperations

    @contextmanager
    def authority(self, seconds: float) -> Iterator[Authority]:
        with self.operations.armed(), super().authority(seconds) as held:
            yield held


class Run(NamedTuple):
    """What an apply in this process left."""

    exit_status: int
    envelope: dict[str, Any]


class Bench(NamedTuple):
    """A project with one topic that was applied once; each further apply sets another retention."""

    folder: Path
    name: str
    old: bytes
    """The state after the first apply."""
    run: Callable[[FileOperations], Run]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory, where there is one: a disk takes most of the time, and shows nothing here."""
    with folder_in_memory(tmp_path) as made:
        yield made


@pytest.fixture
def bench(broker: Broker, memory: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Bench]:
    name = f"t-{os.urandom(6).hex()}"
    folder = memory / "p"
    assert apply(declare(folder, name, BEFORE, broker)).exit_status == 0

    def run(operations: FileOperations) -> Run:
        with pytest.MonkeyPatch.context() as patched:
            operations.install(patched.setattr)
            patched.setattr(deployment, "open_state", lambda project, *_given: armed(project, operations))
            with pytest.raises(SystemExit) as ended:
                main(["--output", "json", "apply", "-p", str(folder)])
        code = ended.value.code
        assert isinstance(code, int)
        return Run(code, json.loads(capsys.readouterr().out))

    yield Bench(folder, name, (folder / ".streamt/state/default.json").read_bytes(), run)
    admin = broker.admin()  # held: what it was asked ends with it
    admin.delete_topics([name])[name].result(30)


def armed(project: Any, operations: FileOperations) -> Armed:
    backend = Armed(project.directory, project.name, project.environment.name)
    backend.operations = operations
    return backend


def declare(folder: Path, name: str, retention: int, broker: Broker) -> Path:
    return write_project(folder, topic(name, config={"retention_ms": str(retention)}), address=broker.address)


def retention(broker: Broker, name: str) -> int:
    resource = ConfigResource(ResourceType.TOPIC, name)
    admin = broker.admin()
    return int(admin.describe_configs([resource])[resource].result(30)["retention.ms"].value)


def restore(bench: Bench) -> None:
    """Put the state back as the first apply left it."""
    shutil.rmtree(bench.folder / ".streamt")
    (bench.folder / ".streamt" / "state").mkdir(parents=True)
    (bench.folder / ".streamt" / "state" / "default.json").write_bytes(bench.old)


UNAVAILABLE, LOST = "E420_STATE_BACKEND_UNAVAILABLE", "E423_STATE_LOCK_LOST"
UNKNOWN, RELEASE = "E425_STATE_UNKNOWN_OUTCOME", "E426_STATE_RELEASE_FAILED_AFTER_COMMIT"
DONE, NOT_GIVEN_BACK = ("none", "clear"), (RELEASE, "clear")
CLEAN = {(UNAVAILABLE, "clear"), (LOST, "clear"), (UNKNOWN, "clear")}
MARKED = {
    (code, marker)
    for code in (UNAVAILABLE, LOST, UNKNOWN)
    for marker in ("operation_interrupted", "state_commit_uncertain")
}
LEFT = {(code, "in_progress") for code in (UNAVAILABLE, LOST, UNKNOWN)}


@pytest.mark.parametrize(
    ("lasting", "ends"),
    [
        (False, {DONE, NOT_GIVEN_BACK} | CLEAN | MARKED),
        (True, {DONE, NOT_GIVEN_BACK} | CLEAN | LEFT),
    ],
    ids=["one", "all-from-there-on"],
)
def test_whichever_file_operation_fails_the_state_is_old_or_new(
    broker: Broker, bench: Bench, tmp_path: Path, *, lasting: bool, ends: set[tuple[str, str]]
) -> None:
    """Every end is what `failure-classes` says: E426 after the commit, else the error's own code.

    Where one operation fails the marker can be written, and is. Where none works any more, it cannot, and
    the operation that is under way blocks instead.
    """
    seen: set[tuple[str, str]] = set()
    for number in range(1, 2000):
        before = retention(broker, bench.name)
        declare(bench.folder, bench.name, before + 1000, broker)
        restore(bench)
        operations = FileOperations(at=number, strike=input_output_error, lasting=lasting)

        run = bench.run(operations)

        struck = operations.names[number - 1 : number]
        end = judge(broker, bench, run, before, f"{number}: {struck} of {len(operations.names)}")
        if not struck:
            assert end == DONE
            break
        if end not in seen and end[1] != "clear":
            recover_and_go_on(broker, bench, before + 1000, tmp_path / f"{number}.json")
        seen.add(end)

    assert seen == ends


def judge(broker: Broker, bench: Bench, run: Run, before: int, at: str) -> tuple[str, str]:
    """Hold what is there to what the command said; return its code and what the control says."""
    now = {before: "old", before + 1000: "new"}[retention(broker, bench.name)]
    path = bench.folder / ".streamt/state/default.json"
    kept = "old" if path.read_bytes() == bench.old else "new"
    assert (kept, state(bench.folder)["serial"]) in {("old", 1), ("new", 2)}, at
    control_file = path.with_name("default.control.json")
    left = control(bench.folder) if control_file.exists() else {"status": "clear"}
    says = (left.get("recovery") or {}).get("failure_code", left["status"])
    (code,) = [error["code"] for error in run.envelope.get("errors", ())] or ["none"]

    assert run.exit_status == (code != "none"), at
    committed = code in {"none", RELEASE}
    assert run.envelope["data"].get("committed", False) is committed, at
    if says == "clear":
        settled = {("new", "new")} if committed else {("old", "old")}
        if code == UNKNOWN:
            settled |= {("new", "new")}
        assert (kept, now) in settled, at
    else:
        words = [entry["status"] for entry in left["progress"]]
        assert now == "old" or words[:1] == ["started"], at
        assert kept == "old" or words == ["started", "completed"], at
        assert says != "operation_interrupted" or kept == "old", at
    return code, says


def recover_and_go_on(broker: Broker, bench: Bench, wanted: int, file: Path) -> None:
    """Recover through the command line; then nothing is left to do but what was not done."""
    now = retention(broker, bench.name)
    assert codes(apply(bench.folder)) == ["E419_STATE_RECOVERY_REQUIRED"]
    assert recovery_plan(bench.folder, "observed", file).exit_status == 0
    assert recover(bench.folder, file).exit_status == 0
    assert retention(broker, bench.name) == now
    data = told(apply(bench.folder))["data"]
    assert data["updated"] == ([] if now == wanted else [f"topic:{bench.name}"])
    assert (retention(broker, bench.name), data["state_serial"]) == (wanted, 2)
