"""Render official OpenLineage schemas without their annotations, and prove committed renderings.

    python -m tools.render_schemas OFFICIAL_DIR            writes schemas/openlineage/1.53.0/
    python -m tools.render_schemas --check OFFICIAL_DIR    compares, writes nothing, exit 1 on a difference

Removing annotation keywords changes no verdict (JSON Schema Draft 2020-12, core, section 7.7). Only
keywords are removed: a property called `description` stays, and so do values of `const`, `enum`, `default`.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path
from typing import Any

import orjson

from streamt_ol.ground.json_schema import rewritten

ANNOTATIONS = frozenset({"$comment", "description", "example", "examples", "title"})
RELEASE = "1.53.0"
TARGET = Path(__file__).resolve().parent.parent / "schemas" / "openlineage" / RELEASE


def stripped(schema: Any) -> Any:
    """Return the schema without annotation keywords."""
    return rewritten(
        schema, lambda part: {keyword: value for keyword, value in part.items() if keyword not in ANNOTATIONS}
    )


def canonical(document: Any) -> bytes:
    """Return compact JSON with sorted keys and a final newline."""
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def rendered(official_folder: Path) -> dict[str, bytes]:
    """Return file name to content of every rendering of the folder's schemas, and of `pins.json`."""
    files: dict[str, bytes] = {}
    pins = []
    for path in sorted(official_folder.glob("*.json")):
        official = path.read_bytes()
        schema = orjson.loads(official)
        files[path.name] = canonical(stripped(schema))
        pins.append(
            {
                "id": schema["$id"],
                "file": path.name,
                "official": _pin(official),
                "rendering": _pin(files[path.name]),
            }
        )
    index = {"release": RELEASE, "schemas": pins}
    files["pins.json"] = orjson.dumps(index, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    return files


def _pin(content: bytes) -> dict[str, int | str]:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def differences(official_folder: Path, target: Path = TARGET) -> list[str]:
    """Return one line for each file that is missing, unexpected or other than its official file renders.

    `pins.json` is one of these files, so equal files also prove the pinned digests of the official ones.
    """
    wanted = rendered(official_folder)
    present = {path.name: path.read_bytes() for path in target.iterdir()}
    lines = []
    for name in sorted(wanted.keys() | present.keys()):
        if name not in present:
            lines.append(f"{name}: missing from {target}")
        elif name not in wanted:
            lines.append(f"{name}: no official file renders to it")
        elif wanted[name] != present[name]:
            lines.append(f"{name}: is not what the official files render to")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Render or check; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("official", type=Path, metavar="OFFICIAL_DIR")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args(arguments)
    if options.check:
        lines = differences(options.official)
        print("\n".join(lines) or "every rendering is proved")
        return 1 if lines else 0
    TARGET.mkdir(parents=True, exist_ok=True)
    for name, content in rendered(options.official).items():
        (TARGET / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
