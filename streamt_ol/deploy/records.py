"""The records of a deployment: what is wanted, what is there, what is done, and what is kept of it.

Sources: sections 1.1, 1.2 and 2.3 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from streamt_ol.ground.records import shown_without

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from streamt_ol.deploy.state.history_file import Event

Surface = dict[str, Any]
"""What a provider compares, as plain JSON values: of a topic partitions, replicas and settings."""


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
