"""Static events: what is accepted, and each single fault refused with its exact location."""

import copy
from pathlib import Path

import orjson
import pytest

from streamt_ol.ground.json_schema import Checker
from streamt_ol.lineage.event_check import EventChecker, EventInvalidError
from streamt_ol.lineage.event_schema import static_event_schemas
from streamt_ol.lineage.schemas import OpenLineageSchemas

PRODUCER = "https://github.com/conduktor/streamt"
CORE = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
FACETS = "https://openlineage.io/spec/facets"
EVENTS = orjson.loads(Path(__file__).with_name("static_events.json").read_bytes())
"""Three datasets, a job with inputs and outputs, a sink."""
CHECKER = EventChecker(OpenLineageSchemas.packaged(), PRODUCER)
RAW = {"namespace": "kafka://broker.example:9092", "name": "payments.raw.v1"}
CLEAN = {"namespace": "kafka://broker.example:9092", "name": "payments.clean.v1"}
SCHEMA_FACET = f"{FACETS}/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet"
BASE = {"_producer": PRODUCER, "_schemaURL": SCHEMA_FACET}
RUN = {"runId": "2eb8aa08-aa98-41ea-b4aa-73b441d16380"}
ABSENT = object()


def changed(path, value):
    """Return the valid events with the value at the path put in, or taken away if it is ABSENT."""
    events = copy.deepcopy(EVENTS)
    *parents, last = [int(token) if token.isdigit() else token for token in path.split("/")[1:]]
    place = events
    for token in parents:
        place = place[token]
    if value is ABSENT:
        del place[last]
    elif isinstance(place, list) and last == len(place):
        place.append(value)
    else:
        place[last] = value
    return events


def refusal(events):
    with pytest.raises(EventInvalidError) as refused:
        CHECKER.check_sequence(events)
    return refused.value


def test_valid_events_are_accepted():
    CHECKER.check_sequence(EVENTS)


def test_no_events_are_accepted():
    CHECKER.check_sequence([])


@pytest.mark.parametrize(
    "absent",
    [
        "/0/dataset/facets",
        "/0/dataset/facets/schema",
        "/0/dataset/facets/documentation",
        "/0/dataset/facets/ownership",
        "/0/dataset/facets/schema/fields/0/type",
        "/0/dataset/facets/schema/fields/1/description",
        "/3/job/facets",
        "/3/inputs",
        "/3/outputs",
        "/4/inputs",
        "/4",
    ],
)
def test_optional_parts_may_be_absent(absent):
    CHECKER.check_sequence(changed(absent, ABSENT))


def test_nested_fields_are_accepted():
    fields = [{"name": "payment_id", "ordinal_position": 1}, {"name": "more", "ordinal_position": 2}]

    CHECKER.check_sequence(changed("/0/dataset/facets/schema/fields/0/fields", fields))


def test_a_job_may_be_named_as_a_dataset_is():
    events = changed("/3/job", copy.deepcopy(RAW))
    events[4]["job"] = {"namespace": RAW["namespace"], "name": "z"}

    CHECKER.check_sequence(events)


