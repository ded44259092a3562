"""The files of a local state, and what they say.

| file below `.streamt/state` | holds |
|---|---|
| `ENVIRONMENT.json` | what the project owns there |
| `ENVIRONMENT.control.json` | the operation that is under way or unfinished |
| `ENVIRONMENT.recovery-history.json` | explicit recoveries |
| `.ENVIRONMENT.json.lock` | who holds the lock |

Reading creates none of them, nor their folder. Source: section 3.2 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import NAMESPACE_URL, uuid5

from streamt_ol.deploy.state import control_file, history_file, state_file
from streamt_ol.deploy.state.errors import StateConflictError
from streamt_ol.deploy.state.files import OWNER_ONLY, StateFile
from streamt_ol.deploy.state.operations import NO_OPERATION
from streamt_ol.deploy.state.records import Observed
from streamt_ol.ground.errors import Place

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.deploy.state.history_file import Event

FOLDER: Final = ".streamt/state"
_TRIES: Final = 16
"""How often two files are read that somebody else is changing."""


class LocalFiles:
    """The state of one project in one environment, in the folder of the project, to be read."""

    def __init__(self, directory: Path, project: str, environment: str) -> None:
        """Raise `StateInvalidError` for names that no address can be made of; nothing is read."""
        state_file.check_identity(project, environment)
        self.project = project
        self.environment = environment
        self.address = f"streamt-state://local/{project}/{environment}"
        self.folder = directory.resolve() / FOLDER
        self.store_id = str(uuid5(NAMESPACE_URL, directory.resolve().as_uri()))
        self.state_file = self._file(f"{environment}.json")
        self.control_file = self._file(f"{environment}.control.json")
        self.history_file = self._file(f"{environment}.recovery-history.json")
        self.lock_file = self._file(f".{environment}.json.lock")

    def observe(self) -> Observed:
        """Return what is written; takes no lock and creates nothing.

        The control is read before and after the state, so that no moment between two steps of somebody else
        looks like one that there was. Raises `StateConflictError` when it changes all the time,
        `StateInvalidError`, `StateFileKindError`, `StateUnavailableError`.
        """
        for _ in range(_TRIES):
            control = self.control_file.read(control_file.LARGEST)
            state = self.state_file.read(state_file.LARGEST)
            if self.control_file.read(control_file.LARGEST) == control:
                return self._decoded(state, control)
        raise StateConflictError(
            "the state changes while it is read: an operation is under way",
            place=Place(self.control_file.shown),
            suggestion="try again when it has ended",
        )

    def revisions(self) -> tuple[str, str]:
        """Return the revisions of state and control, as they are one after the other."""
        state = self.state_file.read(state_file.LARGEST)
        control = self.control_file.read(control_file.LARGEST)
        return state_file.revision(state), state_file.revision(control)

    def recoveries(self) -> tuple[Event, ...]:
        """Return every explicit recovery in its order; raises what `observe` raises."""
        data = self.history_file.read(history_file.LARGEST, mode=OWNER_ONLY)
        if data is None:
            return ()
        return history_file.decode_history(data, self.history_file.shown, self.address)

    def _file(self, name: str) -> StateFile:
        return StateFile(self.folder / name, f"{FOLDER}/{name}")

    def _decoded(self, state: bytes | None, control: bytes | None) -> Observed:
        project, environment = self.project, self.environment
        return Observed(
            state_file.empty(project, environment)
            if state is None
            else state_file.decode_state(state, self.state_file.shown, project, environment),
            state_file.revision(state),
            NO_OPERATION
            if control is None
            else control_file.decode_control(
                control, self.control_file.shown, self.address, project, environment
            ),
            state_file.revision(control),
        )
