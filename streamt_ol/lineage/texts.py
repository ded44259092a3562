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
        domains = rules.vocabulary.domains
        every = [
            TextFacts(at="", label="", subject=str(subject), state=str(state))
            for subject in domains["subject"]
            for state in domains["text_state"]
        ]
        watched = self._texts.watch is not None
        self.asked = frozenset(
            (facts.subject, facts.state)
            for facts in every
            if watched or self._texts.foresee(facts)["verdict"] == "refuse"
        )
        """The subjects and states that the table is asked about text by text.

        Those that it refuses, because the message names the text. An accepted one needs no second question:
        a million accepted texts cost a lookup each. Somebody who watches the table hears of every text.
        """

    def admit(self, subject: str, text: str | None, at: str, label: str) -> str:
        """Return the state of an admitted text; TextRefusedError names its location."""
        state = text_state(text)
        if (subject, state) in self.asked:
            self.decide(subject, state, at, label)
        return state

    def decide(self, subject: str, state: str, at: str, label: str) -> None:
        """Ask the table about one text, and raise TextRefusedError if it is refused."""
        facts = TextFacts(at=at, label=label, subject=subject, state=state)
        decision = self._texts.decide(facts)
        if decision["verdict"] == "refuse":
            raise TextRefusedError(decision["message"](facts), location=at)
