"""What is written of one address in PostgreSQL, and the connections that read it.

Source: section 3.3 of the runtime facts.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.state import history_file, state_file
from streamt_ol.deploy.state.postgres.connecting import connect
from streamt_ol.deploy.state.postgres.images import read_observed, where
from streamt_ol.deploy.state.postgres.migrating import within
from streamt_ol.deploy.state.postgres.store import lock_key, require_key, require_store
from streamt_ol.deploy.state.postgres.troubles import Troubles

if TYPE_CHECKING:
    from streamt_ol.deploy.state.history_file import Event
    from streamt_ol.deploy.state.postgres.session import Session
    from streamt_ol.deploy.state.postgres.settings import PostgresSettings
    from streamt_ol.deploy.state.postgres.store import Store
    from streamt_ol.deploy.state.records import Observed
    from streamt_ol.engine.ruleset import RuleSet

_RECOVERIES: Final = """
SELECT control_json FROM {schema}.operation_history
WHERE {here} AND event_kind IN ('recovery_intended', 'recovery_resolved')
ORDER BY recorded_at, operation_id, event_index
"""
_WRITES: Final = "writes"


class PostgresReader:
    """The state of one project in one environment, in a schema of PostgreSQL, to be read."""

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

    def session(self) -> Session:
        """Return a new connection to the store, in which the address is registered."""
        return self.registered()[0]

    def registered(self, seconds: float | None = None) -> tuple[Session, int]:
        """Return a new connection to the store, and the key of the lock of the address."""
        session = self.connected(seconds)
        try:
            store = require_store(session, self.settings)
            key = require_key(session, self.settings, store)
            self._remember(store, session)
        except BaseException:
            session.close()
            raise
        return session, key

    def _remember(self, store: Store, session: Session) -> None:
        """Remember which store answers; refuse another one than before."""
        if self._store_id not in (None, store.store_id):
            raise session.troubles.of("other_store", "open")
        self._store_id = store.store_id

    def connected(self, seconds: float | None = None) -> Session:
        """Return a new connection to the store, whether the address is registered or not."""
        settings = self.settings
        variable = settings.working_variable
        troubles = Troubles(settings, variable, self.rules)
        waiting = self.seconds if seconds is None else seconds
        return connect(variable, settings.variables, max(1, waiting), troubles, self.rules)