SCHEMA_FAULTS = {
    # event time
    "time is a word": ("/0/eventTime", "yesterday", None),
    "time on no real date": ("/0/eventTime", "2026-02-30T00:00:00.000000Z", None),
    "time without zone": ("/0/eventTime", "2026-01-31T08:09:10.000123", None),
    "time with an offset": ("/0/eventTime", "2026-01-31T08:09:10.000123+00:00", None),
    "time in milliseconds": ("/0/eventTime", "2026-01-31T08:09:10.000Z", None),
    "time in nanoseconds": ("/0/eventTime", "2026-01-31T08:09:10.000123000Z", None),
    "time without fraction": ("/0/eventTime", "2026-01-31T08:09:10Z", None),
    "time in lower case": ("/0/eventTime", "2026-01-31t08:09:10.000123z", None),
    "time with a blank": ("/0/eventTime", "2026-01-31 08:09:10.000123Z", None),
    "time at a leap second": ("/0/eventTime", "2016-12-31T23:59:60.000000Z", None),
    "time with a line end": ("/0/eventTime", "2026-01-31T08:09:10.000123Z\n", None),
    "time is a number": ("/0/eventTime", 1769846950, None),
    "time absent": ("/0/eventTime", ABSENT, "/0"),
    # producer
    "producer is no URI": ("/0/producer", "not a uri", None),
    "producer is another": ("/3/producer", "https://github.com/another/tool", None),
    "producer absent": ("/3/producer", ABSENT, "/3"),
    # schemaURL
    "schemaURL in the old form": ("/0/schemaURL", f"{CORE}#/definitions/DatasetEvent", None),
    "schemaURL with a blank": ("/0/schemaURL", f"{CORE}#/$defs/DatasetEvent ", None),
    "schemaURL in upper case": ("/0/schemaURL", f"{CORE}#/$defs/DATASETEVENT", None),
    "schemaURL of a run": ("/3/schemaURL", f"{CORE}#/$defs/RunEvent", None),
    "schemaURL without fragment": ("/3/schemaURL", CORE, None),
    "schemaURL of another version": (
        "/3/schemaURL",
        f"{CORE.replace('2-0-2', '2-0-1')}#/$defs/JobEvent",
        None,
    ),
    "schemaURL is a list": ("/3/schemaURL", [], None),
    "schemaURL absent": ("/3/schemaURL", ABSENT, "/3"),
    # keys of events
    "dataset with run": ("/0/run", RUN, None),
    "dataset with job": ("/0/job", RAW, None),
    "dataset with eventType": ("/0/eventType", "COMPLETE", None),
    "dataset with inputs": ("/0/inputs", [RAW], None),
    "dataset with an own key": ("/0/_extra", 1, None),
    "job with run": ("/3/run", RUN, None),
    "job with dataset": ("/3/dataset", RAW, None),
    "job with eventType": ("/3/eventType", "START", None),
    "dataset absent": ("/0/dataset", ABSENT, "/0"),
    "job absent": ("/3/job", ABSENT, "/3"),
    "event is null": ("/1", None, None),
    "event is a list": ("/1", [], None),
    "event is empty": ("/1", {}, None),
    "event is a word": ("/1", "event", None),
    # identities
    "dataset is null": ("/0/dataset", None, None),
    "dataset name absent": ("/0/dataset/name", ABSENT, "/0/dataset"),
    "dataset name is a number": ("/0/dataset/name", 1, None),
    "dataset name with a lone surrogate": ("/0/dataset/name", "a\ud800", None),
    "dataset namespace absent": ("/0/dataset/namespace", ABSENT, "/0/dataset"),
    "dataset namespace is a name": ("/0/dataset/namespace", "payments.clean.v1", None),
    "dataset namespace without scheme": ("/0/dataset/namespace", "broker.example:9092", None),
    "dataset namespace is no URI": ("/0/dataset/namespace", "kafka://a b:9092", None),
    "dataset with an own key inside": ("/0/dataset/tags", [], None),
    "dataset with inputFacets": ("/0/dataset/inputFacets", {}, None),
    "job name absent": ("/3/job/name", ABSENT, "/3/job"),
    "job namespace absent": ("/3/job/namespace", ABSENT, "/3/job"),
    "job namespace with a lone surrogate": ("/3/job/namespace", "\udfff", None),
    "job with an own key inside": ("/3/job/owner", "x", None),
    # inputs and outputs
    "inputs empty": ("/3/inputs", [], None),
    "outputs empty": ("/3/outputs", [], None),
    "inputs null": ("/3/inputs", None, None),
    "input with facets": ("/3/inputs/0/facets", EVENTS[0]["dataset"]["facets"], None),
    "input with inputFacets": ("/3/inputs/0/inputFacets", {"own": BASE}, None),
    "output with facets": ("/3/outputs/0/facets", EVENTS[0]["dataset"]["facets"], None),
    "output with outputFacets": ("/3/outputs/0/outputFacets", {"own": BASE}, None),
    "output with an own key": ("/3/outputs/0/type", "TOPIC", None),
    "input without name": ("/3/inputs/1/name", ABSENT, "/3/inputs/1"),
    "input is a name": ("/3/inputs/1", "payments.raw.v1", None),
    # facets
    "dataset facets empty": ("/0/dataset/facets", {}, None),
    "job facets empty": ("/3/job/facets", {}, None),
    "facets null": ("/0/dataset/facets", None, None),
    "facet of another standard": ("/0/dataset/facets/columnLineage", {**BASE, "fields": {}}, None),
    "facet of the own make": ("/3/job/facets/streamt_model", BASE, None),
    "facet of a job on a dataset": ("/0/dataset/facets/jobType", EVENTS[3]["job"]["facets"]["jobType"], None),
    "facet of a dataset on a job": ("/3/job/facets/schema", EVENTS[0]["dataset"]["facets"]["schema"], None),
    "facet of a run on a job": ("/3/job/facets/errorMessage", BASE, None),
    "facet of a job under the same key": (
        "/0/dataset/facets/ownership",
        EVENTS[3]["job"]["facets"]["ownership"],
        "/0/dataset/facets/ownership/_schemaURL",
    ),
    "_schemaURL of another facet": (
        "/0/dataset/facets/ownership/_schemaURL",
        SCHEMA_FACET,
        None,
    ),
    "_schemaURL of another version": (
        "/0/dataset/facets/schema/_schemaURL",
        SCHEMA_FACET.replace("1-2-0", "1-1-1"),
        None,
    ),
    "_schemaURL without the pointer": (
        "/0/dataset/facets/schema/_schemaURL",
        f"{FACETS}/1-2-0/SchemaDatasetFacet.json",
        None,
    ),
    "_schemaURL absent": ("/0/dataset/facets/schema/_schemaURL", ABSENT, "/0/dataset/facets/schema"),
    "_producer of another tool": ("/3/job/facets/jobType/_producer", "https://another.example/", None),
    "_producer no URI": ("/3/job/facets/jobType/_producer", "not a uri", None),
    "_producer absent": ("/3/job/facets/jobType/_producer", ABSENT, "/3/job/facets/jobType"),
    "a key that the facet does not declare": ("/0/dataset/facets/documentation/text", "x", None),
    "a key that a field does not declare": ("/0/dataset/facets/schema/fields/0/nullable", False, None),
    "a key that an owner does not declare": ("/3/job/facets/ownership/owners/0/email", "x", None),
    "emissionPattern not whole": (
        "/3/job/facets/jobType/emissionPattern",
        {"eventTrigger": "PERIODIC"},
        None,
    ),
    "documentation without description": (
        "/0/dataset/facets/documentation/description",
        ABSENT,
        "/0/dataset/facets/documentation",
    ),
    "jobType without integration": ("/3/job/facets/jobType/integration", ABSENT, "/3/job/facets/jobType"),
    "description null": ("/0/dataset/facets/documentation/description", None, None),
    "owners empty": ("/0/dataset/facets/ownership/owners", [], None),
    "owners absent": ("/0/dataset/facets/ownership/owners", ABSENT, "/0/dataset/facets/ownership"),
    "owner without name": (
        "/3/job/facets/ownership/owners/0/name",
        ABSENT,
        "/3/job/facets/ownership/owners/0",
    ),
    "fields empty": ("/0/dataset/facets/schema/fields", [], None),
    "fields absent": ("/0/dataset/facets/schema/fields", ABSENT, "/0/dataset/facets/schema"),
    "nested fields empty": ("/0/dataset/facets/schema/fields/0/fields", [], None),
    "field without name": (
        "/0/dataset/facets/schema/fields/1/name",
        ABSENT,
        "/0/dataset/facets/schema/fields/1",
    ),
    "field type null": ("/0/dataset/facets/schema/fields/1/type", None, None),
    # no JSON data
    "a number that is none": ("/0/dataset/facets/schema/fields/0/ordinal_position", float("nan"), None),
    "a number beyond 64 bits": ("/0/dataset/facets/schema/fields/0/ordinal_position", 2**64, None),
    "a description with a lone surrogate": ("/0/dataset/facets/documentation/description", "\ud83d", None),
    "a date object": ("/0/dataset/facets/documentation/description", PRODUCER.encode(), None),
}
SEQUENCE_FAULTS = {
    "dataset name blank": ("/1/dataset/name", "\u2003\t\u00a0", None),
    "dataset name empty": ("/1/dataset/name", "", None),
    "job namespace blank": ("/3/job/namespace", " ", None),
    "job name blank": ("/3/job/name", "\n", None),
    "another time": ("/3/eventTime", "2026-01-31T08:09:10.000124Z", None),
    "dataset twice": ("/1/dataset", CLEAN, None),
    "dataset out of order": ("/1/dataset/name", "a", "/1/dataset"),
    "datasets ordered by name only": ("/2/dataset/namespace", "kafka://a.example:9092", "/2/dataset"),
    "dataset after jobs": ("/5", EVENTS[1], "/5/dataset"),
    "job twice": ("/4/job/name", EVENTS[3]["job"]["name"], "/4/job"),
    "job out of order": ("/4/job/name", "a", "/4/job"),
    "input of no dataset": ("/3/inputs/0/name", "payments.gone.v1", "/3/inputs/0"),
    "output of no dataset": ("/3/outputs/0/namespace", "kafka://other.example:9092", "/3/outputs/0"),
    "input twice": ("/3/inputs/1", RAW, None),
    "inputs out of order": ("/3/inputs", EVENTS[3]["inputs"][::-1], "/3/inputs/1"),
    "outputs out of order": ("/3/outputs", [EVENTS[2]["dataset"], CLEAN], "/3/outputs/1"),
    "output is an input": ("/3/outputs/0", RAW, None),
    "field name blank": ("/0/dataset/facets/schema/fields/1/name", "\u3000", None),
    "field name twice": ("/0/dataset/facets/schema/fields/1/name", "payment_id", None),
    "field number from 0": ("/0/dataset/facets/schema/fields/0/ordinal_position", 0, None),
    "field number twice": ("/0/dataset/facets/schema/fields/1/ordinal_position", 1, None),
    "field number is a float": ("/0/dataset/facets/schema/fields/1/ordinal_position", 2.0, None),
    "field number is true": ("/0/dataset/facets/schema/fields/0/ordinal_position", True, None),
    "field number absent": (
        "/0/dataset/facets/schema/fields/1/ordinal_position",
        ABSENT,
        "/0/dataset/facets/schema/fields/1",
    ),
    "nested field name blank": (
        "/0/dataset/facets/schema/fields/0/fields",
        [{"name": " ", "ordinal_position": 1}],
        "/0/dataset/facets/schema/fields/0/fields/0/name",
    ),
}
FAULTS = {**SCHEMA_FAULTS, **SEQUENCE_FAULTS}


