"""Whatever is wrong with a project, it is refused in words that hold no secret, with location and place."""

from __future__ import annotations

import copy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamt_ol.ground.errors import Failures, StreamtError
from streamt_ol.project.load import load_project

SECRET = "hunter2"
PROJECT: dict[str, Any] = {
    "apiVersion": "streamt.dev/v1alpha1",
    "project": {"name": "p"},
    "runtime": {
        "kafka": {
            "bootstrap_servers": "b:1",
            "security_protocol": "SASL_SSL",
            "sasl_mechanism": "PLAIN",
            "sasl_username": SECRET,
            "sasl_password": SECRET,
            "ssl_key_password": SECRET,
        },
        "schema_registry": {"url": f"http://u:{SECRET}@r", "password": SECRET},
        "flink": {"clusters": {"c": {"rest_url": f"http://{SECRET}@f", "api_key": SECRET, "timeout": 5}}},
        "conduktor": {"gateway": {"password": SECRET}, "console": {"url": "u", "api_key": SECRET}},
    },
    "deployment_state": {"backend": "postgres", "namespace": "n", "postgres": {"dsn_env": "DSN"}},
    "connections": {"c": {"type": "jdbc", "config": {"password": SECRET}}},
    "sources": [{"name": "s", "topic": "t", "columns": [{"name": "c", "required": True}]}],
    "models": [
        {"name": "m", "sql": f"SELECT '{SECRET}'", "topic": {"partitions": 1, "config": {"a": SECRET}}},
        {"name": "n", "from": [{"ref": "m"}], "sink": {"connector": "c", "config": {"password": SECRET}}},
        {"name": "o", "macro": "x", "params": {"p": SECRET}, "contract": {"columns": [{"name": "c"}]}},
    ],
    "tests": [
        {"name": "t", "model": "m", "type": "sample", "assertions": [{"range": {"column": "c", "min": 1}}]}
    ],
    "exposures": [{"name": "e", "type": "api", "owners": [{"name": "a"}], "sla": {"max_error_rate": 0.5}}],
}
REPLACEMENTS = st.sampled_from(
    [None, True, 5, -1.5, 2**70, SECRET, f"${{UNSET}}{SECRET}", [], {}, [SECRET], {"k": SECRET}]
)


def nodes(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values below the root."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, part in items for found in [(*path, key), *nodes(part, (*path, key))]]


NODES = nodes(PROJECT)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    changes=st.lists(
        st.tuples(st.sampled_from(NODES), REPLACEMENTS, st.sampled_from(["set", "drop", "add"])), max_size=3
    )
)
def test_a_changed_project_loads_or_is_refused_with_places_and_without_secrets(changes):
    document = copy.deepcopy(PROJECT)
    for path, replacement, how in changes:
        parent: Any = document
        for key in path[:-1]:
            parent = parent[key] if isinstance(parent, dict) and key in parent else None
        if isinstance(parent, dict):
            if how == "drop":
                parent.pop(path[-1], None)
            else:
                parent[path[-1] if how == "set" else "added"] = replacement
    with TemporaryDirectory() as directory:
        Path(directory, "stream_project.yml").write_text(yaml.safe_dump(document))
        try:
            load_project(
                Path(directory),
                environment=None,
                process_environment={"P": SECRET},
                materializations=("topic",),
            )
        except Failures as several:
            refused: tuple[StreamtError, ...] = several.failures
        except StreamtError as one:
            refused = (one,)
        else:
            return

    for error in refused:
        shown = error.diagnostic()
        assert shown.code in ("E501_PARSE_ERROR", "E502_ENV_VAR_ERROR")
        assert shown.location is not None
        assert shown.place is not None
        assert shown.place.line is not None
        assert SECRET not in str(shown) + repr(error)
    assert len({error.location for error in refused}) == len(refused)


def test_the_unchanged_project_loads_and_its_repr_holds_no_secret(load):
    loaded = load(main=yaml.safe_dump(PROJECT))

    assert loaded.project.runtime["kafka"]["sasl_password"] == SECRET
    assert SECRET not in repr(loaded)


@pytest.mark.parametrize("strict", ["1", "true", "YES"])
def test_a_missing_ssl_file_is_refused_where_that_is_asked_for(failure, strict):
    main = 'project: {name: p}\nruntime: {kafka: {bootstrap_servers: "b:1", ssl_ca_location: /hunter2}}\n'
    error = failure(main=main, variables={"STREAMT_STRICT_SSL": strict})

    assert error.location == "/runtime/kafka/ssl_ca_location"
    assert "hunter2" not in str(error.diagnostic())


@pytest.mark.parametrize("strict", [{}, {"STREAMT_STRICT_SSL": "0"}, {"STREAMT_STRICT_SSL": ""}])
@pytest.mark.parametrize("name", ["/no/such.pem", '"\\0"', "''", "null"])
def test_a_missing_ssl_file_is_no_error_otherwise(load, strict, name):
    main = (
        f'project: {{name: p}}\nruntime: {{kafka: {{bootstrap_servers: "b:1", ssl_ca_location: {name}}}}}\n'
    )

    assert (
        load(main=main, variables=strict)
        .project.warnings[0]
        .message.startswith("stream_project.yml has no api")
    )


def test_strict_ssl_may_be_asked_for_in_the_dotenv_file_and_accepts_files_that_exist(load, failure, tmp_path):
    (tmp_path / "ca.pem").touch()
    main = 'project: {{name: p}}\nruntime: {{kafka: {{bootstrap_servers: "b:1", ssl_ca_location: {}}}}}\n'
    dotenv = {".env": "STREAMT_STRICT_SSL=1\n"}

    load(main=main.format(tmp_path / "ca.pem"), files=dotenv)
    assert failure(main=main.format("/no.pem"), files=dotenv).location == "/runtime/kafka/ssl_ca_location"


@pytest.mark.parametrize(
    "rest",
    [
        "connections: {c: {type: 70707}}\n",
        "deployment_state: {backend: postgres, namespace: 70707, postgres: {dsn_env: DSN}}\n",
    ],
)
def test_a_number_where_secrets_stand_is_not_shown(failure, rest):
    error = failure(rest)

    assert error.message.endswith("must be a string, but YAML read a number")
    assert error.suggestion == "quote it"
