"""Write docs/diagnostics.md from the catalogue of codes, `rules/diagnostics.yml`.

python -m tools.document_diagnostics            writes the page
python -m tools.document_diagnostics --check    compares, writes nothing, exit 1 when the page is stale
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamt_ol.ground import yaml_reader

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "rules" / "diagnostics.yml"
PAGE = ROOT / "docs" / "diagnostics.md"

HEAD = """\
# Diagnostics

<!-- Made from rules/diagnostics.yml by tools/document_diagnostics.py: change the catalogue, not the page. -->

Every code that a command can show: what it means, what it typically comes from, what helps. `streamt explain`
prints the same. Errors (`E`) make a command fail, warnings (`W`) do not. A code is stable; its wording may
improve.

`streamt docs openlineage` shows every failure to read the project as `E501_PARSE_ERROR` and every later one
as `E506_OPENLINEAGE_INVALID`, with the message of the cause; `validate` and `compile` show its own code.
"""
WIDTH = 120
SECTIONS = {"error": "Errors", "warning": "Warnings"}


def page(entries: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page for the entries of the catalogue, each section sorted by code."""
    parts = [HEAD]
    for severity, title in SECTIONS.items():
        parts.append(f"\n## {title}\n")
        parts += [
            _entry(code, entry) for code, entry in sorted(entries.items()) if entry["severity"] == severity
        ]
    return "".join(parts)


def _entry(code: str, entry: Mapping[str, Any]) -> str:
    meaning = _wrapped(f"**{entry['title']}.** {entry['meaning']}")
    further = [("Typical cause", entry.get("cause")), ("What helps", entry["remedy"])]
    paragraphs = [meaning, *(_wrapped(f"{title}: {text}") for title, text in further if text is not None)]
    return "\n".join([f"\n### {code}\n", *(f"{paragraph}\n" for paragraph in paragraphs)])


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def main(arguments: list[str] | None = None) -> int:
    """Write or check; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args(arguments)
    wanted = page(yaml_reader.parse(CATALOGUE.read_bytes(), str(CATALOGUE))["entries"])
    if not options.check:
        PAGE.write_text(wanted, "utf-8")
        return 0
    if PAGE.read_text("utf-8") == wanted:
        return 0
    print(f"{PAGE.name} is stale: run python -m tools.document_diagnostics")
    return 1


if __name__ == "__main__":
    sys.exit(main())
