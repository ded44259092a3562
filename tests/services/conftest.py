"""Tests that only Apache Kafka can pass: `make test-services` runs them, other runs do not collect them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from brokers import APACHE

if TYPE_CHECKING:
    from apache_kafka import SecuredBroker
    from flink_bakery import Bakery
    from flink_cluster import FlinkCluster

collect_ignore_glob = [] if APACHE else ["test_*.py"]


@pytest.fixture
def bakery(tmp_path: Path, apache_kafka: SecuredBroker, flink_cluster: FlinkCluster) -> Iterator[Bakery]:
    """Write a project with one job, and end that job with the test."""
    from flink_bakery import Bakery

    with ExitStack() as stack:
        made = Bakery(tmp_path / "bakery", apache_kafka, flink_cluster, stack)
        made.write()
        try:
            yield made
        finally:
            made.cancel()
