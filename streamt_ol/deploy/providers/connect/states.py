"""What a Kafka Connect cluster tells of a connector at work, and whether a change was to bring that."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from streamt_ol.deploy.providers.connect.facts import ConnectorPart
from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from streamt_ol.deploy.providers.connect.facts import Expected
    from streamt_ol.engine.ruleset import RuleSet

Verdict = Literal["failed", "awaited", "idle", "reached"]
"""What a status says; of its parts, the first of these."""

_ABSENT: Final = "absent"
_OTHER: Final = "other"
_TABLE: Final = "connector-states"


class Part(NamedTuple):
    """A connector, or a task of it."""

    called: str
    """`it`, or `its task 0`."""
    state: str
    trace: str
    """Why it failed, in the words of its Java; may hold whatever its configuration holds."""

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "trace")


class Status(NamedTuple):
    """A connector and its tasks."""

    connector: Part
    tasks: tuple[Part, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return the connector, then its tasks."""
        return (self.connector, *self.tasks)

    @property
    def expected(self) -> Expected:
        """Return what a connector that is in these states is to do after a change of its configuration."""
        held: dict[str, Expected] = {"PAUSED": "PAUSED", "STOPPED": "STOPPED"}
        return held.get(self.connector.state, "RUNNING")

    @property
    def told(self) -> str:
        """Return the states in words: `RUNNING, 2 tasks RUNNING`."""
        if self.connector.state == _ABSENT:
            return "no state yet"
        counts = Counter(task.state for task in self.tasks)
        tasks = [
            f"{number} task{'s' if number > 1 else ''} {state}" for state, number in sorted(counts.items())
        ]
        return ", ".join([self.connector.state, *(tasks or ["no task"])])


NO_STATUS: Final = Status(Part("it", _ABSENT, ""))


def read_status(body: Any) -> Status:
    """Return the status of the body of an answer; raises LookupError, TypeError or ValueError for another."""
    told = body["tasks"]
    if not isinstance(told, list):
        raise TypeError
    tasks = [_part(f"its task {int(task['id'])}", task) for task in told]
    return Status(_part("it", body["connector"]), tuple(tasks))


def _part(called: str, told: Any) -> Part:
    state, trace = told["state"], told.get("trace")
    if not (isinstance(state, str) and (trace is None or isinstance(trace, str))):
        raise TypeError
    return Part(called, state, trace or "")


class States:
    """What states of connectors mean: the table `connector-states`."""

    def __init__(self, rules: RuleSet) -> None:
        self._table = rules.table(_TABLE)
        self._known = frozenset(self._table.inputs["state"])

    def verdict(self, status: Status, expected: Expected) -> Verdict:
        """Return whether a connector and all its tasks have come to where they were to come."""
        verdicts = {self._of(part, status, expected) for part in status.parts}
        return next(verdict for verdict in get_args(Verdict) if verdict in verdicts)

    def failed(self, status: Status, expected: Expected) -> Part:
        """Return the first part that failed, of a status with such a part."""
        return next(part for part in status.parts if self._of(part, status, expected) == "failed")

    def _of(self, part: Part, status: Status, expected: Expected) -> Verdict:
        state = part.state if part.state in self._known else _OTHER
        facts = ConnectorPart(part.called, state, expected, "some" if status.tasks else "none")
        verdict: Verdict = self._table.decide(facts)["verdict"]
        return verdict
