"""The check of a transport: its settings in words, each with where it comes from, and nothing secret."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.cli.report import Result
from streamt_ol.project.environments import read_variables
from streamt_ol.project.errors import MainFileMissingError
from streamt_ol.runs.config_needs import CONFIGURATION_NEEDS
from streamt_ol.runs.configuration import read_configuration
from streamt_ol.runs.http_addresses import event_address, is_https
from streamt_ol.runs.settings import FileSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamt_ol.cli.face import Face
    from streamt_ol.runs.configuration import Configuration
    from streamt_ol.runs.settings import HttpSettings

_DEFAULT = "default"


class _Line(NamedTuple):
    """One setting as people read it: its name, what it is, and where that comes from."""

    name: str
    value: str
    origin: str


def check_transport(
    directory: Path, environment: str | None, process_environment: Mapping[str, str], face: Face
) -> Result:
    """Return what is configured; in text mode it is already on stdout.

    Raises TransportConfigError, and what choosing an environment and reading dotenv files raise.
    """
    rules = face.load_rules(CONFIGURATION_NEEDS)
    configuration = read_configuration(_variables(directory, environment, process_environment), rules)
    settings = configuration.settings
    if isinstance(settings, FileSettings):
        data, lines = _file(settings, configuration)
    else:
        data, lines = _http(settings, configuration)
    for text in _aligned(lines):
        face.say(text)
    return Result(face.command, data={**data, "origins": dict(configuration.origins)})


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


def _file(settings: FileSettings, configuration: Configuration) -> tuple[dict[str, Any], list[_Line]]:
    """Return a File transport as data and as lines, with the folder of its file but without the name."""
    folder = str(Path(settings.path).parent)
    exists = os.path.lexists(settings.path)
    at = configuration.origins["log_file_path"]
    state = "exists, events are appended" if exists else "does not exist, the first event creates it"
    data = {"type": "file", "folder": folder, "file": "exists" if exists else "created"}
    return data, [_type("file", configuration), _Line("folder", folder, at), _Line("file", state, at)]


def _http(settings: HttpSettings, configuration: Configuration) -> tuple[dict[str, Any], list[_Line]]:
    """Return an HTTP transport as data and as lines."""
    origins = configuration.origins
    address = event_address(settings.url, settings.endpoint)
    tls = is_https(settings.url)
    trusted = settings.ca_file or "the public authorities of certifi"
    data = {
        "type": "http",
        "address": address,
        "tls": tls,
        "authorities": (settings.ca_file or "certifi") if tls else None,
        "authentication": "none" if settings.api_key is None else "api_key",
        "timeout": settings.timeout,
        "retries": settings.retries,
    }
    lines = [
        _type("http", configuration),
        _Line("address", address, f"{origins['url']}; {origins['endpoint']}"),
        _Line(
            "TLS",
            f"verified, trusting {trusted}" if tls else "none: plain http to this machine",
            origins.get("ca_file", origins["url"]),
        ),
        _Line(
            "authentication",
            "none" if settings.api_key is None else "an API key",
            origins.get("auth.apiKey", _DEFAULT),
        ),
        _Line("timeout", f"{settings.timeout:g} s for each attempt", origins.get("timeout", _DEFAULT)),
        _Line("retries", str(settings.retries), origins.get("retry.total", _DEFAULT)),
    ]
    return data, lines


def _type(name: str, configuration: Configuration) -> _Line:
    return _Line("type", name, configuration.origins["type"])


def _aligned(lines: Sequence[_Line]) -> Iterator[str]:
    names, values = (max(len(line[column]) for line in lines) for column in (0, 1))
    for line in lines:
        yield f"{line.name:{names}}  {line.value:{values}}  {line.origin}"
