"""How long work tells whoever watches it how far it is."""

from __future__ import annotations

from collections.abc import Callable

Watch = Callable[[str, int, int | None], None]
"""Called with what is being done (`Reading files`), how many are done, and of how many; None: not known."""


def nobody(_what: str, _done: int, _total: int | None) -> None:
    """Watch nothing."""
