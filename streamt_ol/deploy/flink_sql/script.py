"""A job as a script of Flink SQL: what would be submitted, for people to read, compare and try.

It has no login, as the fingerprint above it, by which a plan names the same definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.flink_sql.texts import literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.deploy.flink_sql.records import JobDefinition
    from streamt_ol.deploy.records import Problem

_COMMENTS = ("--", "//")


def job_script(definition: JobDefinition, owner: str) -> str:
    """Return the options of the job of an owner as SET, then its statements, each with a semicolon behind it.

    What the SQL cannot say stands above, as comments; of a job with a problem that blocks there is no more.
    The text may hold secrets that somebody wrote into SQL.
    """
    fingerprint = definition.fingerprint if definition.statements else "none"
    head = [
        f"Flink job {definition.name} of {owner}",
        f"cluster {definition.cluster}, definition {fingerprint}",
        *(line for problem in definition.problems for line in _told(problem)),
    ]
    settings = [f"SET {literal(key)} = {literal(value)};" for key, value in definition.settings.items()]
    parts = ["\n".join(map(_comment, head))]
    if definition.statements:
        parts += ["\n".join(settings), *map(_ended, definition.statements)]
    return "\n\n".join(parts) + "\n"


def _told(problem: Problem) -> Iterator[str]:
    effect = "blocks" if problem.blocks else "note"
    yield f"{effect}: {problem.code} at {problem.at}: {problem.message}"
    yield f"  {problem.remedy}"


def _comment(text: str) -> str:
    """Return a comment that ends with its line, whatever the text holds."""
    return "-- " + "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def _ended(statement: str) -> str:
    """Return a statement with a semicolon that no comment at its end takes in."""
    last = statement.rpartition("\n")[2]
    return f"{statement}\n;" if any(mark in last for mark in _COMMENTS) else f"{statement};"
