"""Real HTTP servers that take events, each on a free port of 127.0.0.1, in a thread that ends with the test."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from services import free_port


class Receiver:
    """What a server received."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.bodies: list[bytes] = []


@contextmanager
def answering(*statuses: int) -> Iterator[Receiver]:
    """Run a server that answers with the statuses in turn, the last one for good."""
    left = list(statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(left.pop(0) if len(left) > 1 else left[0])
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            """Tell nobody."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver = Receiver(server.server_address[1])
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join(10)


@contextmanager
def silent() -> Iterator[str]:
    """Give the address of a server that accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=8) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def closed() -> str:
    """Return the address of a port that nobody listens on."""
    return f"http://127.0.0.1:{free_port()}"
