"""Which namespace jobs and datasets live in: option over variable over derivation, never a fall-through.

Source: "Namespace selection" of the integration document; the rows are `rules/namespaces.yml`
(candidates) and `rules/namespace-selection.yml` (which one is taken).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.compiler.facts import presence
from streamt_ol.ground.records import shown_without
from streamt_ol.lineage.errors import EndpointAmbiguousError, NamespaceInvalidError, NamespaceMissingError
from streamt_ol.lineage.facts import ChoiceFacts
from streamt_ol.lineage.kafka_uris import SCHEME, agreement_hint, endpoint_problem, uri_problem
from streamt_ol.lineage.texts import text_state

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.engine.tables import Decision

Namespaces = Mapping[str, str]
"""Namespace key to its value, for those that were selected."""


class Candidates(NamedTuple):
    """What the command line and the environment offer."""

    options: Mapping[str, str | None]
    """Option name (`kafka_namespace`) to its value; None where it was not given."""
    variables: Mapping[str, str]
    prefix: str = ""
    """What the command writes before the name of each option: `openlineage-`."""

    def spelled(self, entry: Mapping[str, Any]) -> str:
        """Return the option of a namespace as a user writes it, without the dashes before it."""
        return self.prefix + str(entry["option"]).replace("_", "-")

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "options", "variables")


def select_given(candidates: Candidates, rules: RuleSet) -> Namespaces:
    """Return the namespaces that options or variables select, all checked, needed or not.

    Raises NamespaceInvalidError or, for one that is always required, NamespaceMissingError. This runs before
    anything is compiled.
    """
    selected: dict[str, str] = {}
    for key, entry in rules.catalogue("namespaces").entries.items():
        decision, facts = _decide(
            key, entry, candidates, rules, needed=entry["required"] == "always", endpoint="none"
        )
        given = candidates.options.get(entry["option"]) if decision["take"] == "option" else None
        if decision["take"] == "variable":
            given = candidates.variables[entry["variable"]]
        if given is not None:
            selected[key] = _checked(given, entry)
        elif decision.get("message") is not None:
            raise NamespaceMissingError(decision["message"](facts), location=entry["option"])
    return selected


def complete(
    given: Namespaces,
    needed: frozenset[str],
    endpoints: Mapping[str, str | None],
    candidates: Candidates,
    rules: RuleSet,
) -> Namespaces:
    """Return the given namespaces and those that are needed and derived from a runtime address.

    Raises NamespaceMissingError or EndpointAmbiguousError at the address, for a needed one.
    """
    namespaces = dict(given)
    for key, entry in rules.catalogue("namespaces").entries.items():
        if key in namespaces:
            continue
        endpoint = endpoints.get(entry["endpoint"]) if "endpoint" in entry else None
        decision, facts = _decide(
            key, entry, candidates, rules, needed=key in needed, endpoint=presence(endpoint)
        )
        if decision["take"] == "endpoint" and endpoint is not None:
            namespaces[key] = _derived(endpoint, entry, candidates.spelled(entry))
        elif decision.get("message") is not None:
            raise NamespaceMissingError(
                decision["message"](facts), location=entry.get("endpoint", entry["option"])
            )
    return namespaces


def _decide(
    key: str, entry: Mapping[str, Any], candidates: Candidates, rules: RuleSet, *, needed: bool, endpoint: Any
) -> tuple[Decision, ChoiceFacts]:
    facts = ChoiceFacts(
        at=key,
        option=presence(candidates.options.get(entry["option"])),
        variable=presence(candidates.variables.get(entry["variable"])),
        needed=needed,
        endpoint=endpoint,
        option_name=candidates.spelled(entry),
        variable_name=entry["variable"],
    )
    return rules.table("namespace-selection").decide(facts), facts


def _checked(given: str, entry: Mapping[str, Any]) -> str:
    location = entry["option"]
    try:
        # What reaches a process as bytes is text only if those bytes are UTF-8, whatever the locale says.
        text = os.fsencode(given).decode("utf-8")
    except UnicodeError:
        raise NamespaceInvalidError("the namespace is not valid UTF-8 text", location=location) from None
    state = text_state(text)
    if state in ("empty", "blank"):
        raise NamespaceInvalidError(f"the namespace is {state}", location=location)
    if state == "unrendered":
        raise NamespaceInvalidError(
            f"the namespace still holds a variable or template: {text}", location=location
        )
    problem = uri_problem(text) if entry["form"] == "kafka_uri" else None
    if problem is not None:
        raise NamespaceInvalidError(f"the namespace is not kafka://host:port: {problem}", location=location)
    return text


def _derived(endpoint: str, entry: Mapping[str, Any], option: str) -> str:
    location = entry["endpoint"]
    problem = endpoint_problem(endpoint)
    if problem is not None:
        hint = agreement_hint(endpoint) if "," in endpoint else None
        message = (
            f"no namespace follows from this address: {problem}; give --{option} or set {entry['variable']}"
        )
        raise EndpointAmbiguousError(f"{message} ({hint})" if hint else message, location=location)
    return SCHEME + endpoint.strip()
