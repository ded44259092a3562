"""Names that a connector can have: those under which it can be found again.

A connector whose name has a slash can be created, and then neither be read nor be deleted: no address leads
to it. Blanks at its ends are taken off. Measured on Kafka Connect 4.3.1.
"""

from __future__ import annotations

import re
from typing import Final

_UNUSABLE: Final = re.compile(r"[/\\%\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PLACES: Final = frozenset({"", ".", ".."})
WHAT_HELPS: Final = (
    "give it a name without `/`, `\\`, `%`, control characters and blanks at its ends, and not `.` or `..`"
)


def is_usable(name: str) -> bool:
    """Return whether a connector of this name can be read, changed and removed."""
    return name == name.strip() and name not in _PLACES and not _UNUSABLE.search(name)
