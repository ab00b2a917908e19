"""Lets the tests in Rust use the Python package, with the protocol of tests/c/driver.c.

Standard input: the configuration in one line, then a command in each line: function, tab, JSON; or "get", tab, JSON
pointer into the last reply; or "close", tab. The exception of a failed call goes to standard error.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Callable
from decimal import Decimal
from typing import Any, get_origin

import paysvc
from paysvc._generated import AMOUNTS, KEYWORDS, OPERATIONS

LEVELS = {logging.ERROR: 1, logging.WARNING: 2, logging.INFO: 3, logging.DEBUG: 4}


class ToStandardError(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        print("log", LEVELS[record.levelno], record.getMessage(), file=sys.stderr)


def parsed(text: str) -> Any:
    return json.loads(text, parse_float=Decimal, object_hook=_with_decimals)


def _with_decimals(members: dict[str, Any]) -> dict[str, Any]:
    """The package refuses an int as an amount."""
    whole = {name: Decimal(value) for name, value in members.items() if name in AMOUNTS and type(value) is int}
    return {**members, **whole}


def show(reply: paysvc.Reply) -> None:
    wait = -1 if reply.retry_after is None else round(reply.retry_after * 1000)
    status = "OK" if reply.status == paysvc.Status.OK else f"E_{reply.status.name}"
    fields = (
        status, reply.outcome.name, reply.state.number, reply.http_status, reply.attempts, wait, reply.code,
        reply.message, reply.text,
    )  # fmt: skip
    print(*fields, sep="\t", flush=True)


def classes_of(error: paysvc.PaysvcError) -> list[str]:
    """The exception classes of the package, except their common base, that an except clause could name to catch it."""
    known = {name: getattr(paysvc, name) for name in paysvc.__all__}
    # To Python before 3.11, dict[str, object] is a type too.
    classes = [(name, of) for name, of in known.items() if isinstance(of, type) and get_origin(of) is None
               and issubclass(of, BaseException) and isinstance(error, of)]  # fmt: skip
    return [name for name, of in sorted(classes, key=lambda entry: entry[0] == "OutcomeUnknown")
            if issubclass(of, paysvc.PaysvcError) and of is not paysvc.PaysvcError]  # fmt: skip


def value_at(body: Any, pointer: str) -> str:
    """The value at a JSON pointer, as paysvc_reply_get returns it."""
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        try:
            body = body[int(part)] if isinstance(body, list) else body[part]
        except (LookupError, TypeError, ValueError):
            return "-"
    if body is None:
        return "-"
    return "=" + (body if isinstance(body, str) else str(body).lower() if isinstance(body, bool) else str(body))


def call(client: paysvc.Client, function: Any, members: dict[str, Any]) -> paysvc.Reply:
    """Uses the method of the endpoint, or its name where the method has no argument for a field."""
    if function == "encrypt":
        return client.encrypt(members)
    if function == "request":
        return client.request(**members)
    if function in OPERATIONS:
        return operate(client, function, members)
    keywords = KEYWORDS[function]
    arguments = {keywords[name]: value for name, value in members.items() if name in keywords}
    further = {name: value for name, value in members.items() if name not in keywords}
    method: Callable[..., paysvc.Reply] = getattr(client, function)
    try:
        return method(**arguments, **({"members": further} if further else {}))
    except TypeError:
        return client.call(function, members)


def operate(client: paysvc.Client, function: Any, members: dict[str, Any]) -> paysvc.Reply:
    """Uses the method of a function that chooses its requests itself, which takes its first field by position."""
    names = OPERATIONS[function]
    first, *others = names
    parsed_event = function == "webhook_verify" and isinstance(members["body"], dict)  # The method takes raw ones only.
    if parsed_event or first not in members or not set(members) <= {first, *others}:
        return client.call(function, members)
    method: Callable[..., paysvc.Reply] = getattr(client, function)
    return method(members[first], **{names[name]: members[name] for name in others if name in members})


def main() -> None:
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    try:
        client = paysvc.Client(**parsed(sys.stdin.readline()))
    except paysvc.PaysvcError as error:
        show(error.reply)
        return
    last = paysvc.Reply(status=paysvc.Status.OK, outcome=paysvc.Outcome.NOT_SENT, text='{"status":true}')
    show(last)
    logging.getLogger("paysvc").addHandler(ToStandardError())
    logging.getLogger("paysvc").setLevel(logging.DEBUG)
    with client:
        for line in sys.stdin:
            function, text = line.rstrip("\n").split("\t", 1)
            if function == "close":
                client.close()
                print("closed", flush=True)
                continue
            if function == "get":
                print(value_at(last.body, text), flush=True)
                continue
            try:
                last = call(client, function, parsed(text))
            except paysvc.PaysvcError as error:
                print("error", repr(error), str(error), error.args, traceback.format_exc(), file=sys.stderr)
                print("class", *classes_of(error), file=sys.stderr)
                last = error.reply
            show(last)


main()
