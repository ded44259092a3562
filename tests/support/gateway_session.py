"""A session of Flink's SQL Gateway, asked as its documentation says, with nothing of the program."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import httpx
from flink_cluster import FlinkCluster
from services import until

_ENDED = {"FINISHED", "ERROR", "CANCELED", "CLOSED", "TIMEOUT"}


class RefusedStatementError(Exception):
    """Flink does not take a statement; the text is the last cause that it names, with what follows it."""


class GatewaySession:
    """One session, with options for every statement in it."""

    def __init__(self, client: httpx.Client, url: str) -> None:
        self._client, self._url = client, url

    def run(self, statement: str) -> dict[str, Any]:
        """Run a statement until it is over, and return its first result; raises RefusedStatementError."""
        answer = self._client.post(f"{self._url}/statements", json={"statement": statement})
        operation = f"{self._url}/operations/{answer.json()['operationHandle']}"
        until(lambda: self._client.get(f"{operation}/status").json()["status"] in _ENDED)
        result = self._client.get(f"{operation}/result/0")
        if result.status_code != httpx.codes.OK:
            raise RefusedStatementError(result.json()["errors"][-1].rpartition("Caused by: ")[2])
        told: dict[str, Any] = result.json()
        return told

    def explain(self, statements: Sequence[str]) -> str:
        """Make the tables of a job, and return how Flink would run its INSERT."""
        for table in statements[:-1]:
            self.run(table)
        plan: str = self.run(f"EXPLAIN {statements[-1]}")["results"]["data"][0]["fields"][0]
        return plan


@contextmanager
def gateway_session(cluster: FlinkCluster, **options: str) -> Iterator[GatewaySession]:
    """Open a session, and close it."""
    with httpx.Client(timeout=60, trust_env=False) as client:
        opened = client.post(f"{cluster.sql_gateway_url}/v3/sessions", json={"properties": options})
        url = f"{cluster.sql_gateway_url}/v3/sessions/{opened.json()['sessionHandle']}"
        try:
            yield GatewaySession(client, url)
        finally:
            client.delete(url)


@contextmanager
def running_job(
    cluster: FlinkCluster, statements: Sequence[str], settings: Mapping[str, str]
) -> Iterator[str]:
    """Submit a job, give its id, and cancel it in the end."""
    with gateway_session(cluster, **settings) as session:
        for table in statements[:-1]:
            session.run(table)
        job: str = session.run(statements[-1])["jobID"]
    try:
        yield job
    except BaseException:
        told = httpx.get(f"{cluster.rest_url}/jobs/{job}/exceptions", trust_env=False, timeout=60)
        sys.stdout.write(f"what the job says: {told.text}\n{cluster.log_tail()}\n")
        raise
    finally:
        httpx.patch(f"{cluster.rest_url}/jobs/{job}", trust_env=False, timeout=60)
