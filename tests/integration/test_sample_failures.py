"""Why a sample of a real topic is not taken, and what is said about it."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from brokers import Broker, free_port, running_broker
from checked import packaged_rules, write_project
from golden_cases import source_path
from program import run_streamt
from sampled import numbered, sample, sampler_of

from streamt_ol.checks.kafka_client import KafkaClient
from streamt_ol.checks.sampling import Sampler
from streamt_ol.checks.sampling_errors import SampleDeadlineError
from streamt_ol.services.errors import BrokerUnreachableError, ServiceError, TopicUnknownError


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[Broker]:
    with running_broker(tmp_path) as running:
        yield running


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """Listen, and never say a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(30)
        yield listening


def address(listening: socket.socket) -> str:
    return f"127.0.0.1:{listening.getsockname()[1]}"


def refused(at: str, **runtime) -> ServiceError:
    with sampler_of(at, **runtime) as sampler, pytest.raises(ServiceError) as caught:
        sampler.sample("orders", 10)
    return caught.value


@pytest.mark.parametrize("topic", ["never-made", "no topic", "", "t" * 250, "a/b", "nul\0"])
def test_an_unknown_topic_is_an_error_and_is_not_made(broker: Broker, topic: str) -> None:
    before = broker.topics()

    with pytest.raises(TopicUnknownError) as caught:
        sample(broker, topic)

    assert (caught.value.code, caught.value.message) == (
        "E540_TOPIC_UNKNOWN",
        f"the broker has no topic '{topic}'",
    )
    assert broker.topics() <= before | {"__consumer_offsets"}  # of other tests one may be deleted at last


def test_one_unknown_topic_keeps_no_other_from_being_read(broker: Broker) -> None:
    topic = broker.new_topic()
    broker.produce(topic, numbered(1))

    with sampler_of(broker.address) as sampler:
        with pytest.raises(TopicUnknownError):
            sampler.sample("never-made", 10)

        assert len(sampler.sample(topic, 10).messages) == 1


def test_a_port_that_nobody_listens_on_is_told_as_the_client_found_it() -> None:
    port = free_port()

    error = refused(f"127.0.0.1:{port}")

    assert error.diagnostic().as_dict() == {
        "code": "E406_CONNECTION_REFUSED",
        "message": "no broker of runtime.kafka can be reached: "
        f"127.0.0.1:{port}/bootstrap: Connect to ipv4#127.0.0.1:{port} failed: Connection refused",
        "location": "/runtime/kafka",
    }


def test_a_host_that_nobody_knows_is_told_without_what_stands_before_it() -> None:
    error = refused("planted-user:planted-password@kafka.invalid:9092")

    assert isinstance(error, BrokerUnreachableError)
    assert error.message.startswith("no broker of runtime.kafka can be reached: ")
    assert "***@kafka.invalid:9092" in error.message
    assert "planted" not in error.message


def test_addresses_that_the_client_does_not_take_are_told() -> None:
    error = refused("SSL://127.0.0.1:9092")

    assert (error.code, error.message) == (
        "E406_CONNECTION_REFUSED",
        "no broker of runtime.kafka answers (No brokers configured): does security_protocol fit the listener?",
    )


def test_what_cannot_be_reached_is_tried_once_in_a_run(silent: socket.socket) -> None:
    kafka = {"bootstrap_servers": f"127.0.0.1:{free_port()}"}
    with Sampler({"kafka": kafka}, packaged_rules()) as sampler:
        with pytest.raises(BrokerUnreachableError) as first:
            sampler.sample("orders", 10)
        kafka["bootstrap_servers"] = address(silent)  # who asked again would be heard there
        with pytest.raises(BrokerUnreachableError) as second:
            sampler.sample("payments", 10)

        assert second.value is first.value
        silent.settimeout(0)
        with pytest.raises(BlockingIOError):
            silent.accept()


def test_a_broker_that_does_not_answer_is_waited_for_until_the_deadline(silent: socket.socket) -> None:
    error = refused(address(silent), seconds=0.5)

    assert isinstance(error, SampleDeadlineError)
    assert (error.code, error.message) == (
        "E542_SAMPLE_DEADLINE",
        "the sample of topic 'orders' was not complete after 0.5 s: 0 of 10 messages had been read",
    )


def test_a_broker_that_goes_away_before_the_first_message_is_an_error(
    own_broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = own_broker.new_topic()
    own_broker.produce(topic, numbered(1, 2, 3))
    extents = KafkaClient.extents

    def then_kill(*asked):
        found = extents(*asked)
        own_broker.kill()
        return found

    monkeypatch.setattr(KafkaClient, "extents", then_kill)

    with pytest.raises(BrokerUnreachableError) as caught:
        sample(own_broker, topic)

    assert caught.value.code == "E406_CONNECTION_REFUSED"
    assert own_broker.address in caught.value.message


def test_the_client_prints_nothing(tmp_path: Path) -> None:
    project = write_project(
        tmp_path,
        runtime={"kafka": {"bootstrap_servers": f"127.0.0.1:{free_port()}"}},
        tests=[
            {
                "name": "whole",
                "model": "orders",
                "type": "sample",
                "assertions": [{"not_null": {"columns": ["id"]}}],
            }
        ],
    )

    done = run_streamt("test", "--project-dir", project)

    assert [line.partition(" at ")[0].partition(": 1 of")[0] for line in done.stderr.splitlines()] == [
        "ERROR: E406_CONNECTION_REFUSED",
        "ERROR: E530_TESTS_FAILED",
    ]


def test_an_interrupt_ends_the_wait_for_a_broker(silent: socket.socket, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from streamt_ol.checks.sampling import Sampler\n"
        "from streamt_ol.engine.ruleset import load_rules\n"
        "with Sampler({'kafka': {'bootstrap_servers': sys.argv[1]}}, load_rules(Path(sys.argv[2])), seconds=60) as s:\n"
        "    s.sample('orders', 10)\n"
    )
    rules = Path(__file__).parents[2] / "rules"
    with subprocess.Popen(
        [sys.executable, "-c", program, address(silent), rules],
        env={"PYTHONPATH": ":".join(map(str, source_path()))},
        stderr=subprocess.PIPE,
    ) as process:
        connection, _peer = silent.accept()
        with connection:
            process.send_signal(2)
            _out, told = process.communicate(timeout=60)

    assert told.decode().strip().endswith("KeyboardInterrupt")
    assert process.returncode == -2
