"""Topics that are observed and changed on a real broker, exactly as it was planned or not at all."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from uuid import uuid4

import pytest
from brokers import Broker, free_port, running_broker, until
from confluent_kafka import KafkaError, KafkaException
from golden_cases import source_path
from topic_plans import await_unread, creation, frozen, live, planned, provider_of, surface

from streamt_ol.deploy.providers.errors import (
    OutcomeUnknownError,
    PreimageMovedError,
    ProviderError,
    RequestRefusedError,
)
from streamt_ol.deploy.providers.kafka import KafkaTopics
from streamt_ol.deploy.providers.topic_admin import TopicAdmin
from streamt_ol.deploy.records import Action, Live, Surface, Wanted


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[Broker]:
    with running_broker(tmp_path) as running:
        yield running


@pytest.fixture
def topics(broker: Broker) -> KafkaTopics:
    return provider_of(broker.address)


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """Listen, and never say a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(30)
        yield listening


def named() -> str:
    return f"made-{uuid4().hex[:12]}"


def refused(topics: KafkaTopics, action: Action) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        topics.execute(action)
    return caught.value


def unknown(topics: KafkaTopics, action: Action) -> OutcomeUnknownError:
    with pytest.raises(OutcomeUnknownError) as caught:
        topics.execute(action)
    return caught.value


# What is there


def test_topics_are_told_with_what_was_set_for_them(broker: Broker, topics: KafkaTopics) -> None:
    plain, configured = broker.new_topic(), broker.new_topic(3, retention_ms="1000", cleanup_policy="compact")

    assert topics.observe([Wanted(configured), Wanted(plain)]) == {
        configured: Live("topic", configured, surface(3, retention_ms="1000", cleanup_policy="compact")),
        plain: Live("topic", plain, surface()),
    }


def test_a_setting_that_is_set_to_its_default_is_told(broker: Broker) -> None:
    topic = broker.new_topic(compression_type="producer")

    assert live(broker, topic) == surface(compression_type="producer")


@pytest.mark.parametrize("name", ["never-made", "no topic", "", "t" * 250, "a/b", "nul\0"])
def test_a_topic_that_does_not_exist_is_absent_and_is_not_made(
    broker: Broker, topics: KafkaTopics, name: str
) -> None:
    before = broker.topics()

    assert topics.observe([Wanted(name)]) == {name: Live("topic", name, None)}
    assert broker.topics() <= before  # of other tests one may be deleted at last


def test_a_topic_is_not_taken_for_one_whose_name_it_begins(broker: Broker, topics: KafkaTopics) -> None:
    name = f"{broker.new_topic()}\0more"

    assert topics.observe([Wanted(name)]) == {name: Live("topic", name, None)}


def test_no_names_are_no_question(topics: KafkaTopics) -> None:
    assert topics.observe([]) == {}


def test_a_thousand_names_are_one_question(broker: Broker, topics: KafkaTopics) -> None:
    there = broker.new_topic()

    found = topics.observe([Wanted(there), *(Wanted(f"absent-{number}") for number in range(1000))])

    assert [name for name, one in found.items() if one.surface is not None] == [there]


# What is done


def test_a_topic_is_created_as_planned(broker: Broker, topics: KafkaTopics) -> None:
    name, wanted = named(), surface(4, retention_ms="1000", cleanup_policy="compact")

    topics.execute(creation(name, wanted))

    assert live(broker, name) == wanted


def test_partitions_are_raised(broker: Broker, topics: KafkaTopics) -> None:
    topic = broker.new_topic(2)

    topics.execute(planned("update", topic, surface(2), surface(5)))

    assert live(broker, topic) == surface(5)


def test_one_setting_is_changed_and_the_others_stay(broker: Broker, topics: KafkaTopics) -> None:
    topic = broker.new_topic(retention_ms="1000", cleanup_policy="compact")
    before = surface(retention_ms="1000", cleanup_policy="compact")
    after = surface(retention_ms="2000", cleanup_policy="compact")

    topics.execute(planned("update", topic, before, after))

    assert live(broker, topic) == after


