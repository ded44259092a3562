"""A proxy before an HTTP service that loses answers, as a network may: the request is carried out, nobody hears of it."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

Loses = Callable[[str, str, bytes], bool]
"""Called with method, path and body of a request: whether its answer is lost."""


@dataclass
class LosingProxy:
    """A proxy that runs."""

    url: str
    lost: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of each request whose answer was lost."""
    loses: Loses = lambda _method, _path, _body: False


@contextmanager
def losing_proxy(target: str, loses: Loses) -> Iterator[LosingProxy]:
    """Forward to a service at an address until the context ends."""
    address = urlsplit(target).netloc

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            behind = http.client.HTTPConnection(address, timeout=30)
            try:
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                behind.request(self.command, self.path, body or None, headers)
                answer = behind.getresponse()
                content = answer.read()
            finally:
                behind.close()
            if proxy.loses(self.command, self.path, body):
                proxy.lost.append((self.command, self.path))
                self.close_connection = True
                return
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.getheader("Content-Type", "application/json"))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            self.do_GET()

        def do_PUT(self) -> None:
            self.do_GET()

        def do_PATCH(self) -> None:
            self.do_GET()

        def do_DELETE(self) -> None:
            self.do_GET()

        def log_message(self, *_words: object) -> None:
            """Print nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_where: object) -> None:
            """Keep still: a client that hung up is no failure of the proxy."""

    server = Server(("127.0.0.1", 0), Handler)
    proxy = LosingProxy(f"http://127.0.0.1:{server.server_port}", loses=loses)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
