"""`streamt compile` shows the SQL of Flink jobs: in files beside the artifacts, and what is missing for it."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from checked import write_project
from flink_jobs import FLINK, KAFKA, LARGE, ORDERS, changed
from program import Done, run_streamt

SMALL = changed(LARGE, name="small", topic={"name": "shop.small"}, columns=None)
LOGIN = {"sasl_mechanism": "PLAIN", "sasl_username": "planted-user", "sasl_password": "planted-password"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shop = tmp_path / "shop"
    shop.mkdir()
    return shop


def write(folder: Path, *models: dict[str, Any]) -> Path:
    """Write a project of these models; return where it is compiled to."""
    runtime = {"kafka": {**KAFKA, **LOGIN}, "flink": FLINK}
    write_project(folder, sources=[ORDERS], models=list(models), runtime=runtime)
    return folder / "generated"


def compiled(folder: Path, *arguments: str, path: tuple[str, ...] = ()) -> Done:
    done = run_streamt(*arguments, "compile", "-p", folder, path=path)
    assert done.exit_status == 0, done.stderr
    return done


def told(folder: Path, *arguments: str, path: tuple[str, ...] = ()) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(compiled(folder, "-o", "json", *arguments, path=path).stdout)
    return envelope


def jobs(generated: Path) -> list[str]:
    return sorted(file.name for file in generated.glob("flink_jobs/*"))


def sql_of(generated: Path, job: str) -> str:
    return (generated / "flink_jobs" / f"{job}.sql").read_text("utf-8")


def test_the_sql_of_a_job_is_beside_its_artifact_for_its_owner_only(folder: Path) -> None:
    generated = write(folder, LARGE)

    compiled(folder)

    assert jobs(generated) == ["large.json", "large.sql"]
    assert sql_of(generated, "large").endswith(
        "INSERT INTO `large` (`id`, `loaves`)\nSELECT id, loaves FROM orders WHERE loaves > 10;\n"
    )
    assert stat.S_IMODE((generated / "flink_jobs" / "large.sql").stat().st_mode) == 0o600
    manifest = json.loads((generated / "manifest.json").read_text("utf-8"))
    assert manifest["artifacts"]["flink_jobs"] == [
        {
            "name": "large",
            "owner": {"kind": "model", "name": "large"},
            "file": "flink_jobs/large.json",
            "sql": "flink_jobs/large.sql",
        }
    ]


def test_no_file_has_a_login(folder: Path) -> None:
    generated = write(folder, LARGE)

    compiled(folder)

    for file in generated.rglob("*.*"):
        assert "planted" not in file.read_text("utf-8")


def test_a_plan_names_the_definition_that_a_script_is_of(folder: Path) -> None:
    write(folder, LARGE)

    (job,) = told(folder)["data"]["flink_sql"]
    planned = run_streamt("plan", "--offline", "-p", folder).stdout

    assert f"definition {job['definition']}" in sql_of(folder / "generated", "large")
    assert f"    definition  {job['definition'][: len('sha256:') + 12]}\n" in planned


def test_what_stands_in_the_way_of_a_job_is_told_and_in_its_file(folder: Path) -> None:
    generated = write(folder, LARGE, SMALL)

    text = compiled(folder)
    large, small = told(folder)["data"]["flink_sql"]

    assert text.stdout.splitlines()[-3:-1] == [
        "1 of 2 Flink jobs cannot be submitted as they are declared:",
        "  small: flink_columns_missing",
    ]
    assert (large["job"], large["file"], large["complete"], large["problems"]) == (
        "large",
        "flink_jobs/large.sql",
        True,
        [],
    )
    assert small == {
        "job": "small",
        "file": "flink_jobs/small.sql",
        "definition": None,
        "complete": False,
        "problems": [
            {
                "code": "flink_columns_missing",
                "blocks": True,
                "message": "model 'small' declares no columns, and a table of Flink has columns",
                "location": "/models/1/columns",
                "suggestion": "declare its columns, each with a type of Flink",
            }
        ],
    }
    assert sql_of(generated, "small").splitlines()[2:] == [
        "-- blocks: flink_columns_missing at /models/1/columns: "
        "model 'small' declares no columns, and a table of Flink has columns",
        "--   declare its columns, each with a type of Flink",
    ]


def test_a_dry_run_tells_the_same_of_sql_and_writes_none(folder: Path) -> None:
    generated = write(folder, LARGE, SMALL)

    dry = json.loads(run_streamt("-o", "json", "compile", "--dry-run", "-p", folder).stdout)

    assert not generated.exists()
    assert dry["data"]["flink_sql"] == told(folder)["data"]["flink_sql"]


def test_the_sql_of_a_job_that_is_gone_is_removed_and_no_other_file(folder: Path) -> None:
    generated = write(folder, LARGE, changed(SMALL, columns=LARGE["columns"]))
    compiled(folder)
    (generated / "flink_jobs" / "mine.sql").write_text("SELECT 1;")
    write(folder, LARGE)

    compiled(folder)

    assert jobs(generated) == ["large.json", "large.sql", "mine.sql"]


def test_without_what_reads_sql_files_are_left_out_with_a_warning(folder: Path, tmp_path: Path) -> None:
    generated = write(folder, LARGE)
    compiled(folder)
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "sqlglot.py").write_text("raise ImportError('not installed')\n", "utf-8")
    without = (str(tmp_path / "without"),)

    envelope = told(folder, path=without)

    assert envelope["status"] == "ok"
    assert envelope["warnings"] == [
        {
            "code": "W107_FLINK_SQL_LEFT_OUT",
            "message": "the SQL of Flink jobs is left out: "
            "Flink jobs need the package sqlglot, which is not installed",
            "suggestion": "pip install 'streamt-ol[flink]'",
        }
    ]
    assert envelope["data"]["flink_sql"] == []
    assert jobs(generated) == ["large.json"]
    manifest = json.loads((generated / "manifest.json").read_text("utf-8"))
    assert "sql" not in manifest["artifacts"]["flink_jobs"][0]
    assert compiled(folder, path=without).stdout.splitlines()[-1] == f"Written to {generated}"
