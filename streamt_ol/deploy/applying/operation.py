"""One durable operation, step by step. This module is the order; nothing else decides about it.

    observe once more         nothing is written before everything is as it was planned with
    prepare run events        what is wrong with them is found before anything is durable
    begin                     durable: the intent, with the run's identity and time
    START
    for each action           lock, `started` (durable), provider, lock, `completed` (durable)
    lock, commit              durable: the resources, then the cleared control
    COMPLETE
    release the lock
    close the transport

Whatever ends it otherwise leaves the control as the table `failure-classes` says, and only then is FAIL or
ABORT sent. Sources: sections 2.4, 2.5 and 5.3 of the runtime facts, R2, R4, R6 and R7 of their section 0.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from streamt_ol.deploy.applying.endings import ActionFailedError
from streamt_ol.deploy.applying.intents import intent_of
from streamt_ol.deploy.applying.records import OperationFailedError, Report
from streamt_ol.deploy.applying.rollback import Rollback, leave, roll_back
from streamt_ol.deploy.providers.errors import OutcomeUnknownError, ProviderError
from streamt_ol.deploy.state.errors import StateConflictError, StateError
from streamt_ol.deploy.state.operations import last_completed
from streamt_ol.deploy.state.records import Progress, Recovery
from streamt_ol.lineage.event_times import utc_text
from streamt_ol.services.interrupts import undisturbed

if TYPE_CHECKING:
    from streamt_ol.deploy.applying.endings import Ending
    from streamt_ol.deploy.applying.facts import Phase
    from streamt_ol.deploy.applying.means import Means, Run
    from streamt_ol.deploy.applying.records import Order
    from streamt_ol.deploy.providers.errors import Failure
    from streamt_ol.deploy.records import Action
    from streamt_ol.deploy.state.records import Observed


def carry_out(order: Order, means: Means) -> Report:
    """Return what was done, committed and released.

    Raises OperationFailedError for every end after the intent became durable, whatever its cause; before,
    what the state and `means.prepare` raise.
    """
    return _Operation(order, means).carry_out()


class _Operation:
    def __init__(self, order: Order, means: Means) -> None:
        self._order = order
        self._means = means
        self._authority = means.authority
        self._phase: Phase = "begun"
        self._done: list[Action] = []
        self._seen: dict[str, str] = {}
        self._current: Action | None = None
        self._refused: Action | None = None
        self._rollback = Rollback()
        self._after: Observed | None = None

    def carry_out(self) -> Report:
        self._observe_once_more()
        self._intent = intent_of(self._order, self._means.clock())
        with self._means.prepare(self._intent) as run:
            self._begin()
            try:
                run.start()
                for action in self._order.actions:
                    self._act(action)
                self._commit()
                run.finish("succeeded")
                self._authority.release()
            except BaseException as error:
                raise self._failed(error, run) from error
        return self._report("clear")

    def _observe_once_more(self) -> None:
        if self._authority.observe() != self._order.expected:
            raise StateConflictError(
                "the state is not the one that this was planned with, although the lock was held",
                suggestion="find out who wrote it, then plan again",
            )

    def _begin(self) -> None:
        try:
            self._authority.begin(self._intent, self._order.expected)
        except BaseException:
            self._take_back_intent()
            raise

    def _take_back_intent(self) -> None:
        """Clear an intent that was written by a `begin` that failed all the same; never that of another."""
        with undisturbed(), contextlib.suppress(StateError):
            if self._authority.observe().control.intent == self._intent:
                self._authority.clear_before_mutation()

    def _act(self, action: Action) -> None:
        provider = self._means.providers[action.kind]
        self._authority.check()
        self._phase = "acting"
        self._current = action
        self._write(action, "started", succeeded=None)
        self._means.tell(action, "starts")
        try:
            seen = provider.execute(action)
        except (ProviderError, OutcomeUnknownError) as error:
            raise self._not_done(action, error) from error
        self._authority.check()
        self._write(action, "completed", succeeded=True)
        self._done.append(action)
        if seen:
            self._seen[action.resource_id] = seen
        self._current = None
        self._means.tell(action, "done")

    def _not_done(self, action: Action, error: Failure) -> ActionFailedError:
        """Return the error of an action that failed; write what is known of it, take back what is to be."""
        self._means.tell(action, "failed")
        verdict = self._means.endings.of_action(action, error)
        if isinstance(error, ProviderError):
            self._authority.check()
            self._write(action, "completed", succeeded=False)
            self._current, self._refused = None, action
        # Else whether it is over is not known, so nothing says that it is, and nothing is built on it.
        if verdict.taken_back:
            self._roll_back()
        elif isinstance(error, ProviderError):
            leave(self._done, self._means.tell, self._rollback)
        return ActionFailedError(action, error.message, self._rollback, verdict.cause)

    def _write(self, action: Action, status: str, *, succeeded: bool | None) -> None:
        self._authority.progress(
            Progress(
                operation_id=self._intent.operation_id,
                action_index=action.position,
                resource_id=action.resource_id,
                action=action.action,
                status=status,
                succeeded=succeeded,
                recorded_at=utc_text(self._means.clock()),
            )
        )

    def _roll_back(self) -> None:
        roll_back(self._done, self._means.providers, self._authority, self._means.tell, self._rollback)

    def _commit(self) -> None:
        self._authority.check()
        self._phase = "committing"
        self._after = self._authority.commit(self._order.resources)
        self._phase = "committed"

    def _failed(self, error: BaseException, run: Run) -> OperationFailedError:
        """Leave the control as the failure asks for, tell the run, and return what is to be told."""
        with undisturbed():
            ending = self._means.endings.of(error, self._phase)
            control = self._leave(ending)
        with contextlib.suppress(KeyboardInterrupt):  # the marker is written; nothing else can be stopped
            run.finish(ending.outcome)
        report = self._report(control)
        locations = self._order.locations
        return OperationFailedError(ending.errors(error, report, locations), ending.exit_status, report)

    def _leave(self, ending: Ending) -> str:
        """Return what the control says after this: where nothing can be written, what it said before."""
        if ending.end == "left":
            return "clear"
        try:
            if ending.marker is None:
                self._authority.clear_before_mutation()
                return "clear"
            self._authority.require_recovery(
                Recovery(
                    operation_id=self._intent.operation_id,
                    failure_code=ending.marker,
                    failed_at=utc_text(self._means.clock()),
                    # As it is written: the word about an action may be there although writing it failed.
                    last_completed_action_index=last_completed(self._authority.observe().control),
                )
            )
        except StateError:
            return self._control()
        return "recovery_required"

    def _control(self) -> str:
        try:
            return self._authority.observe().control.status
        except StateError:
            return "in_progress"

    def _report(self, control: str) -> Report:
        actions = self._order.actions
        started = len(self._done) + (self._current is not None) + (self._refused is not None)
        return Report(
            operation_id=self._intent.operation_id,
            done=tuple(self._done),
            seen=dict(self._seen),
            failed=self._refused,
            doubtful=self._current,
            untouched=actions[started:],
            undone=tuple(self._rollback.undone),
            kept=tuple(self._rollback.kept),
            committed=self._phase == "committed",
            after=self._after,
            control=control,
        )
