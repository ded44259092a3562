"""The event time: fixed by option or SOURCE_DATE_EPOCH, always UTC with six digits and Z."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.lineage.errors import EventTimeError
from streamt_ol.lineage.event_times import event_time

NOW = datetime(2026, 5, 6, 7, 8, 9, 10, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000Z"),
        ("2026-01-02t03:04:05z", "2026-01-02T03:04:05.000000Z"),
        ("2026-01-02T03:04:05.1234567Z", "2026-01-02T03:04:05.123456Z"),
        ("2026-01-02T03:04:05+02:30", "2026-01-02T00:34:05.000000Z"),
        ("2026-01-01T23:00:00.5-01:00", "2026-01-02T00:00:00.500000Z"),
        ("0099-01-01T00:00:00Z", "0099-01-01T00:00:00.000000Z"),
    ],
)
def test_the_option_is_an_rfc_3339_time(option: str, expected: str) -> None:
    assert event_time(option, "0", NOW) == expected


@pytest.mark.parametrize(
    "option",
    [
        "",
        "yesterday",
        "2026-01-02",
        "2026-01-02T03:04:05",
        "2026-02-30T00:00:00Z",
        "2026-01-02T25:00:00Z",
        "2026-01-02T03:04:05+24:00",
        "2026-01-02T03:04:60Z",
        "0001-01-01T00:00:00+00:01",
        "٢٠٢٦-01-02T03:04:05Z",
    ],
)
def test_anything_else_is_refused_and_nothing_lower_is_tried(option: str) -> None:
    with pytest.raises(EventTimeError) as caught:
        event_time(option, "0", NOW)

    assert caught.value.location == "event_time"


@pytest.mark.parametrize(
    ("epoch", "expected"),
    [("0", "1970-01-01T00:00:00.000000Z"), ("1767323045", "2026-01-02T03:04:05.000000Z")],
)
def test_source_date_epoch_is_whole_seconds(epoch: str, expected: str) -> None:
    assert event_time(None, epoch, NOW) == expected


@pytest.mark.parametrize("epoch", ["", "1.5", "soon", "999999999999", "-999999999999"])
def test_another_source_date_epoch_is_refused(epoch: str) -> None:
    with pytest.raises(EventTimeError) as caught:
        event_time(None, epoch, NOW)

    assert caught.value.location == "SOURCE_DATE_EPOCH"


def test_without_either_it_is_now() -> None:
    assert (
        event_time(None, None, NOW.astimezone(timezone(timedelta(hours=5)))) == "2026-05-06T07:08:09.000010Z"
    )


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)), st.integers(-1439, 1439))  # noqa: DTZ001
def test_every_offset_gives_the_same_moment(moment: datetime, minutes: int) -> None:
    local = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    expected = local.astimezone(timezone.utc)

    shown = event_time(local.isoformat(), None, NOW)

    assert datetime.fromisoformat(shown.replace("Z", "+00:00")) == expected
