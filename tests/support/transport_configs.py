"""Transport configurations for tests: variables, files, and what is refused of them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from streamt_ol.engine.ruleset import RuleSet, load_rules
from streamt_ol.ground.resources import rules_folder
from streamt_ol.runs.config_errors import TransportConfigError
from streamt_ol.runs.configuration import read_settings
from streamt_ol.runs.settings import Settings

PREFIX = "OPENLINEAGE__TRANSPORT__"
HTTP = {"type": "http", "url": "https://lineage.example", "endpoint": "api/v1/lineage"}
FILE = {"type": "file", "log_file_path": "events.jsonl"}
API_KEY = {"type": "api_key", "apiKey": "k3y"}


@functools.cache
def packaged_rules() -> RuleSet:
    return load_rules(rules_folder())


def environment(**values: str) -> dict[str, str]:
    """Return the variables that set keys: `environment(TYPE="file")`."""
    return {PREFIX + name: value for name, value in values.items()}


def http_environment(**values: str) -> dict[str, str]:
    """Return the variables of a sound http transport, and more."""
    return environment(**{"TYPE": "http", "URL": HTTP["url"], "ENDPOINT": HTTP["endpoint"], **values})


def config_file(folder: Path, content: str | bytes | Mapping[str, object]) -> dict[str, str]:
    """Write a configuration file and return the variable that names it."""
    path = folder / "openlineage.yml"
    if isinstance(content, Mapping):
        content = yaml.safe_dump(content, allow_unicode=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return {"OPENLINEAGE_CONFIG": str(path)}


def read(variables: Mapping[str, str], cwd: Path | None = None) -> Settings:
    return read_settings(variables, packaged_rules(), cwd)


def read_section(folder: Path, section: object) -> Settings:
    """Return the settings of a file with this `transport`."""
    return read(config_file(folder, {"transport": section}))


def refused(variables: Mapping[str, str], cwd: Path | None = None) -> TransportConfigError:
    """Return the refusal of a configuration; it has no cause and no context."""
    with pytest.raises(TransportConfigError) as caught:
        read(variables, cwd)
    assert (caught.value.code, caught.value.__cause__, caught.value.__context__) == (
        "E506_OPENLINEAGE_INVALID",
        None,
        None,
    )
    return caught.value


def refused_section(folder: Path, section: object) -> TransportConfigError:
    return refused(config_file(folder, {"transport": section}))
