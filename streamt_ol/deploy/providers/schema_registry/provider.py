"""Schemas in the registry of `runtime.schema_registry`. Nothing is connected before the first question.

What was planned is carried out if the latest version is the one that it was planned with, compared right
before the registration (decision R4), and if the registry still calls it compatible. A registration is sent
once; of one without an answer it is looked after what became of it. Source: section 4 of the runtime facts.
"""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.providers.errors import RequestRefusedError
from streamt_ol.deploy.providers.schema_registry.observing import KIND, observed, schema_as_written
from streamt_ol.deploy.providers.schema_registry.subjects import AT, Subjects, Version
from streamt_ol.deploy.providers.service import Service
from streamt_ol.deploy.providers.service_facts import service_bound
from streamt_ol.deploy.providers.service_records import About, InDoubtError
from streamt_ol.services.deadlines import Deadline, DeadlinePassedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.providers.service_records import Standing
    from streamt_ol.deploy.records import Action, Live, Surface, Wanted
    from streamt_ol.engine.ruleset import RuleSet

_EXISTENCE: Final[tuple[str, ...]] = ("existence",)
_MILLISECONDS: Final = 1000


class RegistrySchemas:
    """The provider of schemas. `seconds` bounds each request, and the wait for a change to be seen."""

    kind = KIND

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet, *, seconds: float | None = None) -> None:
        settings = runtime.get("schema_registry")
        self._service = Service(
            "schema_registry", "the Schema Registry", AT, settings, rules, seconds=seconds
        )
        self._subjects = Subjects(self._service, rules)
        self._settle_seconds = service_bound(rules, "settle_seconds") if seconds is None else seconds
        self._pause = service_bound(rules, "poll_milliseconds") / _MILLISECONDS

    def observe(self, wanted: Sequence[Wanted]) -> dict[str, Live]:
        """Return the latest version of each subject, or the one that is wanted by its number.

        Where it is not what is wanted, the registry says what it thinks of that. Raises RequestRefusedError.
        """
        return {one.physical_name: observed(one, self._subjects) for one in wanted}

    def execute(self, action: Action) -> None:
        """Register a schema as planned, and see that it is the latest version.

        Raises ProviderError where it is known not to be registered, OutcomeUnknownError where nobody knows.
        """
        subject, schema = action.physical_name, _schema(action)
        latest = self._subjects.version(subject)
        self._compare(action, latest)
        if latest is not None:
            trouble = self._subjects.judged(subject, schema)
            if trouble is not None:
                raise trouble.error()
        try:
            schema_id = self._subjects.registered(subject, schema)
        except InDoubtError as doubt:
            self._service.settled(doubt, lambda: self._standing(action))
        else:
            self._await(action, schema_id)

    def undo(self, action: Action) -> bool:
        """Delete a subject that the action registered, if nothing but that schema was ever put there since.

        Everything else cannot be taken back: False. Raises like `execute`.
        """
        subject = action.physical_name
        if action.action != "register" or action.before is not None:
            return False
        latest = self._subjects.version(subject)
        if latest is None or not self._is_made(action, latest):
            return False
        if self._subjects.numbers(subject) != [latest.number]:
            return False
        try:
            self._subjects.delete(subject)
        except InDoubtError as doubt:
            self._service.settled(doubt, lambda: self._gone(action))
            return True
        if self._gone(action) != "after":
            raise self._service.failure(
                "not_as_asked", "change", _about(action, "deleted"), "it is there still"
            )
        return True

    def _compare(self, action: Action, latest: Version | None) -> None:
        """Refuse to act on what is not what the plan was made for."""
        live = None if latest is None else latest.surface
        if live == action.before:
            return
        if latest is None:
            fields, reason = _EXISTENCE, "the subject is gone"
        elif action.before is None:
            fields, reason = _EXISTENCE, f"there is version {latest.number} by now"
        else:
            fields = tuple(key for key, value in latest.surface.items() if action.before.get(key) != value)
            reason = f"version {latest.number} is the latest by now"
        raise self._service.failure("moved", "change", _about(action), reason, fields=fields)

    def _standing(self, action: Action) -> Standing:
        latest = self._subjects.version(action.physical_name)
        if latest is not None and self._is_made(action, latest):
            return "after"
        return "before" if (None if latest is None else latest.surface) == action.before else "neither"

    def _gone(self, action: Action) -> Standing:
        """Return `after` where a subject is not there any more."""
        latest = self._subjects.version(action.physical_name)
        if latest is None:
            return "after"
        return "before" if self._is_made(action, latest) else "neither"

    def _is_made(self, action: Action, latest: Version) -> bool:
        """Return whether a version is the schema of the action, perhaps in other words."""
        if latest.surface == action.after:
            return True
        return self._subjects.found(action.physical_name, _schema(action)) == latest.number

    def _await(self, action: Action, schema_id: int | None) -> None:
        """Return once the schema is the latest version; raises OutcomeUnknownError.

        `schema_id` is what the registry called it; None where it did not say.
        """
        deadline = Deadline(self._settle_seconds)
        reason = "it does not show it as the latest version"
        try:
            while not self._is_latest(action, schema_id):
                sleep(min(self._pause, deadline.left()))
        except DeadlinePassedError:
            pass
        except RequestRefusedError as error:
            reason = error.message
        else:
            return
        raise self._service.failure("not_as_asked", "change", _about(action), reason)

    def _is_latest(self, action: Action, schema_id: int | None) -> bool:
        latest = self._subjects.version(action.physical_name)
        if latest is None:
            return False
        return latest.id == schema_id or self._is_made(action, latest)


def _schema(action: Action) -> Surface:
    assert action.after is not None  # noqa: S101 - a plan has both sides of what it changes
    assert action.payload is not None  # noqa: S101
    return schema_as_written(action.after, action.payload)


def _about(action: Action, asked: str = "registered") -> About:
    return About(f"schema '{action.physical_name}'", asked)
