"""Surfaces of topics against each other: what moved since a plan was made, and what an update has to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.records import Surface

HIDDEN: Final = "***"
"""What a setting that the broker does not show is in a surface."""
EXISTENCE: Final = "existence"
"""The field that differs where there is a topic on one side alone."""


class Impossible(NamedTuple):
    """Why no broker can do what is planned."""

    word: Literal["fewer_partitions", "other_replicas"]
    reason: str


def differing(planned: Surface | None, live: Surface | None) -> tuple[str, ...]:
    """Return the fields that differ: `partitions`, `replication_factor`, `config/NAME`, or else `existence`.

    A setting that the broker does not show differs from none.
    """
    if planned is None or live is None:
        return () if planned is live else (EXISTENCE,)
    plain = tuple(name for name in ("partitions", "replication_factor") if planned[name] != live[name])
    names = sorted(planned["config"].keys() | live["config"].keys())
    return plain + tuple(
        f"config/{name}" for name in names if not _agree(planned["config"], live["config"], name)
    )


def alterations(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str | None]:
    """Return the settings that an update changes; None where one goes back to its default."""
    names = sorted(before.keys() | after.keys())
    return {name: after.get(name) for name in names if not _agree(before, after, name)}


def impossible(before: Surface, after: Surface) -> Impossible | None:
    """Return why an update cannot be: partitions only grow, and replicas are moved by other means."""
    if after["partitions"] < before["partitions"]:
        return Impossible("fewer_partitions", _numbers(before, after, "partitions"))
    if after["replication_factor"] != before["replication_factor"]:
        return Impossible("other_replicas", _numbers(before, after, "replication_factor"))
    return None


def _numbers(before: Surface, after: Surface, field: str) -> str:
    return f"it has {before[field]}, and {after[field]} are planned"


def _agree(one: Mapping[str, str], other: Mapping[str, str], name: str) -> bool:
    if name not in one or name not in other:
        return False
    return one[name] == other[name] or HIDDEN in (one[name], other[name])
