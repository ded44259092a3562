"""On the path of every golden run: whoever opens a socket fails."""  # noqa: INP001 - a path entry, no package

import socket
from typing import NoReturn


def _refuse(*_arguments: object, **_options: object) -> NoReturn:
    raise AssertionError("the program opened a socket")


socket.socket.__init__ = _refuse  # type: ignore[method-assign]
socket.create_connection = _refuse
socket.getaddrinfo = _refuse
