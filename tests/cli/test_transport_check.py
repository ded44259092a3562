"""`streamt transport check`: what it shows, and what it never does."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest
import trustme
from commands import invoke
from program import run_streamt
from transport_configs import API_KEY, HTTP, config_file, environment, http_environment

from streamt_ol.cli.face import Face
from streamt_ol.cli.transport import check

SECRET = "hunter2-s3cr3t"
PROJECT = """
apiVersion: streamt.dev/v1alpha1
project: {name: waterworks}
runtime: {kafka: {bootstrap_servers: "broker.example:9092"}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "stream_project.yml").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def data(variables: dict[str, str], *arguments: str | Path) -> Any:
    done = invoke(check, *arguments, face=Face("json"), environment=dict(variables))
    assert done.exit_status == 0
    return done.document["data"]


def test_a_private_authority_is_shown_by_its_file(project: Path) -> None:
    trustme.CA().cert_pem.write_to_path(project / "authority.pem")

    done = invoke(check, environment=dict(http_environment(CA_FILE="authority.pem")))

    assert done.exit_status == 0
    assert "verified, trusting authority.pem" in done.stdout
    assert data(http_environment(CA_FILE="authority.pem"))["authorities"] == "authority.pem"


def test_nothing_is_connected_to_and_nothing_is_created(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        url = f"http://127.0.0.1:{server.getsockname()[1]}"

        assert data(http_environment(URL=url))["address"] == f"{url}/api/v1/lineage"
        with pytest.raises(BlockingIOError):
            server.accept()
    assert data(environment(TYPE="file", LOG_FILE_PATH="events.jsonl"))["exists"] is False
    assert [path.name for path in project.iterdir()] == ["stream_project.yml"]


def test_a_log_file_keeps_its_bytes(project: Path) -> None:
    (project / "events.jsonl").write_text("kept\n")

    assert data(environment(TYPE="file", LOG_FILE_PATH="events.jsonl")) == {
        "type": "file",
        "folder": ".",
        "exists": True,
        "writable": True,
        "origins": {
            "type": "OPENLINEAGE__TRANSPORT__TYPE",
            "log_file_path": "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH",
        },
    }
    assert (project / "events.jsonl").read_text() == "kept\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everything")
def test_a_log_file_without_permission_is_a_warning(project: Path) -> None:
    (project / "events.jsonl").touch(mode=0o400)

    done = invoke(check, environment=dict(environment(TYPE="file", LOG_FILE_PATH="events.jsonl")))

    assert (done.exit_status, "this user may not write to the log file" in done.stderr) == (0, True)


def test_the_dotenv_file_of_the_chosen_environment_counts(project: Path) -> None:
    (project / "environments").mkdir()
    (project / "environments" / "prod.yml").write_text("{}")
    (project / ".env").write_text("OPENLINEAGE__TRANSPORT__TYPE=file\n")
    (project / ".env.prod").write_text("OPENLINEAGE__TRANSPORT__LOG_FILE_PATH=logs.jsonl\n")

    assert data({}, "-p", project, "-e", "prod")["type"] == "file"


def test_a_folder_without_a_project_is_fine(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENLINEAGE__TRANSPORT__TYPE=console\n")

    assert data(http_environment(), "-p", tmp_path)["type"] == "http"


PLANTED: dict[str, tuple[dict[str, str], dict[str, object] | None]] = {
    "the API key in a file": ({}, {**HTTP, "auth": {**API_KEY, "apiKey": SECRET}}),
    "the API key in a variable": (http_environment(AUTH__TYPE="api_key", AUTH__APIKEY=SECRET), None),
    "an API key with a blank": ({}, {**HTTP, "auth": {**API_KEY, "apiKey": f" {SECRET}"}}),
    "an API key over plain http": (
        {},
        {**HTTP, "url": "http://localhost", "auth": {**API_KEY, "apiKey": SECRET}},
    ),
    "a password in the address": ({}, {**HTTP, "url": f"https://u:{SECRET}@lineage.example"}),
    "a query in the address": ({}, {**HTTP, "url": f"https://lineage.example?key={SECRET}"}),
    "a port of the address": (http_environment(URL=f"https://lineage.example:{SECRET}"), None),
    "a query in the endpoint": (http_environment(ENDPOINT=f"api?key={SECRET}"), None),
    "an unknown key": ({}, {**HTTP, SECRET: SECRET}),
    "a variable of old": ({"OPENLINEAGE_API_KEY": SECRET}, None),
    "an unknown variable": (http_environment(HEADERS=SECRET), None),
    "the path of the file": ({"OPENLINEAGE_CONFIG": SECRET}, None),
    "the name of the log file": (environment(TYPE="file", LOG_FILE_PATH=SECRET), None),
    "the folder of the log file": (environment(TYPE="file", LOG_FILE_PATH=f"{SECRET}/x"), None),
    "the file of authorities": (http_environment(CA_FILE=SECRET), None),
    "the type": (environment(TYPE=SECRET), None),
    "the timeout": (http_environment(TIMEOUT=SECRET), None),
    "disabled": ({"OPENLINEAGE_DISABLED": SECRET}, None),
}


@pytest.mark.parametrize("place", PLANTED)
@pytest.mark.parametrize("mode", [("-v",), ("-o", "json")], ids=["text", "json"])
def test_a_planted_secret_appears_nowhere(tmp_path: Path, place: str, mode: tuple[str, ...]) -> None:
    variables, section = PLANTED[place]
    named = {} if section is None else config_file(tmp_path, {"transport": section})

    done = run_streamt(*mode, "transport", "check", cwd=tmp_path, environment={**named, **variables})

    assert "hunter2" not in done.stdout + done.stderr
    assert str(tmp_path) not in done.stdout + done.stderr
    assert done.exit_status in {0, 1}
    assert "this is a bug" not in done.stderr
