"""Write docs/tables.md from the rule tables and catalogues in `rules/`.

python -m tools.document_tables            writes the page
python -m tools.document_tables --check    compares, writes nothing, exit 1 when the page is stale
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from streamt_ol.engine.ruleset import CODES, load_rules
from streamt_ol.review.tables.rule_files import RuleFiles
from streamt_ol.review.tables.sheets import sheets
from streamt_ol.review.tables.table_pages import index_page, page
from streamt_ol.review.tables.table_text import markdown

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "rules"
PAGE = ROOT / "docs" / "tables.md"

HEAD = """\
# The tables

<!-- Made from rules/*.yml by tools/document_tables.py: change the tables, not the page. -->

Every rule table and catalogue as `streamt rules show` prints it. How to read and change them is described in
[rule tables](rule-tables.md); the statements that rows cite are those of the [contract](contract.md). The
entries of the catalogue of codes are the page of [diagnostics](diagnostics.md).
"""


def document(folder: Path) -> str:
    """Return the page for the rule set of a folder."""
    files = RuleFiles(load_rules(folder))
    names = [*sorted(files.rules.tables), *sorted(set(files.rules.catalogues) - {CODES})]
    parts = [markdown(sheets(index_page(files)), level=2)]
    parts += [markdown(sheets(page(files, name)), level=2) for name in names]
    return "\n".join([HEAD, *parts])


def main(arguments: list[str] | None = None) -> int:
    """Write or check; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args(arguments)
    wanted = document(RULES)
    if not options.check:
        PAGE.write_text(wanted, "utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text("utf-8") == wanted:
        return 0
    print(f"{PAGE.name} is stale: run make docs")
    return 1


if __name__ == "__main__":
    sys.exit(main())
