"""Connectors on the Kafka Connect clusters of `runtime.connect`. Source: section 4 of the runtime facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.providers.connect.changing import Change, about
from streamt_ol.deploy.providers.connect.cluster import ConnectCluster
from streamt_ol.deploy.providers.connect.errors import ConnectorNameError
from streamt_ol.deploy.providers.connect.facts import CONNECT_NEEDS
from streamt_ol.deploy.providers.connect.keys import differing
from streamt_ol.deploy.providers.connect.names import WHAT_HELPS, is_usable
from streamt_ol.deploy.records import Live

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.records import Action, Wanted
    from streamt_ol.engine.ruleset import RuleSet

_CREATE: Final = "create"


class Connectors:
    """The provider of connectors. `seconds` bounds each request, and the wait for a change to be seen."""

    kind = "connector"

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet, *, seconds: float | None = None) -> None:
        rules.require(CONNECT_NEEDS)
        self._runtime = runtime
        self._rules = rules
        self._seconds = seconds
        self._clusters: dict[str | None, ConnectCluster] = {}

    def observe(self, wanted: Sequence[Wanted]) -> dict[str, Live]:
        """Return what is there of each connector, in one question each; raises ProviderError."""
        for one in wanted:
            _refuse_unusable(one.physical_name)
        return {
            one.physical_name: Live(
                self.kind,
                one.physical_name,
                self._cluster(one.cluster).surface(
                    one.physical_name, about(one.physical_name, "shown", one.surface)
                ),
            )
            for one in wanted
        }

    def execute(self, action: Action) -> str | None:
        """Carry a planned action out, and see that it is; return the states that were seen.

        Raises ProviderError where it is known not to be carried out, or to have brought nothing that works,
        OutcomeUnknownError where nobody knows.
        """
        return self._change(action).carried_out()

    def undo(self, action: Action) -> bool:
        """Delete a connector that the action created, if it is as it was created; raises like `execute`.

        Everything else cannot be taken back: False.
        """
        if action.action != _CREATE:
            return False
        deletion = self._change(action._replace(action="delete", before=action.after, after=None))
        if differing(action.after, deletion.live()):
            return False
        deletion.carried_out()
        return True

    def _change(self, action: Action) -> Change:
        _refuse_unusable(action.physical_name)
        return Change(action, self._cluster(action.cluster), self._rules, self._seconds)

    def _cluster(self, alias: str | None) -> ConnectCluster:
        if alias not in self._clusters:
            self._clusters[alias] = ConnectCluster(alias, self._runtime, self._rules, self._seconds)
        return self._clusters[alias]


def _refuse_unusable(name: str) -> None:
    if not is_usable(name):
        raise ConnectorNameError(
            f"no connector can be found again under the name {name!r}", suggestion=WHAT_HELPS
        )
