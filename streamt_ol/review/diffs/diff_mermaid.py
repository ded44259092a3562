"""Changed datasets and jobs and their neighbours as a Mermaid flowchart of a size that can be looked at."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from streamt_ol.review.diffs.labels import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.review.diffs.designs import Identity
    from streamt_ol.review.diffs.diff import Diff

NODES = 40
"""How many datasets and jobs are drawn."""
_LONGEST = 60
"""Characters of a label; of a longer one the end is shown, which tells more."""
_SHAPES = {"dataset": ('[("', '")]'), "job": ('(["', '"])')}
_ARROWS = {"added": "==>|new|", "removed": "-.->|gone|", "same": "-->"}
_STYLES = {
    "added": "stroke:#2da44e,stroke-width:3px",
    "removed": "stroke:#cf222e,stroke-width:3px,stroke-dasharray:5",
    "changed": "stroke:#bf8700,stroke-width:3px",
}


def picture(diff: Diff) -> tuple[list[str], int]:
    """Return the lines of the flowchart, and how many of the nodes that belong there are left out."""
    statuses = _statuses(diff)
    wanted = dict.fromkeys([*statuses, *_ends(diff), *_neighbours(diff, statuses)])
    drawn = {node: f"n{number}" for number, node in enumerate(islice(wanted, NODES))}
    lines = ["flowchart LR"]
    for node, name in drawn.items():
        before, after = _SHAPES[node.kind]
        style = f":::{statuses[node]}" if node in statuses else ""
        lines.append(f"  {name}{before}{_label(diff.labels[node])}{after}{style}")
    lines += [
        f"  {drawn[edge.source]} {_ARROWS[diff.edges[edge]]} {drawn[edge.target]}"
        for edge in sorted(diff.edges)
        if edge.source in drawn and edge.target in drawn
    ]
    lines += [f"  classDef {status} {style}" for status, style in _STYLES.items()]
    return lines, len(wanted) - len(drawn)


def _statuses(diff: Diff) -> dict[Identity, str]:
    """Return what happened to each dataset and job that a change is about, the most severe first."""
    statuses: dict[Identity, str] = {}
    for change in diff.changes:
        whole = change.subject == change.of.kind
        statuses.setdefault(change.of, change.operation if whole else "changed")
    return statuses


def _ends(diff: Diff) -> Iterator[Identity]:
    """Yield the ends of the edges that a change is about."""
    for change in diff.changes:
        yield from change.edge or ()


def _neighbours(diff: Diff, changed: dict[Identity, str]) -> Iterator[Identity]:
    for edge in sorted(diff.edges):
        if edge.source in changed:
            yield edge.target
        if edge.target in changed:
            yield edge.source


def _label(text: str) -> str:
    """Return a text in which Mermaid finds no markup: its own numeric entities for everything else."""
    text = one_line(text)
    short = text if len(text) <= _LONGEST else f"…{text[1 - _LONGEST :]}"
    return "".join(
        character if character.isalnum() or character in " ._/:-…" else f"#{ord(character)};"
        for character in short
    )
