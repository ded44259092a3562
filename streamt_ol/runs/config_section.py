"""The section `transport`: what a file and variables make of it, and where each value comes from.

Values may be secret, so a section does not print.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.runs.config_errors import key_refusal
from streamt_ol.runs.config_variables import read_variable

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.runs.config_files import ConfigFile

ABSENT: Final = object()
"""In place of a value that is not there."""


class Section:
    """The values of a transport under their keys; a key inside a mapping is written `auth.type`."""

    def __init__(
        self,
        values: Mapping[str, Any],
        file: ConfigFile | None = None,
        set_by: Mapping[str, str] | None = None,
    ) -> None:
        self.values = values
        self.file = file
        self._set_by = set_by or {}

    def get(self, key: str) -> Any:
        """Return the value of a key, or ABSENT."""
        value: Any = self.values
        for step in key.split("."):
            if not isinstance(value, Mapping) or step not in value:
                return ABSENT
            value = value[step]
        return value

    def where(self, key: str) -> str:
        """Return what set the value of a key: variables, a line of the file, or a program."""
        setters = [name for other, name in self._set_by.items() if f"{other}.".startswith(f"{key}.")]
        if setters:
            return ", ".join(setters)
        if self.file is None:
            return "the settings of the program"
        return f"{self.file.place('transport', *key.split('.'))} of the configuration file"


def overlaid(section: Section, variables: Mapping[str, str], rules: RuleSet) -> Section:
    """Return a section with the values of variables over those of the file; presence decides.

    Raises TransportConfigError for a variable of the wrong form, and for one inside what is no mapping.
    """
    keys = rules.catalogue("transport-keys")
    values = {**section.values}
    set_by: dict[str, str] = {}
    for key, entry in keys.entries.items():
        name = entry.get("variable")
        if name is None or name not in variables:
            continue
        value = read_variable(variables[name], entry["reading"])
        if isinstance(value, str) and entry["reading"] != "text":
            raise key_refusal(entry["wrong"], key, name, rules)
        outer, dot, inner = key.partition(".")
        if dot:
            held = values.get(outer)
            if held is not None and not isinstance(held, Mapping):
                raise key_refusal(keys[outer]["wrong"], outer, section.where(outer), rules)
            value = {**(held or {}), inner: value}
        values[outer] = value
        set_by[key] = name
    return Section(values, section.file, set_by)
