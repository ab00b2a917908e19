"""The client for threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import TypeVar

from ._generated import EndpointName
from ._native import Call, Closing, Native
from ._operations import Operations
from ._progress import Progress
from ._reply import Reply
from ._store import Store
from ._values import OMIT, Omitted, hidden

Self = TypeVar("Self", bound="Client")


class Client(Operations, Closing):
    """A client of the payments service. Threads may share it; close it, or use it in a with statement.

    A setting that is not given is read from its environment variable: PAYSVC_BASE_URL, PAYSVC_TIMEOUT_MS and so on.
    """

    _native: Native
    _store: Store | None

    def _open(self, config: Mapping[str, object]) -> None:
        self._native = Native(config, self._store)

    @classmethod
    def from_env(cls: type[Self], *, store: Store | None = None) -> Self:
        """A client that is configured by environment variables alone."""
        return cls(store=store)

    def call(
        self,
        name: EndpointName,
        members: Mapping[str, object],
        *,
        progress: Progress | None = None,
        timeout: float | None = None,
        call: Call | None = None,
        idempotency_key: str | Omitted = OMIT,
    ) -> Reply:
        """Calls an endpoint by its name, with the interface's own member names. The methods use this."""
        if call is not None and not isinstance(call, Call):
            raise TypeError(f"call must be a paysvc.Call, not {type(call).__name__}")
        members = hidden(members)
        return self._native.answer(name, members, call, progress, timeout, idempotency_key)

    def check(self, *, timeout: float | None = None, call: Call | None = None) -> Reply:
        """Checks whether everything is ready for the first sale: call it when a program starts.

        Configuration, keys, connection, TLS, the service's answer and the clock; it moves no money and changes nothing.
        It raises the error of the first check that is not ok. The reply of both has all "checks", each with "check",
        "ok" and "message", which says what to do.
        """
        return self.call("client_check", {}, timeout=timeout, call=call)

    def journal_next(
        self, after: str = "", *, timeout: float | None = None, call: Call | None = None
    ) -> Iterator[tuple[str, Reply]]:
        """Finds out what became of each request that is open in the journal: run it when a program starts.

        A request is open if its sender wrote no end, if its outcome was UNKNOWN, or if it is a charge that is not
        final. Each step asks the endpoint that knows, as resolve() does, and moves no money. Run it again every minute:

            for key, reply in client.journal_next():
                print(key, reply.outcome, reply.message)

        It gives the key, such as "charge ORDER-1", and a reply about that key's request, whatever its outcome. The
        "journal" in the reply's body names the claim, for journal_settle(): claim (the id), key, step, order, amount
        and currency. A damaged key comes with a reply whose status is JOURNAL: go on after it.

        Record the reply before the next step: what the service's answer proves is written to the journal at that step.
        A program that is killed in between, or leaves the loop, hears of the payment again.

        Args:
            after: the key to go on after
            timeout: of each step. A key that there is no time to ask about is given as it is, UNKNOWN

        Raises:
            OutcomeUnknown: the journal cannot be read, which is a JournalError as well; or the client has no journal
        """
        while True:
            after, reply = self._native.journal_next(after, call, timeout)
            if not after:
                return
            yield after, reply

    def reference_new(self, prefix: str = "") -> str:
        """As paysvc.reference_new(), and the client remembers that it made the reference.

        With a journal, the first charge of an order asks the service for earlier attempts to pay it. An order with such
        a reference is charged without that. The client remembers its last 10,000, until it is closed.

        Raises:
            ConfigError: the client has no journal
        """
        return self._native.reference_new(prefix)

    def encrypt(self, payload: Mapping[str, object]) -> Reply:
        """Encrypts a payload without sending it; the reply's "data" is the ciphertext in base64."""
        return self._native.answer("encrypt", payload)

    def warm(self, *, timeout: float | None = None, call: Call | None = None) -> Reply:
        """Connects in advance, so that the next request that moves money does not wait for it: call it when the cashier
        begins.

        Sends no request: if it raises, nothing has happened, and that request connects by itself. The connection is
        used for 10 s, by one request; at most max_idle_connections are kept. The reply is OK and NOT_SENT.
        """
        return self.call("client_warm", {}, timeout=timeout, call=call)

    def close(self) -> None:
        """Closes the client. Calls in progress on other threads end normally."""
        self._native.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
