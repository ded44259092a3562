"""What the SQL of Flink jobs reads of a rule set."""

from __future__ import annotations

from streamt_ol.deploy.flink_sql.facts import (
    FlinkAssertion,
    FlinkEventTime,
    FlinkLogin,
    FlinkTable,
    FlinkTrouble,
    FlinkValues,
    FlinkWiring,
)
from streamt_ol.engine.ruleset import Needs
from streamt_ol.services.kafka_facts import KafkaRuntime

FLINK_SQL_NEEDS = Needs(
    tables={
        "flink-connectors": ["connector", "keyed", "through", "fault"],
        "flink-formats": ["format", "fault"],
        "flink-table-options": ["option", "value"],
        "flink-watermarks": ["watermark", "fault"],
        "flink-event-types": ["type"],
        "flink-assertions": ["breaks", "fault"],
        "flink-logins": ["option", "takes"],
        "flink-problems": ["code", "blocks", "message", "remedy"],
        "kafka-security": ["protocol", "message"],
        "sample-types": ["looks"],
    },
    catalogues={
        "flink-options": ["option", "form", "least", "words"],
        "flink-login-modules": ["module"],
    },
    records={
        "flink_table": FlinkTable,
        "flink_values": FlinkValues,
        "flink_wiring": FlinkWiring,
        "flink_event_time": FlinkEventTime,
        "flink_assertion": FlinkAssertion,
        "flink_login": FlinkLogin,
        "flink_trouble": FlinkTrouble,
        "kafka_runtime": KafkaRuntime,
    },
)
