"""Paths of local files as a configuration writes them. Each check returns a word of `transport_fault`.

Source: section 6.3 of the runtime facts. What a shell would have expanded is refused, too: a folder that is
called `~` is never meant.
"""

from __future__ import annotations

import re

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""The control characters C0, DEL and C1."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:", re.IGNORECASE)
_REMOTE = ("//", "\\\\")
_SHORTHAND = re.compile(r"~|.*\$[A-Za-z_{]")
_FOLDERS = ("", ".", "..")


def path_fault(text: str) -> str | None:
    """Return why a text is no path of a local file; None when it is one."""
    if CONTROL.search(text):
        return "value_characters"
    if _SCHEME.match(text):
        return "path_scheme"
    if text.startswith(_REMOTE):
        return "path_remote"
    if _SHORTHAND.match(text):
        return "path_shorthand"
    return "path_folder" if text.rpartition("/")[2] in _FOLDERS else None
