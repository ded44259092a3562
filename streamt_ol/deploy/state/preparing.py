"""What confirms a change of the store of a shared state."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from streamt_ol.deploy.state.opening import is_shared
from streamt_ol.ground.errors import StreamtError

if TYPE_CHECKING:
    from streamt_ol.deploy.state.postgres.settings import PostgresSettings
    from streamt_ol.project.records import Project


class StoreConfirmationError(StreamtError):
    """What is confirmed is not where the state is."""

    code: ClassVar[str] = "E503_ENVIRONMENT_ERROR"


class LocalStoreError(StreamtError):
    """The state is in local files, of which nothing is prepared."""

    code: ClassVar[str] = "E421_REMOTE_STATE_REQUIRED"


class StoreConfirmations(NamedTuple):
    """What somebody who knows where the state belongs confirms."""

    database: str
    schema: str
    address: str


def require_shared(project: Project) -> None:
    """Refuse a project with local state: LocalStoreError."""
    if not is_shared(project):
        raise LocalStoreError(
            "the project keeps its state in files of its folder, which need no preparation",
            location="/deployment_state",
            suggestion="deployment_state: {backend: postgres, ...} shares it",
        )


def require_named(confirmed: StoreConfirmations, settings: PostgresSettings) -> None:
    """Refuse confirmations of another place than the project names, before anything is connected to."""
    for name in ("schema", "address"):
        expected = getattr(settings, name)
        if not compare_digest(getattr(confirmed, name).encode(), expected.encode()):
            raise StoreConfirmationError(
                f"is not what the project says: {expected}", location=f"confirm_{name}"
            )


def require_database(confirmed: StoreConfirmations, found: str, variable: str) -> None:
    """Refuse the confirmation of another database; which one it is is not told."""
    if not compare_digest(confirmed.database.encode(), found.encode()):
        raise StoreConfirmationError(
            f"is not the name of the database that {variable} leads to", location="confirm_database"
        )
