"""What people call a dataset or job: its name, with as much around it as tells it from the others."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamt_ol.review.diffs.designs import Identity


class Labels:
    """Names of identities that are seen together."""

    def __init__(self, identities: Iterable[Identity]) -> None:
        known = set(identities)
        self._names = Counter(identity.name for identity in known)
        self._full = Counter((identity.namespace, identity.name) for identity in known)

    def __getitem__(self, identity: Identity) -> str:
        """Return the name; with its namespace, and then its kind, where others are called the same."""
        if self._names[identity.name] < 2:  # noqa: PLR2004 - one is enough
            return identity.name
        full = f"{identity.namespace}/{identity.name}"
        if self._full[identity.namespace, identity.name] < 2:  # noqa: PLR2004
            return full
        return f"{full} ({identity.kind})"


def one_line(text: str) -> str:
    r"""Return the text with each unprintable character as `\x1b`, `\n` or `\u202e`."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
