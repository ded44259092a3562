"""The shape of a saved plan: what has a valid checksum and still is no plan is refused, too.

Source: section 1.7 of the runtime facts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.planning.errors import PlanFileError, ResourceIdentityError
from streamt_ol.deploy.planning.identity import parse_identity
from streamt_ol.deploy.planning.restores import DISCARDED, FRESH, NAMED, RESTORE, STOPPED
from streamt_ol.deploy.planning.restores import KIND as RESTORED_KIND
from streamt_ol.deploy.planning.reviewed import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXTS = ("streamt_version", "project", "environment", "environment_fingerprint", "manifest_checksum")
_STATE = {"backend": str, "store_id": str, "address": str, "serial": int, "checksum": str}
_ACTION = {
    "index": int,
    "resource_id": str,
    "action": str,
    "gateway_evidence": object,
    "connector_evidence": object,
    "flink_evidence": object,
}
_RESTORED = frozenset({STOPPED, NAMED, FRESH, DISCARDED, "none"})
_DELETE = "delete"
_CHECKSUM = re.compile(r"sha256:[0-9a-f]{64}")
_PLAN = {
    "summary": dict,
    "resources": list,
    "impact": list,
    "change_risks": list,
    "risk_summary": dict,
    "ownership_requirements": list,
    "safety_blockers": list,
    "connector_removal_assessments": list,
    "gateway_removal_assessments": list,
}


def check_shape(content: Mapping[str, Any]) -> None:
    """Refuse what is no plan; `content` has exactly the fields of one. Raises PlanFileError."""
    for name in _TEXTS:
        _require(isinstance(content[name], str) and bool(content[name]), name)
    _require(type(content["offline"]) is bool, "offline")
    _require(content["selection"] is None or isinstance(content["selection"], dict), "selection")
    _require(_has(content["plan"], _PLAN), "plan")
    _check_state(content)
    _check_actions(content)


def _check_state(content: Mapping[str, Any]) -> None:
    state = content["state"]
    if content["offline"]:
        _require(state is None, "state")
        _require(content["actions"] == [], "actions")
        return
    _require(_has(state, _STATE) and state["serial"] >= 0, "state")
    # A store that holds the states of several teams has a name for each before the project's.
    place = f"{content['project']}/{content['environment']}"
    head, tail = (re.escape(part) for part in (state["backend"], place))
    address = re.compile(rf"streamt-state://{head}/([^/]+/)?{tail}")
    _require(address.fullmatch(state["address"]) is not None, "state/address")


def _check_actions(content: Mapping[str, Any]) -> None:
    actions = content["actions"]
    _require(isinstance(actions, list), "actions")
    known: set[str] = set()
    for position, action in enumerate(actions):
        at = f"actions/{position}"
        _require(_has(action, _ACTION) and action["index"] == position, at)
        _require(_whose(action["resource_id"]) == (content["project"], content["environment"]), at)
        _require(action["resource_id"] not in known, at)
        kind = parse_identity(action["resource_id"]).kind
        for of_kind, name in EVIDENCE.items():
            needed = kind == of_kind
            _require(_is_evidence(action[name], action["action"], of_kind, needed=needed), f"{at}/{name}")
        known.add(action["resource_id"])


def _is_evidence(value: Any, action: str, kind: str, *, needed: bool) -> bool:
    """Return whether a value is the evidence of an action; None where it needs none."""
    if not needed:
        return value is None
    restored = kind == RESTORED_KIND
    keys = {"before", "after"} | ({RESTORE, "savepoint"} if restored else set())
    if not isinstance(value, dict) or value.keys() != keys:
        return False
    if restored and not (value[RESTORE] in _RESTORED and _is_path(value["savepoint"], value[RESTORE])):
        return False
    before, after = value["before"], value["after"]
    known = all(
        part is None or (isinstance(part, str) and _CHECKSUM.fullmatch(part)) for part in (before, after)
    )
    return known and (after is None) == (action == _DELETE) and (before is not None or after is not None)


def _is_path(value: Any, restore: str) -> bool:
    """Return whether a savepoint has a name where one is named, and none elsewhere."""
    return (isinstance(value, str) and bool(value)) if restore == NAMED else value is None


def _whose(resource_id: str) -> tuple[str, str] | None:
    """Return project and environment of a resource; None for a text that names none."""
    try:
        who = parse_identity(resource_id)
    except ResourceIdentityError:
        return None
    return who.project, who.environment


def _has(value: Any, fields: Mapping[str, type]) -> bool:
    """Return whether a value is an object of exactly these fields and types; true is no number."""
    return (
        isinstance(value, dict)
        and value.keys() == fields.keys()
        and all(
            isinstance(value[name], kind) and not (kind is int and isinstance(value[name], bool))
            for name, kind in fields.items()
        )
    )


def _require(holds: bool, at: str) -> None:  # noqa: FBT001 - it is the condition
    if not holds:
        raise PlanFileError(
            f"the plan has something at `{at}` that no plan has there",
            location="plan_file",
            suggestion="make it again with `streamt plan --out FILE`",
        )
