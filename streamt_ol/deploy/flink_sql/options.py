"""A model's `flink` block as options of Flink: the catalogue `flink-options`."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from streamt_ol.project.coerce import as_bool, as_float, as_int

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from streamt_ol.deploy.flink_sql.setting import Setting

NAME = "pipeline.name"
_STRATEGY = "restart_strategy"
_USUAL_STRATEGY = "fixed-delay"
_UNITS = {"milliseconds": " ms", "megabytes": " mb", "count": ""}
_BOOLEANS = frozenset({"true", "yes", "on", "y", "t", "1", "false", "no", "off", "n", "f", "0"})


def settings_of(
    block: Mapping[str, Any], label: str, at: str, job: str, setting: Setting
) -> Mapping[str, str]:
    """Return the options of a job by name; a value that Flink does not take is noted as a problem."""
    catalogue = setting.rules.catalogue("flink-options").entries
    options = {NAME: job}
    for path, shown, value in _written(block):
        entry = catalogue.get(path)
        where = f"{at}/flink/{shown.replace('.', '/')}"
        if entry is None:
            if path != shown:  # of another restart strategy; any other key is decided elsewhere
                setting.troubles.add("option_unused", label, where, shown)
        elif entry["form"] == "cluster":
            setting.troubles.add("option_of_cluster", label, where, shown)
        else:
            text = _text(value, entry)
            if text is None:
                setting.troubles.add("option_value", label, where, shown)
            else:
                options[entry["option"]] = text
    return dict(sorted(options.items()))


def _written(block: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield every value with its path in the catalogue and its path in the block."""
    for key, part in block.items():
        if not isinstance(part, dict):
            if part is not None:
                yield key, key, part
            continue
        strategy = ""
        if key == _STRATEGY:
            strategy = _spelled(part.get("type") or _USUAL_STRATEGY).replace("_", "-") + "."
            yield f"{key}.type", f"{key}.type", part.get("type") or _USUAL_STRATEGY
        for inner, value in part.items():
            if value is not None and not (strategy and inner == "type"):
                yield f"{key}.{strategy}{inner}", f"{key}.{inner}", value


def _text(value: Any, entry: Mapping[str, Any]) -> str | None:
    """Return a value as Flink writes it; None for one that it does not take."""
    form, least = entry["form"], entry.get("least", 0)
    if form in _UNITS:
        number = as_int(value)
        return f"{number}{_UNITS[form]}" if number >= least else None
    if form == "number":
        decimal = as_float(value)
        return str(decimal) if decimal >= least and isfinite(decimal) else None
    if form == "boolean":
        return "true" if as_bool(value) else "false"
    if form == "text":
        return str(value).strip() or None
    words: list[str] = entry["words"]
    if form == "retention" and str(value).lower() in _BOOLEANS:
        return words[0] if as_bool(value) else words[1]
    return next((word for word in words if _spelled(word) == _spelled(str(value))), None)


def _spelled(word: str) -> str:
    """Return a word without what its spelling may differ in."""
    return word.strip().lower().replace("-", "_")
