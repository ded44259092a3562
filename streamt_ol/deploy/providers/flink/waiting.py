"""Looking again at what Flink does, at first often and then seldom, until a bound of wall clock."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING

from streamt_ol.deploy.providers.flink.facts import flink_bound
from streamt_ol.services.deadlines import Deadline, DeadlinePassedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.ruleset import RuleSet

_MILLISECONDS = 1000


def looks(rules: RuleSet, seconds: float) -> Iterator[None]:
    """Yield for each look, the first at once; end when the time is up, after a last look."""
    deadline = Deadline(seconds)
    pause = flink_bound(rules, "poll_milliseconds") / _MILLISECONDS
    longest = flink_bound(rules, "longest_poll_milliseconds") / _MILLISECONDS
    while True:
        yield
        try:
            sleep(min(pause, deadline.left()))
        except DeadlinePassedError:
            return
        pause = min(2 * pause, longest)
