"""An export as a small model: what is said about each dataset and job, and what each job reads and writes.

The time of an event is not part of it, nor is the order of events. A facet that is marked `_deleted` is as
good as none, which is what OpenLineage says of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.review.diffs.exports import Export, event_identity, identity_of, repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


_EVENT = frozenset({"eventTime", "producer", "schemaURL", "dataset", "job", "inputs", "outputs"})
_NAMES = frozenset({"namespace", "name"})
_DESCRIBED = _NAMES | {"facets"}


class Identity(NamedTuple):
    """What OpenLineage knows a dataset or job by."""

    kind: str
    """`dataset` or `job`."""
    namespace: str
    name: str


class Edge(NamedTuple):
    """Data flow: from a dataset into a job that reads it, or from a job into a dataset that it writes."""

    source: Identity
    target: Identity


@dataclass(frozen=True, slots=True)
class Entity:
    """What one event says about a dataset or job."""

    identity: Identity
    facets: Mapping[str, Mapping[str, Any]]
    event: Mapping[str, Any]
    """`producer` and `schemaURL`, where they are given."""
    rest: Mapping[str, Any]
    """What stands in the event outside the standard, by key."""
    edges: Mapping[Edge, Mapping[str, Any]]
    """For a job: each edge, and what the job says about that dataset beside its identity."""


class Design:
    """What an export says, by identity. Entities are made when they are asked for: most are equal."""

    def __init__(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Take the events of an export.

        Raises EventRepeatedError, NoDesignEventError and EventIncompleteError of `exports`, located in the
        event; what `read_export` returned has none of these faults.
        """
        identify = identity_of if isinstance(events, Export) else event_identity
        self.events: dict[Identity, Mapping[str, Any]] = {}
        for position, event in enumerate(events, 1):
            identity = Identity(*identify(event))
            if identity in self.events:
                earlier = list(self.events).index(identity) + 1
                raise repeated(identity, f"event {earlier}, again in event {position}")
            self.events[identity] = event

    def entity(self, identity: Identity) -> Entity:
        """Return what is said about a dataset or job of the export."""
        return _entity(identity, self.events[identity])

    def edges(self) -> dict[Edge, None]:
        """Return every edge once: an edge belongs to one job."""
        return {
            edge: None
            for identity, event in self.events.items()
            for edge, _reference in _references(identity, event)
        }


def _entity(identity: Identity, event: Mapping[str, Any]) -> Entity:
    subject = event[identity.kind]
    rest = {key: event[key] for key in event.keys() - _EVENT}
    rest |= {key: subject[key] for key in subject.keys() - _DESCRIBED}
    facets = {
        name: facet for name, facet in subject.get("facets", {}).items() if facet.get("_deleted") is not True
    }
    said = {key: event[key] for key in ("producer", "schemaURL") if key in event}
    return Entity(identity, facets, said, rest, _edges(identity, event))


def _edges(job: Identity, event: Mapping[str, Any]) -> dict[Edge, Mapping[str, Any]]:
    edges: dict[Edge, Mapping[str, Any]] = {}
    for edge, reference in _references(job, event):
        edges[edge] = {key: value for key, value in reference.items() if key not in _NAMES}
    return edges


def _references(job: Identity, event: Mapping[str, Any]) -> Iterator[tuple[Edge, Mapping[str, Any]]]:
    for reference in event.get("inputs", ()):
        yield Edge(Identity("dataset", reference["namespace"], reference["name"]), job), reference
    for reference in event.get("outputs", ()):
        yield Edge(job, Identity("dataset", reference["namespace"], reference["name"])), reference
