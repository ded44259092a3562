"""Reading the configuration of a transport, in the published order of its checks.

Source: "Runtime transport configuration" of the integration document and section 6 of the runtime facts.
What is a key, which variable sets it, which type takes it and what it must be stands in the catalogue
`transport-keys`; how a refusal is told, in the table `transport-faults`. No error has a cause or a context:
what a library says may hold a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.runs.authorities import require_authorities
from streamt_ol.runs.bounded_files import FileRefused
from streamt_ol.runs.config_errors import (
    FILE,
    TRANSPORT,
    TransportConfigError,
    TransportFault,
    in_seconds,
    key_bound,
    key_refusal,
    refusal,
)
from streamt_ol.runs.config_files import ConfigFile, read_config_file
from streamt_ol.runs.config_section import ABSENT, Section, overlaid
from streamt_ol.runs.config_values import value_fault
from streamt_ol.runs.config_variables import nearest, refuse_variables
from streamt_ol.runs.http_addresses import is_https
from streamt_ol.runs.settings import FileSettings, HttpSettings, Secret, Settings

if TYPE_CHECKING:
    from pathlib import Path

    from streamt_ol.engine.ruleset import RuleSet

__all__ = [
    "Configuration",
    "TransportConfigError",
    "read_configuration",
    "read_settings",
    "require_sound",
]


class Configuration(NamedTuple):
    """Settings, and for each key that was given where it comes from: a variable, or a place in the file."""

    settings: Settings
    origins: Mapping[str, str]


def read_settings(variables: Mapping[str, str], rules: RuleSet, cwd: Path | None = None) -> Settings:
    """Return what the environment and the file that it names say about the transport of run events.

    `variables` are the process environment over dotenv files; relative paths begin at `cwd`, or at the
    working directory. Nothing is looked for elsewhere, and there is no default. Raises TransportConfigError
    (`E506_OPENLINEAGE_INVALID`) with a location: openlineage.config, .disabled, .environment, .transport or
    a key of it. Nothing is opened but the configuration file and the file of `ca_file`.
    """
    return read_configuration(variables, rules, cwd).settings


def read_configuration(
    variables: Mapping[str, str], rules: RuleSet, cwd: Path | None = None
) -> Configuration:
    """Return the settings as `read_settings` does, and their origins."""
    (config,) = (
        name
        for name, entry in rules.catalogue("transport-variables").entries.items()
        if entry["role"] == "config"
    )
    file = read_config_file(variables[config], rules, cwd) if config in variables else None
    refuse_variables(variables, rules)
    section = overlaid(_section_of(file, rules), variables, rules)
    if not section.values:
        raise refusal(TransportFault("transport_missing"), rules)
    settings = _settings(section, rules, cwd)
    keys = rules.catalogue("transport-keys").entries
    given = [
        key for key, entry in keys.items() if entry["form"] != "section" and section.get(key) is not ABSENT
    ]
    return Configuration(settings, {key: section.where(key) for key in given})


def require_sound(settings: Settings, rules: RuleSet) -> None:
    """Refuse settings, made by a program, that no configuration could give. Raises TransportConfigError."""
    if isinstance(settings, FileSettings):
        values: dict[str, Any] = {"type": "file", "log_file_path": settings.path}
    else:
        values = {
            "type": "http",
            "url": settings.url,
            "endpoint": settings.endpoint,
            "timeout": settings.timeout,
            "retry": {"total": settings.retries},
        }
        if settings.api_key is not None:
            values["auth"] = {"type": "api_key", "apiKey": settings.api_key.reveal()}
        if settings.ca_file is not None:
            values["ca_file"] = settings.ca_file
    _settings(Section(values), rules, None)


def _section_of(file: ConfigFile | None, rules: RuleSet) -> Section:
    if file is None:
        return Section({})
    for key in file.root:
        if key != "transport":
            raise refusal(TransportFault("config_root_key", FILE, where=file.place(key)), rules)
    values = file.root.get("transport")
    if values is not None and not isinstance(values, Mapping):
        raise refusal(TransportFault("transport_no_mapping", where=file.place("transport")), rules)
    return Section(values or {}, file)


def _settings(section: Section, rules: RuleSet, cwd: Path | None) -> Settings:
    kind = section.get("type")
    if kind is ABSENT:
        raise key_refusal(rules.catalogue("transport-keys")["type"]["missing"], "type", "", rules)
    if not isinstance(kind, str) or kind not in rules.vocabulary.domains["transport_type"]:
        wrong = rules.catalogue("transport-keys")["type"]["wrong"]
        raise key_refusal(wrong, "type", section.where("type"), rules)
    keys = {
        key: entry
        for key, entry in rules.catalogue("transport-keys").entries.items()
        if kind in entry["types"]
    }
    _refuse_other_keys(section, kind, keys, rules)
    values = {
        key: value
        for key, entry in keys.items()
        if (value := _value(key, entry, section, keys, rules)) is not ABSENT
    }
    if kind == "file":
        return FileSettings(_path(values["log_file_path"], cwd))
    return _http_settings(values, section, rules, cwd)


def _refuse_other_keys(
    section: Section, kind: str, keys: Mapping[str, Mapping[str, Any]], rules: RuleSet
) -> None:
    """Refuse keys that a transport of this type does not take."""
    taken = [key for key in keys if "." not in key]
    for key in section.values:
        if key not in taken:
            near = nearest(key, [other for other in taken if other not in section.values])
            fault = "key_unknown" if near is None else "key_misspelled"
            told = TransportFault(fault, TRANSPORT, kind, section.where(key), near=near or ", ".join(taken))
            raise refusal(told, rules)


def _value(
    key: str,
    entry: Mapping[str, Any],
    section: Section,
    keys: Mapping[str, Mapping[str, Any]],
    rules: RuleSet,
) -> Any:
    """Return the value of a key, in a type that does not print where it is secret; ABSENT if not given."""
    value = section.get(key)
    if value is ABSENT or (value is None and entry["form"] == "section"):
        if "missing" in entry:
            raise key_refusal(entry["missing"], key, "", rules)
        return ABSENT
    fault = value_fault(value, entry, key_bound(key, rules))
    inner = {other.removeprefix(f"{key}.") for other in keys if other.startswith(f"{key}.")}
    if fault is None and inner and inner != value.keys():
        fault = entry["wrong"]
    if fault is None and entry["https"] and not is_https(section.values["url"]):
        fault = "https_needed"
    if fault is not None:
        raise key_refusal(fault, key, section.where(key), rules)
    return Secret(value) if entry["secret"] else value


def _http_settings(
    values: Mapping[str, Any], section: Section, rules: RuleSet, cwd: Path | None
) -> HttpSettings:
    bounds = rules.catalogue("transport-bounds")
    ca_file = _path(values["ca_file"], cwd) if "ca_file" in values else None
    if ca_file is not None:
        _require_authorities(ca_file, section.where("ca_file"), bounds["ca_file_bytes"]["limit"], rules)
    return HttpSettings(
        url=values["url"],
        endpoint=values["endpoint"],
        timeout=float(values.get("timeout", in_seconds(bounds["timeout"], "default"))),
        retries=values.get("retry.total", bounds["retries"]["default"]),
        api_key=values.get("auth.apiKey"),
        ca_file=ca_file,
    )


def _require_authorities(path: str, where: str, limit: int, rules: RuleSet) -> None:
    refused: FileRefused | None = None
    try:
        require_authorities(path, limit)
    except FileRefused as error:
        refused = error
    if refused is not None:
        said = refused.reason or str(limit)
        at = f"{TRANSPORT}.ca_file"
        raise refusal(TransportFault(refused.fault, at, "the file of ca_file", where, said), rules)


def _path(text: str, cwd: Path | None) -> str:
    return text if cwd is None else str(cwd / text)
