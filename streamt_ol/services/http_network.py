"""The network as HTTP attempts see it: everything from the name to the last byte under one deadline.

Libraries bound single operations; a server that sends a byte now and then never exceeds such a bound. Here
each operation gets what is left of the attempt, and all of them end with it. Only the resolver of the system
knows no bound: it is asked in a thread that is left behind when the time is up, and holds nothing open.
Every wait can be interrupted, and no failure leaves a connection open. Of each failure the text is a name of
`connection_errors`.
"""

from __future__ import annotations

import select
import signal
import socket
import ssl
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import httpcore

from streamt_ol.services.connection_errors import (
    ANSWER_LATE,
    CONNECT_LATE,
    NAME_LATE,
    NAME_UNKNOWN,
    TLS_BROKEN_OFF,
    error_name,
)
from streamt_ol.services.deadlines import Deadline, DeadlinePassedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class TlsError(httpcore.ConnectError):
    """No TLS connection came about."""


class CertificateError(TlsError):
    """The certificate of the server is not accepted."""


class Network(httpcore.NetworkBackend):
    """Connects and transfers within the deadline of the attempt that is under way."""

    def __init__(self) -> None:
        self.begin(0)

    def begin(self, seconds: float) -> None:
        """Begin an attempt that may take so many seconds."""
        self.deadline = Deadline(seconds)
        self.broken_off = False
        """Whether the server has closed the connection of the attempt."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadline bounds it
        local_address: str | None = None,  # noqa: ARG002 - the system chooses it
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002 - there are none
    ) -> httpcore.NetworkStream:
        """Return a connection to the first address of the host that accepts one."""
        addresses = _resolved(host, port, self.deadline)
        failure: Exception = httpcore.ConnectError(NAME_UNKNOWN)
        for position, address in enumerate(addresses):
            reached = _reached(address, self.deadline, len(addresses) - position)
            if not isinstance(reached, Exception):
                return Stream(reached, self)
            failure = reached
        raise failure


class Stream(httpcore.NetworkStream):
    """One connection, perhaps with TLS."""

    def __init__(self, connection: socket.socket, network: Network) -> None:
        self._connection = connection
        self._network = network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - as above
        """Return what has arrived; nothing when the server has closed the connection."""
        data: bytes = self._bounded(
            lambda: self._connection.recv(max_bytes), httpcore.ReadTimeout, httpcore.ReadError
        )
        self._network.broken_off = not data
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - as above
        """Send everything."""
        rest = memoryview(buffer)
        while rest:
            piece = rest
            sent = self._bounded(
                lambda: self._connection.send(piece),  # noqa: B023 - called at once
                httpcore.WriteTimeout,
                httpcore.WriteError,
            )
            rest = rest[sent:]

    def close(self) -> None:
        """Close the connection without a word; raises `OSError`."""
        self._connection.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - as above
    ) -> httpcore.NetworkStream:
        """Return the connection with TLS."""
        try:
            self._shake_hands(ssl_context, server_hostname)
        except BaseException as error:
            self._connection.close()
            if isinstance(error, OSError):
                raise _tls_failure(error) from None
            raise
        return self

    def _shake_hands(self, ssl_context: ssl.SSLContext, server_hostname: str | None) -> None:
        self._connection = secured = ssl_context.wrap_socket(
            self._connection, server_hostname=server_hostname, do_handshake_on_connect=False
        )
        secured.settimeout(self._network.deadline.left())
        secured.do_handshake()

    def get_extra_info(self, info: str) -> Any:
        """Return what a pool of connections asks about."""
        if info == "ssl_object":
            return self._connection if isinstance(self._connection, ssl.SSLSocket) else None
        if info == "is_readable":
            return _is_readable(self._connection)
        return None

    def _bounded(self, work: Callable[[], Any], late: type[Exception], broken: type[Exception]) -> Any:
        try:
            self._connection.settimeout(self._network.deadline.left())
            return work()
        except TimeoutError:
            raise late(ANSWER_LATE) from None
        except OSError as error:
            raise broken(error_name(error)) from None


class _Address(NamedTuple):
    family: int
    endpoint: Any
    """What `connect` takes in this family."""


def _resolved(host: str, port: int, deadline: Deadline) -> list[_Address]:
    answer: SimpleQueue[list[_Address]] = SimpleQueue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):  # UnicodeError: no name can have this form
            found = []
        answer.put([_Address(family, endpoint) for family, _, _, _, endpoint in found])

    # An interrupt that reached this thread would leave the main thread waiting. Threads inherit the mask.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        Thread(target=ask, daemon=True).start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        return answer.get(timeout=deadline.left())
    except (Empty, DeadlinePassedError):
        raise httpcore.ConnectTimeout(NAME_LATE) from None


def _reached(address: _Address, deadline: Deadline, shares: int) -> socket.socket | Exception:
    """Return a connection, or why there is none after a share of the time that is left."""
    try:
        return _connected(address, deadline.left() / shares)
    except TimeoutError:
        return httpcore.ConnectTimeout(CONNECT_LATE)
    except OSError as error:
        return httpcore.ConnectError(error_name(error))


def _connected(address: _Address, seconds: float) -> socket.socket:
    connection = socket.socket(address.family, socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect(address.endpoint)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        connection.close()
        raise
    return connection


def _tls_failure(error: OSError) -> Exception:
    if isinstance(error, TimeoutError):
        return httpcore.ConnectTimeout(CONNECT_LATE)
    if isinstance(error, ssl.SSLCertVerificationError):
        return CertificateError(error_name(error))
    if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
        return TlsError(error_name(error))
    return httpcore.ConnectError(TLS_BROKEN_OFF)


def _is_readable(connection: socket.socket) -> bool:
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(0))
