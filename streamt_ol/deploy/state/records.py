"""What a state says: what is owned, and the operation that is under way; and who may read and change it.

Sources: sections 1.1 and 2.3 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from streamt_ol.deploy.state.history_file import Event


class Record(NamedTuple):
    """What the state says about one resource that this project owns."""

    physical_name: str
    ownership: str
    """`managed` or `adopted`."""
    artifact_checksum: str
    backend: str
    """The service that holds it: `direct-kafka`."""


class Snapshot(NamedTuple):
    """Every resource that the project owns in one environment."""

    project: str
    environment: str
    serial: int
    """Grows by one with every change; 0 where nothing was ever written."""
    resources: Mapping[str, Record]
    """Resource id to record."""


class IntendedAction(NamedTuple):
    """An action as the operation wrote it down before it began."""

    position: int
    """From 0; `index` in what is written."""
    resource_id: str
    action: str
    physical_name: str
    prior: str | None
    """Checksum of what was there (`surface_checksum`), by which a recovery knows it; None for nothing."""
    candidate: str | None
    """Checksum of what will be there; None for nothing."""
    cluster: str | None
    """The name of its cluster in the runtime; None where its kind has one service."""


class Intent(NamedTuple):
    """An operation, persisted before its first mutation."""

    operation_id: str
    """UUID of version 4, canonical."""
    kind: str
    """`apply`, `adopt` or `recover`."""
    started_at: str
    """UTC, six fractional digits, `Z`."""
    actor: str
    prior_state_serial: int
    prior_state_checksum: str
    reviewed_plan_checksum: str | None
    actions: tuple[IntendedAction, ...]


class Progress(NamedTuple):
    """One durable word about an action: it starts, or it is over."""

    operation_id: str
    action_index: int
    resource_id: str
    action: str
    status: str
    """`started` or `completed`."""
    succeeded: bool | None
    """Whether a completed action succeeded; None for one that starts."""
    recorded_at: str


class Recovery(NamedTuple):
    """Why an operation must be recovered before the next one may begin."""

    operation_id: str
    failure_code: str
    """A word of the domain `recovery_marker`."""
    failed_at: str
    last_completed_action_index: int | None


class Control(NamedTuple):
    """The operation that is under way or unfinished; `clear` has none."""

    status: str
    """`clear`, `in_progress` or `recovery_required`."""
    intent: Intent | None = None
    progress: tuple[Progress, ...] = ()
    recovery: Recovery | None = None


class Observed(NamedTuple):
    """State and control as they were read together; a revision tells what is written, or is `ABSENT`."""

    snapshot: Snapshot
    state_revision: str
    control: Control
    control_revision: str


class LockStatus(NamedTuple):
    """Whether somebody changes a state."""

    status: str
    """`available`, `busy`, or `unregistered` where there is no lock yet."""
    process: Mapping[str, Any] | None
    """Who, in what may be shown of it; None where nobody, or nobody knows who."""


class Authority(Protocol):
    """The right to change one state, as long as the lock is held. Every method may raise `StateError`s."""

    def check(self) -> None:
        """Raise `LockLostError` when the lock is not held any more."""

    def observe(self) -> Observed:
        """Return what is written now."""

    def begin(self, intent: Intent, expected: Observed) -> None:
        """Write the intent; the control must be clear and everything as it was observed."""

    def progress(self, entry: Progress) -> None:
        """Write one word about an action."""

    def require_recovery(self, recovery: Recovery) -> None:
        """Mark the operation as one that must be recovered."""

    def clear_before_mutation(self) -> None:
        """Clear the control of an operation of which no action has started."""

    def commit(self, resources: Mapping[str, Record] | None) -> Observed:
        """Write the resources (None: they stay as they are), then clear the control; return both."""

    def resolve(self, resources: Mapping[str, Record] | None, resolution: Mapping[str, Any]) -> Observed:
        """Write an explicit recovery: its record in the history, the resources, then the cleared control."""

    def release(self) -> None:
        """Give the lock back, verified."""


class StateBackend(Protocol):
    """Where the state of one project in one environment is kept."""

    kind: str
    """`local` or `postgres`."""
    address: str
    """`streamt-state://local/PROJECT/ENVIRONMENT`, `streamt-state://postgres/NAMESPACE/PROJECT/ENVIRONMENT`."""
    seconds: float
    """How long its lock is waited for, where nobody says how long."""

    @property
    def store_id(self) -> str:
        """What tells the store from others that have the same address; a database is asked for it."""

    def observe(self) -> Observed:
        """Return what is written; takes no lock and creates nothing."""

    def recoveries(self) -> tuple[Event, ...]:
        """Return every explicit recovery in its order; takes no lock and creates nothing."""

    def process(self) -> Mapping[str, Any] | None:
        """Return what may be shown of who holds the lock or, where the store keeps that, had it last."""

    def lock_status(self) -> LockStatus:
        """Return whether the lock is held; it is neither taken nor waited for."""

    def authority(self, seconds: float) -> AbstractContextManager[Authority]:
        """Return the right to change it; raises `LockTimeoutError` when it is not free within the seconds."""
