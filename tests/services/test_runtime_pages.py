"""What a page shows of Flink and Kafka Connect is what the commands print on real ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from apache_kafka import SecuredBroker
from connect_worker import ConnectWorker
from doc_examples import live_pages, mismatches, needs_services
from flink_cluster import FlinkCluster

PAGES = [page for page in live_pages() if needs_services(page)]


@pytest.fixture
def servers(
    apache_kafka: SecuredBroker, flink_cluster: FlinkCluster, connect_worker: ConnectWorker
) -> Iterator[dict[str, str]]:
    """Yield the variables of the pages; what they leave running ends with the test."""
    yield {
        "KAFKA": apache_kafka.address,
        "FLINK": flink_cluster.rest_url,
        "SQL_GATEWAY": flink_cluster.sql_gateway_url,
        "CONNECT": connect_worker.rest_url,
    }
    with httpx.Client(timeout=30, trust_env=False) as client:
        for job in client.get(f"{flink_cluster.rest_url}/jobs/overview").json()["jobs"]:
            if job["name"] == "heavy" and job["state"] == "RUNNING":
                client.patch(f"{flink_cluster.rest_url}/jobs/{job['jid']}").raise_for_status()
    connect_worker.ask("DELETE", "/connectors/loans_file").raise_for_status()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_live_example_of_a_page_prints_what_the_page_shows(
    page: Path, tmp_path: Path, servers: dict[str, str]
) -> None:
    found = mismatches(page.read_text("utf-8"), tmp_path, servers)

    assert [str(mismatch) for mismatch in found] == []


def test_the_page_about_runtimes_has_live_examples() -> None:
    assert [page.name for page in PAGES] == ["runtimes.md"]
