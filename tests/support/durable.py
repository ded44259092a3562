"""Durable operations that remember the order of their steps. They are evidence of the order, of nothing else."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from finite_runs import RULES, Memory, prepared

from streamt_ol.deploy.applying.endings import Endings
from streamt_ol.deploy.applying.means import Means
from streamt_ol.deploy.applying.operation import carry_out
from streamt_ol.deploy.applying.records import Order, Report
from streamt_ol.deploy.records import Action, Live, Wanted
from streamt_ol.deploy.state.records import Control, Intent, Observed, Progress, Record, Recovery, Snapshot
from streamt_ol.runs.lifecycle import CommandRun

CLEAR = Observed(Snapshot("shop", "default", 0, {}), "ABSENT", Control("clear"), "ABSENT")


def topic(position: int, action: str = "create") -> Action:
    """Return an action on the topic `t0`, `t1`, ..."""
    before = None if action == "create" else {"partitions": 1}
    after = None if action == "delete" else {"partitions": 2}
    name = f"t{position}"
    return Action(position, f"streamt://shop/default/topic/{name}", "topic", action, name, before, after)


def removal(position: int) -> Action:
    """Return the deletion of the connector `c0`, `c1`, ..."""
    name = f"c{position}"
    held = {"config": {"tasks.max": "1"}}
    resource_id = f"streamt://shop/default/connector/{name}"
    return Action(position, resource_id, "connector", "delete", name, held, None, "main")


def order(*actions: Action, **says: Any) -> Order:
    """Return an order to apply actions; the state will have a record of each."""
    records = {
        action.resource_id: Record(action.physical_name, "managed", f"sha256:{'0' * 64}", "direct-kafka")
        for action in actions
    }
    given = {
        "kind": "apply",
        "actions": actions,
        "resources": records,
        "expected": CLEAR,
        "reviewed_plan_checksum": None,
        "locations": {},
    }
    return Order(**{**given, **says})


@dataclass
class Journal:
    """Every step in its order; a step that is to fail raises, after it was noted, what stands for it."""

    failing: Mapping[str, BaseException] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)

    def note(self, step: str) -> None:
        self.steps.append(step)
        if (error := self.failing.get(step)) is not None:
            raise error


class Remembering:
    """An authority over a state that is a value."""

    def __init__(self, journal: Journal, observed: Observed = CLEAR) -> None:
        self._journal = journal
        self.observed = observed
        self.recovery: Recovery | None = None
        self.entries: list[Progress] = []

    @property
    def control(self) -> Control:
        return self.observed.control

    def _become(self, control: Control) -> None:
        self.observed = self.observed._replace(control=control)

    def check(self) -> None:
        self._journal.note("lock")

    def observe(self) -> Observed:
        return self.observed

    def begin(self, intent: Intent, expected: Observed) -> None:
        assert expected == self.observed
        self._journal.note("begin")
        self._become(Control("in_progress", intent))

    def progress(self, entry: Progress) -> None:
        succeeded = {None: "", True: " succeeded", False: " failed"}[entry.succeeded]
        self._journal.note(f"{entry.status} {entry.action_index}{succeeded}")
        self.entries.append(entry)
        self._become(self.control._replace(progress=(*self.control.progress, entry)))

    def require_recovery(self, recovery: Recovery) -> None:
        self._journal.note(f"mark {recovery.failure_code}")
        self.recovery = recovery
        self._become(self.control._replace(status="recovery_required", recovery=recovery))

    def clear_before_mutation(self) -> None:
        self._journal.note("clear")
        self._become(Control("clear"))

    def commit(self, resources: Mapping[str, Record] | None) -> Observed:
        self._journal.note("commit")
        snapshot = self.observed.snapshot
        self.observed = Observed(
            snapshot._replace(serial=snapshot.serial + 1, resources=resources or {}),
            "1",
            Control("clear"),
            "1",
        )
        return self.observed

    def resolve(self, _resources: Mapping[str, Record] | None, _resolution: Mapping[str, Any]) -> Observed:
        raise NotImplementedError

    def release(self) -> None:
        self._journal.note("release")


class Topics:
    """A provider of topics that remembers what it was asked to do."""

    kind = "topic"

    def __init__(
        self, journal: Journal, lasting: Sequence[str] = (), seen: Mapping[str, str] | None = None
    ) -> None:
        self._journal = journal
        self._lasting = lasting
        self._seen = seen or {}

    def observe(self, wanted: Sequence[Wanted]) -> Mapping[str, Live]:
        return {one.physical_name: Live("topic", one.physical_name, None) for one in wanted}

    def execute(self, action: Action) -> str | None:
        self._journal.note(f"{action.action} {action.physical_name}")
        return self._seen.get(action.physical_name)

    def undo(self, action: Action) -> bool:
        self._journal.note(f"undo {action.physical_name}")
        return action.physical_name not in self._lasting


class NotedRun(Memory):
    """A transport of run events that notes each in the journal."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal

    def send(self, line: bytes) -> None:
        super().send(line)
        self._journal.note(self.calls[-1])

    def close(self) -> None:
        self._journal.note("close")
        super().close()


@dataclass
class Carried:
    """An operation that was carried out, or tried."""

    journal: Journal
    authority: Remembering
    transport: NotedRun
    told: list[tuple[str, str]]
    intents: list[Intent]
    do: Callable[[], Report]


def operation(
    asked: Order,
    failing: Mapping[str, BaseException] | None = None,
    *,
    lasting: Sequence[str] = (),
    seen: Mapping[str, str] | None = None,
    observed: Observed = CLEAR,
) -> Carried:
    """Return an operation to carry out, of which the steps named in `failing` raise."""
    journal = Journal(failing or {})
    transport = NotedRun(journal)
    authority = Remembering(journal, observed)
    told: list[tuple[str, str]] = []
    intents: list[Intent] = []

    @contextmanager
    def prepare(intent: Intent) -> Iterator[CommandRun]:
        journal.note("prepare")
        intents.append(intent)
        run = prepared(
            transport,
            command="apply",
            topics=(),
            run_id=intent.operation_id,
            started_at=intent.started_at,
        )
        with run:
            yield run

    means = Means(
        authority=authority,
        providers=dict.fromkeys(("topic", "connector"), Topics(journal, lasting, seen)),
        prepare=prepare,
        endings=Endings(RULES),
        tell=lambda action, word: told.append((action.physical_name, word)),
    )
    return Carried(journal, authority, transport, told, intents, functools.partial(carry_out, asked, means))
