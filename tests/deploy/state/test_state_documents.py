"""The documents of a state: what is written is read as the same, and whatever else is there is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from states import ENVIRONMENT, EVIDENCE, PROJECT

from streamt_ol.deploy.canonical import canonical_json
from streamt_ol.deploy.state.control_file import decode_control, encode_control
from streamt_ol.deploy.state.documents import document
from streamt_ol.deploy.state.errors import HistoryFullError, StateInvalidError
from streamt_ol.deploy.state.history_file import (
    INTENDED,
    RESOLUTIONS,
    RESOLVED,
    Event,
    Resolution,
    decode_history,
    encode_history,
)
from streamt_ol.deploy.state.operations import FAILURE_CODES, KINDS, last_completed
from streamt_ol.deploy.state.records import (
    Control,
    IntendedAction,
    Intent,
    Progress,
    Record,
    Recovery,
    Snapshot,
)
from streamt_ol.deploy.state.state_file import decode_state, encode_state, state_checksum
from streamt_ol.ground.errors import Place

ADDRESS = f"streamt-state://local/{PROJECT}/{ENVIRONMENT}"
FILE = ".streamt/state/dev.json"

texts = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), min_size=1, max_size=12)
names = texts.map(lambda text: text.replace("/", "_"))
words = st.sampled_from(["create", "update", "delete", "topic", "flink_job", "v2"])
checksums = st.integers(0, 2**256 - 1).map(lambda number: f"sha256:{number:064x}")
ids = st.uuids().map(str)
times = st.datetimes().map(lambda time: time.strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0"))
numbers = st.integers(0, 2**63 - 1)
resource_ids = st.builds(lambda kind, name: f"streamt://{PROJECT}/{ENVIRONMENT}/{kind}/{name}", words, names)
records = st.builds(Record, texts, st.sampled_from(["managed", "adopted"]), checksums, texts)
snapshots = st.builds(
    Snapshot,
    st.just(PROJECT),
    st.just(ENVIRONMENT),
    numbers,
    st.dictionaries(resource_ids, records, max_size=4),
)


@st.composite
def controls(draw: st.DrawFn) -> Control:
    """Draw an operation that came some of its way."""
    status = draw(st.sampled_from(["clear", "in_progress", "recovery_required"]))
    if status == "clear":
        return Control("clear")
    resources = draw(st.lists(resource_ids, unique=True, max_size=3))
    seen = st.none() | checksums
    actions = tuple(
        IntendedAction(
            at, resource, draw(words), draw(texts), draw(seen), draw(seen), draw(st.none() | texts)
        )
        for at, resource in enumerate(resources)
    )
    reviewed = draw(st.none() | checksums)
    kind, operation = draw(st.sampled_from(KINDS)), draw(ids)
    intent = Intent(
        operation, kind, draw(times), draw(texts), draw(numbers), draw(checksums), reviewed, actions
    )
    progress: list[Progress] = []
    for position in range(draw(st.integers(0, 2 * len(actions)))):
        action = actions[position // 2]
        over = position % 2 == 1
        last = position // 2 == len(actions) - 1
        word = "completed" if over else "started"
        succeeded = (draw(st.booleans()) if last else True) if over else None
        about = (operation, action.position, action.resource_id, action.action)
        progress.append(Progress(*about, word, succeeded, draw(times)))
    control = Control(status, intent, tuple(progress))
    if status == "in_progress":
        return control
    failure = draw(st.sampled_from(FAILURE_CODES))
    return control._replace(recovery=Recovery(operation, failure, draw(times), last_completed(control)))


@st.composite
def histories(draw: st.DrawFn) -> tuple[Event, ...]:
    """Draw a few recoveries."""
    pairs = draw(st.lists(ids, unique=True, max_size=4))
    events = []
    for recovery, blocked in zip(pairs[::2], pairs[1::2], strict=False):
        about = Resolution(recovery, blocked, draw(st.sampled_from(RESOLUTIONS)), draw(checksums))
        serial, checksum = draw(numbers), draw(checksums)
        events += [Event(event, about, serial, checksum, draw(times)) for event in (INTENDED, RESOLVED)]
    return tuple(events)


def read_state(data: bytes) -> Snapshot:
    return decode_state(data, FILE, PROJECT, ENVIRONMENT)


def read_control(data: bytes) -> Control:
    return decode_control(data, FILE, ADDRESS, PROJECT, ENVIRONMENT)


def read_history(data: bytes) -> tuple[Event, ...]:
    return decode_history(data, FILE, ADDRESS)


def write_control(control: Control) -> bytes:
    return encode_control(control, ADDRESS, PROJECT, ENVIRONMENT)


def write_history(events: tuple[Event, ...]) -> bytes:
    return encode_history(events, ADDRESS)


KINDS_OF_DOCUMENTS: dict[str, tuple[Any, Callable[[Any], bytes], Callable[[bytes], Any]]] = {
    "state": (snapshots, encode_state, read_state),
    "control": (controls(), write_control, read_control),
    "history": (histories(), write_history, read_history),
}
each_kind = pytest.mark.parametrize("kind", KINDS_OF_DOCUMENTS)


@each_kind
@given(data=st.data())
def test_what_is_written_is_read_as_the_same(kind: str, data: st.DataObject) -> None:
    values, write, read = KINDS_OF_DOCUMENTS[kind]
    value = data.draw(values)

    assert read(write(value)) == value
    assert write(read(write(value))) == write(value)


@each_kind
@given(data=st.data())
def test_blanks_and_the_order_of_keys_do_not_matter(kind: str, data: st.DataObject) -> None:
    values, write, read = KINDS_OF_DOCUMENTS[kind]
    value = data.draw(values)
    plain = json.loads(write(value))

    assert read(canonical_json(plain)) == value
    assert read(json.dumps(turned(plain), indent="\t").encode()) == value


def turned(plain: Any) -> Any:
    """Return plain values with every object's keys in the other order."""
    if isinstance(plain, dict):
        return {key: turned(plain[key]) for key in reversed(plain)}
    return [turned(item) for item in plain] if isinstance(plain, list) else plain


