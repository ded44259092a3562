"""State in PostgreSQL, for all machines that apply a project: who may change it, one at a time.

Seven tables in one schema hold the states of many projects, each at its address. Source: section 3.3 of the
runtime facts.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.state.authority import given_back
from streamt_ol.deploy.state.postgres.advisory_lock import acquire, holder
from streamt_ol.deploy.state.postgres.authority import PostgresAuthority
from streamt_ol.deploy.state.postgres.reader import PostgresReader
from streamt_ol.deploy.state.postgres.store import find_key, require_store
from streamt_ol.deploy.state.records import LockStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.deploy.state.records import Authority


class PostgresBackend(PostgresReader):
    """The state of one project in one environment, in a schema of PostgreSQL."""

    kind = "postgres"

    def process(self) -> dict[str, Any] | None:
        """Return what may be shown of who holds the lock; raises what `observe` raises."""
        session, key = self.registered()
        with contextlib.closing(session):
            found = holder(session, key)
        return None if found is None else found.as_plain()

    def lock_status(self) -> LockStatus:
        """Return whether the lock is held, and by whom; it is neither taken nor waited for.

        Raises what `observe` raises, but for an address that is not registered.
        """
        with contextlib.closing(self.connected()) as session:
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
        session, key = self.registered(seconds)
        with contextlib.closing(session):
            lock = acquire(session, key, seconds, self.rules)
            with given_back(PostgresAuthority(self, session, lock)) as held:
                yield held
