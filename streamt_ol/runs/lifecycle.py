"""One run of a finite command: prepared before any work, START, one last event, closed once.

Source: sections 5.3 to 5.5 of the runtime facts. What can be wrong is found before the command does anything
(`prepare_run`). From START on, what cannot be delivered is a warning and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NamedTuple, final
from uuid import uuid4

from streamt_ol.ground import bugs
from streamt_ol.ground.errors import Diagnostic, StreamtError
from streamt_ol.ground.redaction import redact
from streamt_ol.lineage.event_times import utc_text
from streamt_ol.lineage.namespaces import Candidates, complete, select_given
from streamt_ol.lineage.standard import PRODUCER
from streamt_ol.lineage.texts import TextGate
from streamt_ol.runs.run_errors import (
    RunEventInvalidError,
    RunEventsError,
    TransportSetupError,
    make_safe,
)
from streamt_ol.runs.run_event_check import RunEventChecker
from streamt_ol.runs.run_events import Event, RunEvents, RunJob, serialized

if TYPE_CHECKING:
    from types import TracebackType

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.lineage.schemas import OpenLineageSchemas
    from streamt_ol.runs.transports import Transport

Connect = Callable[[Mapping[str, str], "RuleSet"], "Transport"]
"""Reads the configuration in the variables and returns the transport that it describes."""

WARNING = "W112_OPENLINEAGE_EMIT_FAILED"
MOST = 512
"""Characters of the message of a warning."""


class _Step(NamedTuple):
    location: str
    failed: str


_START = _Step("openlineage.start", "the START event was not delivered")
_TERMINAL = _Step("openlineage.terminal", "the last event of the run was not delivered")
_TRANSPORT = _Step("openlineage.transport", "the transport of run events was not closed")


def _now() -> datetime:
    return datetime.now(timezone.utc)


class RunRequest(NamedTuple):
    """What a run is about. A command that keeps records of its own gives the run's identity and time."""

    command: str
    """A word of the domain of commands."""
    project: str
    topics: tuple[str, ...]
    """The physical topics that the command consumes, in any order."""
    endpoints: Mapping[str, str | None]
    """The runtime addresses that a namespace may be derived from, as a graph has them."""
    candidates: Candidates
    """Namespace options, and the variables, which hold the configuration of the transport, too."""
    run_id: str | None = None
    """A UUID of version 4 in canonical form; None: a new one."""
    started_at: str | None = None
    """The time of START: UTC, six fractional digits, `Z`; None: now."""
    clock: Callable[[], datetime] = _now


@final
class CommandRun:
    """A prepared run; what `with` is left with ends it, and closes the transport exactly once.

    An exception ends it as `interrupted` (KeyboardInterrupt) or `broken`, and so does a `with` that is left
    without an outcome. No method raises because of a delivery; an interruption by the user is passed on.
    """

    def __init__(
        self,
        events: RunEvents,
        checker: RunEventChecker,
        start: Event,
        transport: Transport,
        clock: Callable[[], datetime],
    ) -> None:
        self.warnings: list[Diagnostic] = []
        """At most one for START, one for the last event and one for the transport, in this order."""
        self._events = events
        self._checker = checker
        self._start = start
        self._transport = transport
        self._clock = clock
        self._started = self._ended = self._closed = False

    def start(self) -> None:
        """Attempt START, at the first call."""
        if not (self._started or self._closed):
            self._started = True
            self._attempt(_START, lambda: self._transport.send(serialized(self._start)))

    def finish(self, outcome: str) -> None:
        """Attempt the event that ends a started run, at the first call; `outcome` is of the domain."""
        if self._started and not (self._ended or self._closed):
            self._ended = True
            self._attempt(_TERMINAL, lambda: self._transport.send(self._ending(outcome)))

    def close(self) -> None:
        """Close the transport, at the first call."""
        if not self._closed:
            self._closed = True
            self._attempt(_TRANSPORT, self._transport.close)

    def __enter__(self) -> CommandRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
        try:
            self.finish("interrupted" if interrupted else "broken")
        finally:
            self.close()

    def _ending(self, outcome: str) -> bytes:
        # A clock may be set back while the command works; no run ends before it began.
        time = max(utc_text(self._clock()), self._start["eventTime"])
        event = self._events.ending(outcome, time)
        self._checker.check_end(self._start, event)
        return serialized(event)

    def _attempt(self, step: _Step, work: Callable[[], None]) -> None:
        try:
            work()
        except RunEventInvalidError:
            self._warn(step, "it does not pass its check any more")
        except StreamtError as error:
            self._warn(step, error.message)
        except Exception as error:  # noqa: BLE001 - telemetry never changes what a command does
            self._warn(step, bugs.told(error))

    def _warn(self, step: _Step, reason: str) -> None:
        message = redact(f"{step.failed}: {reason}")[:MOST]
        self.warnings.append(Diagnostic(WARNING, message, step.location))


def configured_transport(variables: Mapping[str, str], rules: RuleSet) -> Transport:
    """Return the transport that the variables configure; nothing is sent."""
    from streamt_ol.runs.configuration import read_settings  # here for start-up: only runs need them
    from streamt_ol.runs.transports import open_transport

    return open_transport(read_settings(variables, rules), rules)


def prepare_run(
    request: RunRequest, rules: RuleSet, schemas: OpenLineageSchemas, connect: Connect = configured_transport
) -> CommandRun:
    """Return a run of which every event that it may send is made and checked; nothing was sent or written.

    Raises ExportError (namespaces, names), RunError and TransportConfigError, all E506, in the order in which
    section 5.4 of the runtime facts looks: namespaces, events, configuration, transport. A bug stays one.
    """
    try:
        return _prepared(request, rules, schemas, connect)
    except StreamtError as error:
        make_safe(error)
        raise


def _prepared(
    request: RunRequest, rules: RuleSet, schemas: OpenLineageSchemas, connect: Connect
) -> CommandRun:
    topics = sorted(set(request.topics))
    job = RunJob.decided(request.command, request.project, topics, rules)
    given = select_given(request.candidates, rules)
    needed = frozenset([] if job.input_namespace is None else [job.input_namespace])
    namespaces = complete(given, needed, request.endpoints, request.candidates, rules)

    _admit(request.project, topics, rules)
    time = request.started_at or utc_text(request.clock())
    run_id = request.run_id or str(uuid4())
    events = RunEvents(job, topics, namespaces, run_id, rules, schemas)
    checker = RunEventChecker(schemas, PRODUCER)
    start = events.start(time)
    try:
        checker.check_start(start)
        for outcome in rules.vocabulary.domains["outcome"]:
            checker.check_end(start, events.ending(str(outcome), time))
    except RunEventInvalidError:
        raise RunEventsError from None
    return CommandRun(events, checker, start, _connected(request, rules, connect), request.clock)


def _admit(project: str, topics: list[str], rules: RuleSet) -> None:
    gate = TextGate(rules)
    gate.admit("project_name", project, "/project/name", "the project's name")
    for topic in topics:
        gate.admit("output_name", topic, "openlineage.events", "the name of a topic that is consumed")


def _connected(request: RunRequest, rules: RuleSet, connect: Connect) -> Transport:
    """Return the transport; what the system refuses is no bug, and what it says is not passed on."""
    try:
        return connect(request.candidates.variables, rules)
    except OSError:
        pass
    raise TransportSetupError
