"""On the path of every golden run: whoever opens a socket fails."""

import socket


def _refuse(*_arguments: object, **_options: object) -> None:
    raise AssertionError("the program opened a socket")


socket.socket.__init__ = _refuse  # type: ignore[method-assign]
socket.create_connection = _refuse  # type: ignore[assignment]
socket.getaddrinfo = _refuse  # type: ignore[assignment]
