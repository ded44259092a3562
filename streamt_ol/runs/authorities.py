"""The certificate authorities that a configuration names: a bundle in PEM form, looked at when it is read."""

from __future__ import annotations

from pathlib import Path

from streamt_ol.runs.bounded_files import FileRefused, read_bounded


def require_authorities(path: str, limit: int) -> None:
    """Refuse a file that gives no certificate authorities. Raises FileRefused.

    A bundle has one certificate or more, each between its marks; text around them is left alone. `limit` is
    the greatest size in bytes.
    """
    import ssl  # only a configuration with authorities of its own needs it

    read_bounded(Path(path), limit)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cafile=path)
    except OSError:  # ssl.SSLError is one
        raise FileRefused("authorities") from None
    if not context.cert_store_stats()["x509"]:  # a list of revoked certificates alone
        raise FileRefused("authorities")
