"""Both validators hold the same verdicts, and the renderings those of the official files."""

import copy
from functools import lru_cache
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt_ol.ground.json_schema import Checker
from streamt_ol.lineage.event_schema import static_event_schemas
from streamt_ol.lineage.schemas import OpenLineageSchemas

OFFICIAL = Path(__file__).resolve().parents[3] / "shared" / "openlineage-1.53.0"
PRODUCER = "https://github.com/conduktor/streamt"
SCHEMAS = OpenLineageSchemas.packaged()
KINDS = ("DatasetEvent", "JobEvent", "RunEvent")
STATIC = orjson.loads(Path(__file__).with_name("static_events.json").read_bytes())
ERROR = {
    "_producer": PRODUCER,
    "_schemaURL": SCHEMAS.facets["run", "errorMessage"].definition,
    "message": "streamt apply command did not complete successfully",
    "programmingLanguage": "PYTHON",
}
RUN = {
    **STATIC[3],
    "schemaURL": SCHEMAS.event_url("RunEvent"),
    "eventType": "FAIL",
    "run": {"runId": "2eb8aa08-aa98-41ea-b4aa-73b441d16380", "facets": {"errorMessage": ERROR}},
}
EVENTS = [*STATIC, RUN]


def places(value, path=()):
    """Yield the path of every value inside."""
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for token, child in children:
        yield (*path, token)
        yield from places(child, (*path, token))


OFFICIAL_CHECKERS = {kind: Checker({"$ref": SCHEMAS.event_url(kind)}, SCHEMAS.documents) for kind in KINDS}
CHECKERS = {
    **OFFICIAL_CHECKERS,
    "any event": Checker({"$ref": SCHEMAS.core_id}, SCHEMAS.documents),
    **{
        f"closed {url.rpartition('/')[2]}": Checker(schema, SCHEMAS.documents)
        for url, schema in static_event_schemas(SCHEMAS, PRODUCER).items()
    },
    **{
        facet.definition.rpartition("/")[2]: Checker({"$ref": facet.definition}, SCHEMAS.documents)
        for facet in SCHEMAS.facets.values()
    },
}

TEXTS = st.text(st.characters(codec=None), max_size=5) | st.sampled_from(
    [
        "yesterday",
        "2026-01-31T08:09:10.000123Z",
        "2026-01-31T08:09:10.000123Z\n",
        "2026-01-31t08:09:10z",
        "2026-02-30T00:00:00.000000Z",
        "2016-12-31T23:59:60.000000Z",
        "0000-01-01T00:00:00.000000Z",
        "٢026-01-31T08:09:10.000123Z",
        "not a uri",
        "kafka://broker:9092",
        "kafka://bröker:9092",
        "kafka://[::1]:9092",
        "a:",
        "x\n",
        "2eb8aa08-aa98-41ea-b4aa-73b441d16380",
        "2EB8AA08-AA98-41EA-B4AA-73B441D16380",
        "2eb8aa08aa9841eab4aa73b441d16380",
        "urn:uuid:2eb8aa08-aa98-41ea-b4aa-73b441d16380",
        "START",
        PRODUCER,
        *SCHEMAS.documents,
        *map(SCHEMAS.event_url, KINDS),
    ]
)
DECLARED = sorted(
    {token for event in EVENTS for path in places(event) for token in path if isinstance(token, str)}
    | {"_deleted", "emissionPattern", "windowDuration", "inputFacets", "outputFacets"}
)
KEYS = st.sampled_from(DECLARED) | st.text(st.characters(codec=None), max_size=3)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-1, 3)
    | st.integers()
    | st.floats()
    | st.sampled_from([1.0, 2**64])
    | TEXTS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def mutated_events(draw):
    """Draw an event with up to three parts deleted, added or replaced, or swapped with another part."""
    event = copy.deepcopy(draw(st.sampled_from(EVENTS)))
    for _ in range(draw(st.integers(0, 3))):
        paths = list(places(event))
        if not paths:
            break
        *parents, last = draw(st.sampled_from(paths))
        parent = event
        for token in parents:
            parent = parent[token]
        deed = draw(st.sampled_from(["delete", "add", "replace", "copy"]))
        if deed == "delete":
            del parent[last]
        elif deed == "replace":
            parent[last] = draw(VALUES)
        elif deed == "copy":
            source = draw(st.sampled_from(paths))
            part = event
            for token in source:
                part = part[token]
            parent[last] = copy.deepcopy(part)
        elif isinstance(parent, list):
            parent.append(draw(VALUES))
        else:
            parent[draw(KEYS)] = draw(VALUES)
    return event


@pytest.mark.parametrize("name", CHECKERS)
@settings(deadline=None, max_examples=150)
@given(instance=mutated_events() | VALUES)
def test_both_validators_give_one_verdict(name, instance):
    checker = CHECKERS[name]

    assert checker.accepts(instance) == (not list(checker.problems(instance)))


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(sorted(SCHEMAS.facets)), st.data())
def test_both_validators_give_one_verdict_on_facets(of, data):
    facet = SCHEMAS.facets[of]
    checker = CHECKERS[facet.definition.rpartition("/")[2]]
    base = {"_producer": PRODUCER, "_schemaURL": facet.definition}
    instance = {**base, **data.draw(st.dictionaries(KEYS, VALUES, max_size=4))}

    assert checker.accepts(instance) == (not list(checker.problems(instance)))


@pytest.mark.parametrize("event", EVENTS)
def test_the_official_schema_accepts_each_valid_event(event):
    checker = OFFICIAL_CHECKERS[event["schemaURL"].rpartition("/")[2]]

    assert checker.accepts(event)
    assert list(checker.problems(event)) == []


@pytest.mark.parametrize("kind", ["DatasetEvent", "JobEvent"])
@settings(deadline=None, max_examples=300)
@given(event=mutated_events())
def test_what_the_closed_schema_accepts_the_official_one_accepts(kind, event):
    assert OFFICIAL_CHECKERS[kind].accepts(event) or not CHECKERS[f"closed {kind}"].accepts(event)


@lru_cache(maxsize=1)
def annotated_checkers():
    documents = {document["$id"]: document for document in map(read, sorted(OFFICIAL.glob("*.json")))}
    return {kind: Checker({"$ref": SCHEMAS.event_url(kind)}, documents) for kind in KINDS}


def read(path):
    return orjson.loads(path.read_bytes())


@pytest.mark.skipif(not OFFICIAL.is_dir(), reason=f"no official schemas at {OFFICIAL}")
@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=200)
@given(event=mutated_events())
def test_a_rendering_gives_the_verdict_of_the_official_file(kind, event):
    checker = annotated_checkers()[kind]

    assert checker.accepts(event) == OFFICIAL_CHECKERS[kind].accepts(event)
    assert checker.accepts(event) == (not list(checker.problems(event)))
