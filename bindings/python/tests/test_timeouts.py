"""Timeouts, in seconds for the methods and the constructor, in milliseconds for the configuration."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import paysvc
from paysvc import _async
from paysvc._library import library
from paysvc._values import milliseconds
from paysvc.sandbox import Sandbox

INVALID: list[tuple[Any, type[Exception], str]] = [
    ("5", TypeError, "timeout must be a number of seconds, such as 5 or 0.5, not str; without quotes: timeout=5"),
    (True, TypeError, "timeout must be a number of seconds, such as 5 or 0.5, not bool"),
    (timedelta(seconds=5), TypeError, "timeout must be a number of seconds, such as 5 or 0.5, not timedelta"),
    (0, ValueError, "timeout must be a finite number of seconds above 0, not 0; None: the default"),
    (-1, ValueError, "timeout must be a finite number of seconds above 0, not -1; None: the default"),
    (float("nan"), ValueError, "timeout must be a finite number of seconds above 0, not nan; None: the default"),
    (30000, ValueError, "timeout is in seconds, and at most 3600: 30000 looks like milliseconds"),
]


@pytest.mark.parametrize(("timeout", "kind", "message"), INVALID)
def test_an_invalid_timeout_is_refused(
    client: paysvc.Client, paysvc_sandbox: Sandbox, timeout: Any, kind: type[Exception], message: str
) -> None:
    async def as_a_task() -> None:
        async with paysvc.AsyncClient(**paysvc_sandbox.config) as client:
            await client.direct_debit_history(email_address="none@example.com", timeout=timeout)

    for call in (
        lambda: client.direct_debit_history(email_address="none@example.com", timeout=timeout),
        lambda: asyncio.run(as_a_task()),
        lambda: paysvc.Client(**paysvc_sandbox.config, timeout=timeout),
    ):
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == message
    assert paysvc_sandbox.requests() == []


def test_any_number_of_seconds_is_a_timeout() -> None:
    assert [milliseconds(it) for it in (20.5, Decimal("20.5"), Fraction(41, 2), 3600)] == [20_500] * 3 + [3_600_000]


def test_a_part_of_a_millisecond_counts_as_a_whole_one(
    client: paysvc.Client, paysvc_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    genuine = library.paysvc_call_set_timeout_ms

    def record(call: object, timeout_ms: int) -> None:
        seen.append(timeout_ms)
        genuine(call, timeout_ms)

    async def as_a_task() -> None:
        async with paysvc.AsyncClient(**paysvc_sandbox.config) as client:
            await client.direct_debit_history(email_address="none@example.com", timeout=20.0001)

    monkeypatch.setattr(library, "paysvc_call_set_timeout_ms", record)
    client.direct_debit_history(email_address="none@example.com", timeout=20.0001)
    monkeypatch.setattr(_async, "time", SimpleNamespace(monotonic=lambda: 0.0))  # No time passes.
    asyncio.run(as_a_task())
    assert seen == [20_001] * 3  # A task sets the limit, and then what is left of it.


def test_a_time_of_the_configuration_is_seconds_or_milliseconds() -> None:
    with pytest.raises(TypeError) as caught:
        paysvc.Client(base_url="http://127.0.0.1:9", timeout=1, timeout_ms=1000)
    assert str(caught.value) == "timeout (seconds) and timeout_ms (milliseconds) are the same field; give one of them"
