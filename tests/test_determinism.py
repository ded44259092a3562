"""The bytes of an export depend on the project, the environment, the options and the event time alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from program import run_streamt

PROJECT = """
apiVersion: streamt.dev/v1alpha1
project: {name: Zahlungen – größer}
runtime:
  kafka: {bootstrap_servers: "broker.example:9092"}
  conduktor: {gateway: {proxy_bootstrap: "gate.example:6969"}}
sources:
  - {name: raw, topic: zahlungen.roh, description: "größer ≥ 5 €", owner: 模型, columns: [{name: größe, type: INT}]}
  - {name: rates, topic: fx.rates, columns: [{name: rate, type: "DECIMAL(10, 4)", description: "😀"}]}
models:
  - name: joined
    sql: SELECT a FROM {{ source("raw") }} AS a JOIN {{ source("rates") }} AS b ON a.x = b.x
    topic: {name: zahlungen.sauber}
  - name: view
    sql: SELECT größe FROM {{ ref("joined") }} WHERE größe > 5
  - {name: archive, from: [{ref: joined}, {source: raw}], sink: {connector: s3-sink}}
"""
EXPORT = ("docs", "openlineage", "--job-namespace", "https://lineage.example/größe")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "stream_project.yml").write_text(PROJECT, "utf-8")
    return folder


@pytest.fixture(scope="module")
def plain(project: Path) -> bytes:
    done = run_streamt(*EXPORT, "-p", project)
    assert done.exit_status == 0, done.stderr
    assert done.raw.count(b"\n") == 7
    assert "größer ≥ 5 €".encode() in done.raw
    return done.raw


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "0"},
        {"PYTHONHASHSEED": "4242"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii:strict"},
        {"TZ": "Pacific/Chatham"},
        {"COLUMNS": "20", "NO_COLOR": "1", "TERM": "dumb"},
        {"HTTPS_PROXY": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"},
    ],
    ids=" ".join,
)
def test_the_environment_of_the_process_changes_no_byte(
    project: Path, plain: bytes, environment: dict[str, str]
) -> None:
    assert run_streamt(*EXPORT, "-p", project, environment=environment).raw == plain


@pytest.mark.parametrize("loader", ["libyaml", "pure"])
def test_the_yaml_parser_changes_no_byte(project: Path, plain: bytes, loader: str) -> None:
    done = run_streamt("--yaml-loader", loader, *EXPORT, "-p", project)

    assert done.exit_status == 0, done.stderr
    assert done.raw == plain


def test_the_order_of_declaration_changes_no_byte(plain: bytes, tmp_path: Path) -> None:
    document = yaml.safe_load(PROJECT)
    for section in ("sources", "models"):
        document[section].reverse()
    (tmp_path / "stream_project.yml").write_text(yaml.safe_dump(document, sort_keys=True), "utf-8")

    assert run_streamt(*EXPORT, "-p", tmp_path).raw == plain


def test_files_and_one_file_give_the_same_bytes(plain: bytes, tmp_path: Path) -> None:
    document = yaml.safe_load(PROJECT)
    for section in ("sources", "models"):
        (tmp_path / section).mkdir()
        for entry in document.pop(section):
            path = tmp_path / section / f"{entry['name']}.yaml"
            path.write_text(yaml.safe_dump({section: [entry]}), "utf-8")
    (tmp_path / "stream_project.yml").write_text(yaml.safe_dump(document), "utf-8")

    assert run_streamt(*EXPORT, "-p", tmp_path).raw == plain


def test_a_file_holds_the_bytes_of_stdout(project: Path, plain: bytes, tmp_path: Path) -> None:
    target = tmp_path / "events.jsonl"

    done = run_streamt(*EXPORT, "-p", project, "--output-file", target)

    assert done.stdout == f"Wrote 7 events (4 datasets, 3 jobs) to {target}\n"
    assert target.read_bytes() == plain


def test_the_export_runs_in_a_network_namespace_without_any_interface(project: Path, plain: bytes) -> None:
    unshare = shutil.which("unshare")
    prefix = (
        [str(unshare), "--net"] if os.geteuid() == 0 else [str(unshare), "--user", "--map-root-user", "--net"]
    )
    if unshare is None or subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine makes no network namespaces")

    assert run_streamt(*EXPORT, "-p", project, prefix=prefix).raw == plain
