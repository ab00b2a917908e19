"""Spans of calls and attempts: the same names and attributes as those of the Go package."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from peer import Peer
from test_signals import KILL, TimeLimit, handling

import paysvc
from paysvc import Outcome
from paysvc.opentelemetry import instrument

EMAIL = "ada@example.com"


def serve(peer: Peer, last: int = 200, asked: Callable[[], object] = lambda: None) -> list[str]:
    """Asks to try again at first, then answers with the status `last`. Gives the traceparent of each request."""
    traces: list[str] = []

    def run() -> None:
        for number, status in ((1, 429), (2, last)):
            exchange = peer.next()
            traces.extend(re.findall(r"traceparent: (\S+)", exchange.text))
            if number == 1:
                asked()
            text = json.dumps({"status": status == 200, "message": EMAIL, "data": {}})
            exchange.answer_text(text, "retry-after: 0", f"x-request-id: r-{number}", status=status)

    peer.run(run)
    return traces


class Traced:
    def __init__(self) -> None:
        self.exporter, self.provider = InMemorySpanExporter(), TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))

    def spans(self) -> Sequence[ReadableSpan]:
        return self.exporter.get_finished_spans()


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return {name.removeprefix("paysvc."): value for name, value in (span.attributes or {}).items()}


async def call_async(peer: Peer, provider: TracerProvider) -> None:
    async with paysvc.AsyncClient(**peer.config) as client:
        instrument(client, provider)
        await client.direct_debit_history(email_address=EMAIL)


def call(peer: Peer, provider: TracerProvider) -> None:
    with paysvc.Client(**peer.config) as client:
        instrument(client, provider)
        client.direct_debit_history(email_address=EMAIL)


@pytest.mark.parametrize(("client", "last"), [("threads", 404), ("asyncio", 200)])
def test_a_call_and_its_attempts_are_spans_of_the_callers_trace(peer: Peer, client: str, last: int) -> None:
    traced, traces = Traced(), serve(peer, last)
    with traced.provider.get_tracer("till").start_as_current_span("till", record_exception=False) as root:
        if client == "threads":
            with pytest.raises(paysvc.Rejected):
                call(peer, traced.provider)
        else:
            asyncio.run(call_async(peer, traced.provider))
    first, second, made, till = traced.spans()
    ok = last == 200
    http = {"http.response.status_code": last}
    end = {"status": "OK", "outcome": "CONFIRMED"} if ok else {"status": "E_REJECTED", "outcome": "REJECTED"}
    known = {"call_id": attributes(made)["call_id"]}
    assert attributes(first) == {
        **known, "status": "E_RATE_LIMITED", "outcome": "REJECTED", "http.response.status_code": 429, "attempt": 1,
        "request_id": "r-1",
    }  # fmt: skip
    assert attributes(second) == {**known, **end, **http, "attempt": 2, "request_id": "r-2"}
    assert attributes(made) == {**known, **end, **http, "state": "NONE", "attempts": 2}
    for child, parent, name, good in (
        (first, made, "paysvc attempt direct_debit_history", False),
        (second, made, "paysvc attempt direct_debit_history", ok),
        (made, till, "paysvc direct_debit_history", ok),
    ):
        assert child.parent == parent.context
        assert (child.name, child.kind) == (name, SpanKind.CLIENT)
        assert (child.status.status_code == StatusCode.ERROR) is not good
        assert EMAIL not in child.to_json()
    times = [span.end_time or 0 for span in (first, second, made)]
    assert times == sorted(times)
    assert made.context is not None
    sent = f"00-{root.get_span_context().trace_id:032x}-{made.context.span_id:016x}-{made.context.trace_flags:02x}"
    assert traces == [sent, sent]


def test_a_call_that_sends_nothing_has_a_span(peer: Peer) -> None:
    traced = Traced()
    with paysvc.Client(**peer.config) as client:
        instrument(client, traced.provider)
        with pytest.raises(paysvc.ArgumentError):
            client.order_refund(reference="R", amount="-1")
        with pytest.raises(TypeError):
            client.call("order_refund", {"reference": "R", "note": 2.5})
    refused, no_json = traced.spans()
    assert attributes(refused).items() >= {"status": "E_ARGUMENT", "outcome": "NOT_SENT", "attempts": 0}.items()
    assert (attributes(no_json), no_json.status.status_code) == ({}, StatusCode.ERROR)


def test_without_a_provider_what_the_caller_sends_goes_on(peer: Peer) -> None:
    own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    traces = serve(peer)
    with paysvc.Client(**peer.config) as client:
        instrument(client)
        client.direct_debit_history(email_address=EMAIL, call=paysvc.Call(traceparent=own))
    assert traces == [own, own]


class Failing(SpanProcessor):
    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        raise ValueError("the tracer fails")

    def on_end(self, span: ReadableSpan) -> None:
        raise ValueError("the tracer fails")


class Interrupting(SpanProcessor):
    def on_end(self, span: ReadableSpan) -> None:
        signal.raise_signal(signal.SIGUSR1)


def test_a_tracer_that_fails_or_is_interrupted_does_not_lose_a_reply(
    peer: Peer, capsys: pytest.CaptureFixture[str]
) -> None:
    failing, interrupting = TracerProvider(), TracerProvider()
    failing.add_span_processor(Failing())
    serve(peer)
    call(peer, failing)
    assert "the tracer fails" in capsys.readouterr().err
    interrupting.add_span_processor(Interrupting())
    serve(peer)
    with handling(signal.SIGUSR1, TimeLimit), pytest.raises(TimeLimit) as caught:
        call(peer, interrupting)
    error = paysvc.abandoned_call(caught.value)
    assert error is not None
    assert error.outcome == Outcome.CONFIRMED


def test_an_interrupted_call_has_a_span_with_its_end(peer: Peer) -> None:
    """The signal comes while the call waits for its first response."""
    traced = Traced()
    serve(peer, asked=KILL)
    with handling(signal.SIGUSR1, TimeLimit), pytest.raises(TimeLimit):
        call(peer, traced.provider)
    assert attributes(traced.spans()[-1]).items() >= {"outcome": "CONFIRMED", "attempts": 2}.items()
