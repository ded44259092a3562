"""The store of a state: whether its lock is held, and making one that is shared ready for a project."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from streamt_ol.cli.face import diagnostics
from streamt_ol.cli.loading import load
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.report import Result
from streamt_ol.cli.state_status import process_words
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.deploy.state.opening import open_state, postgres_means
from streamt_ol.deploy.state.preparing import require_database, require_named, require_shared
from streamt_ol.ground.errors import StreamtError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.state.postgres.initializing import Prepared, Preparing
    from streamt_ol.deploy.state.preparing import StoreConfirmations
    from streamt_ol.deploy.state.records import LockStatus
    from streamt_ol.project.load import Loaded

_OUTCOMES: Final = {
    "initialized": "The state store is made, and the address is registered.",
    "address_registered": "The address is registered. The state store was there already.",
    "already_initialized": "The state store and the address were there already. Nothing was changed.",
    "migrated": "The state store has a writer now, and version 2.",
    "already_migrated": "The state store has this writer already. Nothing was changed.",
}
"""Outcomes in words."""
_LOCKS: Final = {
    "available": "available: nobody holds it",
    "busy": "busy: it is held",
    "unregistered": "unregistered: `streamt state init` makes it",
}
"""What is told of a lock."""


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """What is asked of a store."""

    directory: Path
    environment: str | None
    process_environment: Mapping[str, str] = field(repr=False)
    confirmed: StoreConfirmations


def tell_lock_status(
    directory: Path, environment: str | None, process_environment: Mapping[str, str], face: Face
) -> Result:
    """Return whether the lock of the state is held; in text mode it is already on stdout.

    Raises what loading a project raises; what is wrong with its state is a result, with its place.
    """
    loaded = _loaded(directory, environment, process_environment, face)
    project = loaded.project
    try:
        backend = open_state(project, loaded.variables, face.load_rules)
        lock = backend.lock_status()
    except StreamtError as error:
        return Result(face.command, errors=diagnostics(error, project.origins), warnings=project.warnings)
    _show(lock, backend.address, face)
    data = {
        "address": backend.address,
        "backend": backend.kind,
        "lock": lock.status,
        "process": None if lock.process is None else dict(lock.process),
    }
    return Result(face.command, data=data, warnings=project.warnings)


def initialize(request: StoreRequest, face: Face) -> Result:
    """Make the store of a shared state where there is none, and register the address of the project."""
    return _prepare(request, face, lambda preparing: preparing.prepare())


def add_writer(request: StoreRequest, face: Face) -> Result:
    """Give the store of a shared state its writer."""
    return _prepare(request, face, lambda preparing: preparing.add_writer())


def _prepare(request: StoreRequest, face: Face, work: Callable[[Preparing], Prepared]) -> Result:
    loaded = _loaded(request.directory, request.environment, request.process_environment, face)
    project = loaded.project
    try:
        require_shared(project)
        settings, rules = postgres_means(project, loaded.variables, face.load_rules, owner=True)
        require_named(request.confirmed, settings)
        from streamt_ol.deploy.state.postgres.initializing import Preparing

        with closing(Preparing(settings, rules)) as preparing:
            require_database(request.confirmed, preparing.database(), settings.owner_variable)
            prepared = work(preparing)
    except StreamtError as error:
        return Result(face.command, errors=diagnostics(error, project.origins), warnings=project.warnings)
    face.say(_OUTCOMES[prepared.outcome])
    face.say(f"address  {settings.address}")
    face.say(f"store    {prepared.store_id}, version {prepared.version}, schema {settings.schema}")
    if prepared.writer is not None:
        face.say(f"writer   {prepared.writer}")
    data = {"address": settings.address, "schema": settings.schema, **prepared._asdict()}
    return Result(face.command, data=data, warnings=project.warnings)


def _loaded(
    directory: Path, environment: str | None, process_environment: Mapping[str, str], face: Face
) -> Loaded:
    rules = face.load_rules(COMPILER_NEEDS)
    with shown_progress(quiet=face.quiet) as watch:
        return load(directory, environment, process_environment, rules, face, watch)


def _show(lock: LockStatus, address: str, face: Face) -> None:
    face.say(f"state  {address}")
    face.say(f"lock   {_LOCKS[lock.status]}")
    if lock.process is not None:
        face.say(f"       {process_words(lock.process)}")
