"""Configurations of connectors against each other: by their keys, of which some are not shown either."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.records import Surface

EXISTENCE: Final = "existence"
"""The field that differs where there is a connector on one side alone."""
_USUAL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def differing(before: Surface | None, after: Surface | None) -> tuple[str, ...]:
    """Return the fields that differ, `config.KEY`, or `existence`; `1`, `"1"` and true are three values."""
    if before is None or after is None:
        return () if before is after else (EXISTENCE,)
    old, new = before["config"], after["config"]
    names = field_names(old, new)
    return tuple(names[key] for key in changed_keys(old, new))


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the keys that are on one side alone or have another value there, in their order."""
    return [
        key
        for key in sorted(old.keys() | new.keys())
        if (key in old) is not (key in new) or (key in old and not _same(old[key], new[key]))
    ]


def field_names(*configs: Mapping[str, Any]) -> dict[str, str]:
    """Return what the keys of configurations are called.

    People paste anything into a file, so a key that does not look like one is only counted.
    """
    names, odd = {}, 0
    for key in sorted({key for config in configs for key in config}):
        if _USUAL.fullmatch(key):
            names[key] = f"config.{key}"
        else:
            odd += 1
            names[key] = f"config.(unusual key {odd})"
    return names


def _same(one: Any, other: Any) -> bool:
    return canonical_json(one) == canonical_json(other)
