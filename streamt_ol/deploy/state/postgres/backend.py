"""State in PostgreSQL, for all machines that apply a project.

Seven tables in one schema hold the states of many projects, each at its address. Source: section 3.3 of the
runtime facts.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.records import LockStatus
from streamt_ol.deploy.state import history_file, state_file
from streamt_ol.deploy.state.authority import given_back
from streamt_ol.deploy.state.postgres.advisory_lock import acquire, holder
from streamt_ol.deploy.state.postgres.authority import PostgresAuthority
from streamt_ol.deploy.state.postgres.connecting import connect
from streamt_ol.deploy.state.postgres.images import read_observed, where
from streamt_ol.deploy.state.postgres.migrating import within
from streamt_ol.deploy.state.postgres.store import find_key, lock_key, require_key, require_store
from streamt_ol.deploy.state.postgres.troubles import Troubles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.deploy.records import Authority, Observed
    from streamt_ol.deploy.state.history_file import Event
    from streamt_ol.deploy.state.postgres.session import Session
    from streamt_ol.deploy.state.postgres.settings import PostgresSettings
    from streamt_ol.deploy.state.postgres.store import Store
    from streamt_ol.engine.ruleset import RuleSet

_RECOVERIES: Final = """
SELECT control_json FROM {schema}.operation_history
WHERE {here} AND event_kind IN ('recovery_intended', 'recovery_resolved')
ORDER BY recorded_at, operation_id, event_index
"""
_WRITES: Final = "writes"


class PostgresBackend:
    """The state of one project in one environment, in a schema of PostgreSQL."""

    kind = "postgres"

    def __init__(self, settings: PostgresSettings, rules: RuleSet) -> None:
        """Raise `StateInvalidError` for names that no address can be made of; nothing is connected to."""
        state_file.check_identity(settings.project, settings.environment)
        self.settings = settings
        self.rules = rules
        self.address = settings.address
        self.seconds: float = settings.seconds
        """How long the lock is waited for, where nobody says how long."""
        self._store_id: str | None = None

    @property
    def store_id(self) -> str:
        """Return the id of the store, which is asked for once; raises what `observe` raises."""
        if self._store_id is None:
            self.session().close()
        return self._store_id or ""

    @property
    def writing_key(self) -> int:
        """Return the key of the lock that whoever writes into the store holds for the moment of a commit."""
        return lock_key(self.store_id, _WRITES)

    def observe(self) -> Observed:
        """Return what is written; takes no lock and creates nothing.

        Raises `StateUnavailableError`, `StateInvalidError`.
        """
        with contextlib.closing(self.session()) as session:
            return read_observed(session, self.settings)[1]

    def recoveries(self) -> tuple[Event, ...]:
        """Return every explicit recovery in its order; raises what `observe` raises."""
        with contextlib.closing(self.session()) as session:
            return self.recoveries_on(session)

    def recoveries_on(self, session: Session) -> tuple[Event, ...]:
        """Return every explicit recovery, as a session sees it."""
        rows = session.rows("read", within(self.settings.schema, _RECOVERIES), where(self.settings))
        file = f"{self.settings.schema}.operation_history"
        return tuple(history_file.decode_event(text.encode(), file) for (text,) in rows)

    def process(self) -> dict[str, Any] | None:
        """Return what may be shown of who holds the lock; raises what `observe` raises."""
        with contextlib.closing(self.session()) as session:
            found = holder(session, self._key)
        return None if found is None else found.as_plain()

    def lock_status(self) -> LockStatus:
        """Return whether the lock is held, and by whom; it is neither taken nor waited for.

        Raises what `observe` raises, but for an address that is not registered.
        """
        with contextlib.closing(self._connected()) as session:
            key = find_key(session, self.settings, require_store(session, self.settings))
            found = None if key is None else holder(session, key)
        if found is not None:
            return LockStatus("busy", found.as_plain())
        return LockStatus("unregistered" if key is None else "available", None)

    @contextlib.contextmanager
    def authority(self, seconds: float) -> Iterator[Authority]:
        """Return the right to change the state; the lock is given back at the end.

        Raises `LockTimeoutError`, `StateUnavailableError`, `StateInvalidError`; at the end
        `ReleaseUnverifiedError`, unless another exception is on its way.
        """
        session = self.session(seconds)
        try:
            lock = acquire(session, self._key, seconds, self.rules)
            with given_back(PostgresAuthority(self, session, lock)) as held:
                yield held
        finally:
            session.close()

    def session(self, seconds: float | None = None) -> Session:
        """Return a new connection to the store, in which the address is registered."""
        session = self._connected(seconds)
        try:
            store = require_store(session, self.settings)
            self._key = require_key(session, self.settings, store)
            self._require_same(store, session)
        except BaseException:
            session.close()
            raise
        return session

    def _require_same(self, store: Store, session: Session) -> None:
        """Refuse another store than the one that answered before."""
        if self._store_id not in (None, store.store_id):
            raise session.troubles.of("other_store", "open")
        self._store_id = store.store_id

    def _connected(self, seconds: float | None = None) -> Session:
        settings = self.settings
        variable = settings.working_variable
        troubles = Troubles(settings, variable, self.rules)
        waiting = self.seconds if seconds is None else seconds
        return connect(variable, settings.variables, max(1, waiting), troubles, self.rules)
