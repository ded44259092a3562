"""`runtime.kafka` as settings of the Kafka client. Source: section 3.2 of the project language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.ground.redaction import redact
from streamt_ol.services.errors import KAFKA, KafkaSettingsError, SslFileError
from streamt_ol.services.kafka_facts import KafkaRuntime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.engine.ruleset import RuleSet

_MARK = "***"
_USER = re.compile(r"[^\s'\"\[(]*@")
"""Somebody may have written `user:password@host` where only an address belongs."""
_CERTIFICATES = ("ssl_ca_location", "ssl_certificate_location")


class KafkaSettings(NamedTuple):
    """Settings of the client by its own names, and what nobody may see of them."""

    values: Mapping[str, str]
    secrets: tuple[str, ...]

    def __repr__(self) -> str:
        """Show nothing."""
        return "KafkaSettings()"

    def without_secrets(self, text: str) -> str:
        """Return what a client or a broker says, without what must not be said."""
        for secret in self.secrets:
            text = text.replace(secret, _MARK)
        return redact(_USER.sub(f"{_MARK}@", text))


def kafka_settings(runtime: Mapping[str, Any], rules: RuleSet) -> KafkaSettings:
    """Return the settings that a runtime asks for.

    Raises SslFileError for a file that cannot be read, and KafkaSettingsError for a login that the client
    cannot do; both with a location.
    """
    kafka = runtime["kafka"]
    values = {"security.protocol": security_protocol(kafka, rules)}
    secrets = []
    for key, entry in rules.catalogue("kafka-settings").entries.items():
        value = kafka.get(key)
        if not value:
            continue
        if entry["holds"] == "file":
            require_file(value, f"{KAFKA}/{key}")
        elif entry["holds"] == "secret":
            secrets.append(value)
        values[entry["client"]] = value
    return KafkaSettings(values, tuple(sorted(secrets, key=len, reverse=True)))


def security_protocol(kafka: Mapping[str, Any], rules: RuleSet) -> str:
    """Return the protocol of `runtime.kafka`, a word of the domain `security_protocol`.

    Raises KafkaSettingsError for a login that nothing in the runtime says enough about.
    """
    facts = KafkaRuntime(
        at=KAFKA,
        protocol=(kafka.get("security_protocol") or "absent").lower(),
        mechanism=kafka.get("sasl_mechanism") or "absent",
        certificates="present" if any(kafka.get(key) for key in _CERTIFICATES) else "absent",
    )
    decision = rules.table("kafka-security").decide(facts)
    protocol: str | None = decision.get("protocol")
    if protocol is None:
        raise KafkaSettingsError(
            "E545_KAFKA_SETTINGS",
            decision["message"](facts),
            location=f"{KAFKA}/sasl_mechanism",
            lasting=True,
        )
    return protocol


def require_file(name: str, location: str) -> None:
    """Refuse a file that cannot be read: the client's own words for it would not say which it is."""
    try:
        with Path(name).open("rb"):
            pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is invalid"
        key = location.rpartition("/")[2]
        raise SslFileError(f"`{key}` names a file that cannot be read: {reason}", location=location) from None
