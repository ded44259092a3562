"""One planned change of a connector, from the last look before it to the first after it.

What was planned is carried out if the configuration is the one that it was planned with, compared right
before the change (decision R4). A cluster takes a change and carries it out later, so each is looked after:
the configuration has to be seen, and then the connector and its tasks at work, or paused or stopped as they
were. Nothing resumes what somebody has paused.
"""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, NamedTuple

from streamt_ol.deploy.providers.connect.errors import ConnectorFailedError
from streamt_ol.deploy.providers.connect.facts import connector_bound
from streamt_ol.deploy.providers.connect.keys import differing
from streamt_ol.deploy.providers.connect.states import NO_STATUS, States
from streamt_ol.deploy.providers.connect.words import first_and_cause, hidden_values
from streamt_ol.deploy.providers.errors import OutcomeUnknownError, RequestRefusedError
from streamt_ol.deploy.providers.service_facts import service_bound
from streamt_ol.deploy.providers.service_records import About, InDoubtError
from streamt_ol.services.deadlines import Deadline, DeadlinePassedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.deploy.providers.connect.cluster import ConnectCluster
    from streamt_ol.deploy.providers.connect.facts import Expected
    from streamt_ol.deploy.providers.connect.states import Status, Verdict
    from streamt_ol.deploy.providers.service_records import Standing
    from streamt_ol.deploy.records import Action, Surface
    from streamt_ol.engine.ruleset import RuleSet

_DONE: Final = {"create": "created", "update": "changed", "delete": "deleted"}
_MILLI: Final = 1000


class _Look(NamedTuple):
    """What one look at a changed connector showed."""

    verdict: Verdict
    told: str
    status: Status = NO_STATUS


class Change:
    """An action about a connector. `seconds` bounds the wait for it to be seen, if not the usual bound."""

    def __init__(
        self, action: Action, cluster: ConnectCluster, rules: RuleSet, seconds: float | None = None
    ) -> None:
        self._name = action.physical_name
        self._action = action
        self._cluster = cluster
        self._about = about(self._name, _DONE[action.action], action.before, action.after)
        self._looked = self._about._replace(asked="looked at")
        self._states = States(rules)
        self._settle = service_bound(rules, "settle_seconds") if seconds is None else seconds
        self._poll = service_bound(rules, "poll_milliseconds") / _MILLI
        self._steady = connector_bound(rules, "steady_milliseconds") / _MILLI

    def live(self) -> Surface | None:
        """Return what is there before it; raises RequestRefusedError."""
        return self._cluster.surface(self._name, self._about)

    def _live(self) -> Surface | None:
        """Return what is there after it was asked for: a question that fails says nothing of the change."""
        return self._cluster.surface(self._name, self._looked)

    def carried_out(self) -> str | None:
        """Carry it out; return the states that were seen afterwards, None for a deletion.

        Raises ProviderError, OutcomeUnknownError.
        """
        self._refuse_moved(self.live())
        expected: Expected = "RUNNING"
        if self._action.action == "update":
            expected = self._cluster.status(self._name, self._about).expected
        try:
            self._ask()
        except InDoubtError as doubt:
            patience = self._steady if doubt.answered else self._settle
            self._cluster.service.settled(doubt, lambda: self._standing(patience))
        except RequestRefusedError:
            self._refuse_overtaken()
            raise
        if self._action.after is None:
            self._await_absence()
            return None
        return self._await_states(expected)

    def _refuse_moved(self, live: Surface | None) -> None:
        """Refuse to act on what is not what the plan was made for."""
        before = self._action.before
        moved = differing(before, live)
        if not moved:
            return
        if before is None:
            reason = "there is one of this name by now"
        elif live is None:
            reason = "there is none of this name any more"
        else:
            reason = ", ".join(moved)
        raise self._cluster.service.failure("moved", "change", self._about, reason, fields=moved)

    def _ask(self) -> None:
        before, after = self._action.before, self._action.after
        if after is None:
            self._cluster.delete(self._name, self._about)
        elif before is None:
            self._cluster.create(self._name, after["config"], self._about)
        else:
            self._cluster.configure(self._name, after["config"], self._about)

    def _refuse_overtaken(self) -> None:
        """Say of a change that was refused that somebody else was faster, if that is so."""
        try:
            live = self._live()
        except RequestRefusedError:
            return
        self._refuse_moved(live)

    def _standing(self, seconds: float) -> Standing:
        """Return what is there after a change in doubt; what is to come is waited for."""
        standing: Standing = "neither"
        failure: RequestRefusedError | None = None
        for _ in self._looks(seconds):
            try:
                live = self._live()
            except RequestRefusedError as error:
                failure = error
                continue
            failure = None
            if not differing(self._action.after, live):
                return "after"
            standing = "neither" if differing(self._action.before, live) else "before"
        if failure is not None:
            raise failure
        return standing

    def _await_absence(self) -> None:
        seen = ""
        for _ in self._looks(self._settle):
            seen = self._presence()
            if not seen:
                return
        raise self._unseen(seen)

    def _presence(self) -> str:
        """Return what is in the way of a connector being gone; nothing where it is."""
        try:
            return "" if self._live() is None else "it is still there"
        except RequestRefusedError as error:
            return error.message

    def _await_states(self, expected: Expected) -> str:
        """Wait until a connector is seen at work for as long as it takes not to be its old state."""
        look, since = _Look("awaited", ""), 0.0
        for _ in self._looks(self._settle):
            before, look = look, self._look(expected)
            if look[:2] != before[:2]:
                since = monotonic()
            if look.verdict in ("reached", "failed") and monotonic() - since >= self._steady:
                break
        if look.verdict == "failed":
            raise self._failed(look.status, expected)
        if look.verdict == "awaited":
            raise self._unseen(look.told)
        return look.told if expected == "RUNNING" else f"{look.told}, as before"

    def _look(self, expected: Expected) -> _Look:
        try:
            moved = differing(self._action.after, self._live())
            if moved:
                return _Look("awaited", f"not yet so: {', '.join(moved)}")
            status = self._cluster.status(self._name, self._looked)
        except RequestRefusedError as error:
            return _Look("awaited", error.message)
        return _Look(self._states.verdict(status, expected), status.told, status)

    def _failed(self, status: Status, expected: Expected) -> ConnectorFailedError:
        part = self._states.failed(status, expected)
        reason = self._cluster.service.without_secrets(first_and_cause(part.trace), self._about.secrets)
        done = f"{self._about.what} was {self._about.asked}"
        error = ConnectorFailedError(f"{done}, and {part.called} failed: {reason or 'it does not say why'}")
        error.done = (done,)
        return error

    def _unseen(self, seen: str) -> OutcomeUnknownError:
        what, asked, service = self._about.what, self._about.asked, self._cluster.service.called
        return OutcomeUnknownError(
            f"{service} took the request to have {what} {asked}, and that it was carried out was not seen "
            f"within {self._settle:g} s: {seen}"
        )

    def _looks(self, seconds: float) -> Iterator[None]:
        """Yield at once, and then with a pause as long as the time lasts."""
        deadline = Deadline(seconds)
        while True:
            yield
            try:
                sleep(min(self._poll, deadline.left()))
            except DeadlinePassedError:
                return


def about(name: str, asked: str, *surfaces: Surface | None) -> About:
    """Return what a request about a connector is about; values of its configuration are secrets."""
    return About(f"connector '{name}'", asked, hidden_values(*surfaces))
