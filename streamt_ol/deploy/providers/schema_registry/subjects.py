"""The interface that a Schema Registry documents, as far as deployments use it.

A subject is one segment of every path, percent-encoded whatever is in it. What a refusal means is decided by
the table `schema-refusals`. Source: the public reference of the interface; section 4 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.deploy.providers.errors import RequestRefusedError
from streamt_ol.deploy.providers.schema_registry.facts import REGISTRY_NEEDS, RegistryRefusal
from streamt_ol.deploy.providers.schema_registry.forms import AVRO, registered_digest, surface_of
from streamt_ol.deploy.providers.service_failures import trouble_of
from streamt_ol.deploy.providers.service_records import About
from streamt_ol.ground.records import shown_without
from streamt_ol.services.http_service import MalformedAnswerError, segment

if TYPE_CHECKING:
    from streamt_ol.deploy.providers.schema_registry.facts import Request
    from streamt_ol.deploy.providers.service import Service
    from streamt_ol.deploy.providers.service_facts import Request as Kind
    from streamt_ol.deploy.records import Surface
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.services.http_service import Answer

AT: Final = "/runtime/schema_registry"
_SCHEMAS_APART: Final = "{oldSchema:"
"""How a message begins that quotes a whole schema."""


class Version(NamedTuple):
    """One version of a subject."""

    number: int
    id: int
    """Of the schema, which has the same under every subject."""
    surface: Surface


class Told(NamedTuple):
    """What the registry says."""

    means: str
    """`done`, or a word of the table."""
    body: Any
    code: str
    message: str
    """Of what it refuses: code and words of an error."""
    reason: str

    def __repr__(self) -> str:
        """Leave out what is long."""
        return shown_without(self, "body")

    def error(self) -> RequestRefusedError:
        """Return the error that it is for an action."""
        return RequestRefusedError(self.code, self.message, location=AT)


class Subjects:
    """The subjects of a registry. Every method raises RequestRefusedError, those that change InDoubtError."""

    def __init__(self, service: Service, rules: RuleSet) -> None:
        rules.require(REGISTRY_NEEDS)
        self._service = service
        self._table = rules.table("schema-refusals")
        self._known = frozenset(self._table.inputs["code"])

    def version(self, subject: str, number: int | None = None) -> Version | None:
        """Return a version, the latest one without a number; None where it is not there."""
        word = "latest" if number is None else str(number)
        told = self._ask("show", "GET", f"{_path(subject)}/versions/{word}", subject)
        return None if told.means == "absent" else self._version(told.body, subject)

    def numbers(self, subject: str) -> list[int]:
        """Return the numbers of the versions that are there."""
        told = self._ask("show", "GET", f"{_path(subject)}/versions", subject)
        if told.means == "absent":
            return []
        if isinstance(told.body, list) and all(type(number) is int for number in told.body):
            return told.body
        raise self._malformed(subject)

    def found(self, subject: str, schema: Surface) -> Told | int | None:
        """Return as which version a schema is there, None for none; or what is wrong with it."""
        told = self._ask("find", "POST", _path(subject), subject, schema)
        if told.means == "invalid":
            return told
        return self._version(told.body, subject).number if told.means == "done" else None

    def judged(self, subject: str, schema: Surface) -> Told | None:
        """Return what keeps a schema from becoming the latest version; None where nothing does."""
        path = f"compatibility/{_path(subject)}/versions"
        # Without a version the question is the one that a registration asks, about as many versions.
        told = self._ask("judge", "POST", f"{path}?verbose=true", subject, schema)
        if told.means == "unsupported":
            told = self._ask("judge", "POST", f"{path}/latest?verbose=true", subject, schema)
        if told.means == "unsupported":
            raise self._service.failure("refused", "question", _about(subject), told.reason)
        if told.means != "done":
            return None if told.means == "absent" else told
        compatible = told.body.get("is_compatible") if isinstance(told.body, dict) else None
        if type(compatible) is not bool:
            raise self._malformed(subject)
        return None if compatible else self._refused("judge", "incompatible", subject, _words(told.body))

    def registered(self, subject: str, schema: Surface) -> int | None:
        """Register a schema and return its id; None where the answer cannot be read."""
        told = self._ask("register", "POST", f"{_path(subject)}/versions", subject, schema)
        if told.means != "done":
            raise told.error()
        number = told.body.get("id") if isinstance(told.body, dict) else None
        return number if type(number) is int else None

    def delete(self, subject: str) -> None:
        """Delete a subject; the registry keeps what it was, and its schemas."""
        self._service.change("DELETE", _path(subject), None, _about(subject, "deleted"))

    def _ask(
        self, request: Request, method: str, path: str, subject: str, schema: Surface | None = None
    ) -> Told:
        kind: Kind = "change" if request == "register" else "question"
        about = _about(subject, "registered" if kind == "change" else "shown")
        answer, _doubt = self._service.sent(method, path, schema, about, kind)  # a POST is sent once
        body = _body(answer)
        if trouble_of(answer.status) is None:
            if body is None and kind == "question":
                raise self._malformed(subject)
            return Told("done", body, "", "", "")
        told = self._refused(request, _code(answer, body), subject, _message(body))
        if told.means == "failure":
            self._service.require_success(answer, about, kind)
        return told

    def _refused(self, request: Request, code: str, subject: str, words: str) -> Told:
        reason = self._service.without_secrets(words) or "it does not say why"
        facts = RegistryRefusal(AT, request, code if code in self._known else "other", subject, reason)
        decision = self._table.decide(facts)
        message = decision.get("message")
        said = "" if message is None else message(facts)
        return Told(decision["means"], None, decision.get("code") or "", said, reason)

    def _version(self, body: Any, subject: str) -> Version:
        try:
            kind, text = body.get("schemaType") or AVRO, body["schema"]
            references = [_reference(one) for one in body.get("references") or ()]
            numbers = body["version"], body["id"]
        except (LookupError, TypeError, ValueError, AttributeError):
            raise self._malformed(subject) from None
        if not (isinstance(kind, str) and isinstance(text, str) and {type(one) for one in numbers} == {int}):
            raise self._malformed(subject)
        references.sort(key=lambda one: (one["name"], one["subject"], one["version"]))
        return Version(*numbers, surface_of(kind, registered_digest(kind, text), references))

    def _malformed(self, subject: str) -> Exception:
        return self._service.failure("malformed", "question", _about(subject))


def _about(subject: str, asked: str = "shown") -> About:
    return About(f"schema '{subject}'", asked)


def _path(subject: str) -> str:
    return f"subjects/{segment(subject)}"


def _body(answer: Answer) -> Any:
    try:
        return answer.json()
    except MalformedAnswerError:
        return None


def _code(answer: Answer, body: Any) -> str:
    """Return the code of the registry, which begins with the status, or else that alone."""
    status = str(answer.status)
    code = str(body.get("error_code")) if isinstance(body, dict) else ""
    return code if code.startswith(status) else status


def _message(body: Any) -> str:
    told = body.get("message") if isinstance(body, dict) else None
    return told if isinstance(told, str) else ""


def _words(body: dict[str, Any]) -> str:
    """Return why a schema is not compatible: the `messages` of a judgement, or the `reason` of Apicurio's."""
    messages = body.get("messages")
    texts = messages if isinstance(messages, list) else [body.get("reason")]
    return "; ".join(one for one in texts if isinstance(one, str) and not one.startswith(_SCHEMAS_APART))


def _reference(one: dict[str, Any]) -> dict[str, Any]:
    return {"name": str(one["name"]), "subject": str(one["subject"]), "version": int(one["version"])}
