"""Events as a sequence: every dataset and job described once, every run from its START to one end.

Identities and runs are remembered by fingerprints, about a hundred bytes each, never by their events.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.ground.json_formats import is_date_time
from streamt_ol.review.events.event_findings import Remark, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.review.events.event_kinds import Kind

_TERMINAL: Final = ("COMPLETE", "FAIL", "ABORT")
"""What ends a run."""
_TRANSITIONS: Final = ("START", "RUNNING", *_TERMINAL)
"""What has a place in a run; a tuple, because an `eventType` may be a list."""
_OUT_OF_ORDER = "E156_RUN_OUT_OF_ORDER"
_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)


class Spot(NamedTuple):
    """Where a line is."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(slots=True)
class _Run:
    """What is remembered of a run."""

    first: Spot
    job: bytes | None
    under_way: Spot | None = None
    """Its START, or what should have been one."""
    start_time: str | None = None
    ended: Spot | None = None


class EventSequence:
    """Looks at events one after the other, valid ones or not, as long as their identities can be read."""

    def __init__(self) -> None:
        self._described: dict[bytes, Spot] = {}
        self._runs: dict[bytes, _Run] = {}

    def remarks(self, event: Mapping[str, Any], kind: Kind, spot: Spot) -> Iterator[Remark]:
        """Yield what is wrong with the place of the next event in the sequence."""
        if kind == "RunEvent":
            yield from self._about_run(event, spot)
            return
        entity = "dataset" if kind == "DatasetEvent" else "job"
        identity = _identity(event, entity)
        if identity is not None:
            first = self._described.setdefault(identity, spot)
            if first is not spot:
                message = f"the {entity} is described already at {first}"
                yield Remark("E155_EVENT_REPEATED", (entity,), message)

    def unfinished(self) -> Iterator[tuple[Spot, Remark]]:
        """Yield each run without an end, at its first event."""
        for run in self._runs.values():
            if run.ended is None:
                message = "the run has no COMPLETE, FAIL or ABORT in this sequence"
                yield run.first, Remark("W154_RUN_UNFINISHED", ("run", "runId"), message)

    def _about_run(self, event: Mapping[str, Any], spot: Spot) -> Iterator[Remark]:
        run_id = event["run"].get("runId") if isinstance(event.get("run"), dict) else None
        if not isinstance(run_id, str):
            return
        job = _identity(event, "job")
        run = self._runs.setdefault(fingerprint(run_id.lower()), _Run(spot, job))
        yield from _about_order(run, event, spot)
        if run.job is None:
            run.job = job
        elif job not in (None, run.job):
            yield Remark(_OUT_OF_ORDER, ("job",), f"is another job than that of the run at {run.first}")
        if run.start_time is not None and _is_before(event.get("eventTime"), run.start_time):
            message = f"lies before the START of the run at {run.under_way}"
            yield Remark(_OUT_OF_ORDER, ("eventTime",), message)


def _about_order(run: _Run, event: Mapping[str, Any], spot: Spot) -> Iterator[Remark]:
    """Follow a run through one event. OTHER, or no type, is welcome anywhere, as the standard says."""
    kind = event.get("eventType")
    if kind not in _TRANSITIONS:
        return
    if run.ended is not None:
        yield Remark(_OUT_OF_ORDER, ("eventType",), f"{kind} of a run that has ended at {run.ended}")
        return
    if kind == "START":
        if run.under_way is not None:
            message = f"START of a run that is under way since {run.under_way}"
            yield Remark(_OUT_OF_ORDER, ("eventType",), message)
            return
        time = event.get("eventTime")
        run.start_time = time if isinstance(time, str) and is_date_time(time) else None
    elif run.under_way is None:
        yield Remark(_OUT_OF_ORDER, ("eventType",), f"{kind} of a run without START before it")
    run.under_way = run.under_way or spot
    if kind in _TERMINAL:
        run.ended = spot


def _identity(event: Mapping[str, Any], entity: str) -> bytes | None:
    """Return the fingerprint of namespace and name; None where they cannot be read."""
    part = event.get(entity)
    if not isinstance(part, dict):
        return None
    namespace, name = part.get("namespace"), part.get("name")
    if not (isinstance(namespace, str) and isinstance(name, str)):
        return None
    return fingerprint(entity, namespace, name)


def _is_before(time: Any, start: str) -> bool:
    moment, started = _moment(time), _moment(start)
    return moment is not None and started is not None and moment < started


def _moment(text: Any) -> tuple[datetime, str] | None:
    """Return a time as UTC and its fraction of a second; None for what the calendar of Python lacks."""
    match = _TIME.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    fraction, sign, hours, minutes = match.groups()[6:]
    try:
        offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
        moment = datetime(year, month, day, hour, minute, tzinfo=timezone.utc) + timedelta(seconds=second)
        return moment - offset, (fraction or "").rstrip("0")
    except (ValueError, OverflowError):
        return None
