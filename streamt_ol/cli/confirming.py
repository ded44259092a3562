"""Asking for a name at the terminal, before something is changed."""

from __future__ import annotations

import sys

import click


def can_ask() -> bool:
    """Return whether somebody is there to answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def answered(question: str) -> str:
    """Return what is typed in answer to a question on stderr; raises click.Abort for Ctrl-C and Ctrl-D."""
    answer: str = click.prompt(question, err=True, default="", show_default=False)
    return answer.strip()
