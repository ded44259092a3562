"""Several changes of a Gateway as one: each in its turn and once, and all of them taken back if one fails.

A Gateway has no transactions, so taking back is changing again: in reverse, each to what was there before.
What then is not as it was before is named. No change is ever sent twice; where one is in doubt, the list is
looked at.
Source: section 4 of the runtime facts, decisions R5 and R6.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, ProviderError, RequestRefusedError
from streamt_ol.deploy.providers.gateway.ordering import puts
from streamt_ol.deploy.providers.gateway.resources import (
    ALIAS,
    PATHS,
    Identity,
    UndocumentedError,
    body,
    listed,
    read,
    reference,
    words_of,
)
from streamt_ol.deploy.providers.service_records import About, InDoubtError
from streamt_ol.ground.records import shown_without
from streamt_ol.services.http_service import MalformedAnswerError, segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamt_ol.deploy.providers.errors import Failure
    from streamt_ol.deploy.providers.service import Service
    from streamt_ol.deploy.records import Surface
    from streamt_ol.services.http_service import Answer

Standing = Literal["before", "after", "neither", "unseen"]
"""What is there of a resource: as before a change, as it was to become, something else, or nobody knows."""

_MADE: Final = frozenset({"Created"})
_CHANGED: Final = frozenset({"Updated", "NotChanged"})


class Change(NamedTuple):
    """One resource, and what becomes of it; None for nothing there."""

    identity: Identity
    before: Surface | None
    after: Surface | None

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "before", "after")

    @property
    def back(self) -> Change:
        """Return the change that takes this one back."""
        return Change(self.identity, self.after, self.before)

    @property
    def about(self) -> About:
        """Return what messages call it."""
        asked = "removed" if self.after is None else "made" if self.before is None else "changed"
        sides = [side for side in (self.before, self.after) if side is not None]
        return About(str(self.identity), asked, words_of(sides))


class _FailedError(Exception):
    """A change is not known to be carried out as it was asked; `standing` says what is there."""

    def __init__(self, error: Failure, standing: Standing) -> None:
        super().__init__(error.message)
        self.error = error
        self.standing = standing


def changes(before: Mapping[Identity, Surface], after: Mapping[Identity, Surface]) -> Iterator[Change]:
    """Yield what makes one out of the other: puts in a harmless order, then deletions, an alias last."""
    for identity in puts(before, after):
        yield Change(identity, before.get(identity), after[identity])
    stale = [identity for identity in before if identity not in after]
    for identity in sorted(stale, key=lambda one: one.kind == ALIAS):
        yield Change(identity, before[identity], None)


def carry_out(service: Service, steps: Sequence[Change]) -> None:
    """Carry changes out, or none of them.

    Raises ProviderError where everything is known, with what is left of them in `done`; OutcomeUnknownError
    where something is not, by name.
    """
    done: list[Change] = []
    for step in steps:
        try:
            _carry_out(service, step)
        except _FailedError as failed:
            if failed.standing == "after":
                done.append(step)
            raise _taken_back(service, failed, step, done) from None
        done.append(step)


def _taken_back(service: Service, failed: _FailedError, step: Change, done: Sequence[Change]) -> Failure:
    back: list[str] = []
    left: list[str] = []
    doubtful = [str(step.identity)] if failed.standing in ("neither", "unseen") else []
    for one in reversed(done):
        {"after": back, "before": left}.get(_outcome(service, one.back), doubtful).append(str(one.identity))
    told = [
        f"{words}: {', '.join(names)}"
        for words, names in (
            ("taken back", back),
            ("not taken back", left),
            ("to be looked at, because nobody knows what is there", doubtful),
        )
        if names
    ]
    message = "; ".join([failed.error.message, *told])
    error: Failure = failed.error
    if doubtful:
        error = OutcomeUnknownError(message)
    elif isinstance(error, OutcomeUnknownError):  # by now it is known
        error = RequestRefusedError(error.code, message)
    error.reword(message)
    error.done = tuple(left)
    return error


def _outcome(service: Service, step: Change) -> Standing:
    """Carry one change out if that can be done; return what is there then."""
    try:
        _carry_out(service, step)
    except _FailedError as failed:
        return failed.standing
    return "after"


def _carry_out(service: Service, step: Change) -> None:
    """Carry one change out; raises _FailedError."""
    try:
        answer = _sent(service, step)
    except InDoubtError as doubt:
        standing = _standing(service, step)
        if standing == "after":
            return
        if standing == "before" and doubt.answered:
            raise _FailedError(doubt.refused, standing) from None
        # As long as a request was not answered, it may still be carried out.
        raise _FailedError(doubt.unknown, "unseen" if standing == "before" else standing) from None
    except RequestRefusedError as error:
        # What is refused was not done. Only of a deletion it may be because somebody else has done it.
        if step.after is None and _standing(service, step) == "after":
            gone = service.failure("moved", "change", step.about, "it is gone", fields=(str(step.identity),))
            raise _FailedError(gone, "before") from None
        raise _FailedError(error, "before") from None
    unlike = _unlike(step, answer)
    if unlike is not None:
        failure = service.failure("not_as_asked", "change", step.about, unlike, status=answer.status)
        raise _FailedError(failure, _standing(service, step))
    if not _expected(step, answer):
        moved = "somebody else changed it at the same time"
        failure = service.failure("moved", "change", step.about, moved, fields=(str(step.identity),))
        raise _FailedError(failure, "neither")


def _sent(service: Service, step: Change) -> Answer:
    path = PATHS[step.identity.kind]
    if step.after is not None:
        return service.change("PUT", path, body(step.identity, step.after), step.about)
    if step.identity.kind != ALIAS:
        path = f"{path}/{segment(step.identity.name)}"
    return service.change("DELETE", path, reference(step.identity), step.about)


def _unlike(step: Change, answer: Answer) -> str | None:
    """Return why an answer of success is none; None where it is exactly what is documented for the change."""
    if step.after is None:
        return None if answer.status == HTTPStatus.NO_CONTENT else f"it answers with status {answer.status}"
    if answer.status != HTTPStatus.OK:
        return f"it answers with status {answer.status}"
    try:
        told = answer.json()
        if set(told) != {"resource", "upsertResult"} or told["upsertResult"] not in _MADE | _CHANGED:
            return "it does not say what became of it"
        if read(step.identity.kind, told["resource"]) != (step.identity, step.after):
            return "it answers with another resource than was asked for"
    except (MalformedAnswerError, UndocumentedError, TypeError):
        return "its answer cannot be read"
    return None


def _expected(step: Change, answer: Answer) -> bool:
    """Return whether the Gateway found there what had been looked at."""
    if step.after is None:
        return True
    return answer.json()["upsertResult"] in (_MADE if step.before is None else _CHANGED)


def _standing(service: Service, step: Change) -> Standing:
    kind = step.identity.kind
    try:
        there = listed(kind, service.question(PATHS[kind], About(str(step.identity)))).get(step.identity)
    except (ProviderError, UndocumentedError):
        return "unseen"
    return "after" if there == step.after else "before" if there == step.before else "neither"
