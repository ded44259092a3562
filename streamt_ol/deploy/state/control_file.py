"""The document of a control: the operation that is under way or unfinished, word by word.

Source: section 2.3 of the runtime facts.
"""

from __future__ import annotations

from typing import Any, Final

from streamt_ol.deploy.state.documents import WORD, Part, document, read_document
from streamt_ol.deploy.state.errors import OperationStepError, StateInvalidError
from streamt_ol.deploy.state.operations import (
    CLEAR,
    COMPLETED,
    FAILURE_CODES,
    IN_PROGRESS,
    KINDS,
    RECOVERY_REQUIRED,
    STARTED,
    check_control,
)
from streamt_ol.deploy.state.records import Control, IntendedAction, Intent, Progress, Recovery
from streamt_ol.deploy.state.state_file import check_resource_id
from streamt_ol.ground.errors import Place

VERSION: Final = 1
LARGEST: Final = 10 * 2**20
"""Bytes of a document."""
_LONGEST_ACTOR: Final = 128
_STATUSES: Final = (CLEAR, IN_PROGRESS, RECOVERY_REQUIRED)
_NEW: Final = "the control to write"
"""The name in messages of a document that no file holds yet."""


def encode_control(control: Control, address: str, project: str, environment: str) -> bytes:
    """Return the document of a control; raises `StateInvalidError` for one that could not be read again."""
    data = _written(control, address)
    decode_control(data, _NEW, address, project, environment)
    return data


def encode_progress(control: Control, address: str) -> bytes:
    """Return the document of a control of which only the last word is not written yet.

    Raises `StateInvalidError` for one that could not be read again. The rest is not looked at once more: an
    operation of many actions would be read from its beginning at each of them.
    """
    entry = document(control.progress[-1]._asdict())
    _entry(read_document(entry, _NEW, LARGEST)._replace(at=("progress", len(control.progress) - 1)))
    data = _written(control, address)
    Part(None, _NEW).require_size(len(data), LARGEST)
    return data


def _written(control: Control, address: str) -> bytes:
    plain = {
        "control_version": VERSION,
        "address": address,
        "status": control.status,
        "intent": None if control.intent is None else _plain_intent(control.intent),
        "progress": [entry._asdict() for entry in control.progress],
        "recovery": None if control.recovery is None else _plain_recovery(control.recovery),
    }
    return document(plain)


def decode_control(data: bytes, file: str, address: str, project: str, environment: str) -> Control:
    """Return the control of a document, which must be that of the address.

    `file` is the name that people know it by. Raises `StateInvalidError`, also for steps that do not follow
    from each other.
    """
    root = read_document(data, file, LARGEST)
    version, its_address, its_status, its_intent, its_progress, its_recovery = root.members(
        "control_version", "address", "status", "intent", "progress", "recovery"
    )
    version.equals(VERSION, f"must be {VERSION}, the only version of controls that this program knows")
    its_address.equals(address, "is another state's: this is not its control")
    status = its_status.one_of(_STATUSES)
    _check_presence(its_intent, wanted=status != CLEAR, status=status)
    _check_presence(its_recovery, wanted=status == RECOVERY_REQUIRED, status=status)
    if status == CLEAR:
        if its_progress.items():
            its_progress.refuse("must be empty where the status is clear")
        return Control(CLEAR)
    intent = _intent(its_intent, project, environment)
    progress = tuple(_entry(item) for item in its_progress.items())
    recovery = _recovery(its_recovery) if status == RECOVERY_REQUIRED else None
    control = Control(status, intent, progress, recovery)
    try:
        check_control(control)
    except OperationStepError as error:
        raise StateInvalidError(error.message, location=error.location, place=Place(file)) from None
    return control


def _check_presence(part: Part, *, wanted: bool, status: str) -> None:
    if (part.value is not None) != wanted:
        part.refuse(f"must {'not ' if wanted else ''}be null where the status is {status}")


def _plain_intent(intent: Intent) -> dict[str, Any]:
    actions = [action._asdict() for action in intent.actions]
    for action in actions:
        action["index"] = action.pop("position")
    return {**intent._asdict(), "actions": actions}


def _plain_recovery(recovery: Recovery) -> dict[str, Any]:
    # It is never known that a call to a service has not succeeded, so there is no other value.
    return {**recovery._asdict(), "mutation_may_have_succeeded": True}


def _intent(part: Part, project: str, environment: str) -> Intent:
    operation, kind, started, actor, serial, prior, reviewed, actions = part.members(*Intent._fields)
    return Intent(
        operation.operation_id(),
        kind.one_of(KINDS),
        started.time(),
        actor.text(_LONGEST_ACTOR),
        serial.number(),
        prior.checksum(),
        None if reviewed.value is None else reviewed.checksum(),
        tuple(_action(item, project, environment) for item in actions.items()),
    )


def _action(part: Part, project: str, environment: str) -> IntendedAction:
    index, resource, action, name, prior, candidate, cluster = part.members(
        "index", *IntendedAction._fields[1:]
    )
    check_resource_id(resource, resource.text(), project, environment)
    return IntendedAction(
        index.number(),
        resource.text(),
        _word(action),
        name.text(),
        None if prior.value is None else prior.checksum(),
        None if candidate.value is None else candidate.checksum(),
        None if cluster.value is None else cluster.text(),
    )


def _entry(part: Part) -> Progress:
    operation, index, resource, action, status, succeeded, recorded = part.members(*Progress._fields)
    return Progress(
        operation.operation_id(),
        index.number(),
        resource.text(),
        _word(action),
        status.one_of((STARTED, COMPLETED)),
        None if succeeded.value is None else succeeded.flag(),
        recorded.time(),
    )


def _recovery(part: Part) -> Recovery:
    operation, failure, at, last, uncertain = part.members(*Recovery._fields, "mutation_may_have_succeeded")
    if not uncertain.flag():
        uncertain.refuse("must be true: nobody can know that")
    return Recovery(
        operation.operation_id(),
        failure.one_of(FAILURE_CODES),
        at.time(),
        None if last.value is None else last.number(),
    )


def _word(part: Part) -> str:
    return part.formed(WORD, "a word in lower case")
