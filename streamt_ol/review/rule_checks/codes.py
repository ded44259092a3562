"""The catalogue of codes against the codes that rows give and the program raises."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING

from streamt_ol.engine.checks.check import Check, Found
from streamt_ol.engine.ruleset import CODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from streamt_ol.engine.checks.draft import Draft

_CODE = re.compile(r"[EW][0-9]{3}_[A-Z0-9_]+")


@cache
def program_codes(folder: Path) -> Mapping[str, str]:
    """Return every code that stands in the sources of a package, with the first place as `file:line`."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text("utf-8")
        if _CODE.search(text) is None:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value):
                found.setdefault(node.value, f"{path.relative_to(folder).as_posix()}:{node.lineno}")
    return found


class CodeCheck(Check):
    """A check of the catalogue of codes; `folder` holds the sources of the program."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def raised(self) -> Mapping[str, str]:
        """Return the codes that the program raises, with the place of each."""
        return program_codes(self._folder)


class UncataloguedCode(CodeCheck):
    """The program raises a code that the catalogue does not have."""

    name = "uncatalogued-code"

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield each code, with an entry to paste."""
        catalogue = draft.rules.catalogues.get(CODES)
        if catalogue is None:
            return
        for code, place in sorted(self.raised.items()):
            if code not in catalogue.entries:
                fields = [name for name in catalogue.fields if not name.endswith("?")]
                entry = "".join(f"\n  {name}: {_first(code, name)}" for name in fields)
                yield Found(
                    catalogue.file,
                    "/entries",
                    f"the program raises {code} (streamt_ol/{place}), which is not in the catalogue",
                    f"add this entry:\n{code}:{entry}",
                    code,
                )


def _first(code: str, field: str) -> str:
    severity = "error" if code.startswith("E") else "warning"
    return severity if field == "severity" else "TODO"


class UnusedCode(CodeCheck):
    """The catalogue has a code that no row gives and the program does not raise."""

    name = "unused-code"
    severity = "warning"

    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield each code."""
        catalogue = draft.rules.catalogues.get(CODES)
        if catalogue is None or self.hindrance(draft) is not None:
            return
        given = {
            row.then.get(name.removesuffix("?"))
            for table in draft.rules.tables.values()
            for name, kind in table.outputs.items()
            if kind == "code"
            for row in table.rows
        }
        for code in catalogue.entries:
            if code not in given and code not in self.raised:
                yield Found(
                    catalogue.file,
                    f"/entries/{code}",
                    f"no row gives {code}, and the program does not raise it",
                    "remove the entry, or give the code in a row",
                    "",
                )

    def hindrance(self, draft: Draft) -> str | None:
        """Return that a code may be given by a file that cannot be read."""
        if draft.unread:
            return "unused codes are not looked for: some files cannot be read or understood"
        return None
