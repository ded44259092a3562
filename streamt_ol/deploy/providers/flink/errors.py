"""Why Flink does not do what is asked of it, where that matters to who asked."""

from __future__ import annotations

from streamt_ol.deploy.providers.errors import RequestRefusedError


class StatementRefusedError(RequestRefusedError):
    """Flink does not take a statement: it will not take it the next time either."""
