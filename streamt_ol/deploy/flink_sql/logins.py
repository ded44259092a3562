"""How a job logs in at Kafka and at a Schema Registry, as options of its tables: the table `flink-logins`.

Which options there are is decided without what they hold. That is read here, and goes nowhere else than into
the statements that are submitted.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from streamt_ol.deploy.flink_sql.facts import FlinkLogin
from streamt_ol.deploy.flink_sql.setting import registry_login
from streamt_ol.deploy.flink_sql.texts import as_login_text
from streamt_ol.services.errors import KAFKA, SslFileError
from streamt_ol.services.kafka_settings import require_file, security_protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from streamt_ol.deploy.flink_sql.setting import Setting
    from streamt_ol.engine.ruleset import RuleSet

_USER_INFO, _PEM = "USER_INFO", "PEM"
_SASL, _TLS = "sasl", "ssl"
_KEYS = ("-----BEGIN PRIVATE KEY-----", "-----BEGIN ENCRYPTED PRIVATE KEY-----")


def note_incomplete_login(runtime: Mapping[str, Any], setting: Setting) -> None:
    """Note what a login at Kafka lacks."""
    kafka = runtime["kafka"]
    needed: tuple[str, ...] = ()
    if setting.protocol.startswith(_SASL):
        needed = ("sasl_mechanism", "sasl_username", "sasl_password")
        mechanism = kafka.get("sasl_mechanism")
        if mechanism and mechanism not in setting.rules.catalogue("flink-login-modules").entries:
            setting.troubles.add("login_unsupported", "", f"{KAFKA}/sasl_mechanism", mechanism)
            return
    if setting.protocol.endswith(_TLS) and kafka.get("ssl_certificate_location"):
        needed = (*needed, "ssl_key_location")
    for key in needed:
        if not kafka.get(key):
            setting.troubles.add("login_incomplete", "", KAFKA, key)


def login_options(runtime: Mapping[str, Any], form: str, rules: RuleSet) -> dict[str, str]:
    """Return the options that log a table of a format in.

    Raises SslFileError for a file that cannot be read, or that has a key in another form than PKCS #8.
    """
    kafka, registry = runtime["kafka"], runtime.get("schema_registry")
    asked = registry_login(registry) if registry else None
    facts = FlinkLogin(
        at=KAFKA,
        protocol=security_protocol(kafka, rules),
        format=form,
        authorities="present" if kafka.get("ssl_ca_location") else "absent",
        certificate="present" if kafka.get("ssl_certificate_location") else "absent",
        key_password="present" if kafka.get("ssl_key_password") else "absent",
        registry_login="present" if asked and asked.user is not None else "absent",
    )
    taken: Mapping[str, Callable[[], str]] = {
        "protocol": facts.protocol.upper,
        "mechanism": lambda: kafka["sasl_mechanism"],
        "jaas": lambda: _jaas(kafka, rules),
        "pem": lambda: _PEM,
        "authorities": lambda: _pem(kafka, "ssl_ca_location"),
        "certificate": lambda: _pem(kafka, "ssl_certificate_location"),
        "key": lambda: _key(kafka),
        "key_password": lambda: kafka["ssl_key_password"],
        "user_info": lambda: _USER_INFO,
        "registry_user": lambda: f"{asked.user}:{asked.password}" if asked else "",
    }
    decisions = rules.table("flink-logins").decide_all(facts)
    return {decision["option"]: taken[decision["takes"]]() for decision in decisions}


def login_secrets(runtime: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what statements hold that no message may, also as an address, a login or a literal has it."""
    kafka, registry = runtime.get("kafka") or {}, runtime.get("schema_registry") or {}
    plain = (kafka.get("sasl_password"), kafka.get("ssl_key_password"), registry.get("password"))
    secrets = {str(secret) for secret in plain if secret} | _passwords_in(registry.get("url") or "")
    secrets |= {as_login_text(secret)[1:-1] for secret in secrets}
    return tuple(secrets | {secret.replace("'", "''") for secret in secrets})


def _passwords_in(url: str) -> set[str]:
    """Return the password that an address has, as it stands there and as it is meant."""
    try:
        password = urlsplit(url).password
    except ValueError:
        return set()
    return {password, unquote(password)} if password else set()


def _jaas(kafka: Mapping[str, Any], rules: RuleSet) -> str:
    module = rules.catalogue("flink-login-modules")[kafka["sasl_mechanism"]]["module"]
    user, password = as_login_text(kafka["sasl_username"]), as_login_text(kafka["sasl_password"])
    return f"{module} required username={user} password={password};"


def _pem(kafka: Mapping[str, Any], key: str) -> str:
    location = f"{KAFKA}/{key}"
    require_file(kafka[key], location)
    try:
        return Path(kafka[key]).read_text("ascii").strip()
    except (OSError, ValueError):
        pass
    raise SslFileError(f"`{key}` names a file that is not in PEM form", location=location)


def _key(kafka: Mapping[str, Any]) -> str:
    text = _pem(kafka, "ssl_key_location")
    if not any(head in text for head in _KEYS):
        raise SslFileError(
            "`ssl_key_location` names a file without a key in PKCS #8 form, which Kafka's Java client needs",
            location=f"{KAFKA}/ssl_key_location",
            suggestion="convert it: openssl pkcs8 -topk8 -in OLD -out NEW",
        )
    return text
