"""Texts in configurations of connectors that look like variables, which only `runtime` has.

No value is shown: of a variable its name, never its default. Source: section 2 of the project language.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.engine.ruleset import Needs
from streamt_ol.governance.facts import ConnectorSetting
from streamt_ol.governance.findings import Finding
from streamt_ol.ground.pointer import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.ground.errors import Diagnostic
    from streamt_ol.project.records import Project

CONNECTOR_NEEDS: Final = Needs(
    tables={"connector-settings": ["code", "message", "suggestion"]},
    catalogues={},
    records={"connector_setting": ConnectorSetting},
)

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}")
"""What `runtime` would have replaced."""
_CAPITAL: Final = re.compile(r"[A-Z0-9_]+")


def connector_findings(project: Project, rules: RuleSet) -> Iterator[Finding]:
    """Yield what the table `connector-settings` says of sinks and the connections that they use."""
    table = rules.table("connector-settings")
    for facts in dict.fromkeys(_settings(project)):
        decision = table.decide(facts)
        if decision.get("code") is not None:
            suggestion = decision["suggestion"](facts)
            yield Finding(decision["code"], decision["message"](facts), facts.at, suggestion)


def connector_warnings(project: Project, rules: RuleSet) -> list[Diagnostic]:
    """Return the same as what commands show that do not review a project."""
    return [finding.diagnostic(project.origins) for finding in connector_findings(project, rules)]


def _settings(project: Project) -> Iterator[ConnectorSetting]:
    connections = project.document.get("connections") or {}
    for position, model in enumerate(project.models):
        sink = model.raw.get("sink") or {}
        own = sink.get("config") or {}
        yield from _of(own, ("models", position, "sink"), f"the sink of model '{model.name}'")
        name = sink.get("connection")
        shared = (connections.get(name) or {}).get("config") or {}
        used = {key: value for key, value in shared.items() if key not in own}
        yield from _of(used, ("connections", name), f"connection '{name}'")


def _of(config: Mapping[str, Any], path: tuple[Any, ...], holder: str) -> Iterator[ConnectorSetting]:
    for key, value in config.items():
        for text in value if isinstance(value, list) else [value]:
            for name, default in _VARIABLE.findall(text) if isinstance(text, str) else ():
                yield ConnectorSetting(
                    at=pointer(*path, "config", key),
                    key=key,
                    holder=holder,
                    placeholder=f"${{{name}}}",
                    lookup=f"${{env:{name}}}",
                    form="default" if default else "plain",
                    letters="capital" if _CAPITAL.fullmatch(name) else "other",
                )