def places(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value."""
    yield path
    if isinstance(plain, dict | list):
        for key in plain if isinstance(plain, dict) else range(len(plain)):
            yield from places(plain[key], (*path, key))


def put(plain: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a copy with another value at a place."""
    if not path:
        return value
    changed = copy.deepcopy(plain)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
    | texts
)
anything = scalars | st.lists(scalars, max_size=2) | st.dictionaries(st.text(max_size=4), scalars, max_size=2)


@each_kind
@given(data=st.data())
def test_another_value_anywhere_is_refused_or_read_as_what_it_says(kind: str, data: st.DataObject) -> None:
    values, write, read = KINDS_OF_DOCUMENTS[kind]
    plain = json.loads(write(data.draw(values)))
    changed = put(plain, data.draw(st.sampled_from(list(places(plain)))), data.draw(anything))
    try:
        found = read(document(changed))
    except StateInvalidError as error:
        told = error.place
    else:
        told = Place(FILE)
        assert canonical_json(json.loads(write(found))) == canonical_json(changed)

    assert told is not None
    assert told.file == FILE


@each_kind
@given(data=st.data())
def test_a_key_more_or_less_or_twice_is_refused_where_it_is(kind: str, data: st.DataObject) -> None:
    values, write, read = KINDS_OF_DOCUMENTS[kind]
    plain = json.loads(write(data.draw(values)))
    objects = [
        path for path in places(plain) if isinstance(at(plain, path), dict) and path[-1:] != ("resources",)
    ]
    path = data.draw(st.sampled_from(objects))
    found = at(plain, path)
    key = data.draw(st.sampled_from(sorted(found)))
    more = put(plain, path, {**found, "note": 1})
    less = put(plain, path, {name: value for name, value in found.items() if name != key})
    marker = "the place where a key stands twice"
    twice = json.dumps(put(plain, path, {**found, marker: None})).replace(
        f'"{marker}": null', f"{json.dumps(key)}: {json.dumps(found[key])}"
    )

    for text, name, reason in (
        (document(more), "note", "is a key that does not belong there"),
        (document(less), key, "is missing"),
        (twice.encode(), key, "stands there twice"),
    ):
        with pytest.raises(StateInvalidError) as refused:
            read(text)
        location = "".join(f"/{str(token).replace('~', '~0').replace('/', '~1')}" for token in (*path, name))
        assert (refused.value.location, refused.value.message) == (location, f"`{name}` {reason}")


