"""A model's `flink` block as options of Flink."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from checked import packaged_rules
from flink_jobs import large, problems
from golden_cases import ROOT


def settings(folder: Path, **block: Any) -> dict[str, str]:
    job = large(folder, flink=block)
    assert job.problems == ()
    assert list(job.settings) == sorted(job.settings)
    return {name: value for name, value in job.settings.items() if name != "pipeline.name"}


def test_every_key_of_the_block_is_an_option_of_flink(tmp_path: Path) -> None:
    assert settings(
        tmp_path,
        parallelism="4",
        checkpoint_interval_ms=60_000,
        checkpoint={
            "timeout_ms": 600_000,
            "min_pause_ms": 0,
            "max_concurrent": 1,
            "mode": "exactly_once",
            "externalized": "delete-on-cancellation",
            "unaligned": "yes",
            "incremental": False,
        },
        state_backend="rocksdb",
        state_ttl_ms=3_600_000,
        rocksdb={
            "block_cache_size_mb": 256,
            "write_buffer_size_mb": 64,
            "predefined_options": "flash_ssd_optimized",
        },
    ) == {
        "parallelism.default": "4",
        "execution.checkpointing.interval": "60000 ms",
        "execution.checkpointing.timeout": "600000 ms",
        "execution.checkpointing.min-pause": "0 ms",
        "execution.checkpointing.max-concurrent-checkpoints": "1",
        "execution.checkpointing.mode": "EXACTLY_ONCE",
        "execution.checkpointing.externalized-checkpoint-retention": "DELETE_ON_CANCELLATION",
        "execution.checkpointing.unaligned.enabled": "true",
        "execution.checkpointing.incremental": "false",
        "state.backend.type": "rocksdb",
        "table.exec.state.ttl": "3600000 ms",
        "state.backend.rocksdb.block.cache-size": "256 mb",
        "state.backend.rocksdb.writebuffer.size": "64 mb",
        "state.backend.rocksdb.predefined-options": "FLASH_SSD_OPTIMIZED",
    }


@pytest.mark.parametrize(
    ("strategy", "options"),
    [
        ({}, {"type": "fixed-delay"}),
        (
            {"attempts": 3, "delay_ms": 500},
            {"type": "fixed-delay", "fixed-delay.attempts": "3", "fixed-delay.delay": "500 ms"},
        ),
        (
            {
                "type": "FAILURE_RATE",
                "max_failures_per_interval": 2,
                "failure_rate_interval_ms": 1000,
                "delay_ms": 5,
            },
            {
                "type": "failure-rate",
                "failure-rate.max-failures-per-interval": "2",
                "failure-rate.failure-rate-interval": "1000 ms",
                "failure-rate.delay": "5 ms",
            },
        ),
        (
            {
                "type": "exponential-delay",
                "initial_backoff_ms": 1,
                "max_backoff_ms": 9,
                "backoff_multiplier": "1.5",
            },
            {
                "type": "exponential-delay",
                "exponential-delay.initial-backoff": "1 ms",
                "exponential-delay.max-backoff": "9 ms",
                "exponential-delay.backoff-multiplier": "1.5",
            },
        ),
        ({"type": "none"}, {"type": "none"}),
    ],
)
def test_what_a_restart_strategy_is_given_depends_on_the_strategy(
    tmp_path: Path, strategy: dict[str, Any], options: dict[str, str]
) -> None:
    expected = {f"restart-strategy.{name}": value for name, value in options.items()}

    assert settings(tmp_path, restart_strategy=strategy) == expected


def test_what_a_restart_strategy_lacks_is_said_to_have_no_effect(tmp_path: Path) -> None:
    job = large(tmp_path, flink={"restart_strategy": {"type": "failure-rate", "attempts": 3}})

    assert problems(job) == [("flink_option_unused", "/models/0/flink/restart_strategy/attempts")]
    assert not job.blocked
    assert job.settings == {"pipeline.name": "large", "restart-strategy.type": "failure-rate"}


def test_what_a_cluster_decides_is_said_to_have_no_effect(tmp_path: Path) -> None:
    job = large(tmp_path, flink={"resources": {"taskmanager_slots": 2}})

    assert problems(job) == [("flink_option_of_cluster", "/models/0/flink/resources/taskmanager_slots")]
    assert not job.blocked


@pytest.mark.parametrize(
    ("kept", "word"), [(True, "RETAIN_ON_CANCELLATION"), ("no", "NO_EXTERNALIZED_CHECKPOINTS")]
)
def test_checkpoints_outlive_a_job_or_none_is_kept(tmp_path: Path, kept: Any, word: str) -> None:
    name = "execution.checkpointing.externalized-checkpoint-retention"

    assert settings(tmp_path, checkpoint={"externalized": kept}) == {name: word}


@pytest.mark.parametrize(
    ("block", "place"),
    [
        ({"parallelism": 0}, "parallelism"),
        ({"checkpoint_interval_ms": 9}, "checkpoint_interval_ms"),
        ({"checkpoint": {"mode": "planted-secret"}}, "checkpoint/mode"),
        ({"checkpoint": {"externalized": "sometimes"}}, "checkpoint/externalized"),
        ({"state_backend": " "}, "state_backend"),
        ({"state_ttl_ms": 0}, "state_ttl_ms"),
        ({"restart_strategy": {"type": "never"}}, "restart_strategy/type"),
        ({"restart_strategy": {"attempts": -1}}, "restart_strategy/attempts"),
        (
            {"restart_strategy": {"type": "exponential-delay", "backoff_multiplier": 0.5}},
            "restart_strategy/backoff_multiplier",
        ),
        (
            {"restart_strategy": {"type": "exponential-delay", "backoff_multiplier": "1e999"}},
            "restart_strategy/backoff_multiplier",
        ),
        ({"rocksdb": {"predefined_options": "FAST"}}, "rocksdb/predefined_options"),
    ],
)
def test_a_value_that_flink_does_not_take_is_said_and_not_shown(
    tmp_path: Path, block: dict[str, Any], place: str
) -> None:
    job = large(tmp_path, flink=block)

    assert problems(job) == [("flink_option_value", f"/models/0/flink/{place}")]
    assert "planted" not in repr(job)


def test_no_key_of_the_language_is_passed_over() -> None:
    language = json.loads((ROOT / "schemas" / "project" / "v1alpha1.schema.json").read_text("utf-8"))
    keys = set()
    for key, part in language["$defs"]["flink_options"]["properties"].items():
        keys |= {f"{key}.{inner}" for inner in part["properties"]} if "properties" in part else {key}
    known = packaged_rules().catalogue("flink-options").entries
    paths = {path.split(".")[0] + "." + path.split(".")[-1] if "." in path else path for path in known}

    assert paths == keys - {"changelog_mode"}
