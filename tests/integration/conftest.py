"""The broker that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from brokers import Broker, noida_broker


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with noida_broker(tmp_path_factory.mktemp("broker")) as running:
        yield running
