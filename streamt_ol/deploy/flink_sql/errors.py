"""Why no Flink SQL can be made of any project."""

from __future__ import annotations

from streamt_ol.ground.errors import StreamtError


class FlinkExtraMissingError(StreamtError):
    """The package that reads SQL is not installed."""

    code = "E549_FLINK_EXTRA_MISSING"
