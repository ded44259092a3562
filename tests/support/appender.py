"""A process that appends events to one log file through the File transport, and tells what becomes of each.

    python appender.py PATH NAME COUNT BYTES [LIMIT]

It says `ready`, waits for a line on stdin, sends COUNT events of about BYTES bytes that name their sender and
their number, and says the number of each that was delivered, or why it was not. LIMIT is the size in bytes
that the process may give a file.
"""

from __future__ import annotations

import json
import resource
import sys

from streamt_ol.engine.ruleset import load_rules
from streamt_ol.ground.resources import rules_folder
from streamt_ol.runs.deliveries import DeliveryError
from streamt_ol.runs.settings import FileSettings
from streamt_ol.runs.transports import Transport, open_transport


def event(name: str, number: int, size: int) -> bytes:
    return f"{json.dumps({'filler': 'x' * size, 'name': name, 'number': number})}\n".encode()


def tell(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def sent(transport: Transport, line: bytes) -> str:
    """Send an event; return why it was not delivered."""
    try:
        transport.send(line)
    except DeliveryError as error:
        return error.message
    return ""


def main(path: str, name: str, count: str, size: str, limit: str = "") -> None:
    transport = open_transport(FileSettings(path), load_rules(rules_folder()))
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    tell("ready")
    sys.stdin.readline()
    for number in range(int(count)):
        tell(sent(transport, event(name, number, int(size))) or number)
    transport.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