@pytest.mark.parametrize(("path", "value", "location"), FAULTS.values(), ids=FAULTS)
def test_a_single_fault_is_refused_at_its_location(path, value, location):
    refused = refusal(changed(path, value))

    assert refused.location == f"/events{location or path}"
    assert refused.code == "E506_OPENLINEAGE_INVALID"
    assert refused.message.startswith(f"/events{location or path} ")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("/0/run", RUN, "is not permitted here"),
        ("/0/producer", "s3cret://x", f'does not satisfy const "{PRODUCER}"'),
        ("/0/eventTime", "2026-02-30T00:00:00.000000Z", 'does not satisfy format "date-time"'),
        ("/0/dataset/name", ABSENT, "lacks 'name'"),
        ("/1/dataset", CLEAN, "is given twice"),
        ("/3/outputs/0", RAW, "is an input of the same job"),
        ("/3/inputs/0/name", "s3cret", "is no dataset of this export"),
        ("/0/dataset/facets/schema/fields/1/name", "payment_id", "repeats the name of an earlier field"),
        ("/0/dataset/facets/schema/fields/1/ordinal_position", 7, "must be 2"),
        ("/3/eventTime", "2026-01-31T08:09:10.000124Z", "is not the time of the first event"),
    ],
)
def test_a_message_says_what_is_demanded(path, value, message):
    refused = refusal(changed(path, value))

    assert refused.message == f"{refused.location} {message}"


