"""Problems of one job, collected while its SQL is made: the table `flink-problems`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.flink_sql.facts import FlinkTrouble
from streamt_ol.deploy.records import Problem

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet


class Troubles:
    """What was found, each thing once."""

    def __init__(self, rules: RuleSet) -> None:
        self._table = rules.table("flink-problems")
        self._found: dict[Problem, None] = {}

    def add(self, fault: str, label: str, at: str, name: str = "", line: int | None = None) -> None:
        """Note one; `name` is what of the label it is about."""
        facts = FlinkTrouble(at=at, fault=fault, label=label, name=name)
        decision = self._table.decide(facts)
        message, remedy = decision["message"](facts), decision["remedy"](facts)
        self._found[Problem(decision["code"], message, remedy, at, decision["blocks"], line)] = None

    @property
    def found(self) -> tuple[Problem, ...]:
        """Return them by place, then by name."""
        return tuple(sorted(self._found, key=lambda problem: (problem.at, problem.code, problem.message)))

    @property
    def block(self) -> bool:
        """Return whether one of them blocks."""
        return any(problem.blocks for problem in self._found)
