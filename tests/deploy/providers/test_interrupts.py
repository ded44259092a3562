"""Ctrl-C while the Kafka client is at work in C: it comes out as something else, and is made what it was."""

from __future__ import annotations

import pytest

from streamt_ol.services.kafka_clients import interruptible


def fail_in_c(cause: BaseException) -> None:
    raise SystemError("<built-in method> returned a result with an exception set") from cause


def test_an_interrupt_that_the_client_wraps_is_an_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        fail_in_c(KeyboardInterrupt())


def test_any_other_fault_of_the_client_stays_what_it_is() -> None:
    with pytest.raises(SystemError), interruptible():
        fail_in_c(ValueError())
