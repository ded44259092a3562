"""A connection that breaks around a commit: what is written is found out, and nothing else is believed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest
from cutting_proxy import Cut, CuttingProxy, cutting_proxy
from postgres_states import RULES, PostgresStore, bounded
from states import ANOTHER, APPLES, HARVEST, OPERATION, apply, begin, completed, failure, resolution, started

from streamt_ol.deploy.state.errors import (
    LockLostError,
    ReleaseUnverifiedError,
    StateError,
    UnknownOutcomeError,
)
from streamt_ol.deploy.state.postgres.backend import PostgresBackend
from streamt_ol.deploy.state.records import Authority
from streamt_ol.engine.ruleset import RuleSet

WRITTEN = "the connection that held the lock of the state broke; this step of the operation is written"
NOT_WRITTEN = (
    "the connection that held the lock of the state broke; this step of the operation is not written"
)
UNKNOWN = (
    "the connection broke while a step of the operation was written, and whether it is written could not be "
    "found out"
)


@pytest.fixture
def proxy(postgres_store: PostgresStore) -> Iterator[CuttingProxy]:
    assert postgres_store.writer is not None
    with cutting_proxy(postgres_store.dsn_of(postgres_store.writer)) as running:
        yield running


@pytest.fixture
def through(postgres_store: PostgresStore, proxy: CuttingProxy) -> PostgresBackend:
    """Return the state as it is reached through the proxy."""
    return reached(postgres_store, proxy, RULES)


@pytest.fixture
def in_a_hurry(postgres_store: PostgresStore, proxy: CuttingProxy) -> PostgresBackend:
    """Return the same for somebody who does not look for long, where there is nothing to be seen."""
    return reached(postgres_store, proxy, bounded(look_seconds=1))


def reached(store: PostgresStore, proxy: CuttingProxy, rules: RuleSet) -> PostgresBackend:
    return PostgresBackend(store.settings(variables=store.through(proxy.dsn)), rules)


def steps(authority: Authority) -> None:
    """Carry out an operation: four commits."""
    begin(authority, APPLES)
    authority.progress(started(0, APPLES))
    authority.progress(completed(0, APPLES))
    authority.commit(HARVEST)


COMMITS: Mapping[int, tuple[str, int, int]] = {
    0: ("clear", 0, 0),
    1: ("in_progress", 0, 0),
    2: ("in_progress", 1, 0),
    3: ("in_progress", 2, 0),
    4: ("clear", 0, 1),
}
"""What is written after so many commits: status, words of progress, serial."""


def written(store: PostgresStore) -> tuple[str, int, int]:
    observed = store.open().observe()
    return observed.control.status, len(observed.control.progress), observed.snapshot.serial


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_step_written_without_an_answer_ends_the_operation(
    postgres_store: PostgresStore, proxy: CuttingProxy, through: PostgresBackend, at: int
) -> None:
    proxy.cut, proxy.at = "after", at
    with pytest.raises(LockLostError) as refused, through.authority(0) as authority:
        steps(authority)

    assert (refused.value.code, refused.value.message) == ("E423_STATE_LOCK_LOST", WRITTEN)
    assert refused.value.operation_id == OPERATION
    assert written(postgres_store) == COMMITS[at]


@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_a_step_that_was_not_sent_is_not_written(
    postgres_store: PostgresStore, proxy: CuttingProxy, through: PostgresBackend, at: int
) -> None:
    proxy.cut, proxy.at = "before", at
    with pytest.raises(LockLostError) as refused, through.authority(0) as authority:
        steps(authority)

    assert (refused.value.message, refused.value.operation_id) == (NOT_WRITTEN, OPERATION)
    assert written(postgres_store) == COMMITS[at - 1]


def test_a_commit_written_without_an_answer_is_made(
    postgres_store: PostgresStore, proxy: CuttingProxy, through: PostgresBackend
) -> None:
    proxy.cut, proxy.at = "after", 4
    with pytest.raises(ReleaseUnverifiedError) as refused, through.authority(0) as authority:
        steps(authority)

    assert written(postgres_store) == COMMITS[4]
    assert refused.value.message == (
        "the lock of the state could not be given back for certain: the connection that held it is broken"
    )
    assert refused.value.operation_id == OPERATION
    assert postgres_store.open().observe().snapshot.resources == HARVEST


LAST: Mapping[str, tuple[Callable[[Authority], None], str]] = {
    "mark": (lambda authority: authority.require_recovery(failure()), "recovery_required"),
    "clear": (lambda authority: authority.clear_before_mutation(), "clear"),
}


def begin_and_end(authority: Authority, end: Callable[[Authority], None]) -> None:
    begin(authority, APPLES)
    end(authority)


@pytest.mark.parametrize(("end", "status"), LAST.values(), ids=LAST)
def test_a_last_word_that_is_written_without_an_answer_is_said(
    postgres_store: PostgresStore,
    proxy: CuttingProxy,
    through: PostgresBackend,
    end: Callable[[Authority], None],
    status: str,
) -> None:
    proxy.cut, proxy.at = "after", 2
    with pytest.raises(ReleaseUnverifiedError), through.authority(0) as authority:
        begin_and_end(authority, end)

    assert written(postgres_store) == (status, 0, 0)


def test_a_recovery_that_is_written_without_an_answer_is_made(
    postgres_store: PostgresStore, proxy: CuttingProxy, through: PostgresBackend
) -> None:
    with postgres_store.open().authority(0) as authority:
        begin(authority, APPLES)
    proxy.cut, proxy.at = "after", 1
    with pytest.raises(ReleaseUnverifiedError), through.authority(0) as authority:
        recovered = authority.resolve(HARVEST, resolution())

    assert postgres_store.open().observe() == recovered
    assert len(postgres_store.open().recoveries()) == 2


@pytest.mark.parametrize(("cut", "at"), [("after", 1), ("before", 1), ("after", 4), ("before", 4)])
def test_what_nobody_can_look_at_is_not_known(
    postgres_store: PostgresStore, proxy: CuttingProxy, in_a_hurry: PostgresBackend, cut: Cut, at: int
) -> None:
    proxy.cut, proxy.at, proxy.refusing = cut, at, True
    with pytest.raises(UnknownOutcomeError) as refused, in_a_hurry.authority(0) as authority:
        steps(authority)

    assert (refused.value.code, refused.value.message) == ("E425_STATE_UNKNOWN_OUTCOME", UNKNOWN)
    assert refused.value.operation_id == OPERATION
    assert written(postgres_store) == COMMITS[at if cut == "after" else at - 1]


def test_what_may_still_be_written_is_not_known(
    postgres_store: PostgresStore, proxy: CuttingProxy, in_a_hurry: PostgresBackend
) -> None:
    proxy.cut, proxy.at = "held", 4  # the server waits for the commit
    with pytest.raises(UnknownOutcomeError) as refused, in_a_hurry.authority(0) as authority:
        steps(authority)

    assert refused.value.message == UNKNOWN
    assert written(postgres_store) == COMMITS[3]


def test_a_commit_is_known_from_the_history_after_somebody_went_on(
    postgres_store: PostgresStore, proxy: CuttingProxy, through: PostgresBackend
) -> None:
    proxy.cut, proxy.at = "after", 4
    proxy.before_next = lambda: goes_on(postgres_store)
    with pytest.raises(ReleaseUnverifiedError), through.authority(0) as authority:
        steps(authority)

    assert postgres_store.open().observe().snapshot.serial == 2


def test_a_commit_that_the_history_lacks_then_is_not_known(
    postgres_store: PostgresStore, proxy: CuttingProxy, through: PostgresBackend
) -> None:
    proxy.cut, proxy.at = "before", 1
    proxy.before_next = lambda: goes_on(postgres_store)
    with pytest.raises(UnknownOutcomeError), through.authority(0) as authority:
        steps(authority)

    assert postgres_store.open().observe().snapshot.serial == 1


def goes_on(store: PostgresStore) -> None:
    """Carry out another operation, once the lock of the one that was cut is free."""
    with store.open().authority(30) as authority:
        begin(authority, operation=ANOTHER)
        authority.commit({APPLES: HARVEST[APPLES]})


def test_after_a_broken_connection_nothing_more_is_written(
    postgres_store: PostgresStore, proxy: CuttingProxy, through: PostgresBackend
) -> None:
    proxy.cut, proxy.at = "after", 1
    with pytest.raises(ReleaseUnverifiedError), through.authority(0) as authority:
        errors = refused_steps(authority)

    broken = "the lock of the state is lost: the connection that held it is broken"
    assert errors == [WRITTEN, *[broken] * 5]
    assert written(postgres_store) == COMMITS[1]


def refused_steps(authority: Authority) -> list[str]:
    """Return what every step says, of which each is refused."""
    errors = []
    for step in (
        lambda: begin(authority, APPLES),
        lambda: authority.progress(started(0, APPLES)),
        lambda: authority.require_recovery(failure()),
        authority.clear_before_mutation,
        authority.check,
        authority.observe,
    ):
        with pytest.raises(LockLostError) as refused:
            step()
        errors.append(refused.value.message)
    return errors


def test_the_lock_is_free_once_the_connection_is_broken(
    postgres_store: PostgresStore, proxy: CuttingProxy, through: PostgresBackend
) -> None:
    apply(postgres_store.open(), HARVEST)
    proxy.cut, proxy.at = "before", 1
    with pytest.raises(StateError), through.authority(0) as authority:
        begin(authority, APPLES)

    assert apply(postgres_store.open(), None, ANOTHER).snapshot.serial == 1
