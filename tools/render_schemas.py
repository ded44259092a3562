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
PINS = "pins.json"
TARGET = Path(__file__).resolve().parent.parent / "schemas" / "openlineage" / RELEASE


def stripped(schema: Any) -> Any:
    """Return the schema without annotation keywords."""
    return rewritten(
        schema, lambda part: {keyword: value for keyword, value in part.items() if keyword not in ANNOTATIONS}
    )


def canonical(document: Any) -> bytes:
    """Return compact JSON with sorted keys and a final newline."""
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def pin(content: bytes) -> dict[str, int | str]:
    """Return size and digest of a file's content."""
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def rendered(official_folder: Path) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return file name to content of every rendering of the folder's schemas, and their pins."""
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
                "official": pin(official),
                "rendering": pin(files[path.name]),
            }
        )
    return files, {"release": RELEASE, "schemas": pins}


def differences(official_folder: Path, target: Path = TARGET) -> list[str]:
    """Return one line for each rendering that is missing, left over, or not proved by its official file.

    Proved: the official file has the pinned digest, and it renders to exactly the bytes of the rendering.
    """
    wanted, pins = rendered(official_folder)
    committed = {entry["file"]: entry for entry in orjson.loads((target / PINS).read_bytes())["schemas"]}
    fresh = {entry["file"]: entry for entry in pins["schemas"]}
    present = {path.name: path.read_bytes() for path in target.iterdir() if path.name != PINS}
    lines = []
    for name in sorted(wanted.keys() | present.keys() | committed.keys()):
        if name not in wanted:
            lines.append(f"{name}: no official file renders to it")
        elif name not in present:
            lines.append(f"{name}: missing from {target}")
        elif wanted[name] != present[name]:
            lines.append(f"{name}: is not what the official file renders to")
        elif committed.get(name) != fresh[name]:
            lines.append(f"{name}: the official file has another digest than is pinned")
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
    files, pins = rendered(options.official)
    for name, content in files.items():
        (TARGET / name).write_bytes(content)
    (TARGET / PINS).write_bytes(orjson.dumps(pins, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return 0


if __name__ == "__main__":
    sys.exit(main())
