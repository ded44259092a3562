"""Which service holds a resource, as the state has it: what another address or another cluster would change.

A record claims a resource in one place. Where the runtime leads to another place by now, a resource of the
same name there is not the one that was claimed, and is left alone. Source: sections 1.2 and 4 of the runtime
facts.
"""

from __future__ import annotations

import hashlib
import ipaddress
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from streamt_ol.deploy.planning.errors import ServiceNotConfiguredError
from streamt_ol.deploy.providers.gateway.resources import PASSTHROUGH, virtual_cluster
from streamt_ol.ground.pointer import pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_GATEWAY: Final = "/runtime/conduktor/gateway"
_PORTS: Final = {"http": 80, "https": 443}


def backend_of(kind: str, cluster: str | None, runtime: Mapping[str, Any]) -> str:
    """Return the service of a resource as the state records it.

    `kind` is what `resource-kinds` calls the backend: `kafka-connect`, `flink`, `conduktor-gateway`; one that
    a runtime has once is its own name. `cluster` is the alias in the runtime, for those that it has several
    of. Raises ServiceNotConfiguredError where the runtime does not lead to the service.
    """
    bound = _BOUND.get(kind)
    return kind if bound is None else f"{kind}:v1:{bound(cluster, runtime)}"


def endpoint_hash(url: str) -> str:
    """Return `sha256:` and the digest of an address; raises ValueError for what is none.

    How an address is spelt makes no difference: case of scheme and host, Unicode or Punycode, the usual port,
    a slash at the end. Neither do user, password, query and fragment.
    """
    parts = urlsplit(url)
    host = _host(parts.hostname or "")
    if parts.scheme not in _PORTS or not host:
        raise ValueError("no address of http or https")
    port = "" if parts.port in (None, _PORTS[parts.scheme]) else f":{parts.port}"
    normal = f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"
    return f"sha256:{hashlib.sha256(normal.encode()).hexdigest()}"


def _host(name: str) -> str:
    """Return a host as every spelling of it is compared: lower case, ASCII, an IPv6 address shortened."""
    if ":" in name:
        return f"[{ipaddress.IPv6Address(name)}]"
    if name.isascii():
        return name.lower()
    import idna  # only for the few addresses that need it

    return idna.encode(name, uts46=True).decode("ascii")


def _hash(url: Any, what: str, at: str) -> str:
    try:
        return endpoint_hash(url or "")
    except ValueError:  # also of ports, of IPv6 and of idna; what it quotes may hold a password
        pass
    raise ServiceNotConfiguredError(
        f"the runtime has no address with http:// or https:// for {what}",
        location=at,
        suggestion="set it, or declare what it would hold as external",
    )


def _flink(cluster: str | None, _runtime: Mapping[str, Any]) -> str:
    return _alias(cluster, "Flink", "/runtime/flink")


def _connect(cluster: str | None, runtime: Mapping[str, Any]) -> str:
    alias = _alias(cluster, "Kafka Connect", "/runtime/connect")
    settings = ((runtime.get("connect") or {}).get("clusters") or {}).get(alias) or {}
    at = pointer("runtime", "connect", "clusters", alias, "rest_url")
    return f"{alias}:{_hash(settings.get('rest_url'), f'Connect cluster {alias!r}', at)}"


def _conduktor(_cluster: str | None, runtime: Mapping[str, Any]) -> str:
    name = virtual_cluster(runtime)
    # Base64, so that no name of a virtual cluster can look like another part.
    part = "p" if name == PASSTHROUGH else f"v-{urlsafe_b64encode(name.encode()).decode().rstrip('=')}"
    at = f"{_GATEWAY}/admin_url"
    return f"{part}:{_hash(_gateway(runtime).get('admin_url'), 'Conduktor Gateway', at)}"


def _alias(cluster: str | None, what: str, at: str) -> str:
    if cluster:
        return cluster
    raise ServiceNotConfiguredError(
        f"no cluster of {what} is named, and none is the default",
        location=at,
        suggestion="set `default` there, or name the cluster in the model",
    )


def _gateway(runtime: Mapping[str, Any]) -> Mapping[str, Any]:
    return (runtime.get("conduktor") or {}).get("gateway") or {}


_BOUND: Final[Mapping[str, Callable[[str | None, Mapping[str, Any]], str]]] = {
    "flink": _flink,
    "kafka-connect": _connect,
    "conduktor-gateway": _conduktor,
}
"""What follows the name of a backend, for those of which there can be several."""
