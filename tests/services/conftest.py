"""Tests that only Apache Kafka can pass: `make test-services` runs them, other runs do not collect them."""

from __future__ import annotations

from brokers import APACHE

collect_ignore_glob = [] if APACHE else ["test_*.py"]
