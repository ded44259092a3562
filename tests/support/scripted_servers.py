"""Real servers that do to a client what servers do: answer, hang, drip, break off, speak something else.

Each runs in threads on a free port of 127.0.0.1. What a connection is answered is a script, one for each
request, the last for good. Everything that waits ends when the server does, or when its client goes away.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

import trustme
from services import free_port

PATIENCE = 20.0
"""Seconds that nothing in a test takes: whatever waits so long has failed."""


_PAUSE = 0.02
"""Seconds between two bytes that drip."""


class Request(NamedTuple):
    """What a client sent."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes
    connection: int
    """Counted from 1, in the order of their coming."""


@dataclass
class Server:
    """A server at work, and what it has seen."""

    port: int
    scheme: str = "http"
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    sent: int = 0
    """Bytes of the body that a script without end has sent."""
    stopping: Event = field(default_factory=Event)
    asked: Event = field(default_factory=Event)
    """A request has come."""
    left: Event = field(default_factory=Event)
    """A client has closed its connection."""
    hung_up: Event = field(default_factory=Event)
    """The server has closed a connection."""

    @property
    def url(self) -> str:
        host = "localhost" if self.scheme == "https" else "127.0.0.1"
        return f"{self.scheme}://{host}:{self.port}"


Script = Callable[[socket.socket, Server], bool]
"""Answers one request; False: nothing more comes over the connection, which is closed."""


def answer(status: int, body: bytes = b"", **headers: str) -> Script:
    """Answer properly; names of headers with `_` for `-`."""
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{key.replace('_', '-')}: {headers[key]}" for key in headers)]
    if status != 204:
        lines.append(f"Content-Length: {len(body)}")
    return say("\r\n".join([*lines, "", ""]).encode() + body)


def say(data: bytes, *, goes_on: bool = True) -> Script:
    """Send bytes, whatever they are."""

    def script(connection: socket.socket, _server: Server) -> bool:
        connection.sendall(data)
        return goes_on

    return script


def hang(connection: socket.socket, server: Server) -> bool:
    """Say nothing until the client goes away."""
    wait_for_the_client_to_leave(connection, server)
    return False


def drip(beginning: bytes, byte: bytes = b"x") -> Script:
    """Send a beginning, then one byte after the other, so that no single wait is long."""

    def script(connection: socket.socket, server: Server) -> bool:
        connection.sendall(beginning)
        for _ in range(int(PATIENCE / _PAUSE)):
            if server.stopping.wait(_PAUSE):
                break
            connection.sendall(byte)
        return False

    return script


def stream(beginning: bytes, byte: bytes = b"x") -> Script:
    """Send a beginning, then as much as the client takes."""

    def script(connection: socket.socket, server: Server) -> bool:
        connection.sendall(beginning)
        while not server.stopping.is_set():
            connection.sendall(byte * 65536)
            server.sent += 65536
        return False

    return script


def reset(data: bytes = b"") -> Script:
    """Send bytes, then break the connection off without a farewell."""

    def script(connection: socket.socket, _server: Server) -> bool:
        connection.sendall(data)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    return script


def deaf(_connection: socket.socket, server: Server) -> bool:
    """Read nothing, and say nothing."""
    server.stopping.wait(PATIENCE)
    return False


def wait_for_the_client_to_leave(connection: socket.socket, server: Server) -> None:
    connection.settimeout(PATIENCE)
    while connection.recv(65536):
        pass
    server.left.set()


@contextlib.contextmanager
def serving(
    *scripts: Script, tls: ssl.SSLContext | None = None, at_once: Script | None = None
) -> Iterator[Server]:
    """Run a server. `at_once` is said to each connection before any request, and TLS, is waited for."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening, socket.socket() as last:
        last.bind(("127.0.0.1", 0))  # the connection that ends the accepting of connections
        server = Server(listening.getsockname()[1], "http" if tls is None else "https")
        talks: list[Thread] = []

        def accept() -> None:
            while True:
                connection, address = listening.accept()
                if address == last.getsockname():
                    connection.close()
                    return
                server.connections += 1
                talk = Thread(target=serve, args=(connection, server.connections), daemon=True)
                talks.append(talk)
                talk.start()

        def serve(connection: socket.socket, number: int) -> None:
            with contextlib.suppress(OSError):  # the client has gone
                connection.settimeout(PATIENCE)
                if at_once is not None:
                    with connection:
                        at_once(connection, server)
                else:
                    with connection if tls is None else tls.wrap_socket(connection, server_side=True) as line:
                        _converse(line, number, server, scripts or (answer(200),))
            server.hung_up.set()

        accepting = Thread(target=accept, daemon=True)
        accepting.start()
        try:
            yield server
        finally:
            server.stopping.set()
            last.connect(("127.0.0.1", server.port))
            for thread in (accepting, *talks):
                thread.join(PATIENCE)


def _converse(connection: socket.socket, number: int, server: Server, scripts: Sequence[Script]) -> None:
    while (request := read_request(connection, number)) is not None:
        server.requests.append(request)
        server.asked.set()
        if not scripts[min(len(server.requests), len(scripts)) - 1](connection, server):
            return
    server.left.set()


def read_request(connection: socket.socket, number: int) -> Request | None:
    """Return the next request of a connection; None when the client has left."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    head, _end, body = data.partition(b"\r\n\r\n")
    line, *rest = head.decode("latin-1").split("\r\n")
    headers = [(name, value) for name, _colon, value in (each.partition(": ") for each in rest)]
    length = int(next((value for name, value in headers if name.lower() == "content-length"), "0"))
    while len(body) < length:
        body += connection.recv(65536)
    return Request(line, headers, body, number)


@contextlib.contextmanager
def full() -> Iterator[tuple[str, int]]:
    """Give an address that neither accepts nor refuses: nobody takes the connections that wait there."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listening, contextlib.ExitStack() as stack:
        address = listening.getsockname()
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)  # noqa: FBT003 - it has no name
            waiting.connect_ex(address)
        yield address


def refusing() -> int:
    """Return a port that nobody listens on."""
    return free_port()


def tls_of(
    authority: trustme.CA, *names: str, clients: trustme.CA | None = None, **options: object
) -> ssl.SSLContext:
    """Return the TLS of a server whose certificate an authority has signed for the names.

    With an authority for `clients`, the server asks each for a certificate of it.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, **options).configure_cert(context)  # type: ignore[arg-type]
    if clients is not None:
        clients.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def write_pem(folder: Path, name: str, *parts: trustme.Blob) -> str:
    """Write certificates or keys into one file; return its path."""
    path = folder / name
    path.write_bytes(b"".join(part.bytes() for part in parts))
    return str(path)
