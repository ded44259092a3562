"""The records of a deployment: what is wanted, what is there, and what is done; and who can show and do it.

What is kept of it is in `state/records.py`. Sources: sections 1.1 and 1.2 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Surface = dict[str, Any]
"""What a provider compares, as plain JSON values: of a topic partitions, replicas and settings."""


class Problem(NamedTuple):
    """Why a resource cannot be made as it is declared, or what of its declaration has no effect."""

    code: str
    """As a plan tells it: `flink_output_without_columns`."""
    message: str
    remedy: str
    at: str
    blocks: bool = True
    """False where it can be made all the same."""
    line_within: int | None = None
    """Line of the text at that place, from 0, where it is known."""


class Desired(NamedTuple):
    """A resource that the project wants."""

    resource_id: str
    """`streamt://PROJECT/ENVIRONMENT/KIND/LOGICAL`."""
    kind: str
    """`schema`, `topic`, `flink_job`, `connector` or `gateway_rule`."""
    logical_name: str
    """The name of its owner in the project."""
    physical_name: str
    ownership: str
    """`managed`, `adopted` or `external`."""
    at: str
    """Pointer to its declaration."""
    surface: Surface
    checksum: str
    """`sha256:` and the digest of the whole artifact as canonical JSON."""
    backend: str
    """The service that holds it, as the state says it: `direct-kafka`."""
    cluster: str | None = None
    """The name in the runtime of the cluster that holds it; None where a kind has one service."""
    payload: Surface | None = None
    """What making it takes and no provider shows: of a Flink job its statements."""
    problems: tuple[Problem, ...] = ()
    """Why it cannot be made as it is declared."""

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "surface", "payload")


class Wanted(NamedTuple):
    """What a provider is asked about."""

    physical_name: str
    cluster: str | None = None
    surface: Surface | None = None
    """What the project wants; None where only what is there matters, as for a recovery."""
    payload: Surface | None = None
    """What making it takes and no provider shows, for a service that judges it: the text of a schema."""

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "surface", "payload")


class Live(NamedTuple):
    """A resource as its provider shows it; `surface` is None where it does not exist."""

    kind: str
    physical_name: str
    surface: Surface | None
    verdict: str = "unasked"
    """Of a service that judges changes: whether what is wanted is `compatible`, or what is wrong with it."""
    reason: str = ""
    """Of a verdict, in the words of the service, without secrets."""

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "surface")


class Action(NamedTuple):
    """One step of a plan, executed exactly as it was planned (R4)."""

    position: int
    """From 0; `index` in what is written."""
    resource_id: str
    kind: str
    action: str
    """`create`, `update`, `delete`, `register`, `submit` or `cancel`."""
    physical_name: str
    before: Surface | None
    """What the provider showed when this was planned; None where nothing was there."""
    after: Surface | None
    """What will be there; None for a deletion."""
    cluster: str | None = None
    payload: Surface | None = None
    """What carrying it out takes and no provider shows."""

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "before", "after", "payload")


class Provider(Protocol):
    """A service that holds resources of one kind. It knows nothing of state, policy or events."""

    kind: str

    def observe(self, wanted: Sequence[Wanted]) -> Mapping[str, Live]:
        """Return what is there, by physical name; raises ProviderError."""

    def execute(self, action: Action) -> str | None:
        """Carry an action out; return what is seen of it then, where that is more than that it is there.

        Raises `ProviderError`, and `PreimageMovedError` when live is not `before`. Raises
        `OutcomeUnknownError`, which is no ProviderError, when nobody knows whether it was carried out.
        """

    def undo(self, action: Action) -> bool:
        """Take an action back; False where it cannot be taken back."""
