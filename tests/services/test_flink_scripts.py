"""The SQL that `streamt compile` writes of a Flink job is a script: Flink's own client runs the file as it is."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import httpx
from apache_kafka import SecuredBroker
from brokers import until
from checked import write_project
from flink_cluster import FLINK, FLINK_JARS, FlinkCluster
from flink_jobs import FLINK as CLUSTERS
from flink_jobs import LARGE, ORDERS, changed
from program import run_streamt
from services import jars, java

SQL = (
    "-- not the 'small'; ones\n"
    "SELECT id, loaves FROM {{ source('orders') }} WHERE id <> 'a;b''--' AND loaves > 10 -- the end; of it"
)


def run_script(script: Path, cluster: FlinkCluster) -> str:
    """Run a file with the SQL client, in sessions of the SQL Gateway; return what it printed."""
    client = next(jars(FLINK / "opt", "flink-sql-client-*.jar").glob("flink-sql-client-*.jar"))
    command = [
        *java(256, [f"{FLINK / 'lib'}/*", f"{FLINK_JARS}/*", client]),
        "org.apache.flink.table.client.SqlClient",
        *("gateway", "--endpoint", cluster.sql_gateway_url),
        *("--file", str(script), "--history", str(script.with_suffix(".history"))),
    ]
    done = subprocess.run(
        command,
        env={"FLINK_CONF_DIR": str(cluster.savepoints.parent / "conf")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    printed = done.stdout.decode() + done.stderr.decode()
    assert done.returncode == 0, printed
    return printed


def test_the_client_of_flink_runs_the_sql_of_a_job_as_it_was_written(
    flink_cluster: FlinkCluster, apache_kafka: SecuredBroker, tmp_path: Path
) -> None:
    name = "scripted_orders"
    model = changed(
        LARGE,
        name=name,
        topic={"name": apache_kafka.new_topic()},
        sql=SQL,
        primary_key=["id", "loaves"],
        flink={"parallelism": 2, "changelog_mode": "append"},
    )
    write_project(
        tmp_path,
        sources=[changed(ORDERS, topic=apache_kafka.new_topic())],
        models=[model],
        runtime={"kafka": {"bootstrap_servers": apache_kafka.address}, "flink": CLUSTERS},
    )
    compiled = run_streamt("compile", "-p", tmp_path)
    assert compiled.exit_status == 0, compiled.stderr

    printed = run_script(tmp_path / "generated" / "flink_jobs" / f"{name}.sql", flink_cluster)

    with httpx.Client(base_url=flink_cluster.rest_url, timeout=30, trust_env=False) as client:

        def jobs() -> list[dict[str, Any]]:
            listed = client.get("/jobs/overview").json()["jobs"]
            return [job for job in listed if job["name"] == name]

        until(lambda: [job["state"] for job in jobs()] == ["RUNNING"])
        (job,) = jobs()
        execution = client.get(f"/jobs/{job['jid']}/config").json()["execution-config"]
        client.patch(f"/jobs/{job['jid']}").raise_for_status()

    assert execution["job-parallelism"] == 2
    assert f"Job ID: {job['jid']}" in printed
