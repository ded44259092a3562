"""A TCP proxy before a server of PostgreSQL that breaks a connection around a commit, as a network may.

It forwards bytes. Of what the client sends it counts the commits; at the one that it is told to cut at, the
commit is forwarded or not, its answer is thrown away, and the client's connection is closed.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

_COMMIT = b"COMMIT\x00"
_MOST = 65536
Cut = Literal["before", "after", "held"]
"""Not forwarded; forwarded and done; not forwarded, and the server's side stays open."""


@dataclass
class CuttingProxy:
    """A proxy that runs; set what it is to do before the connection is used."""

    dsn: str
    """The connection string of the server, by way of the proxy."""
    target: tuple[str, int]
    cut: Cut = "after"
    at: int = 0
    """Which commit, from 1; 0 for none."""
    refusing: bool = False
    """Whether new connections are refused once one was cut."""
    before_next: Callable[[], None] | None = None
    """Called once, after the cut, before the next connection is taken."""
    answered: Callable[[bytes], bytes] = bytes
    """What becomes of what the server says on its way to the client."""
    commits: int = 0
    was_cut: bool = False
    _open: list[socket.socket] = field(default_factory=list)

    def serve(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _address = listener.accept()
            except OSError:
                return
            if self.was_cut and self.refusing:
                client.close()
                continue
            if self.was_cut and self.before_next is not None:
                call, self.before_next = self.before_next, None
                call()
            server = socket.create_connection(self.target, 10)
            server.settimeout(None)
            self._open += [client, server]
            threading.Thread(target=self._answers, args=(server, client), daemon=True).start()
            threading.Thread(target=self._questions, args=(client, server), daemon=True).start()

    def close(self) -> None:
        for each in self._open:
            _end(each)

    def _questions(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(_MOST):
                if _COMMIT in data and not self.was_cut:
                    self.commits += 1
                    if self.commits == self.at:
                        self._cut(client, server, data)
                        return
                server.sendall(data)
            _end(server)

    def _cut(self, client: socket.socket, server: socket.socket, data: bytes) -> None:
        self.was_cut = True
        if self.cut == "after":
            self._open.remove(client)  # its answer goes nowhere, and then the server hears that it is over
            server.sendall(data)
            self._has_answered.wait(10)
        _end(client)
        if self.cut != "held":
            _end(server)

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(_MOST):
                if self.was_cut and client not in self._open:
                    self._has_answered.set()
                    continue
                client.sendall(self.answered(data))
        if client in self._open:
            _end(client)

    def __post_init__(self) -> None:
        self._has_answered = threading.Event()


@contextlib.contextmanager
def cutting_proxy(dsn: str) -> Iterator[CuttingProxy]:
    """Run a proxy before the server of a connection string; it ends with the block."""
    parts = urlsplit(dsn)
    assert parts.hostname is not None
    assert parts.port is not None
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        login = parts.netloc.rpartition("@")[0]
        through = urlunsplit(parts._replace(netloc=f"{login}@127.0.0.1:{port}"))
        proxy = CuttingProxy(through, (parts.hostname, parts.port))
        thread = threading.Thread(target=proxy.serve, args=(listener,), daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            proxy.close()
    thread.join(10)


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        connection.close()
