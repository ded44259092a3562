"""Gateway rules on the Conduktor Gateway of `runtime.conduktor.gateway`.

Two questions show everything: aliases and interceptors. A rule is its alias, and the interceptors that have
its name in theirs; those of others are never touched, also where they act on the same alias.
Source: section 4 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.providers.gateway.changes import carry_out, changes
from streamt_ol.deploy.providers.gateway.facts import GATEWAY_NEEDS
from streamt_ol.deploy.providers.gateway.resources import (
    ALIAS,
    INTERCEPTOR,
    PATHS,
    UndocumentedError,
    identified,
    listed,
    rule_surface,
    virtual_cluster,
)
from streamt_ol.deploy.providers.service import Service
from streamt_ol.deploy.providers.service_records import About
from streamt_ol.deploy.records import Live

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.records import Action, Surface, Wanted
    from streamt_ol.engine.ruleset import RuleSet

_AT: Final = "/runtime/conduktor/gateway"


class GatewayRules:
    """The provider of Gateway rules. `seconds` bounds each request."""

    kind = "gateway_rule"

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet, *, seconds: float | None = None) -> None:
        rules.require(GATEWAY_NEEDS)
        if seconds is None:
            seconds = rules.catalogue("gateway-bounds")["request_seconds"]["limit"]
        self._cluster = virtual_cluster(runtime)
        self._words = tuple(rules.catalogue("gateway-interceptors").entries)
        self._service = Service(
            "gateway",
            "Conduktor Gateway",
            _AT,
            (runtime.get("conduktor") or {}).get("gateway"),
            rules,
            key="admin_url",
            path="/gateway/v2",
            reason=_reason,
            seconds=seconds,
        )

    def observe(self, wanted: Sequence[Wanted]) -> dict[str, Live]:
        """Return what is there of each rule; raises RequestRefusedError."""
        names = [one.physical_name for one in wanted]
        found = self._surfaces(names, "its aliases and interceptors")
        return {name: Live(self.kind, name, found[name]) for name in names}

    def execute(self, action: Action) -> None:
        """Carry a planned action out, whole or not at all.

        Raises ProviderError where everything is as before, or `done` says what is not; OutcomeUnknownError
        where nobody knows.
        """
        name = action.physical_name
        there = self._surfaces([name], f"Gateway rule '{name}'")[name]
        if there != action.before:
            self._refuse_moved(action, there)
        carry_out(self._service, list(changes(identified(name, there), identified(name, action.after))))

    def undo(self, action: Action) -> bool:
        """Remove a rule that the action created, if it is as it was created; raises like `execute`.

        What an update or a deletion did is not taken back: False.
        """
        name = action.physical_name
        if action.before is not None or action.after is None:
            return False
        there = self._surfaces([name], f"Gateway rule '{name}'")[name]
        if there != action.after:
            return False
        carry_out(self._service, list(changes(identified(name, there), {})))
        return True

    def _surfaces(self, names: Sequence[str], what: str) -> dict[str, Surface | None]:
        there = {
            identity: surface
            for kind in (ALIAS, INTERCEPTOR)
            for identity, surface in self._listed(kind, what).items()
        }
        return {name: rule_surface(name, self._cluster, self._words, there) for name in names}

    def _listed(self, kind: str, what: str) -> Mapping[Any, Surface]:
        about = About(what)
        told = self._service.question(PATHS[kind], about)
        try:
            return listed(kind, told)
        except UndocumentedError as error:
            reason = f"its answer is not what is documented: {error}"
        raise self._service.failure("malformed", "question", about, reason)

    def _refuse_moved(self, action: Action, there: Surface | None) -> None:
        name = action.physical_name
        before, now = identified(name, action.before), identified(name, there)
        moved = tuple(
            str(identity)
            for identity in [*before, *(one for one in now if one not in before)]
            if before.get(identity) != now.get(identity)
        )
        about = About(f"Gateway rule '{name}'")
        raise self._service.failure("moved", "change", about, ", ".join(moved), fields=moved)


def _reason(told: Any) -> str | None:
    """Return the Gateway's own words about a failure: title, message and cause."""
    words = [told.get(key) for key in ("title", "msg", "message", "cause")]
    return ": ".join(word for word in words if isinstance(word, str) and word) or None
