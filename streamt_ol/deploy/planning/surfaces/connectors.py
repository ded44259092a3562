"""Connectors as plans compare them: the whole configuration, in the texts that Kafka Connect keeps.

A surface is `{"config": {key: text}}`. Nobody can tell which of the values are secrets, so a plan shows the
keys and what becomes of them. Sources: sections 1.7 and 4 of the runtime facts.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.planning.changes import FieldChange
from streamt_ol.deploy.planning.surfaces.kind_surfaces import Described, KindSurfaces
from streamt_ol.deploy.providers.connect.keys import changed_keys, field_names
from streamt_ol.deploy.providers.connect.names import WHAT_HELPS, is_usable
from streamt_ol.ground.errors import StreamtError
from streamt_ol.ground.pointer import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.planning.facts import PlannedChange
    from streamt_ol.deploy.records import Surface
    from streamt_ol.engine.ruleset import RuleSet

_LARGEST_EXACT: Final = 2**53
"""Whole numbers up to here are what was written, whatever has read them."""


class ConnectorSettingError(StreamtError):
    """A setting of a connector, or its name, is nothing that Kafka Connect could be told."""

    code = "E501_PARSE_ERROR"


def connector_surface(config: Mapping[str, Any], at: Mapping[str, str]) -> Surface:
    """Return the surface of a compiled configuration; a key without a value is left out.

    `at` has the place of each key. Raises ConnectorSettingError, located there; it shows no value.
    """
    return {
        "config": {key: _text(value, at[key]) for key, value in sorted(config.items()) if value is not None}
    }


def _described(artifact: Artifact, graph: Graph, _rules: RuleSet) -> Described:
    if not is_usable(artifact.name):
        raise ConnectorSettingError(
            "Kafka Connect could create a connector of this name, and would not find it again",
            location=artifact.at,
            suggestion=WHAT_HELPS,
        )
    config = artifact.content["config"]
    places = _places(artifact, graph)
    return Described(connector_surface(config, places), artifact.content["cluster"])


def _places(artifact: Artifact, graph: Graph) -> dict[str, str]:
    """Return where each key of a configuration is written: the sink's are over those of its connection."""
    model = next(model for model in graph.models if model.declared.name == artifact.owner)
    sink = model.declared.raw["sink"]
    own = sink.get("config") or {}
    return {
        key: pointer("connections", sink["connection"], "config", key)
        if key not in own and sink.get("connection")
        else f"{artifact.at}{pointer('sink', 'config', key)}"
        for key in artifact.content["config"]
    }


def _facts(change: PlannedChange, before: Surface | None, after: Surface | None) -> PlannedChange:
    """Say whether keys are there no longer."""
    if before is None or after is None or not before["config"].keys() - after["config"].keys():
        return change
    return change._replace(keys="removed")


def _shown(before: Surface | None, after: Surface | None) -> Iterator[FieldChange]:
    """Yield the keys that change, and whether they are there before and after."""
    old: Mapping[str, Any] = {} if before is None else before["config"]
    new: Mapping[str, Any] = {} if after is None else after["config"]
    names = field_names(old, new)
    for key in changed_keys(old, new):
        yield FieldChange(names[key], key in old, key in new)


def _text(value: Any, at: str) -> str:
    """Return a setting as Kafka Connect keeps it: `true` for true, `a,b` for a list."""
    if isinstance(value, list) and not any(isinstance(item, list) for item in value):
        items = [_text(item, at) for item in value]
        if not any("," in item for item in items):
            return ",".join(items)
    elif isinstance(value, bool):
        return "true" if value else "false"
    elif isinstance(value, float) and isfinite(value):
        return str(int(value)) if value.is_integer() and abs(value) < _LARGEST_EXACT else str(value)
    elif isinstance(value, (str, int)):
        return str(value)
    raise ConnectorSettingError(
        "a setting of a connector must be text, a number, true, false or a list of these without commas",
        location=at,
        suggestion="write it as text, the way the documentation of the connector has it",
    )


CONNECTORS = KindSurfaces(_described, facts=_facts, shown=_shown, values_shown=False)
