"""OpenTelemetry spans of the calls of a client: one for each call and, in it, one for each attempt.

    client = paysvc.Client.from_env()
    paysvc.opentelemetry.instrument(client)

The header traceparent carries the span of the call to the service. No attribute has keys, card data, one-time codes,
messages or bodies. It needs the package opentelemetry-api, which this one does not install.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from ._log import harmless
from ._native import log_level

if TYPE_CHECKING:
    from ._async import AsyncClient
    from ._client import Client
    from ._earlier import Request
    from ._library import Handle
    from ._reply import Reply

__all__ = ["instrument"]

#: The level of the library at which every attempt that has ended has a line.
_INFO = 3


def instrument(client: Client | AsyncClient, tracer_provider: trace.TracerProvider | None = None) -> None:
    """Makes spans of each later call of this client; without a provider, with the global one.

    The span of a call has its function as name, and the attributes paysvc.call_id, paysvc.status, paysvc.outcome,
    paysvc.state, paysvc.attempts and http.response.status_code. The span of an attempt is named after the endpoint's
    function, and has paysvc.attempt, and paysvc.request_id if the service gave the request an ID. The status of
    a span is an error unless that of the call or attempt is OK. With an AsyncClient, a call begins when it has a
    thread. A tracer that fails does not change the result of a call.
    """
    tracer = trace.get_tracer(__name__, tracer_provider=tracer_provider)
    vars(client)["_invoke"] = partial(_call, tracer, client._invoke)


def _call(tracer: trace.Tracer, call: Callable[..., None], owned: Handle, request: Request) -> None:
    """Like Native._invoke()."""
    token = request.token
    lines: list[bytes] = []
    span: trace.Span = trace.INVALID_SPAN

    def begin() -> None:
        nonlocal span
        span = tracer.start_span(f"paysvc {request.name}", kind=trace.SpanKind.CLIENT)
        header: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(header, trace.set_span_in_context(span))
        if header:  # Otherwise nothing is traced: a traceparent of the caller stays.
            token._trace(header["traceparent"])

    harmless(begin)
    try:
        token._watch = lines.extend
        token._keep_log(max(log_level(), _INFO))
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            call(owned, request)
    finally:
        reply = request.read()
        token._watch = None
        harmless(partial(_end, tracer, span, reply, lines))


def _end(tracer: trace.Tracer, span: trace.Span, reply: Reply | None, lines: list[bytes]) -> None:
    """Ends the span of a call, after those of its attempts. Each line about an attempt that has ended has a status."""
    if not span.is_recording():
        return
    context = trace.set_span_in_context(span)
    while lines:
        line = json.loads(lines.pop(0))
        if "status" in line:
            ended = line["time"] * 1_000_000
            name, began = f"paysvc attempt {line['endpoint']}", ended - line["ms"] * 1_000_000
            attempt = tracer.start_span(name, context, trace.SpanKind.CLIENT, start_time=began)
            known = {"paysvc.call_id": line["call_id"], "paysvc.attempt": line["attempt"]}
            if line["request_id"]:
                known["paysvc.request_id"] = line["request_id"]
            _close(attempt, line["status"], line["outcome"], line["http_status"], known, ended)
    if reply is None:
        span.set_status(trace.StatusCode.ERROR)
        span.end()
        return
    status = "OK" if reply else f"E_{reply.status.name}"
    known = {"paysvc.call_id": reply.call_id, "paysvc.state": reply.state.name, "paysvc.attempts": reply.attempts}
    _close(span, status, reply.outcome.name, reply.http_status, known)


def _close(
    span: trace.Span, status: str, outcome: str, http_status: int, known: dict[str, Any], ended: int | None = None
) -> None:
    span.set_attributes({**known, "paysvc.status": status, "paysvc.outcome": outcome})
    if http_status:
        span.set_attribute("http.response.status_code", http_status)
    if status != "OK":
        span.set_status(trace.StatusCode.ERROR, f"{status}, outcome {outcome}")
    span.end(ended)
