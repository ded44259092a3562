"""What every backend of the state promises, asked of each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from states import (
    ANOTHER,
    APPLES,
    ENVIRONMENT,
    EVIDENCE,
    HARVEST,
    OPERATION,
    PEARS,
    PLUMS,
    PROJECT,
    RECOVERY,
    Store,
    apply,
    begin,
    carry_out,
    completed,
    failure,
    intent,
    record,
    resolution,
    started,
)

from streamt_ol.deploy.state.errors import (
    LockLostError,
    LockTimeoutError,
    OperationStepError,
    RecoveryRequiredError,
    StateConflictError,
    StateInvalidError,
)
from streamt_ol.deploy.state.history_file import INTENDED, RESOLVED, Event, Resolution
from streamt_ol.deploy.state.records import Control, Intent, Observed, Progress, Record, Snapshot
from streamt_ol.deploy.state.state_file import state_checksum

CLEAR = Control("clear")
NOTHING = Observed(Snapshot(PROJECT, ENVIRONMENT, 0, {}), "ABSENT", CLEAR, "ABSENT")


def snapshot(serial: int, resources: Mapping[str, Record]) -> Snapshot:
    return Snapshot(PROJECT, ENVIRONMENT, serial, dict(resources))


def seen(store: Store) -> tuple[Snapshot, Control]:
    """Return what somebody else reads now."""
    observed = store.open().observe()
    return observed.snapshot, observed.control


# Reading


def test_what_was_never_written_has_serial_0_and_a_clear_control(store: Store) -> None:
    assert store.open().observe() == NOTHING
    assert store.open().recoveries() == ()


def test_a_state_has_one_address_and_one_store_whoever_opens_it(store: Store) -> None:
    first, second, other = store.open(), store.open(), store.open("prod")

    assert first.address == second.address == f"streamt-state://{store.place}/orchard/dev"
    assert other.address == f"streamt-state://{store.place}/orchard/prod"
    assert first.store_id == second.store_id == other.store_id


# An operation that succeeds


def test_an_operation_leaves_its_resources_and_a_clear_control(store: Store) -> None:
    with store.open().authority(0) as authority:
        carry_out(authority, APPLES, PEARS)
        committed = authority.commit(HARVEST)

    assert (committed.snapshot, committed.control) == (snapshot(1, HARVEST), CLEAR)
    assert store.open().observe() == committed


def test_every_step_is_there_for_others_before_the_next(store: Store) -> None:
    with store.open().authority(0) as authority:
        begun = begin(authority, APPLES)
        after_begin = seen(store)
        authority.progress(started(0, APPLES))
        after_start = seen(store)
        authority.progress(completed(0, APPLES))
        after_end = seen(store)

    words = (started(0, APPLES), completed(0, APPLES))
    nothing = snapshot(0, {})
    assert after_begin == (nothing, Control("in_progress", begun))
    assert after_start == (nothing, Control("in_progress", begun, words[:1]))
    assert after_end == (nothing, Control("in_progress", begun, words))
    assert seen(store) == after_end


def test_the_serial_grows_by_one_with_every_change_and_with_nothing_else(store: Store) -> None:
    backend = store.open()
    serials = [
        apply(backend, {APPLES: record("apples.v1")}).snapshot.serial,
        apply(backend, {APPLES: record("apples.v1")}).snapshot.serial,
        apply(backend, None).snapshot.serial,
        apply(backend, {APPLES: record("apples.v1", "b")}).snapshot.serial,
        apply(backend, {}).snapshot.serial,
    ]

    assert serials == [1, 1, 1, 2, 3]


def test_without_a_change_the_state_keeps_its_revision(store: Store) -> None:
    backend = store.open()
    first = apply(backend, HARVEST)

    assert apply(backend, HARVEST).state_revision == first.state_revision
    assert apply(backend, None).state_revision == first.state_revision


def test_an_operation_without_an_action_is_begun_and_committed_like_any_other(store: Store) -> None:
    with store.open().authority(0) as authority:
        begun = begin(authority)
        under_way = seen(store)
        authority.commit(None)

    assert under_way == (snapshot(0, {}), Control("in_progress", begun))
    assert seen(store) == (snapshot(0, {}), CLEAR)


def test_environments_have_states_of_their_own(store: Store) -> None:
    apply(store.open(), HARVEST)

    assert store.open("prod").observe().snapshot == Snapshot(PROJECT, "prod", 0, {})
    with store.open().authority(0), store.open("prod").authority(0) as other:
        other.check()


# Beginning


@pytest.mark.parametrize("acted", [False, True])
def test_no_operation_begins_while_another_is_unfinished(store: Store, *, acted: bool) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES)
        if acted:
            authority.progress(started(0, APPLES))
            authority.require_recovery(failure())
    before = store.open().observe()
    with store.open().authority(0) as authority, pytest.raises(RecoveryRequiredError) as refused:
        begin(authority, PEARS, operation=ANOTHER)

    assert refused.value.operation_id == OPERATION
    assert refused.value.message == (
        "the apply of 2026-03-01T10:00:00.000000Z did not end"
        + (", with runtime_action_failed" if acted else "")
        + ": nothing may be changed before it is recovered"
    )
    assert store.open().observe() == before


def test_no_operation_begins_on_a_state_that_was_not_observed(store: Store) -> None:
    apply(store.open(), HARVEST)
    observed = store.open().observe()
    apply(store.open(), {APPLES: record("apples.v1")})
    with store.open().authority(0) as authority:
        current = authority.observe()
        with pytest.raises(StateConflictError):
            authority.begin(intent(current, PLUMS), observed)
        with pytest.raises(StateConflictError):
            authority.begin(intent(observed, PLUMS), current)

    assert store.open().observe() == current


WRONG_INTENTS: dict[str, tuple[dict[str, Any], str]] = {
    "id-no-uuid": ({"operation_id": "op-1"}, "/intent/operation_id"),
    "id-in-upper-case": ({"operation_id": "AAAAAAAA-1111-4111-8111-111111111111"}, "/intent/operation_id"),
    "kind": ({"kind": "destroy"}, "/intent/kind"),
    "no-time": ({"started_at": "2026-02-30T10:00:00.000000Z"}, "/intent/started_at"),
    "time-without-fraction": ({"started_at": "2026-03-01T10:00:00Z"}, "/intent/started_at"),
    "actor-with-a-line": ({"actor": "me\nyou"}, "/intent/actor"),
    "actor-too-long": ({"actor": "x" * 129}, "/intent/actor"),
    "plan-checksum": ({"reviewed_plan_checksum": "sha256:abc"}, "/intent/reviewed_plan_checksum"),
}


@pytest.mark.parametrize(("says", "location"), WRONG_INTENTS.values(), ids=WRONG_INTENTS)
def test_an_intent_that_makes_no_sense_is_not_begun(
    store: Store, says: dict[str, Any], location: str
) -> None:
    with store.open().authority(0) as authority, pytest.raises(StateInvalidError) as refused:
        authority.begin(intent(NOTHING, APPLES, **says), NOTHING)

    assert refused.value.location == location
    assert store.open().observe() == NOTHING


@pytest.mark.parametrize(
    ("resources", "location"),
    [
        ((APPLES, APPLES), "/intent/actions/1/resource_id"),
        (("streamt://orchard/prod/topic/apples",), "/intent/actions/0/resource_id"),
        (("streamt://orchard/dev/topic/a/b",), "/intent/actions/0/resource_id"),
        (("apples",), "/intent/actions/0/resource_id"),
    ],
)
def test_actions_concern_resources_of_their_state_once(
    store: Store, resources: tuple[str, ...], location: str
) -> None:
    wrong = (OperationStepError, StateInvalidError)
    with store.open().authority(0) as authority, pytest.raises(wrong) as refused:
        begin(authority, *resources)

    assert refused.value.code == "E411_STATE_INVALID"
    assert refused.value.location == location
    assert store.open().observe() == NOTHING


def test_actions_are_counted_in_their_order(store: Store) -> None:
    begun = intent(NOTHING, APPLES, PEARS)
    turned = begun._replace(actions=begun.actions[::-1])
    with store.open().authority(0) as authority, pytest.raises(OperationStepError) as refused:
        authority.begin(turned, NOTHING)

    assert refused.value.location == "/intent/actions/0/index"
    assert store.open().observe() == NOTHING


# Progress

BEGUN: tuple[Progress, ...] = ()
ONE_STARTED = (started(0, APPLES),)
ONE_DONE = (*ONE_STARTED, completed(0, APPLES))
ONE_FAILED = (*ONE_STARTED, completed(0, APPLES, succeeded=False))
ALL_DONE = (*ONE_DONE, started(1, PEARS), completed(1, PEARS))
WRONG_STEPS = {
    "completed-first": (BEGUN, completed(0, APPLES), "/progress/0/status"),
    "second-first": (BEGUN, started(1, PEARS), "/progress/0/action_index"),
    "another-resource": (BEGUN, started(0, PEARS), "/progress/0/resource_id"),
    "another-action": (BEGUN, started(0, APPLES)._replace(action="delete"), "/progress/0/action"),
    "another-operation": (BEGUN, started(0, APPLES, ANOTHER), "/progress/0/operation_id"),
    "started-with-an-end": (BEGUN, started(0, APPLES)._replace(succeeded=True), "/progress/0/succeeded"),
    "started-twice": (ONE_STARTED, started(0, APPLES), "/progress/1/status"),
    "next-before-the-end": (ONE_STARTED, started(1, PEARS), "/progress/1/action_index"),
    "completed-without-an-end": (
        ONE_STARTED,
        completed(0, APPLES)._replace(succeeded=None),
        "/progress/1/succeeded",
    ),
    "completed-twice": (ONE_DONE, completed(0, APPLES), "/progress/2/action_index"),
    "after-a-failure": (ONE_FAILED, started(1, PEARS), "/progress/2"),
    "after-the-last": (ALL_DONE, started(2, PLUMS), "/progress/4"),
}


@pytest.mark.parametrize(("before", "entry", "location"), WRONG_STEPS.values(), ids=WRONG_STEPS)
def test_a_word_that_does_not_follow_is_not_written(
    store: Store, before: tuple[Progress, ...], entry: Progress, location: str
) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES, PEARS)
        for word in before:
            authority.progress(word)
        with pytest.raises(OperationStepError) as refused:
            authority.progress(entry)

    assert (refused.value.location, refused.value.operation_id) == (location, OPERATION)
    assert seen(store)[1].progress == before


def test_a_word_without_a_time_is_not_written(store: Store) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES)
        with pytest.raises(StateInvalidError) as refused:
            authority.progress(started(0, APPLES)._replace(recorded_at="today"))
        authority.progress(started(0, APPLES))

    assert refused.value.location == "/progress/0/recorded_at"
    assert seen(store)[1].progress == ONE_STARTED


@pytest.mark.parametrize("before", [BEGUN, ONE_STARTED, ONE_DONE, ONE_FAILED])
def test_nothing_is_committed_before_every_action_has_succeeded(
    store: Store, before: tuple[Progress, ...]
) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES, PEARS)
        for word in before:
            authority.progress(word)
        with pytest.raises(OperationStepError):
            authority.commit(HARVEST)

    found, control = seen(store)
    assert (found, control.status, control.progress) == (snapshot(0, {}), "in_progress", before)


@pytest.mark.parametrize("step", ["progress", "require_recovery", "clear", "commit", "resolve"])
def test_without_an_operation_there_is_no_step_of_one(store: Store, step: str) -> None:
    with store.open().authority(0) as authority:
        steps = {
            "progress": lambda: authority.progress(started(0, APPLES)),
            "require_recovery": lambda: authority.require_recovery(failure()),
            "clear": authority.clear_before_mutation,
            "commit": lambda: authority.commit(HARVEST),
            "resolve": lambda: authority.resolve(None, resolution()),
        }
        with pytest.raises(OperationStepError):
            steps[step]()

    assert store.open().observe() == NOTHING


# Resources


WRONG_RESOURCES = {
    "another-project": {"streamt://garden/dev/topic/apples": record("apples")},
    "no-address": {"apples": record("apples")},
    "external": {APPLES: record("apples")._replace(ownership="external")},
    "no-checksum": {APPLES: record("apples")._replace(artifact_checksum="abc")},
    "no-name": {APPLES: record("")},
    "half-a-character": {APPLES: record("\ud800")},
}


@pytest.mark.parametrize("resources", WRONG_RESOURCES.values(), ids=WRONG_RESOURCES)
def test_resources_that_no_state_may_hold_are_not_written(store: Store, resources: dict[str, Record]) -> None:
    with store.open().authority(0) as authority:
        carry_out(authority, APPLES)
        with pytest.raises(StateInvalidError) as refused:
            authority.commit(resources)

    assert refused.value.code == "E411_STATE_INVALID"
    found, control = seen(store)
    assert (found, control.status) == (snapshot(0, {}), "in_progress")


# Failing


@pytest.mark.parametrize(
    ("words", "last"), [(BEGUN, None), (ONE_STARTED, None), (ONE_DONE, 0), (ONE_FAILED, None), (ALL_DONE, 1)]
)
@pytest.mark.parametrize(
    "code",
    ["runtime_action_failed", "rollback_incomplete", "operation_interrupted", "state_commit_uncertain"],
)
def test_an_operation_that_failed_says_why_and_how_far_it_came(
    store: Store, words: tuple[Progress, ...], last: int | None, code: str
) -> None:
    with store.open().authority(0) as authority:
        begun = begin(authority, APPLES, PEARS)
        for word in words:
            authority.progress(word)
        authority.require_recovery(failure(last, code))

    assert seen(store) == (
        snapshot(0, {}),
        Control("recovery_required", begun, words, failure(last, code)),
    )


@pytest.mark.parametrize("wrong", [failure(1), failure(None), failure(0, operation=ANOTHER)])
def test_a_failure_names_its_operation_and_the_last_action_that_succeeded(store: Store, wrong: Any) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES, PEARS)
        for word in ONE_DONE:
            authority.progress(word)
        with pytest.raises(OperationStepError):
            authority.require_recovery(wrong)

    assert seen(store)[1].status == "in_progress"


def test_a_failure_has_one_of_four_reasons(store: Store) -> None:
    with store.open().authority(0) as authority:
        begin(authority)
        with pytest.raises(StateInvalidError) as refused:
            authority.require_recovery(failure(code="bad_luck"))

    assert refused.value.location == "/recovery/failure_code"


def test_an_operation_that_failed_does_not_go_on(store: Store) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES)
        authority.progress(started(0, APPLES))
        authority.require_recovery(failure())
        before = seen(store)
        for step in (
            lambda: authority.progress(completed(0, APPLES)),
            lambda: authority.require_recovery(failure()),
            lambda: authority.commit(HARVEST),
        ):
            with pytest.raises(OperationStepError):
                step()
        with pytest.raises(RecoveryRequiredError):
            authority.clear_before_mutation()

    assert seen(store) == before


def test_an_operation_that_did_nothing_can_be_dropped(store: Store) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES)
        authority.clear_before_mutation()

    assert seen(store) == (snapshot(0, {}), CLEAR)


def test_an_operation_of_which_an_action_started_cannot_be_dropped(store: Store) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES)
        authority.progress(started(0, APPLES))
        with pytest.raises(RecoveryRequiredError) as refused:
            authority.clear_before_mutation()

    assert refused.value.operation_id == OPERATION
    assert seen(store)[1].status == "in_progress"


# Recovering


def unfinished(store: Store, *words: Progress) -> Intent:
    """Leave an operation behind whose process has ended."""
    with store.open().authority(0) as authority:
        begun = begin(authority, APPLES, PEARS)
        for word in words:
            authority.progress(word)
    return begun


def recover(store: Store, resources: Mapping[str, Record] | None, **says: Any) -> Observed:
    with store.open().authority(0) as authority:
        return authority.resolve(resources, resolution(**says))


def test_a_recovery_writes_what_was_observed_and_is_kept(store: Store) -> None:
    unfinished(store, *ONE_DONE)
    recovered = recover(store, HARVEST)

    assert (recovered.snapshot, recovered.control) == (snapshot(1, HARVEST), CLEAR)
    assert store.open().observe() == recovered
    kept = Resolution(RECOVERY, OPERATION, "observed", EVIDENCE)
    checksum = state_checksum(snapshot(1, HARVEST))
    assert [event._replace(recorded_at="") for event in store.open().recoveries()] == [
        Event(INTENDED, kept, 1, checksum, ""),
        Event(RESOLVED, kept, 1, checksum, ""),
    ]


def test_a_recovery_that_changes_nothing_keeps_the_serial(store: Store) -> None:
    before = apply(store.open(), HARVEST)
    unfinished(store, started(0, APPLES))
    recovered = recover(store, None, chosen="rolled_back")

    assert (recovered.snapshot, recovered.state_revision) == (before.snapshot, before.state_revision)
    assert recovered.control == CLEAR
    assert [event.state_serial for event in store.open().recoveries()] == [1, 1]


def test_an_operation_is_abandoned_only_before_its_first_action(store: Store) -> None:
    unfinished(store)
    assert recover(store, None, chosen="abandoned_before_mutation").control == CLEAR

    unfinished(store, started(0, APPLES))
    before, history = store.open().observe(), store.open().recoveries()
    with pytest.raises(RecoveryRequiredError):
        recover(store, None, chosen="abandoned_before_mutation", recovery_operation_id=ANOTHER)

    assert store.open().observe() == before
    assert store.open().recoveries() == history


def test_what_failed_before_its_first_action_can_be_abandoned(store: Store) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES)
        authority.require_recovery(failure(code="operation_interrupted"))

    assert recover(store, None, chosen="abandoned_before_mutation").control == CLEAR


@pytest.mark.parametrize(
    ("says", "error"),
    [
        ({"blocked_operation_id": ANOTHER}, StateConflictError),
        ({"recovery_operation_id": OPERATION}, StateInvalidError),
        ({"chosen": "ignored"}, StateInvalidError),
        ({"evidence_checksum": "none"}, StateInvalidError),
        ({"note": "unknown"}, StateInvalidError),
    ],
)
def test_a_recovery_that_is_not_exact_changes_nothing(
    store: Store, says: Any, error: type[Exception]
) -> None:
    unfinished(store, *ONE_DONE)
    before = store.open().observe()
    with pytest.raises(error):
        recover(store, HARVEST, **says)

    assert store.open().observe() == before
    assert store.open().recoveries() == ()


def test_the_id_of_a_recovery_is_not_used_for_another(store: Store) -> None:
    unfinished(store, *ONE_DONE)
    recover(store, HARVEST)
    unfinished(store, *ONE_DONE)
    before = store.open().observe()
    with pytest.raises(StateConflictError):
        recover(store, {}, chosen="rolled_back")

    assert store.open().observe() == before
    assert len(store.open().recoveries()) == 2


# The lock


def test_there_is_one_authority_at_a_time(store: Store) -> None:
    with store.open().authority(0) as authority:
        with pytest.raises(LockTimeoutError) as refused, store.open().authority(0):
            raise AssertionError

        authority.check()
    assert refused.value.code == "E422_STATE_LOCK_TIMEOUT"
    with store.open().authority(0) as authority:
        authority.check()


def test_the_lock_is_given_back_after_a_failure_too(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.open().authority(0):
        raise ZeroDivisionError

    with store.open().authority(0) as authority:
        authority.check()


def test_what_was_given_back_gives_no_right(store: Store) -> None:
    with store.open().authority(0) as authority:
        begin(authority, APPLES)
        authority.release()
        authority.release()
        before = seen(store)
        for step in (
            authority.check,
            authority.observe,
            lambda: authority.progress(started(0, APPLES)),
            lambda: authority.require_recovery(failure()),
            authority.clear_before_mutation,
            lambda: authority.resolve(None, resolution()),
        ):
            with pytest.raises(LockLostError) as refused:
                step()
            assert refused.value.operation_id == OPERATION

    assert seen(store) == before


def test_reading_does_not_wait_for_the_lock(store: Store) -> None:
    with store.open().authority(0) as authority:
        begun = begin(authority, APPLES)

        assert seen(store) == (snapshot(0, {}), Control("in_progress", begun))
