"""State in files of the project's folder, for one machine: who may change them, one at a time.

Source: section 3.2 of the runtime facts.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.state.authority import given_back
from streamt_ol.deploy.state.clock import utc_now
from streamt_ol.deploy.state.errors import StateUnavailableError
from streamt_ol.deploy.state.holders import LARGEST, as_plain, decode_holder
from streamt_ol.deploy.state.local_authority import LocalAuthority
from streamt_ol.deploy.state.local_files import FOLDER, LocalFiles
from streamt_ol.deploy.state.lock import acquire, is_free
from streamt_ol.deploy.state.records import LockStatus
from streamt_ol.ground.atomic_file import make_folder
from streamt_ol.ground.errors import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.deploy.state.holders import Holder
    from streamt_ol.deploy.state.records import Authority

LOCK_SECONDS: Final = 30.0
"""How long the lock is waited for, where nobody says how long (decision R11)."""


class LocalBackend(LocalFiles):
    """The state of one project in one environment, in the folder of the project."""

    kind = "local"
    seconds = LOCK_SECONDS

    def process(self) -> dict[str, Any] | None:
        """Return what may be shown of who has taken the lock last; None where nobody has said so."""
        holder = self.holder()
        return None if holder is None else as_plain(holder)

    def lock_status(self) -> LockStatus:
        """Return whether the lock is held, and by whom; it is neither taken nor waited for."""
        process = self.process()
        at_work = process is not None and process["running"]
        if at_work or not is_free(self.lock_file):
            return LockStatus("busy", process)
        return LockStatus("available", None)

    def holder(self) -> Holder | None:
        """Return who has written into the lock file, without asking whether the lock is held."""
        text = self.lock_file.read(LARGEST)
        return None if text is None else decode_holder(text)

    @contextlib.contextmanager
    def authority(self, seconds: float) -> Iterator[Authority]:
        """Return the right to change the state; the lock is given back at the end.

        Raises `LockTimeoutError`, `StateUnavailableError`, `StateFileKindError`; at the end
        `ReleaseUnverifiedError`, unless another exception is on its way.
        """
        try:
            make_folder(self.folder)
        except OSError as error:
            place = Place(FOLDER)
            raise StateUnavailableError(f"{FOLDER} cannot be made: {error.strerror}", place=place) from None
        with given_back(LocalAuthority(self, acquire(self.lock_file, seconds, utc_now()))) as held:
            yield held
