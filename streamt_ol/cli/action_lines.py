"""One line for each action that is over, on stderr where that is a terminal; a bar while one takes long."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.report import write_note
from streamt_ol.deploy.applying.records import label

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face
    from streamt_ol.deploy.records import Action

_VERBS = {"create": "created", "update": "updated", "delete": "deleted", "register": "registered"}
_VERBS |= {"submit": "submitted", "cancel": "cancelled"}


class ActionLines:
    """What is shown of actions while they are carried out."""

    def __init__(self, face: Face, total: int) -> None:
        terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shown = terminal and face.output == "text" and not face.quiet
        self._quiet = face.quiet
        self._total = total
        self._bar = ExitStack()

    def tell(self, action: Action, word: str) -> None:
        """Show that an action `starts`, or is `done`, `failed`, `undone` or `kept`."""
        self._bar.close()
        if word == "starts":
            watch = self._bar.enter_context(shown_progress(quiet=self._quiet))
            watch(f"{action.action} {label(action)}", action.position, self._total)
        elif self._shown:
            write_note(f"{action.position + 1} of {self._total}  {label(action)} {_told(action, word)}")

    def close(self) -> None:
        """Wipe the bar."""
        self._bar.close()


def _told(action: Action, word: str) -> str:
    return {
        "done": _VERBS[action.action],
        "failed": f"was not {_VERBS[action.action]}",
        "undone": "was taken back",
        "kept": "was not taken back",
    }[word]
