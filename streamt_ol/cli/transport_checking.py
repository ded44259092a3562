"""The check of a transport: its settings in words, each with where it comes from, and nothing secret."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.cli.report import Result
from streamt_ol.ground.errors import Diagnostic
from streamt_ol.project.environments import read_variables
from streamt_ol.project.errors import MainFileMissingError
from streamt_ol.runs.config_errors import TRANSPORT, TransportConfigError
from streamt_ol.runs.config_needs import CONFIGURATION_NEEDS
from streamt_ol.runs.configuration import read_configuration
from streamt_ol.runs.deliveries import AGAIN, DELIVERY_NEEDS, Deliveries
from streamt_ol.runs.http_addresses import event_address, is_https
from streamt_ol.runs.settings import FileSettings
from streamt_ol.runs.transports import open_transport

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamt_ol.cli.face import Face
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.runs.settings import HttpSettings


class _Line(NamedTuple):
    """One setting as people read it: its name, what it is, and where that comes from."""

    name: str
    value: str
    origin: str


class _Shown(NamedTuple):
    """What is said of a transport."""

    data: dict[str, Any]
    lines: Sequence[_Line]
    warnings: Sequence[Diagnostic]


def check_transport(
    directory: Path, environment: str | None, process_environment: Mapping[str, str], face: Face
) -> Result:
    """Return what is configured, or why it is refused; in text mode it is already on stdout.

    Raises what choosing an environment and reading dotenv files raise.
    """
    rules = face.load_rules(CONFIGURATION_NEEDS, DELIVERY_NEEDS)
    variables = _variables(directory, environment, process_environment)
    try:
        configuration = read_configuration(variables, rules)
        settings = configuration.settings
        open_transport(settings, rules).close()  # as a command does before its work: nothing is opened
    except TransportConfigError as error:
        return Result(face.command, errors=[error.diagnostic()])
    shown = (
        _file(settings, configuration.origins)
        if isinstance(settings, FileSettings)
        else _http(settings, configuration.origins, rules)
    )
    for text in _aligned(shown.lines):
        face.say(text)
    data = {**shown.data, "origins": dict(configuration.origins)}
    return Result(face.command, data=data, warnings=shown.warnings)


def _variables(
    directory: Path, environment: str | None, process_environment: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the variables that hold for the project; those of the process in a folder without one."""
    try:
        return read_variables(directory, environment, process_environment)
    except MainFileMissingError:
        if environment is not None:
            raise
        return process_environment


def _file(settings: FileSettings, origins: Mapping[str, str]) -> _Shown:
    """Return a File transport with the folder of its file, but without the name."""
    folder = str(Path(settings.path).parent)
    exists = os.path.lexists(settings.path)
    refused = exists and not os.access(settings.path, os.W_OK, effective_ids=True)
    state = "does not exist, the first event creates it"
    if exists:
        state = "exists, and this user may not write to it" if refused else "exists, events are appended"
    at = origins["log_file_path"]
    lines = [_Line("type", "file", origins["type"]), _Line("folder", folder, at), _Line("file", state, at)]
    data = {"type": "file", "folder": folder, "exists": exists, "writable": not refused}
    lost = Diagnostic(
        "W112_OPENLINEAGE_EMIT_FAILED",
        "this user may not write to the log file: every event would be lost",
        f"{TRANSPORT}.log_file_path",
        suggestion="let the user of the command write to it, or name another file",
    )
    return _Shown(data, lines, [lost] if refused else [])


def _http(settings: HttpSettings, origins: Mapping[str, str], rules: RuleSet) -> _Shown:
    """Return an HTTP transport with the address that events are posted to, but without the key."""
    address = event_address(settings.url, settings.endpoint)
    tls = is_https(settings.url)
    authorities = (settings.ca_file or "certifi") if tls else None
    trusted = settings.ca_file or "the public authorities of certifi"
    authentication = "none" if settings.api_key is None else "api_key"
    statuses = _retried_statuses(rules)
    data = {
        "type": "http",
        "address": address,
        "tls": tls,
        "authorities": authorities,
        "authentication": authentication,
        "timeout": settings.timeout,
        "retries": settings.retries,
        "retried_statuses": statuses,
    }
    listed = ", ".join(map(str, statuses))
    secure = f"verified, trusting {trusted}" if tls else "none: plain http to this machine"
    rows = (
        ("type", "http", "type"),
        ("address", address, "url"),
        ("TLS", secure, "ca_file" if settings.ca_file else "url"),
        ("authentication", authentication.replace("_", " "), "auth.apiKey"),
        ("timeout", f"{settings.timeout:g} s for each attempt", "timeout"),
        ("retries", str(settings.retries), "retry.total"),
        ("retried", f"no answer in time, no connection, {listed}", None),
    )
    return _Shown(data, [_Line(name, value, _origin(key, origins)) for name, value, key in rows], [])


def _origin(key: str | None, origins: Mapping[str, str]) -> str:
    return "rule table" if key is None else origins.get(key, "default")


def _retried_statuses(rules: RuleSet) -> list[int]:
    """Return the statuses after which an event is posted once more, where the settings allow it."""
    table, deliveries = rules.table("delivery"), Deliveries(rules)
    statuses = [int(word) for word in map(str, rules.vocabulary.domains["answer"]) if word.isdecimal()]
    return [status for status in statuses if table.foresee(deliveries.answered(status))["verdict"] == AGAIN]


def _aligned(lines: Sequence[_Line]) -> Iterator[str]:
    names, values = (max(len(line[column]) for line in lines) for column in (0, 1))
    for line in lines:
        yield f"{line.name:{names}}  {line.value:{values}}  {line.origin}"
