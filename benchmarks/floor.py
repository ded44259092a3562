"""The floor: a process that reads a project's files with PyYAML's stock C loader and writes the events with orjson.

    python benchmarks/floor.py FOLDER EVENTS [--collector-paused]

EVENTS holds an export of the project. Its lines have to be parsed before they can be written, which an export has
no part of; the wall and CPU seconds that parsing takes stand on stderr, to be deducted. Nothing else that an export
does is done: no defaults, no checks, no SQL, no mapping.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

import orjson
import yaml


def main(folder: str, events: str, *options: str) -> None:
    """Read every file, parse the events, write them."""
    if "--collector-paused" in options:
        gc.disable()
    project = []
    for file in sorted(Path(folder).rglob("*.yml")):
        with file.open("rb") as stream:
            project.append(yaml.load(stream, Loader=yaml.CSafeLoader))
    wall, cpu = time.perf_counter(), time.process_time()
    parsed = [orjson.loads(line) for line in Path(events).read_bytes().splitlines()]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    # keys are in the order of the lines, which is the sorted one: nothing is left to sort
    lines = [orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE) for event in parsed]
    sys.stdout.buffer.write(b"".join(lines))
    sys.stderr.write(f"{wall} {cpu}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
