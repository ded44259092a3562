"""Environment variables around a transport: those that set a key, and those that must not be set.

A name that nearly is one of the supported variables is refused, whatever its case and underscores: who is
wrong about it would send events without a key, or to nowhere. Source: section 6.1 of the runtime facts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from streamt_ol.runs.config_errors import TransportFault, refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamt_ol.engine.ruleset import RuleSet

DISABLED = "openlineage.disabled"
ENVIRONMENT = "openlineage.environment"
_OURS = "OPENLINEAGE"
_TRANSPORT = "TRANSPORT__"
_ALIKE = 0.8
"""How alike a name must be to be suggested, from 0 to 1: `HEADERS` is like nothing."""
_DECIMAL = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_INTEGER = re.compile(r"-?[0-9]+")
_LONGEST_NUMBER = 100
"""Characters; a longer number is out of every bound, and tires who reads it."""


def refuse_variables(variables: Mapping[str, str], rules: RuleSet) -> None:
    """Refuse OPENLINEAGE_DISABLED, variables of old, and unknown names. Raises TransportConfigError."""
    around = rules.catalogue("transport-variables").entries
    for name, entry in around.items():
        if name in variables and entry["role"] == "disabled" and variables[name] != "false":
            fault = "disabled_true" if variables[name] == "true" else "disabled_word"
            raise refusal(TransportFault(fault, DISABLED, name), rules)
    for name, entry in around.items():
        if name in variables and entry["role"] == "legacy":
            raise refusal(TransportFault("variable_legacy", ENVIRONMENT, name, near=entry["instead"]), rules)
    supported = [name for name, entry in around.items() if entry["role"] != "legacy"]
    settable = [
        key["variable"] for key in rules.catalogue("transport-keys").entries.values() if "variable" in key
    ]
    for name in sorted(variables):
        meant = _misspelled(name, [*supported, *settable])
        if meant is not None:
            raise refusal(TransportFault("variable_misspelled", ENVIRONMENT, name, near=meant), rules)
        if _reserved(name) is not None and name not in settable:
            near = ", ".join(settable)
            raise refusal(TransportFault("variable_unknown", ENVIRONMENT, name, near=near), rules)


def nearest(word: str, known: Sequence[str]) -> str | None:
    """Return the known word that differs by case, underscores and dashes only, else the most alike one."""
    for other in known:
        if _bare(other) == _bare(word):
            return other
    from difflib import get_close_matches  # only what is wrong has a neighbour

    by_form = {other.lower(): other for other in known}
    near = get_close_matches(word.lower(), by_form, n=1, cutoff=_ALIKE)
    return by_form[near[0]] if near else None


def read_variable(text: str, reading: str) -> Any:
    """Return what the text of a variable says; the text itself where it is not of its form."""
    if reading == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if len(text) > _LONGEST_NUMBER:
        return text
    if reading == "decimal" and _DECIMAL.fullmatch(text):
        return float(text)
    if reading == "integer" and _INTEGER.fullmatch(text):
        return int(text)
    return text


def _misspelled(name: str, known: Iterable[str]) -> str | None:
    """Return the variable that a name is meant to be; None for one that is right, or like nothing."""
    known = list(known)
    if name in known or not name.upper().startswith(_OURS):
        return None
    for other in known:
        if _bare(other) == _bare(name):
            return other
    rest = _reserved(name)
    if rest is None:
        return None
    begun = _TRANSPORT if rest.upper().startswith(_TRANSPORT) else ""
    ends = {end.removeprefix(begun): other for other in known if (end := _reserved(other)) is not None}
    near = nearest(rest[len(begun) :], list(ends))
    return None if near is None else ends[near]


def _reserved(name: str) -> str | None:
    """Return what follows the two underscores of a name that only a key of the transport can have."""
    head, mark, rest = name.partition("__")
    return rest if mark and head.upper() == _OURS else None


def _bare(name: str) -> str:
    return re.sub("[-_]", "", name).lower()
