"""The document of a history: every explicit recovery, as it was intended and as it was resolved.

Each event carries the checksum of the one before it, so that none can be changed, taken out or put in
between. Source: sections 2.9 and 3.2 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.state.documents import document, read_document
from streamt_ol.deploy.state.errors import HistoryFullError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.state.documents import Part

VERSION: Final = 1
LARGEST: Final = 2**20
"""Bytes of a document."""
MOST: Final = 4096
"""Events of a document."""
INTENDED: Final = "recovery_intended"
RESOLVED: Final = "recovery_resolved"
RESOLUTIONS: Final = ("observed", "rolled_back", "abandoned_before_mutation")
ABANDONED: Final = RESOLUTIONS[-1]
FIRST: Final = "sha256:" + "0" * 64
"""What stands for the event before the first one."""
_NEW: Final = "the recovery to write"
"""The name in messages of an event that no file holds yet."""


class Resolution(NamedTuple):
    """An explicit recovery, as it was planned and confirmed."""

    recovery_operation_id: str
    blocked_operation_id: str
    resolution: str
    """`observed`, `rolled_back` or `abandoned_before_mutation`."""
    evidence_checksum: str
    """Of the recovery plan."""


class Event(NamedTuple):
    """One word of the history."""

    event: str
    """`recovery_intended` or `recovery_resolved`."""
    resolution: Resolution
    state_serial: int
    """Of the state that the recovery leaves."""
    state_checksum: str
    recorded_at: str


def read_resolution(plain: Mapping[str, Any]) -> Resolution:
    """Return the resolution that plain values say; raises `StateInvalidError` for any that are not exact."""
    return _resolution(read_document(document(plain), _NEW, LARGEST))


def encode_event(event: Event) -> bytes:
    """Return the document of one event alone, for a history that is kept elsewhere than in a file."""
    data = document(_plain(event))
    decode_event(data, _NEW)
    return data


def decode_event(data: bytes, file: str) -> Event:
    """Return the event of a document, which people know by the name `file`; raises `StateInvalidError`."""
    return _members(*read_document(data, file, LARGEST).members(*Event._fields))


def encode_history(events: Sequence[Event], address: str) -> bytes:
    """Return the document of a history; raises `HistoryFullError` when it would be more than one may hold."""
    entries: list[dict[str, Any]] = []
    previous = FIRST
    for event in events:
        entry = {**_plain(event), "previous": previous}
        previous = checksum(entry)
        entries.append({**entry, "checksum": previous})
    data = document({"history_version": VERSION, "address": address, "events": entries})
    if len(events) > MOST or len(data) > LARGEST:
        raise HistoryFullError(
            f"the history of recoveries is full: it has at most {MOST} events and {LARGEST} bytes",
            suggestion="keep the file elsewhere and remove it from the folder of the state",
        )
    decode_history(data, _NEW, address)
    return data


def decode_history(data: bytes, file: str, address: str) -> tuple[Event, ...]:
    """Return the events of a history, which must be that of the address.

    `file` is the name that people know it by. Raises `StateInvalidError`.
    """
    version, its_address, its_events = read_document(data, file, LARGEST).members(
        "history_version", "address", "events"
    )
    version.equals(VERSION, f"must be {VERSION}, the only version of histories that this program knows")
    its_address.equals(address, "is another state's: this is not its history")
    if len(its_events.items()) > MOST:
        its_events.refuse(f"must have at most {MOST} events")
    events = []
    previous = FIRST
    for item in its_events.items():
        event, previous = _event(item, previous)
        events.append(event)
    return tuple(events)


def _event(part: Part, expected: str) -> tuple[Event, str]:
    """Return an event and its checksum, both verified."""
    *members, previous, its_checksum = part.members(*Event._fields, "previous", "checksum")
    found = _members(*members)
    if previous.checksum() != expected:
        previous.refuse("is not the checksum of the event before: the history was changed")
    computed = checksum({key: value for key, value in part.value.items() if key != "checksum"})
    if its_checksum.checksum() != computed:
        its_checksum.refuse("is not the checksum of the event: the history was changed")
    return found, computed


def _members(event: Part, resolution: Part, serial: Part, state: Part, recorded: Part) -> Event:
    return Event(
        event.one_of((INTENDED, RESOLVED)),
        _resolution(resolution),
        serial.number(),
        state.checksum(),
        recorded.time(),
    )


def _plain(event: Event) -> dict[str, Any]:
    return {**event._asdict(), "resolution": event.resolution._asdict()}


def _resolution(part: Part) -> Resolution:
    recovery, blocked, resolution, evidence = part.members(*Resolution._fields)
    if recovery.operation_id() == blocked.operation_id():
        recovery.refuse("is the operation that it recovers")
    return Resolution(
        recovery.operation_id(), blocked.operation_id(), resolution.one_of(RESOLUTIONS), evidence.checksum()
    )
