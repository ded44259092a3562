"""What holds for every test: no property test is judged by its time; and the servers they share.

Each server is started once, by the first test that asks for it. Their modules are imported here only then: the
suite of the wheel has none of their clients. One that does not start, or ends while tests need it, ends the run:
no test that needs it could tell more.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from services import ended_by_themselves

if TYPE_CHECKING:
    from pathlib import Path

    import trustme
    from apache_kafka import SecuredBroker
    from brokers import Broker
    from connect_worker import ConnectWorker
    from flink_cluster import FlinkCluster
    from postgres_server import PostgresServer

settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """End the run behind a test after which a server is gone that others still need."""
    done = yield
    gone = ended_by_themselves()
    if gone:
        item.session.shouldfail = "\n".join(gone)
    return done


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    """End the run behind the test for which something shared could not be started, which tells why."""
    try:
        return (yield)
    except Exception:
        if fixturedef.scope == "session":
            request.session.shouldfail = (
                request.session.shouldfail or f"no test can have {fixturedef.argname}"
            )
        raise


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    from brokers import running_broker

    with running_broker(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture(scope="session")
def apache_kafka(broker: Broker) -> SecuredBroker:
    """Share the broker with tests that need it to be Apache Kafka."""
    from apache_kafka import SecuredBroker

    assert isinstance(broker, SecuredBroker), "this test needs Apache Kafka: make test-services"
    return broker


@pytest.fixture(scope="session")
def connect_worker(
    apache_kafka: SecuredBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ConnectWorker]:
    from connect_worker import connect_worker

    with connect_worker(tmp_path_factory.mktemp("connect"), apache_kafka.address) as running:
        yield running


@pytest.fixture(scope="session")
def flink_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlinkCluster]:
    from flink_cluster import flink_cluster

    with flink_cluster(tmp_path_factory.mktemp("flink")) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    from postgres_server import postgres_server

    with postgres_server() as running:
        yield running


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """Return an authority for certificates that no system trusts."""
    import trustme

    return trustme.CA()


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> str:
    """Return the file with the certificate of the authority."""
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)
