"""What holds for every test: no example of a property test is judged by its time; and the broker they share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from brokers import Broker

settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    from brokers import running_broker  # here: the suite of the wheel has no Kafka client

    with running_broker(tmp_path_factory.mktemp("broker")) as running:
        yield running
