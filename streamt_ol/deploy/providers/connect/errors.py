"""Why a connector is not what it was to become, beside what its cluster refuses."""

from __future__ import annotations

from streamt_ol.deploy.providers.errors import ProviderError


class ConnectorNameError(ProviderError):
    """No address leads to a connector of this name, so nobody is asked."""

    code = "E501_PARSE_ERROR"


class ConnectorFailedError(ProviderError):
    """A connector was created or changed as it was planned, and it or a task of it failed."""

    code = "E407_DEPLOY_ERROR"
