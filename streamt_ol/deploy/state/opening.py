"""Where the state of a project is kept, by its own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.state.errors import StateUnavailableError
from streamt_ol.deploy.state.local import LocalBackend

if TYPE_CHECKING:
    from streamt_ol.project.records import Project


def open_state(project: Project) -> LocalBackend:
    """Return the state of the project in its environment; nothing is read, connected to or created.

    Raises `StateUnavailableError` for a kind of store that there is no support for: a project that asks for
    shared state never falls back to local files. Raises `StateInvalidError` for names that no address can be
    made of.
    """
    backend = (project.document.get("deployment_state") or {}).get("backend", LocalBackend.kind)
    if backend != LocalBackend.kind:
        raise StateUnavailableError(
            f"state in {backend} is not supported yet, and local state does not stand in for it",
            location="/deployment_state/backend",
            suggestion="use `deployment_state: {backend: local}` where one machine applies the project",
        )
    return LocalBackend(project.directory, project.name, project.environment.name)