def test_only_settings_that_differ_are_in_the_request(
    broker: Broker, topics: KafkaTopics, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    alter = TopicAdmin.alter

    def noted(self, name, values) -> None:
        asked.append(values)
        alter(self, name, values)

    monkeypatch.setattr(TopicAdmin, "alter", noted)
    topic = broker.new_topic(retention_ms="1000", cleanup_policy="compact")
    before = surface(retention_ms="1000", cleanup_policy="compact")

    topics.execute(planned("update", topic, before, surface(retention_ms="1000", max_message_bytes="5000")))

    assert asked == [{"cleanup.policy": None, "max.message.bytes": "5000"}]


def test_a_setting_goes_back_to_its_default_when_the_plan_says_so(
    broker: Broker, topics: KafkaTopics
) -> None:
    topic = broker.new_topic(retention_ms="1000", cleanup_policy="compact")
    before = surface(retention_ms="1000", cleanup_policy="compact")

    topics.execute(planned("update", topic, before, surface(retention_ms="1000")))

    assert live(broker, topic) == surface(retention_ms="1000")


def test_settings_and_partitions_change_in_one_action(broker: Broker, topics: KafkaTopics) -> None:
    topic = broker.new_topic(1, retention_ms="1000")
    after = surface(3, retention_ms="2000")

    topics.execute(planned("update", topic, surface(1, retention_ms="1000"), after))

    assert live(broker, topic) == after


def test_a_topic_is_deleted(broker: Broker, topics: KafkaTopics) -> None:
    topic = broker.new_topic()

    topics.execute(planned("delete", topic, surface(), None))

    assert live(broker, topic) is None


# What moved since it was planned


def test_a_topic_that_exists_by_now_is_not_created(broker: Broker, topics: KafkaTopics) -> None:
    topic = broker.new_topic(2)

    error = refused(topics, creation(topic, surface(3)))

    assert isinstance(error, PreimageMovedError)
    assert (error.code, error.message, error.fields) == (
        "E407_DEPLOY_ERROR",
        f"there is a topic '{topic}' by now, and was none when this was planned",
        ("existence",),
    )
    assert live(broker, topic) == surface(2)


def test_a_topic_that_another_creates_meanwhile_is_not_taken_for_ours(
    broker: Broker, topics: KafkaTopics, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, create = named(), TopicAdmin.create

    def after_another(self, topic, wanted) -> None:
        create(self, topic, surface(2))
        create(self, topic, wanted)

    monkeypatch.setattr(TopicAdmin, "create", after_another)

    assert isinstance(refused(topics, creation(name, surface(3))), PreimageMovedError)
    assert live(broker, name) == surface(2)


@pytest.mark.parametrize(
    ("before", "moved"),
    [
        (surface(1, retention_ms="1000"), ("partitions",)),
        (surface(2, 3, retention_ms="1000"), ("replication_factor",)),
        (surface(2, retention_ms="2000"), ("config/retention.ms",)),
        (surface(2), ("config/retention.ms",)),
        (surface(2, retention_ms="1000", cleanup_policy="compact"), ("config/cleanup.policy",)),
    ],
    ids=str,
)
@pytest.mark.parametrize("action", ["update", "delete"])
def test_a_topic_that_moved_is_left_alone(
    broker: Broker, topics: KafkaTopics, action: str, before: Surface, moved: tuple[str, ...]
) -> None:
    topic = broker.new_topic(2, retention_ms="1000")
    after = {**before, "config": {"retention.ms": "9000"}} if action == "update" else None

    error = refused(topics, planned(action, topic, before, after))

    assert isinstance(error, PreimageMovedError)
    assert (error.message, error.fields) == (
        f"topic '{topic}' is not as it was when this was planned: {moved[0]}",
        moved,
    )
    assert live(broker, topic) == surface(2, retention_ms="1000")


@pytest.mark.parametrize(("action", "after"), [("update", surface(2)), ("delete", None)])
def test_a_topic_that_is_gone_is_not_made_again(
    broker: Broker, topics: KafkaTopics, action: str, after: Surface | None
) -> None:
    name = named()

    error = refused(topics, planned(action, name, surface(), after))

    assert isinstance(error, PreimageMovedError)
    assert error.message == f"there is no topic '{name}' any more, and was one when this was planned"
    assert live(broker, name) is None


# What cannot be done


def test_partitions_are_not_taken_away_and_the_broker_is_not_asked() -> None:
    error = refused(
        provider_of(f"127.0.0.1:{free_port()}"), planned("update", "orders", surface(3), surface(2))
    )

    assert error.diagnostic().as_dict() == {
        "code": "E401_CANNOT_REDUCE_PARTITIONS",
        "message": "topic 'orders' cannot get fewer partitions: it has 3, and 2 are planned",
        "location": "/runtime/kafka",
    }


def test_replicas_are_not_moved_and_the_broker_is_not_asked() -> None:
    error = refused(
        provider_of(f"127.0.0.1:{free_port()}"), planned("update", "orders", surface(1, 1), surface(1, 3))
    )

    assert error.diagnostic().as_dict() == {
        "code": "E407_DEPLOY_ERROR",
        "message": "the replication factor of topic 'orders' is not changed by an update: "
        "it has 1, and 3 are planned",
        "location": "/runtime/kafka",
    }


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (
            surface(retention_ms="soon"),
            "Invalid value soon for configuration retention.ms: Not a number of type LONG (INVALID_CONFIG)",
        ),
        (surface(no_such="1"), "Unknown topic config name: no.such (INVALID_CONFIG)"),
    ],
)
def test_a_setting_that_the_broker_does_not_take_is_told_in_its_words(
    broker: Broker, topics: KafkaTopics, wanted: Surface, reason: str
) -> None:
    name, topic = named(), broker.new_topic()

    creating = refused(topics, creation(name, wanted))
    altering = refused(topics, planned("update", topic, surface(), wanted))

    assert (creating.code, creating.message) == (
        "E407_DEPLOY_ERROR",
        f"the broker does not create topic '{name}': {reason}",
    )
    assert (altering.code, altering.message) == (
        "E407_DEPLOY_ERROR",
        f"the broker does not alter topic '{topic}': {reason}",
    )
    assert (live(broker, name), live(broker, topic)) == (None, surface())


