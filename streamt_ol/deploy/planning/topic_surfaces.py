"""Topics as plans compare them: partitions, replicas, and settings as the texts that Kafka has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.planning.errors import TopicSettingError
from streamt_ol.deploy.providers.topic_changes import HIDDEN
from streamt_ol.ground.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.records import Surface


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
