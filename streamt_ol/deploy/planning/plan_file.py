"""The file of a plan: written whole or not at all for its owner alone, and read strictly.

Source: section 1.7 of the runtime facts.
"""

from __future__ import annotations

import json
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, NoReturn

from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.planning.errors import PlanFileError
from streamt_ol.deploy.planning.plan_shape import check_shape
from streamt_ol.deploy.planning.reviewed import FORMAT_VERSION, KIND, ReviewedPlan
from streamt_ol.ground.atomic_file import OutputFileError, preflight, write_atomically
from streamt_ol.ground.json_text import NoNumberError, RepeatedKeyError, read_json

if TYPE_CHECKING:
    from pathlib import Path

LARGEST = 10 * 2**20
"""Bytes of a file."""
LOCATION = "plan_file"
FIELDS = (
    "kind",
    "format_version",
    "streamt_version",
    "project",
    "environment",
    "environment_fingerprint",
    "manifest_checksum",
    "state",
    "selection",
    "offline",
    "plan",
    "actions",
    "checksum",
)
_OWNER_ONLY = 0o600
_AGAIN = "make it again with `streamt plan --out FILE`"


def plan_bytes(plan: ReviewedPlan) -> bytes:
    """Return a plan as its file holds it: indented, keys sorted, UTF-8, a line feed at the end."""
    document = {**plan.document, "checksum": plan.checksum}
    return f"{json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)}\n".encode()


def check_target(path: Path | str) -> None:
    """Refuse a path that no plan could be written to, before any work is done for one: PlanFileError."""
    try:
        preflight(path)
    except OutputFileError as error:
        raise _about(error) from None


def write_plan(path: Path | str, plan: ReviewedPlan) -> None:
    """Write a plan, in the place of whatever plan is there; raises PlanFileError."""
    try:
        write_atomically(path, plan_bytes(plan), mode=_OWNER_ONLY)
    except OutputFileError as error:
        raise _about(error) from None


def load_plan(path: Path) -> ReviewedPlan:
    """Return the plan of a file. An offline plan is one, too: whoever applies plans refuses it.

    Raises PlanFileError for a file that cannot be read or was not written by this version as it stands there.
    The checksum is compared before anything else is looked at but the version.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise PlanFileError(f"the plan cannot be read: {error.strerror}", location=LOCATION) from None
    return parse_plan(data)


def parse_plan(data: bytes) -> ReviewedPlan:
    """Return the plan of the bytes of a file; raises PlanFileError."""
    if len(data) > LARGEST:
        _refuse(f"has more than {LARGEST} bytes")
    document = _read(data)
    if not isinstance(document, dict) or document.get("kind") != KIND:
        _refuse(f"is no plan: its kind is not `{KIND}`")
    _check_version(document.get("format_version"))
    for name in (*document, *FIELDS):
        if name not in FIELDS or name not in document:
            _refuse(f"lacks `{name}`" if name in FIELDS else f"has the key `{name}`, which no plan has")
    content = {name: part for name, part in document.items() if name != "checksum"}
    written = document["checksum"]
    if not isinstance(written, str) or not compare_digest(written.encode(), checksum(content).encode()):
        _refuse("was changed after it was written: its checksum is another")
    check_shape(content)
    return ReviewedPlan(content)


def _check_version(version: Any) -> None:
    if type(version) is not int or version < 1:
        _refuse("has no format version")
    if version < FORMAT_VERSION:
        _refuse(f"has the format {version}, which an earlier version wrote")
    if version > FORMAT_VERSION:
        _refuse(f"has the format {version}, which this version does not know")


def _read(data: bytes) -> Any:
    reason = "is not JSON"
    try:
        return read_json(data.decode())
    except UnicodeDecodeError:
        reason = "is not UTF-8"
    except RepeatedKeyError:
        reason = "has a key twice in one object"
    except NoNumberError:
        reason = "holds a number that is none"
    except RecursionError:
        reason = "is nested too deep"
    except ValueError:
        pass
    raise _refusal(reason)  # outside: the errors of the reader hold all that was read


def _refuse(reason: str) -> NoReturn:
    raise _refusal(reason)


def _refusal(reason: str) -> PlanFileError:
    return PlanFileError(f"the plan {reason}", location=LOCATION, suggestion=_AGAIN)


def _about(error: OutputFileError) -> PlanFileError:
    return PlanFileError(error.message, location="out", suggestion=error.suggestion)