def test_more_replicas_than_brokers_are_told_in_the_words_of_the_broker(
    broker: Broker, topics: KafkaTopics
) -> None:
    name = named()

    error = refused(topics, creation(name, surface(1, 3)))

    assert error.code == "E407_DEPLOY_ERROR"
    assert error.message.startswith(
        f"the broker does not create topic '{name}': Unable to replicate the partition 3 time(s): "
        "The target replication factor of 3 cannot be reached because only 1 broker(s) are registered"
    )
    assert error.message.endswith(" (INVALID_REPLICATION_FACTOR)")
    assert live(broker, name) is None


@pytest.mark.parametrize("name", ["no topic", "nul\0", "..", "t" * 250])
def test_a_name_that_no_topic_can_have_is_refused(topics: KafkaTopics, name: str) -> None:
    error = refused(topics, creation(name, surface()))

    assert error.code == "E407_DEPLOY_ERROR"
    assert error.message.startswith(f"the broker does not create topic '{name}': ")


def test_what_was_done_before_a_step_failed_is_said(broker: Broker, topics: KafkaTopics) -> None:
    topic = broker.new_topic(retention_ms="1000")
    too_many = surface(100_001, retention_ms="2000")

    error = refused(topics, planned("update", topic, surface(retention_ms="1000"), too_many))

    assert isinstance(error, RequestRefusedError)
    assert error.done == ("settings changed (retention.ms)",)
    assert error.message.startswith(f"the broker does not extend topic '{topic}': ")
    assert error.message.endswith("; done before that: settings changed (retention.ms)")
    assert live(broker, topic) == surface(retention_ms="2000")


# What nobody knows


