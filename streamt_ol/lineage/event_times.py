"""Event times: UTC, six fractional digits, `Z`; a static export has one (decision D15)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from datetime import time as time_of_day

from streamt_ol.lineage.errors import EventTimeError

_RFC3339 = r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6})\d*)?(?:([Zz])|([+-])(\d{2}):(\d{2}))"
_EPOCH = r"-?[0-9]{1,12}"
_START = datetime(1970, 1, 1, tzinfo=timezone.utc)


def event_time(option: str | None, source_date_epoch: str | None, now: datetime) -> str:
    """Return the event time that the option fixes, else `SOURCE_DATE_EPOCH` (whole seconds), else now.

    Raises EventTimeError at `event_time` or `SOURCE_DATE_EPOCH`; a value that is given is never skipped.
    """
    if option is not None:
        return utc_text(_parse(option))
    if source_date_epoch is not None:
        return utc_text(_from_epoch(source_date_epoch))
    return utc_text(now)


def _parse(text: str) -> datetime:
    match = re.fullmatch(_RFC3339, text, re.ASCII)
    if match is None:
        raise EventTimeError(
            "the event time is not an RFC 3339 time such as 2026-01-02T03:04:05Z", location="event_time"
        )
    date, time, fraction, _zulu, sign, hours, minutes = match.groups()
    try:
        moment = datetime.fromisoformat(f"{date}T{time}").replace(tzinfo=timezone.utc)
        if sign:
            clock = time_of_day.fromisoformat(f"{hours}:{minutes}")
            offset = timedelta(hours=clock.hour, minutes=clock.minute)
            moment = moment - offset if sign == "+" else moment + offset
        return moment.replace(microsecond=int((fraction or "0").ljust(6, "0")))
    except (ValueError, OverflowError):
        raise EventTimeError("the event time is no time of the calendar", location="event_time") from None


def _from_epoch(text: str) -> datetime:
    if not re.fullmatch(_EPOCH, text):
        raise EventTimeError(
            "SOURCE_DATE_EPOCH is not a whole number of seconds", location="SOURCE_DATE_EPOCH"
        )
    try:
        return _START + timedelta(seconds=int(text))
    except OverflowError:
        raise EventTimeError(
            "SOURCE_DATE_EPOCH lies outside the calendar", location="SOURCE_DATE_EPOCH"
        ) from None


def utc_text(moment: datetime) -> str:
    """Return an aware moment as events have it: UTC, six fractional digits, `Z`."""
    utc = moment.astimezone(timezone.utc)
    # strftime pads years before 1000 differently from platform to platform.
    return f"{utc.year:04d}-{utc:%m-%dT%H:%M:%S}.{utc.microsecond:06d}Z"
