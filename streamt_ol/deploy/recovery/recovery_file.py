"""The file of a recovery plan: a new one, for its owner alone; and read as strictly as a state.

The checksum shows that it was not changed by accident, and it is what is confirmed. It is no signature.
"""

from __future__ import annotations

import contextlib
import os
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.deploy.recovery.errors import RecoveryPlanFileError
from streamt_ol.deploy.recovery.recovery_plan import FORMAT_VERSION, KIND, RecoveryPlan, evidence_checksum
from streamt_ol.deploy.state.documents import WORD, document, read_document
from streamt_ol.deploy.state.errors import StateError
from streamt_ol.deploy.state.files import OWNER_ONLY, StateFile
from streamt_ol.deploy.state.history_file import RESOLUTIONS
from streamt_ol.ground.atomic_file import OutputFileError, make_folder, preflight

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.deploy.state.documents import Part

LARGEST: Final = 10 * 2**20
"""Bytes of a file."""
_FIELDS: Final = ("kind", "format_version", "streamt_version", *RecoveryPlan._fields, "evidence_checksum")
_STANDS: Final = ("prior", "candidate", "gone")
_AGAIN: Final = "make it again with `streamt state recovery-plan`"


class LoadedPlan(NamedTuple):
    """A recovery plan as a file has it; the version that wrote it counts for the checksum alone."""

    plan: RecoveryPlan
    evidence_checksum: str


def check_new(path: str) -> None:
    """Refuse a path at which anything is, or at which no file can be; nothing is created."""
    try:
        preflight(path)
    except OutputFileError as error:
        raise _about_out(error.message) from None
    if os.path.lexists(path):
        raise _about_out(f"{path} is there already: a recovery plan takes no other file's place")


def write_new(path: Path, plan: RecoveryPlan) -> str:
    """Write a plan into a new file and return its checksum; whatever fails, no part of it stays."""
    content = plan.content
    evidence = evidence_checksum(content)
    data = document({**content, "evidence_checksum": evidence})
    if len(data) > LARGEST:
        raise _about_out(f"the recovery plan has more than {LARGEST} bytes")
    try:
        make_folder(path.parent)
        descriptor = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, OWNER_ONLY
        )
        try:
            _fill(path, descriptor, data)
        except BaseException:
            with contextlib.suppress(OSError):
                path.unlink()
            raise
    except OSError as error:
        raise _about_out(f"{path} was not written: {error.strerror}") from None
    return evidence


def load_recovery_plan(path: Path) -> LoadedPlan:
    """Return the plan of a file, which only its owner may read; raises RecoveryPlanFileError.

    The checksum is compared before anything but the kind and the version is looked at.
    """
    try:
        data = StateFile(path, "the recovery plan").read(LARGEST, mode=OWNER_ONLY)
        if data is not None:
            return _read(data)
    except StateError as error:
        reason = error.message
        if error.place is not None and error.location is not None:
            reason = f"the recovery plan: {reason}"
        raise _refusal(reason) from None
    raise _refusal("there is no such recovery plan")


def _fill(path: Path, descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, OWNER_ONLY)  # the umask may have narrowed it
        file.write(data)
        file.flush()
        os.fsync(descriptor)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _read(data: bytes) -> LoadedPlan:
    root = read_document(data, "the recovery plan", LARGEST)
    parts = dict(zip(_FIELDS, root.members(*_FIELDS), strict=True))
    _refuse_repeated(root)
    parts["kind"].equals(KIND, f"must be {KIND}")
    parts["format_version"].equals(FORMAT_VERSION, f"must be {FORMAT_VERSION}")
    written = parts["evidence_checksum"].checksum()
    content = {name: value for name, value in root.value.items() if name != "evidence_checksum"}
    if not compare_digest(written, evidence_checksum(content)):
        parts["evidence_checksum"].refuse("is not that of the plan, which was changed after it was written")
    parts["streamt_version"].text()
    if parts["recovery_operation_id"].operation_id() == parts["blocked_operation_id"].operation_id():
        parts["recovery_operation_id"].refuse("is the operation that it recovers")
    plan = RecoveryPlan(
        resolution=parts["resolution"].one_of(RESOLUTIONS),
        blocked_operation_id=parts["blocked_operation_id"].value,
        recovery_operation_id=parts["recovery_operation_id"].value,
        snapshot=_snapshot(parts["snapshot"]),
        targets=tuple(_target(item) for item in parts["targets"].items()),
        candidate_state=_candidate(parts["candidate_state"]),
        environment_fingerprint=_checksum_or_none(parts["environment_fingerprint"]),
        manifest_checksum=_checksum_or_none(parts["manifest_checksum"]),
    )
    return LoadedPlan(plan, written)


def _snapshot(part: Part) -> dict[str, Any]:
    names = ("backend", "store_id", "address", "serial", "checksum", "state_revision", "control_revision")
    backend, store, address, serial, checksum, *revisions = part.members(*names)
    serial.number()
    checksum.checksum()
    for text in (backend, store, address, *revisions):
        text.text()
    return dict(part.value)


def _target(part: Part) -> dict[str, Any]:
    index, resource, action, name, *checksums, stands = part.members(
        "index", "resource_id", "action", "physical_name", "prior", "candidate", "live", "stands"
    )
    index.number()
    resource.text()
    action.formed(WORD, "a word in lower case")
    name.text()
    for each in checksums:
        _checksum_or_none(each)
    stands.one_of(_STANDS)
    return dict(part.value)


def _candidate(part: Part) -> dict[str, Any] | None:
    if part.value is None:
        return None
    serial, checksum, resources = part.members("serial", "checksum", "resources")
    serial.number()
    checksum.checksum()
    for record in resources.entries():
        name, ownership, artifact, backend = record.members(
            "physical_name", "ownership", "artifact_checksum", "backend"
        )
        for text in (name, ownership, backend):
            text.text()
        artifact.checksum()
    return {**part.value, "resources": {name: dict(one) for name, one in resources.value.items()}}


def _checksum_or_none(part: Part) -> str | None:
    return None if part.value is None else part.checksum()


def _refuse_repeated(part: Part) -> None:
    """Refuse keys that stand twice, also where nothing looks for members."""
    if isinstance(part.value, dict):
        for member in part.entries():
            _refuse_repeated(member)
    elif isinstance(part.value, list):
        for item in part.items():
            _refuse_repeated(item)


def _refusal(reason: str) -> RecoveryPlanFileError:
    return RecoveryPlanFileError(reason, location="plan_file", suggestion=_AGAIN)


def _about_out(reason: str) -> RecoveryPlanFileError:
    return RecoveryPlanFileError(reason, location="out", suggestion="name a file that is not there yet")
