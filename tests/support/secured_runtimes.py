"""How a runtime connects to the listeners of a secured broker, and what its users may not do."""

from __future__ import annotations

from typing import Any

from apache_kafka import KEY_PASSWORD, USERS, SecuredBroker
from brokers import until
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)


def tls(broker: SecuredBroker, listener: str = "SSL", authority: str = "authority") -> dict[str, Any]:
    return {
        "bootstrap_servers": broker.listeners[listener],
        "security_protocol": "SSL",
        "ssl_ca_location": str(broker.files[authority]),
    }


def login(broker: SecuredBroker, user: str = "reader", password: str | None = None) -> dict[str, Any]:
    return {
        **tls(broker, "SASL_SSL"),
        "security_protocol": "sasl_ssl",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_username": user,
        "sasl_password": password or USERS[user],
    }


def with_certificate(broker: SecuredBroker, password: str = KEY_PASSWORD) -> dict[str, Any]:
    return {
        **tls(broker, "MUTUAL"),
        "ssl_certificate_location": str(broker.files["client"]),
        "ssl_key_location": str(broker.files["client_key"]),
        "ssl_key_password": password,
    }


def deny(broker: SecuredBroker, kind: ResourceType, name: str) -> None:
    """Forbid `stranger` everything with something."""
    _bind(broker, kind, name, AclOperation.ALL, AclPermissionType.DENY)


def allow(broker: SecuredBroker, kind: ResourceType, name: str, *operations: AclOperation) -> None:
    """Allow `stranger` a few operations on something, and nobody any other."""
    for operation in operations:
        _bind(broker, kind, name, operation, AclPermissionType.ALLOW)


def _bind(
    broker: SecuredBroker,
    kind: ResourceType,
    name: str,
    operation: AclOperation,
    permission: AclPermissionType,
) -> None:
    literal, user = ResourcePatternType.LITERAL, "User:stranger"
    binding = AclBinding(kind, name, literal, user, "*", operation, permission)
    admin = broker.admin()
    admin.create_acls([binding])[binding].result(30)
    wanted = AclBindingFilter(kind, name, literal, user, None, AclOperation.ANY, AclPermissionType.ANY)
    until(lambda: binding in admin.describe_acls(wanted).result(30))
