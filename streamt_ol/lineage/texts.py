"""Texts that enter events: their state, and whether the `texts` table lets them in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.lineage.errors import TextRefusedError
from streamt_ol.lineage.facts import TextFacts

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet


def text_state(text: str | None) -> str:
    """Return absent, empty, blank (white space only), unrendered (holds `${` or `{{`) or present."""
    if text is None:
        return "absent"
    if not text:
        return "empty"
    if not text.strip():
        return "blank"
    return "unrendered" if "${" in text or "{{" in text else "present"


class TextGate:
    """Lets texts in or refuses them, as the `texts` table says about their subject and state."""

    def __init__(self, rules: RuleSet) -> None:
        self._texts = rules.table("texts")
        subjects, states = rules.vocabulary.domains["subject"], rules.vocabulary.domains["text_state"]
        every = [
            TextFacts(at="", label="", subject=str(subject), state=str(state))
            for subject in subjects
            for state in states
        ]
        self.refused = frozenset(
            (facts.subject, facts.state)
            for facts in every
            if self._texts.decide(facts)["verdict"] == "refuse"
        )
        """Every refused subject and state: what is not here needs no decision of its own."""

    def admit(self, subject: str, text: str | None, at: str, label: str) -> str:
        """Return the state of an admitted text; TextRefusedError names its location."""
        state = text_state(text)
        if (subject, state) in self.refused:
            self.refuse(subject, state, at, label)
        return state

    def refuse(self, subject: str, state: str, at: str, label: str) -> None:
        """Raise the refusal of a text whose subject and state are refused."""
        facts = TextFacts(at=at, label=label, subject=subject, state=state)
        raise TextRefusedError(self._texts.decide(facts)["message"](facts), location=at)
