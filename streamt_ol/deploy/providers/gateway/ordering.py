"""In which order the parts of a rule are put, so that no filter or mask that is wanted is missing on the way.

Interceptors are numbered. One that comes to stand before others moves them all on by one, and each is put
over another that may still be needed. So one is put first over what nobody needs, or what is there twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.deploy.providers.gateway.resources import Identity
    from streamt_ol.deploy.records import Surface


def puts(before: Mapping[Identity, Surface], after: Mapping[Identity, Surface]) -> Iterator[Identity]:
    """Yield what of `after` is not there, in its order where that does not matter.

    Two that change places cannot be put without one of them missing for a moment: then in their order.
    """
    now = {identity: _effect(surface) for identity, surface in before.items()}
    wanted = {identity: _effect(surface) for identity, surface in after.items()}
    pending = [identity for identity, surface in after.items() if before.get(identity) != surface]
    while pending:
        needed = set(wanted.values())
        put = next((one for one in pending if _is_harmless(one, now, needed)), pending[0])
        pending.remove(put)
        now[put] = wanted[put]
        yield put


def _is_harmless(put: Identity, now: Mapping[Identity, bytes], needed: set[bytes]) -> bool:
    """Return whether nothing is missing while a part is put over what is there now."""
    replaced = now.get(put)
    return (
        replaced is None
        or replaced not in needed
        or any(effect == replaced for identity, effect in now.items() if identity != put)
    )


def _effect(surface: Surface) -> bytes:
    """Return what a part does, whatever it and its policies are called."""
    config = surface.get("config")
    parts = {key: part for key, part in surface.items() if key != "name"}
    if isinstance(config, dict):
        parts["config"] = {key: _unnamed(part) for key, part in config.items()}
    return canonical_json(parts)


def _unnamed(part: Any) -> Any:
    if not isinstance(part, list):
        return part
    return [
        {key: value for key, value in one.items() if key != "name"} if isinstance(one, dict) else one
        for one in part
    ]
