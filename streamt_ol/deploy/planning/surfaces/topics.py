"""Topics as plans compare them: partitions, replicas, and settings as the texts that Kafka has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.planning.errors import TopicSettingError
from streamt_ol.deploy.planning.surfaces.kind_surfaces import Described, KindSurfaces
from streamt_ol.deploy.providers.topic_changes import HIDDEN
from streamt_ol.ground.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.planning.facts import PlannedChange
    from streamt_ol.deploy.records import Surface
    from streamt_ol.engine.ruleset import RuleSet


def topic_surface(content: Mapping[str, Any], at: str) -> Surface:
    """Return the surface of a compiled topic: `partitions`, `replication_factor` and `config`, texts by name.

    A setting without a value is left to the broker. Raises TopicSettingError, located below `at`.
    """
    return {
        "partitions": content["partitions"],
        "replication_factor": content["replication_factor"],
        "config": {
            key: _text(value, f"{at}/topic/config/{escape(key)}")
            for key, value in sorted(content["config"].items())
            if value is not None
        },
    }


def topic_after(desired: Surface, live: Surface | None) -> Surface:
    """Return what will be there: what is wanted, and of what is there the settings that nobody declares.

    A setting that the broker hides is taken to be as it is wanted: nobody can compare it.
    """
    if live is None:
        return desired
    there: Mapping[str, str] = live["config"]
    wanted = {key: value for key, value in desired["config"].items() if there.get(key) != HIDDEN}
    return {**desired, "config": {**there, **wanted}}


def _described(artifact: Artifact, _graph: Graph, _rules: RuleSet) -> Described:
    return Described(topic_surface(artifact.content, artifact.at))


def _facts(change: PlannedChange, before: Surface | None, after: Surface | None) -> PlannedChange:
    """Add what a change makes of partitions and replicas; nothing where the topic is not there."""
    if before is None or after is None:
        return change
    old, new = before["partitions"], after["partitions"]
    return change._replace(
        partitions="same" if old == new else "raised" if new > old else "reduced",
        live_partitions=str(old),
        partitions_wanted=str(new),
        replication="same" if before["replication_factor"] == after["replication_factor"] else "changed",
        live_replication=str(before["replication_factor"]),
        replication_wanted=str(after["replication_factor"]),
    )


def _text(value: Any, at: str) -> str:
    """Return a setting as Kafka writes it: `true` for true, `a,b` for a list."""
    if isinstance(value, list):
        return ",".join(_text(item, at) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # 6.048e8 milliseconds are 604800000: Kafka reads no exponent
    if isinstance(value, (str, int, float)):
        return str(value)
    raise TopicSettingError(
        "a setting of a topic must be text, a number, true, false or a list of these", location=at
    )


TOPICS = KindSurfaces(_described, topic_after, facts=_facts)