def at(plain: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        plain = plain[key]
    return plain


@each_kind
@given(data=st.data())
def test_another_byte_anywhere_is_refused_or_read_as_what_it_says(kind: str, data: st.DataObject) -> None:
    values, write, read = KINDS_OF_DOCUMENTS[kind]
    written = write(data.draw(values))
    where = data.draw(st.integers(0, len(written) - 1))
    byte = bytes([data.draw(st.integers(0, 255))])
    way = data.draw(st.sampled_from(["cut", "without", "with", "changed"]))
    torn = {
        "cut": written[:where],
        "without": written[:where] + written[where + 1 :],
        "with": written[:where] + byte + written[where:],
        "changed": written[:where] + byte + written[where + 1 :],
    }[way]
    try:
        found = read(torn)
    except StateInvalidError:
        pass
    else:
        assert canonical_json(json.loads(write(found))) == canonical_json(json.loads(torn))


@given(data=st.data())
def test_no_value_of_a_history_can_be_changed(data: st.DataObject) -> None:
    events = data.draw(histories().filter(len))
    plain = json.loads(write_history(events))
    path = data.draw(
        st.sampled_from([path for path in places(plain) if path[:1] == ("events",) and len(path) > 1])
    )
    value = data.draw(anything.filter(lambda value: canonical_json(value) != canonical_json(at(plain, path))))

    with pytest.raises(StateInvalidError):
        read_history(document(put(plain, path, value)))


@given(data=st.data())
def test_no_event_of_a_history_can_be_taken_out_of_the_middle_or_moved(data: st.DataObject) -> None:
    events = data.draw(histories().filter(len))
    plain = json.loads(write_history(events))
    entries = plain["events"]
    for changed in (entries[1:], entries[::-1], [entries[0], *entries]):
        with pytest.raises(StateInvalidError):
            read_history(document({**plain, "events": changed}))


# Exact words


STATE = {"state_version": 1, "project": PROJECT, "environment": ENVIRONMENT, "serial": 4, "resources": {}}
APPLE = f"streamt://{PROJECT}/{ENVIRONMENT}/topic/apples"
RECORD = {
    "physical_name": "apples",
    "ownership": "managed",
    "artifact_checksum": EVIDENCE,
    "backend": "kafka",
}
REFUSED = {
    "empty": (b"", None, "the document is no JSON from this place on"),
    "cut": (
        b'{"state_version": 1,',
        None,
        "the document is no JSON from this place on",
    ),
    "not-utf-8": (b'"\xff"', None, "the document is not UTF-8"),
    "infinite": (b"[Infinity]", None, "the document holds a number that is none"),
    "long-number": (b"[" + b"9" * 5000 + b"]", None, "the document holds a number that is none"),
    "deep": (b"[" * 100_000, None, "the document is nested too deep"),
    "list": (b"[]", None, "the document must be an object"),
    "newer": (
        document({**STATE, "state_version": 2}),
        "/state_version",
        "must be 1, the only version of states that this program knows",
    ),
    "version-is-true": (
        document({**STATE, "state_version": True}),
        "/state_version",
        "must be 1, the only version of states that this program knows",
    ),
    "environment": (
        document({**STATE, "environment": "prod"}),
        "/environment",
        "is another environment's: this is not its state",
    ),
    "serial-is-true": (document({**STATE, "serial": True}), "/serial", "must be an integer"),
    "serial-is-text": (document({**STATE, "serial": "4"}), "/serial", "must be an integer"),
    "serial-is-a-fraction": (document({**STATE, "serial": 4.0}), "/serial", "must be an integer"),
    "serial-is-negative": (document({**STATE, "serial": -1}), "/serial", "must not be negative"),
    "serial-is-large": (document({**STATE, "serial": 2**63}), "/serial", "is too large"),
    "resources": (document({**STATE, "resources": []}), "/resources", "must be an object"),
    "foreign-resource": (
        document({**STATE, "resources": {"streamt://orchard/prod/topic/a": RECORD}}),
        "/resources/streamt:~1~1orchard~1prod~1topic~1a",
        "is a resource of another project or environment",
    ),
    "ownership": (
        document({**STATE, "resources": {APPLE: {**RECORD, "ownership": "external"}}}),
        "/resources/streamt:~1~1orchard~1dev~1topic~1apples/ownership",
        "must be one of managed, adopted",
    ),
    "control-character": (
        document({**STATE, "resources": {APPLE: {**RECORD, "physical_name": "a\u001b[2J"}}}),
        "/resources/streamt:~1~1orchard~1dev~1topic~1apples/physical_name",
        "holds a character that cannot be shown",
    ),
    "long-name": (
        document({**STATE, "resources": {APPLE: {**RECORD, "physical_name": "a" * 513}}}),
        "/resources/streamt:~1~1orchard~1dev~1topic~1apples/physical_name",
        "must have at most 512 characters",
    ),
}


@pytest.mark.parametrize(("data", "location", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_state_that_is_none_is_refused_in_words_that_quote_nothing(
    data: bytes, location: str | None, reason: str
) -> None:
    with pytest.raises(StateInvalidError) as refused:
        read_state(data)

    error = refused.value
    name = location and location.rpartition("/")[2].replace("~1", "/")
    message = f"`{name}` {reason}" if name else reason
    assert (error.code, error.location, error.message) == ("E411_STATE_INVALID", location, message)
    assert error.place is not None
    assert error.place.file == FILE


def test_a_torn_state_is_told_by_line_and_column() -> None:
    with pytest.raises(StateInvalidError) as refused:
        read_state(b'{\n  "serial": }')

    assert str(refused.value.place) == f"{FILE}:2:13"


def test_a_document_has_a_greatest_size() -> None:
    with pytest.raises(StateInvalidError) as refused:
        read_state(b" " * (10 * 2**20 + 1))

    assert refused.value.message == "the document must have at most 10485760 bytes"


def test_a_state_that_could_not_be_read_again_is_not_written() -> None:
    many = {
        f"streamt://{PROJECT}/{ENVIRONMENT}/topic/{at}": Record("a" * 512, "managed", EVIDENCE, "b" * 512)
        for at in range(9000)
    }
    with pytest.raises(StateInvalidError) as refused:
        encode_state(Snapshot(PROJECT, ENVIRONMENT, 1, many))

    assert refused.value.message == "the document must have at most 10485760 bytes"


def test_a_long_key_is_not_told_to_its_end() -> None:
    with pytest.raises(StateInvalidError) as refused:
        read_state(document({**STATE, "x" * 1000: 1}))

    assert refused.value.location == f"/{'x' * 80}..."


@pytest.mark.parametrize("count", [2000, 4097])
def test_a_history_has_a_greatest_size_and_is_then_full(count: int) -> None:
    about = Resolution(*(f"{digit * 8}-1111-4111-8111-111111111111" for digit in "ab"), "observed", EVIDENCE)
    events = [Event(INTENDED, about, 1, EVIDENCE, "2026-03-01T10:00:00.000000Z")] * count
    with pytest.raises(HistoryFullError) as refused:
        write_history(tuple(events))

    assert (
        refused.value.message
        == "the history of recoveries is full: it has at most 4096 events and 1048576 bytes"
    )


CLEAR = {
    "control_version": 1,
    "address": ADDRESS,
    "status": "clear",
    "intent": None,
    "progress": [],
    "recovery": None,
}


@pytest.mark.parametrize(
    ("says", "location", "reason"),
    [
        (
            {"address": "streamt-state://local/orchard/prod"},
            "/address",
            "is another state's: this is not its control",
        ),
        ({"status": "done"}, "/status", "must be one of clear, in_progress, recovery_required"),
        ({"status": "in_progress"}, "/intent", "must not be null where the status is in_progress"),
        ({"intent": {}}, "/intent", "must be null where the status is clear"),
        ({"recovery": {}}, "/recovery", "must be null where the status is clear"),
        ({"progress": [{}]}, "/progress", "must be empty where the status is clear"),
        ({"progress": {}}, "/progress", "must be a list"),
    ],
)
def test_a_control_that_contradicts_itself_is_refused(
    says: dict[str, Any], location: str, reason: str
) -> None:
    with pytest.raises(StateInvalidError) as refused:
        read_control(document({**CLEAR, **says}))

    assert (refused.value.location, refused.value.message) == (location, f"`{location[1:]}` {reason}")


def test_nobody_may_claim_that_a_mutation_has_not_succeeded() -> None:
    plain = json.loads(write_control(failed_control()))
    plain["recovery"]["mutation_may_have_succeeded"] = False
    with pytest.raises(StateInvalidError) as refused:
        read_control(document(plain))

    assert refused.value.location == "/recovery/mutation_may_have_succeeded"


def failed_control() -> Control:
    operation = "11111111-1111-4111-8111-111111111111"
    time = "2026-03-01T10:00:00.000000Z"
    intent = Intent(
        operation,
        "apply",
        time,
        "local-cli",
        0,
        EVIDENCE,
        None,
        (IntendedAction(0, APPLE, "create", "apple", None, EVIDENCE, None),),
    )
    return Control("recovery_required", intent, (), Recovery(operation, "operation_interrupted", time, None))


def test_a_control_with_steps_out_of_order_is_refused_as_its_file() -> None:
    plain = json.loads(write_control(failed_control()))
    plain["recovery"]["last_completed_action_index"] = 0
    with pytest.raises(StateInvalidError) as refused:
        read_control(document(plain))

    error = refused.value
    assert error.location == "/recovery/last_completed_action_index"
    assert error.message == "`last_completed_action_index` is not the last action that succeeded"
    assert error.place is not None
    assert error.place.file == FILE


def test_the_checksum_of_a_state_is_that_of_its_canonical_text() -> None:
    snapshot = read_state(document(STATE))
    text = b'{"environment":"dev","project":"orchard","resources":{},"serial":4,"state_version":1}'

    assert state_checksum(snapshot) == f"sha256:{sha256(text).hexdigest()}"
