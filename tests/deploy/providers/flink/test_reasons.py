"""What Flink says of a failure: the root cause of a trace, as a cluster of release 2.2 answered."""

from __future__ import annotations

import pytest

from streamt_ol.deploy.providers.flink.reasons import root_cause, told_by_flink

TRACE = """<Exception on server side:
org.apache.flink.table.gateway.api.utils.SqlGatewayException: Failed to fetchResults.
\tat org.apache.flink.table.gateway.rest.handler.statement.FetchResultsHandler.handle(FetchResultsHandler.java:91)
\t... 48 more
Caused by: org.apache.flink.table.gateway.service.utils.SqlExecutionException: Failed to execute the operation.
\tat org.apache.flink.table.gateway.service.operation.OperationManager.x(OperationManager.java:414)
Caused by: {cause}
\tat org.apache.calcite.sql.validate.SqlValidatorImpl.handle(SqlValidatorImpl.java:1)
\t... 15 more

End of exception on server side>"""


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (
            "org.apache.calcite.sql.validate.SqlValidatorException: Object 'nowhere' not found",
            "SqlValidatorException: Object 'nowhere' not found",
        ),
        (
            'org.apache.flink.sql.parser.impl.ParseException: Encountered "src" at line 1, column 52.\n'
            'Was expecting one of:\n    <EOF> \n    "AS" ...',
            'ParseException: Encountered "src" at line 1, column 52.',
        ),
        (
            "org.apache.flink.table.api.ValidationException: Column types of query result and sink for 'x' do not "
            "match.\nCause: Different number of columns.\n\nQuery schema: [a]\nSink schema:  [b]",
            "ValidationException: Column types of query result and sink for 'x' do not match. "
            "Cause: Different number of columns. Query schema: [a] Sink schema:  [b]",
        ),
        (
            "org.apache.flink.table.api.TableException: Cannot generate a valid execution plan for the given query:\n\n"
            "FlinkLogicalSink(table=[out])\n+- FlinkLogicalCalc(select=[id])",
            "TableException: Cannot generate a valid execution plan for the given query:",
        ),
        (
            "java.util.concurrent.CompletionException: java.lang.RuntimeException: java.io.FileNotFoundException: "
            "Cannot find checkpoint or savepoint file/directory 'file:///x'.",
            "FileNotFoundException: Cannot find checkpoint or savepoint file/directory 'file:///x'.",
        ),
        ("java.lang.NullPointerException", "NullPointerException"),
        ("something without a class", "something without a class"),
    ],
)
def test_the_innermost_cause_is_told_without_its_package(cause: str, told: str) -> None:
    assert root_cause(TRACE.replace("{cause}", cause)) == told


def test_the_place_in_a_statement_is_told_that_the_cause_before_has() -> None:
    cause = (
        "org.apache.calcite.runtime.CalciteContextException: From line 3, column 9 to line 3, column 14: "
        "Column 'nobody' not found in any table\n\t... 15 more\n"
        "Caused by: org.apache.calcite.sql.validate.SqlValidatorException: Column 'nobody' not found in any table"
    )

    told = "SqlValidatorException: Column 'nobody' not found in any table (line 3, column 9)"
    assert root_cause(TRACE.replace("{cause}", cause)) == told
    assert (
        root_cause(TRACE.replace("{cause}", cause.replace("any table\n", "it\n"))) == told.partition(" (")[0]
    )


def test_the_words_of_a_server_behind_the_server_are_its_cause() -> None:
    cause = (
        "org.apache.flink.runtime.rest.util.RestClientException: [Internal server error., <Exception on server side:\n"
        "org.apache.flink.runtime.client.DuplicateJobSubmissionException: Job has already been submitted.\n\n"
        "End of exception on server side>]"
    )

    told = "DuplicateJobSubmissionException: Job has already been submitted."
    assert root_cause(TRACE.replace("{cause}", cause)) == told


def test_a_trace_without_causes_is_told_by_its_first_line() -> None:
    trace = "org.apache.flink.runtime.rest.NotFoundException: Job 1 not found\n\tat some.Frame(X.java:1)\n"

    assert root_cause(trace) == "NotFoundException: Job 1 not found"


def test_no_key_or_certificate_is_told() -> None:
    cause = (
        "org.apache.flink.table.api.ValidationException: Unsupported options:\n"
        "properties.ssl.keystore.key=-----BEGIN PRIVATE KEY-----\nplanted\n-----END PRIVATE KEY-----\nformat=json"
    )
    cut_off = cause.partition("-----END")[0]

    for text in (cause, cut_off):
        told = root_cause(TRACE.replace("{cause}", text)) or ""
        assert told.startswith("ValidationException: Unsupported options: properties.ssl.keystore.key=***")
        assert "planted" not in told


@pytest.mark.parametrize(
    "body", [None, [], {}, {"errors": None}, {"errors": []}, {"errors": [1]}, {"errors": [""]}]
)
def test_an_answer_without_errors_tells_nothing(body: object) -> None:
    assert told_by_flink(body) is None


def test_the_last_error_of_an_answer_is_the_one_with_the_trace() -> None:
    body = {"errors": ["Internal server error.", TRACE.replace("{cause}", "x.Y: so it is")]}

    assert told_by_flink(body) == "Y: so it is"
