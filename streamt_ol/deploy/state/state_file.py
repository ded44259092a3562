"""The document of a state: every resource that the project owns in one environment.

Source: section 3.2 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.canonical import checksum, checksum_of_bytes
from streamt_ol.deploy.state.documents import document, read_document
from streamt_ol.deploy.state.errors import StateInvalidError
from streamt_ol.deploy.state.records import Record, Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.state.documents import Part

VERSION: Final = 1
ABSENT: Final = "ABSENT"
"""The revision of what is not there."""
LARGEST: Final = 10 * 2**20
"""Bytes of a document."""
_OWNERSHIPS: Final = ("managed", "adopted")
_SCHEME: Final = "streamt://"
_SEGMENTS: Final = 4
_NEW = "the state to write"
"""The name in messages of a document that no file holds yet."""


def revision(data: bytes | None) -> str:
    """Return the revision of a document; None is one that is not there."""
    return ABSENT if data is None else checksum_of_bytes(data)


def empty(project: str, environment: str) -> Snapshot:
    """Return the state of a project of which nothing was ever written."""
    return Snapshot(project, environment, 0, {})


def state_checksum(snapshot: Snapshot) -> str:
    """Return the checksum of a state, also of one that was never written; intents and plans carry it."""
    return checksum(_plain(snapshot))


def next_snapshot(snapshot: Snapshot, resources: Mapping[str, Record] | None) -> Snapshot:
    """Return the state that a commit of the resources makes: the same one where nothing changes.

    Raises `StateInvalidError` for resources that no state may hold, and nothing is written then.
    """
    if resources is None or dict(resources) == dict(snapshot.resources):
        return snapshot
    after = snapshot._replace(serial=snapshot.serial + 1, resources=dict(resources))
    encode_state(after)
    return after


def encode_state(snapshot: Snapshot) -> bytes:
    """Return the document of a state; raises `StateInvalidError` for one that could not be read again."""
    data = document(_plain(snapshot))
    decode_state(data, _NEW, snapshot.project, snapshot.environment)
    return data


def decode_state(data: bytes, file: str, project: str, environment: str) -> Snapshot:
    """Return the state of a document, which must be that of the project in the environment.

    `file` is the name that people know it by. Raises `StateInvalidError`.
    """
    version, its_project, its_environment, serial, resources = read_document(data, file, LARGEST).members(
        "state_version", "project", "environment", "serial", "resources"
    )
    version.equals(VERSION, f"must be {VERSION}, the only version of states that this program knows")
    its_project.equals(project, "is another project's: this is not its state")
    its_environment.equals(environment, "is another environment's: this is not its state")
    records = {str(entry.at[-1]): _record(entry, project, environment) for entry in resources.entries()}
    return Snapshot(project, environment, serial.number(), records)


def check_resource_id(part: Part, resource_id: str, project: str, environment: str) -> None:
    """Refuse an id that is not of the form `streamt://PROJECT/ENVIRONMENT/KIND/NAME`, or is another's."""
    part._replace(value=resource_id).text()
    segments = resource_id.removeprefix(_SCHEME).split("/")
    if not resource_id.startswith(_SCHEME) or len(segments) != _SEGMENTS or not all(segments):
        part.refuse("must name a resource as streamt://PROJECT/ENVIRONMENT/KIND/NAME")
    if segments[:2] != [project, environment]:
        part.refuse("is a resource of another project or environment")


def check_identity(project: str, environment: str) -> None:
    """Refuse names that no address can be made of."""
    for name, location in ((project, "/project/name"), (environment, "environment")):
        if not name or "/" in name or not name.isprintable():
            raise StateInvalidError(
                "no address can be made of a name that is empty, or has a `/` or what cannot be shown",
                location=location,
            )


def _plain(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "state_version": VERSION,
        "project": snapshot.project,
        "environment": snapshot.environment,
        "serial": snapshot.serial,
        "resources": {name: record._asdict() for name, record in snapshot.resources.items()},
    }


def _record(entry: Part, project: str, environment: str) -> Record:
    check_resource_id(entry, str(entry.at[-1]), project, environment)
    name, ownership, artifact, backend = entry.members(*Record._fields)
    return Record(name.text(), ownership.one_of(_OWNERSHIPS), artifact.checksum(), backend.text())
