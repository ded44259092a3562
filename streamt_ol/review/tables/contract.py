"""The statements of the contract, by the numbers that rows cite."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from streamt_ol.ground.resources import contract_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_STATEMENT = re.compile(r"^- \*\*(?P<id>[A-Z]{2,3}-[1-9][0-9]*)\.\*\* (?P<text>.*(?:\n  .*)*)", re.MULTILINE)


def read_statements(page: str) -> dict[str, str]:
    """Return number and sentence of every statement of a page, without its proofs, on one line."""
    return {
        found["id"]: " ".join(found["text"].partition("Proof:")[0].split())
        for found in _STATEMENT.finditer(page)
    }


@cache
def statements() -> Mapping[str, str]:
    """Return the statements of the contract that this package brings along."""
    return read_statements(contract_page().read_text("utf-8"))


def cited(numbers: Iterable[str]) -> dict[str, str]:
    """Return the statements of these numbers in the order of the contract.

    A rule set of one's own may cite what the contract does not have; such a number is left out.
    """
    wanted = set(numbers)
    return {number: text for number, text in statements().items() if number in wanted}
