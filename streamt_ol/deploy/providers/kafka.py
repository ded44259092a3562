"""Topics on the brokers of `runtime.kafka`. Nothing is connected before the first question.

What was planned is carried out if what is there is what it was planned with, compared right before the change
(decision R4). Kafka knows no condition on a change: what somebody else does in that moment is not seen.
Source: section 4 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.providers.errors import (
    OutcomeUnknownError,
    ProviderError,
    RequestRefusedError,
    refusal,
    with_done,
)
from streamt_ol.deploy.providers.topic_changes import alterations, differing, impossible
from streamt_ol.deploy.providers.topic_facts import TOPIC_NEEDS
from streamt_ol.deploy.records import Live
from streamt_ol.services.deadlines import Deadline, DeadlinePassedError
from streamt_ol.services.errors import ServiceError, refuse_missing_extra
from streamt_ol.services.kafka_clients import interruptible
from streamt_ol.services.kafka_facts import kafka_bound
from streamt_ol.services.kafka_settings import kafka_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.providers.topic_admin import TopicAdmin
    from streamt_ol.deploy.providers.topic_facts import Request
    from streamt_ol.deploy.records import Action, Surface, Wanted
    from streamt_ol.engine.ruleset import RuleSet


class KafkaTopics:
    """The provider of topics. `seconds` bounds each request, and the wait for a change to be seen."""

    kind = "topic"

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet, *, seconds: float | None = None) -> None:
        rules.require(TOPIC_NEEDS)
        self._runtime = runtime
        self._rules = rules
        self._request_seconds = kafka_bound(rules, "request_seconds") if seconds is None else seconds
        self._settle_seconds = kafka_bound(rules, "settle_seconds") if seconds is None else seconds
        self._connection: TopicAdmin | None = None

    @interruptible()
    def observe(self, wanted: Sequence[Wanted]) -> dict[str, Live]:
        """Return what is there of each name; raises RequestRefusedError."""
        names = [one.physical_name for one in wanted]
        found = self._surfaces(names)
        return {name: Live(self.kind, name, found.get(name)) for name in names}

    @interruptible()
    def execute(self, action: Action) -> None:
        """Carry a planned action out, and see that it is.

        Raises ProviderError where it is known not to be carried out, OutcomeUnknownError where nobody knows.
        """
        steps = {"create": self._create, "update": self._update, "delete": self._delete}
        steps[action.action](action)

    @interruptible()
    def undo(self, action: Action) -> bool:
        """Delete a topic that the action created, if it is as it was created and never had a message.

        Everything else cannot be taken back: False. Raises like `execute`.
        """
        name, created = action.physical_name, action.after
        if action.action != "create" or created is None:
            return False
        if differing(created, self._surfaces([name]).get(name)) or self._written(name, created):
            return False
        self._delete(action._replace(action="delete", before=created, after=None))
        return True

    def _create(self, action: Action) -> None:
        self._compare(action)
        self._admin().create(action.physical_name, _some(action.after))
        self._settle("create", action)

    def _update(self, action: Action) -> None:
        name, before, after = action.physical_name, _some(action.before), _some(action.after)
        why_not = impossible(before, after)
        if why_not is not None:
            raise self._admin().failure(why_not.word, "extend", name, why_not.reason)
        self._compare(action)
        done: tuple[str, ...] = ()
        changes = alterations(before["config"], after["config"])
        if changes:
            self._admin().alter(name, changes)
            done = (f"settings changed ({', '.join(changes)})",)
        if after["partitions"] > before["partitions"]:
            # Last: a setting can be changed back, and partitions are there to stay.
            try:
                self._admin().extend(name, after["partitions"])
            except (ProviderError, OutcomeUnknownError) as error:
                raise with_done(error, done) from None
            done += (f"partitions raised from {before['partitions']} to {after['partitions']}",)
        self._settle("alter", action, done)

    def _delete(self, action: Action) -> None:
        self._compare(action)
        self._admin().delete(action.physical_name)
        self._settle("delete", action)

    def _compare(self, action: Action) -> None:
        """Refuse to act on what is not what the plan was made for."""
        name = action.physical_name
        live = self._surfaces([name]).get(name)
        moved = differing(action.before, live)
        if not moved:
            return
        if action.before is None:
            raise self._admin().failure("TOPIC_ALREADY_EXISTS", "create", name, fields=moved)
        if live is None:
            raise self._admin().failure("UNKNOWN_TOPIC_OR_PART", "alter", name, fields=moved)
        raise self._admin().failure("changed_since", "alter", name, ", ".join(moved), moved)

    def _settle(self, request: Request, action: Action, done: tuple[str, ...] = ()) -> None:
        """Wait until brokers tell of the change, which they took on."""
        deadline = Deadline(self._settle_seconds)
        seen = ""
        try:
            while True:
                try:
                    moved = self._moved(action, deadline)
                    if not moved:
                        return
                    seen = f"not yet so: {', '.join(moved)}"
                except RequestRefusedError as error:
                    seen = seen or error.message
                self._admin().wait(deadline)
        except DeadlinePassedError:
            reason = f"within {self._settle_seconds:g} s: {seen or 'no answer'}"
            late = self._admin().failure("unseen", request, action.physical_name, reason)
            raise with_done(late, done) from None

    def _moved(self, action: Action, deadline: Deadline) -> tuple[str, ...]:
        """Return what is not as it was planned to become."""
        name = action.physical_name
        return differing(action.after, self._admin().surfaces([name], deadline).get(name))

    def _surfaces(self, names: Sequence[str]) -> dict[str, Surface]:
        admin = self._admin()
        try:
            return admin.surfaces(names, Deadline(self._request_seconds))
        except DeadlinePassedError:
            raise admin.too_late() from None

    def _written(self, name: str, surface: Surface) -> bool:
        admin = self._admin()
        try:
            return admin.written(name, surface["partitions"], Deadline(self._request_seconds))
        except DeadlinePassedError:
            raise admin.too_late() from None

    def _admin(self) -> TopicAdmin:
        if self._connection is None:
            try:
                self._connection = _connected(self._runtime, self._rules, self._request_seconds)
            except ServiceError as error:
                raise refusal(error) from None
        return self._connection


def _connected(runtime: Mapping[str, Any], rules: RuleSet, seconds: float) -> TopicAdmin:
    try:
        from streamt_ol.deploy.providers.topic_admin import TopicAdmin
    except ImportError as error:
        refuse_missing_extra(error.name or "confluent_kafka", "deployments of topics")
    return TopicAdmin(kafka_settings(runtime, rules), rules, seconds)


def _some(surface: Surface | None) -> Surface:
    assert surface is not None  # noqa: S101 - a plan has both sides of what it changes
    return surface
