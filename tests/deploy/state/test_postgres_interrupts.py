"""Ctrl-C while PostgreSQL is asked something: the answer is taken, so the operation can say how it ends."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator
from typing import Any

import pytest
from postgres_states import PostgresStore
from states import APPLES, begin, failure, started

from streamt_ol.deploy.state.postgres import connecting

QUESTIONS = 12
"""How often PostgreSQL is asked for one word about an action."""

Presses = Callable[[int, int], list[int]]


@pytest.fixture
def presses(monkeypatch: pytest.MonkeyPatch) -> Presses:
    """Return what has Ctrl-C pressed so many times in the n-th question from now, where the driver runs."""
    bounded = connecting._bounded  # noqa: SLF001 - where the driver is given the word

    def press(at: int, times: int) -> list[int]:
        asked: list[int] = []

        def pressed(waiting: Any, deadline: Any) -> Generator[Any, Any, Any]:
            asked.append(len(asked) + 1)
            inner = bounded(waiting, deadline)
            try:
                wanted = next(inner)
                if asked[-1] == at:  # the question is under way
                    for _ in range(times):
                        signal.raise_signal(signal.SIGINT)
                while True:
                    wanted = inner.send((yield wanted))
            except StopIteration as done:
                return done.value

        monkeypatch.setattr(connecting, "_bounded", pressed)
        return asked

    return press


@pytest.mark.parametrize("at", range(1, QUESTIONS + 1))
def test_an_operation_that_is_interrupted_in_any_question_can_be_marked(
    postgres_store: PostgresStore, presses: Presses, at: int
) -> None:
    with postgres_store.open().authority(0) as authority:
        begin(authority, APPLES)
        presses(at, 1)
        with pytest.raises(KeyboardInterrupt):
            authority.progress(started(0, APPLES))
        authority.require_recovery(failure())

    assert postgres_store.open().observe().control.status == "recovery_required"


def test_a_word_about_an_action_takes_so_many_questions(
    postgres_store: PostgresStore, presses: Presses
) -> None:
    with postgres_store.open().authority(0) as authority:
        begin(authority, APPLES)
        asked = presses(0, 0)
        authority.progress(started(0, APPLES))
        number = len(asked)

    assert number == QUESTIONS


def test_who_presses_again_does_not_wait(postgres_store: PostgresStore, presses: Presses) -> None:
    def apply() -> None:
        with postgres_store.open().authority(0) as authority:
            begin(authority, APPLES)
            presses(1, 2)
            authority.progress(started(0, APPLES))

    with pytest.raises(KeyboardInterrupt):
        apply()

    assert postgres_store.open().observe().control.status == "in_progress"
