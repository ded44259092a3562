"""One HTTP client for every service that a runtime names: registries, Flink, Kafka Connect, the Gateway.

Each request has its own connection, so that whether it was sent is never in doubt because of an earlier one,
and a bound of wall clock from the name to the last byte. The environment is not trusted: no proxy, no .netrc,
no authorities from variables. No redirect is followed, and nothing is ever sent twice here.
Source: decisions R5 and R8 of the runtime facts.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple
from urllib.parse import quote

import httpcore
import httpx

from streamt_ol.ground.json_text import read_json
from streamt_ol.ground.records import shown_without
from streamt_ol.ground.redaction import redact
from streamt_ol.services.connection_errors import ANSWER_LATE, BROKEN_OFF, NO_HTTP
from streamt_ol.services.http_network import Network, TlsError
from streamt_ol.services.http_pool import AGENT, PooledTransport
from streamt_ol.services.tls import identified

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable, Mapping

Trouble = Literal["address", "certificate_file", "unreachable", "tls", "unanswered", "protocol"]
"""Why there is no answer. Of the last two the request was sent, so it may have been carried out."""

_SENT: Final = frozenset({"unanswered", "protocol"})
_MARK: Final = "***"
_ENDS_AUTHORITY: Final = re.compile(r"[/?#\\]")
_PORTS: Final = {"http": 80, "https": 443}
_SPACE: Final = re.compile(r"\s+")


class NoAnswerError(Exception):
    """There is no answer. It holds no secret and no words of a library; who asked tells of it."""

    def __init__(self, trouble: Trouble, setting: str = "", *, late: bool = False, cause: str = "") -> None:
        super().__init__(trouble)
        self.trouble: Trouble = trouble
        self.setting = setting
        """The key of the setting that cannot be used, where one is at fault."""
        self.late = late
        """Whether the time was up."""
        self.cause = cause
        """The name of what went wrong, of `connection_errors`; empty where none was tried."""

    @property
    def sent(self) -> bool:
        """Return whether the request may have reached the service."""
        return self.trouble in _SENT


class MalformedAnswerError(Exception):
    """An answer is longer than is read, or no JSON that anybody may send."""


class Answer(NamedTuple):
    """What a service said."""

    status: int
    body: bytes | None
    """None where it is longer than was to be read."""

    def __repr__(self) -> str:
        """Leave out what may hold secrets."""
        return shown_without(self, "body")

    def json(self) -> Any:
        """Return the body as plain values; raises MalformedAnswerError, also for a key that stands twice."""
        try:
            if self.body is not None:
                return read_json(self.body)
        except (ValueError, RecursionError):
            pass
        raise MalformedAnswerError


class HttpService:
    """A service at the address that `settings[key]` has; nothing is connected before the first question.

    Of the settings `username`, `password` and the `ssl_*` are used; user information of the address is a
    login, too, and goes into no request line.
    """

    def __init__(self, settings: Mapping[str, Any], *, key: str = "url", path: str = "") -> None:
        self._settings = settings
        self._key = key
        self._path = path
        self._context: ssl.SSLContext | None = None

    def ask(
        self,
        method: str,
        path: str,
        *,
        seconds: float,
        most: int,
        content: Any = None,
    ) -> Answer:
        """Return what is answered to one request, sent once; raises NoAnswerError.

        `path` is below the address, percent-encoded; `content` is sent as JSON, None for no body; of the
        answer at most `most` bytes are read.
        """
        address = self._address()
        request = self._request(method, f"{address.base}{path.lstrip('/')}", content, address)
        context = self._tls()
        network = Network()
        network.begin(seconds)
        try:
            # Not by httpx.Client, which follows redirects, keeps cookies and asks the environment.
            with PooledTransport(network, context, 0) as transport:
                response = transport.handle_request(request)
                return Answer(response.status_code, _body(response, most))
        except httpcore.ConnectTimeout as error:
            failure = NoAnswerError("unreachable", late=True, cause=str(error))
        except TlsError as error:
            failure = NoAnswerError("tls", cause=str(error))
        except httpcore.ConnectError as error:
            failure = NoAnswerError("unreachable", cause=str(error))
        except httpcore.TimeoutException:
            failure = NoAnswerError("unanswered", late=True, cause=ANSWER_LATE)
        except httpcore.NetworkError as error:
            failure = NoAnswerError("unanswered", cause=str(error))
        except httpcore.ProtocolError:
            broken = network.broken_off
            failure = NoAnswerError(
                "unanswered" if broken else "protocol", cause=BROKEN_OFF if broken else NO_HTTP
            )
        raise failure

    def without_secrets(self, text: str, *, secrets: Iterable[str] = (), longest: int = 500) -> str:
        """Return words of a service in one line without secrets: those of the settings, and others."""
        address = httpx.URL(self._settings.get(self._key) or "") if self._is_address() else httpx.URL("")
        hidden = {
            *secrets,
            *(str(self._settings.get(key) or "") for key in ("password", "api_key", "ssl_key_password")),
            address.password,
            address.userinfo.decode("ascii", "replace").partition(":")[2],
        }
        hidden |= {quote(secret, safe="", errors="replace") for secret in hidden}  # as addresses have them
        for secret in sorted(hidden - {""}, key=len, reverse=True):
            text = text.replace(secret, _MARK)
        told = _SPACE.sub(" ", redact(text)).strip()
        return told if len(told) <= longest else f"{told[: longest - 3]}..."

    @property
    def where(self) -> str:
        """Return ` at HOST:PORT` for messages; empty where there is no such address to show."""
        endpoint = self.endpoint
        return f" at {endpoint}" if endpoint else ""

    @property
    def endpoint(self) -> str:
        """Return `HOST:PORT` of the address; empty where it is none, or may be a piece of a login."""
        if not self._is_address():
            return ""
        before, at, _after = str(self._settings.get(self._key)).rpartition("@")
        if at and _ENDS_AUTHORITY.search(before.partition("://")[2]):
            return ""  # a login that is not quoted ends the authority early
        url = httpx.URL(self._settings.get(self._key) or "")
        host = f"[{url.host}]" if ":" in url.host else url.host
        return f"{host}:{url.port or _PORTS[url.scheme]}"

    def _is_address(self) -> bool:
        try:
            self._address()
        except NoAnswerError:
            return False
        return True

    def _address(self) -> _Address:
        try:
            url = httpx.URL(self._settings.get(self._key) or "")
        except (httpx.InvalidURL, TypeError):
            url = httpx.URL("")
        if url.scheme not in ("http", "https") or not url.host:
            raise NoAnswerError("address", self._key)
        base = str(url.copy_with(userinfo=b"", query=None, fragment=None)).rstrip("/")
        user = self._settings.get("username") or url.username
        return _Address(f"{base}{self._path}/", user, self._settings.get("password") or url.password)

    def _request(self, method: str, url: str, content: Any, address: _Address) -> httpx.Request:
        headers = {
            "Accept": "application/json, */*;q=0.1",
            "Accept-Encoding": "identity",
            "User-Agent": AGENT,
        }
        body = None
        if content is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
        try:
            request = httpx.Request(method, url, headers=headers, content=body)
        except httpx.InvalidURL:
            raise NoAnswerError("address", self._key) from None
        if address.user or address.password:
            request = next(httpx.BasicAuth(address.user, address.password).auth_flow(request))
        return request

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            found = identified(self._settings)
            if isinstance(found, str):
                raise NoAnswerError("certificate_file", found)
            self._context = found
        return self._context


class _Address(NamedTuple):
    base: str
    user: str
    password: str


def segment(name: str) -> str:
    """Return a name as one segment of a path: whatever it has in it, it leads nowhere else."""
    encoded = quote(name, safe="", errors="surrogatepass")
    return encoded.replace(".", "%2E") if encoded in {".", ".."} else encoded


def _body(response: httpx.Response, most: int) -> bytes | None:
    body = bytearray()
    for piece in response.iter_raw():
        body += piece
        if len(body) > most:
            return None
    return bytes(body)
