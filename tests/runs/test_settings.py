"""A secret shows itself to nobody but who asks for it."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from streamt_ol.runs.settings import HttpSettings, Secret

SECRET = "hunter2-s3cr3t"


@pytest.mark.parametrize(
    "shown",
    [
        repr,
        str,
        "{}".format,
        "{:>30}".format,
        lambda secret: f"{secret!r:30}",
        lambda secret: "%s" % secret,  # noqa: UP031
        lambda secret: repr([secret, {"key": secret}]),
        lambda secret: repr(HttpSettings("https://l.example", "api", 5.0, 0, secret)),
        lambda secret: repr(Secret.__slots__) + repr(dir(secret)),
    ],
)
def test_a_secret_is_not_shown(shown: Callable[[Any], str]) -> None:
    assert "hunter2" not in shown(Secret(SECRET))


@pytest.mark.parametrize(
    "copied", [pickle.dumps, copy.copy, copy.deepcopy, json.dumps, list, len, vars, bytes]
)
def test_a_secret_is_not_copied_into_anything(copied: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError) as caught:
        copied(Secret(SECRET))

    assert "hunter2" not in "".join(traceback.format_exception(caught.value))


def test_a_secret_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("streamt").debug("with %s and %r", Secret(SECRET), Secret(SECRET))

    assert caplog.messages == ["with *** and ***"]


def test_a_secret_is_revealed_to_who_asks() -> None:
    assert Secret(SECRET).reveal() == SECRET


def test_secrets_are_not_compared() -> None:
    assert Secret(SECRET) != Secret(SECRET)