def test_a_broker_that_does_not_answer_leaves_it_open_what_it_did(
    own_broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, create = named(), TopicAdmin.create

    def to_a_frozen_broker(self, topic, wanted) -> None:
        with frozen(own_broker):
            create(self, topic, wanted)

    monkeypatch.setattr(TopicAdmin, "create", to_a_frozen_broker)

    error = unknown(provider_of(own_broker.address, seconds=3), creation(name, surface(2)))

    assert (error.code, error.message) == (
        "E407_DEPLOY_ERROR",
        f"it is not known what became of the request to create topic '{name}': "
        "Failed while waiting for response from broker: Local: Timed out",
    )
    until(lambda: live(own_broker, name) == surface(2))  # the broker went on, and did what it was asked


def test_a_broker_that_dies_with_a_request_leaves_it_open_what_it_did(
    own_broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic, delete = own_broker.new_topic(), TopicAdmin.delete

    def kill_when_asked() -> None:
        await_unread(own_broker)
        own_broker.kill()

    def to_a_dying_broker(self, name) -> None:
        with frozen(own_broker):
            killing = Thread(target=kill_when_asked)
            killing.start()
            try:
                delete(self, name)
            finally:
                killing.join()

    monkeypatch.setattr(TopicAdmin, "delete", to_a_dying_broker)

    error = unknown(provider_of(own_broker.address), planned("delete", topic, surface(), None))

    assert error.message == (
        f"it is not known what became of the request to delete topic '{topic}': "
        "Failed while waiting for response from broker: Local: Broker transport failure"
    )


def test_a_broker_that_is_gone_before_the_request_has_changed_nothing(
    own_broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, create = named(), TopicAdmin.create

    def to_a_dead_broker(self, topic, wanted) -> None:
        own_broker.kill()
        assert self._troubles.at_the_end() is None
        until(lambda: self._client.poll(0.1) is not None and self._troubles.at_the_end() is not None)
        create(self, topic, wanted)

    monkeypatch.setattr(TopicAdmin, "create", to_a_dead_broker)

    error = refused(provider_of(own_broker.address, seconds=3), creation(name, surface()))

    assert (type(error), error.code) == (RequestRefusedError, "E406_CONNECTION_REFUSED")


def test_an_update_that_is_never_seen_is_no_success(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TopicAdmin, "alter", lambda *_asked: None)  # a broker that says yes, and does nothing
    topic = broker.new_topic()

    error = unknown(
        provider_of(broker.address, seconds=2),
        planned("update", topic, surface(1), surface(2, retention_ms="1000")),
    )

    assert error.message == (
        f"the broker took the request to alter topic '{topic}', and that it was carried out was not seen "
        "within 2 s: not yet so: config/retention.ms; done before that: settings changed (retention.ms), "
        "partitions raised from 1 to 2"
    )


@pytest.mark.parametrize("action", ["create", "delete"])
def test_a_topic_that_is_not_seen_to_come_or_go_is_no_success(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    monkeypatch.setattr(TopicAdmin, action, lambda *_asked: None)  # a broker that says yes, and does nothing
    there = action == "delete"
    name = broker.new_topic() if there else named()
    before, after = (surface(), None) if there else (None, surface())

    error = unknown(provider_of(broker.address, seconds=2), planned(action, name, before, after))

    assert error.message == (
        f"the broker took the request to {action} topic '{name}', and that it was carried out was not seen "
        "within 2 s: not yet so: existence"
    )


# What is taken back


def test_a_topic_that_was_created_is_taken_back(broker: Broker, topics: KafkaTopics) -> None:
    made = creation(named(), surface(2, retention_ms="1000"))
    topics.execute(made)

    assert topics.undo(made) is True
    assert live(broker, made.physical_name) is None


def test_topics_are_taken_back_before_their_partitions_have_settled(
    broker: Broker, topics: KafkaTopics
) -> None:
    for made in [creation(named(), surface(3)) for _ in range(20)]:
        topics.execute(made)

        assert topics.undo(made) is True


def test_a_topic_that_may_have_messages_is_not_taken_back(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_leader(*_asked: object) -> None:
        raise KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE, "said"))

    topics, made = provider_of(broker.address, seconds=2), creation(named(), surface())
    topics.execute(made)
    monkeypatch.setattr(TopicAdmin, "_ends", without_leader)

    with pytest.raises(RequestRefusedError) as caught:
        topics.undo(made)

    assert (caught.value.code, caught.value.message) == (
        "E546_BROKER_ERROR",
        f"the broker does not show topic '{made.physical_name}': said (LEADER_NOT_AVAILABLE)",
    )
    assert live(broker, made.physical_name) == surface()


def test_a_topic_that_has_messages_is_not_taken_back(broker: Broker, topics: KafkaTopics) -> None:
    made = creation(named(), surface(2))
    topics.execute(made)
    broker.produce(made.physical_name, [b"{}"], partition=1)

    assert topics.undo(made) is False
    assert live(broker, made.physical_name) == surface(2)


def test_a_topic_that_was_changed_since_is_not_taken_back(broker: Broker, topics: KafkaTopics) -> None:
    made = creation(named(), surface(1))
    topics.execute(made)
    topics.execute(planned("update", made.physical_name, surface(1), surface(2)))

    assert topics.undo(made) is False
    assert live(broker, made.physical_name) == surface(2)


def test_a_topic_that_is_gone_is_not_said_to_be_taken_back(topics: KafkaTopics) -> None:
    assert topics.undo(creation(named(), surface())) is False


@pytest.mark.parametrize(("action", "after"), [("update", surface(2)), ("delete", None)])
def test_nothing_but_a_creation_is_taken_back(
    broker: Broker, topics: KafkaTopics, action: str, after: Surface | None
) -> None:
    topic = broker.new_topic(2)

    assert topics.undo(planned(action, topic, surface(1), after)) is False
    assert live(broker, topic) == surface(2)


# Brokers out of reach


def test_a_port_that_nobody_listens_on_is_told_as_the_client_found_it() -> None:
    port = free_port()

    with pytest.raises(RequestRefusedError) as caught:
        provider_of(f"127.0.0.1:{port}").observe([Wanted("orders")])

    assert caught.value.diagnostic().as_dict() == {
        "code": "E406_CONNECTION_REFUSED",
        "message": "no broker of runtime.kafka can be reached: "
        f"127.0.0.1:{port}/bootstrap: Connect to ipv4#127.0.0.1:{port} failed: Connection refused",
        "location": "/runtime/kafka",
    }


def test_a_server_that_says_nothing_is_waited_for_until_the_bound(silent: socket.socket) -> None:
    provider = provider_of(f"127.0.0.1:{silent.getsockname()[1]}", seconds=0.5)

    with pytest.raises(RequestRefusedError) as caught:
        provider.observe([Wanted("orders")])

    assert caught.value.code == "E406_CONNECTION_REFUSED"
    assert caught.value.message.startswith("the brokers of runtime.kafka did not answer: ")


def test_a_broker_that_comes_back_is_asked_again(own_broker: Broker) -> None:
    provider = provider_of(own_broker.address, seconds=0.5)
    with frozen(own_broker), pytest.raises(RequestRefusedError):
        provider.observe([Wanted("orders")])

    until(lambda: provider.observe([Wanted("orders")])["orders"].surface is None, RequestRefusedError)


def test_an_interrupt_ends_the_wait_for_an_answer(silent: socket.socket) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from streamt_ol.deploy.providers.kafka import KafkaTopics\n"
        "from streamt_ol.engine.ruleset import load_rules\n"
        "rules = load_rules(Path(sys.argv[2]))\n"
        "from streamt_ol.deploy.records import Wanted\n"
        "KafkaTopics({'kafka': {'bootstrap_servers': sys.argv[1]}}, rules, seconds=60).observe([Wanted('orders')])\n"
    )
    rules = Path(__file__).parents[2] / "rules"
    with subprocess.Popen(
        [sys.executable, "-c", program, f"127.0.0.1:{silent.getsockname()[1]}", rules],
        env={"PYTHONPATH": ":".join(map(str, source_path()))},
        stderr=subprocess.PIPE,
    ) as process:
        connection, _peer = silent.accept()
        with connection:
            process.send_signal(signal.SIGINT)
            _out, told = process.communicate(timeout=60)

    assert told.decode().strip().endswith("KeyboardInterrupt")
    assert process.returncode == -signal.SIGINT


def test_an_interrupt_ends_the_wait_for_a_change(own_broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    create = TopicAdmin.create

    def interrupt_when_asked() -> None:
        await_unread(own_broker)
        os.kill(os.getpid(), signal.SIGINT)

    def to_a_frozen_broker(self, topic, wanted) -> None:
        with frozen(own_broker):
            interrupting = Thread(target=interrupt_when_asked)
            interrupting.start()
            try:
                create(self, topic, wanted)
            finally:
                interrupting.join()

    monkeypatch.setattr(TopicAdmin, "create", to_a_frozen_broker)

    with pytest.raises(KeyboardInterrupt):
        provider_of(own_broker.address, seconds=60).execute(creation(named(), surface()))


def test_the_client_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RequestRefusedError):
        provider_of(f"127.0.0.1:{free_port()}").observe([Wanted("orders")])

    assert capfd.readouterr() == ("", "")