def test_the_first_bad_event_is_reported():
    events = changed("/2/dataset/name", "")
    events[3]["producer"] = "x"

    assert refusal(events).location == "/events/2/dataset/name"


def test_a_location_is_escaped_as_a_json_pointer():
    assert refusal(changed("/0", {**EVENTS[0], "a/b~c": 1})).location == "/events/0/a~1b~0c"


def test_order_is_by_code_point_and_not_by_utf_16():
    events = [copy.deepcopy(EVENTS[1]) for _ in range(2)]
    events[0]["dataset"]["name"] = "\uffff"
    events[1]["dataset"]["name"] = "\U00010000"

    CHECKER.check_sequence(events)


@pytest.mark.parametrize("event", EVENTS)
def test_a_composed_schema_accepts_no_other_schema_url(event):
    schemas = OpenLineageSchemas.packaged()
    checker = Checker(static_event_schemas(schemas, PRODUCER)[event["schemaURL"]], schemas.documents)

    assert checker.accepts(event)
    assert not checker.accepts({**event, "schemaURL": f"{CORE}#/$defs/RunEvent"})


def test_the_producer_is_the_one_that_was_given():
    checker = EventChecker(OpenLineageSchemas.packaged(), "https://another.example/")

    with pytest.raises(EventInvalidError) as refused:
        checker.check_sequence(EVENTS)
    assert refused.value.message.endswith('does not satisfy const "https://another.example/"')


def test_fields_nested_to_the_limit_are_checked_and_not_a_crash():
    field = {"name": " ", "ordinal_position": 1}
    for _ in range(120):
        field = {"name": "a", "ordinal_position": 1, "fields": [field]}

    location = refusal(changed("/0/dataset/facets/schema/fields", [field])).location

    assert location == "/events/0/dataset/facets/schema/fields" + "/0/fields" * 120 + "/0/name"
