"""The client for threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from ._earlier import Request
from ._endpoints import Endpoints
from ._errors import PaysvcError
from ._generated import EndpointName
from ._native import Call
from ._progress import Progress
from ._reply import Reply
from ._values import OMIT, Omitted, hidden

Self = TypeVar("Self", bound="Client")


class Client(Endpoints):
    """A client of the payments service. Threads may share it; close it, or use it in a with statement.

    A setting that is not given is read from its environment variable: PAYSVC_BASE_URL, PAYSVC_TIMEOUT_MS and so on.
    """

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
        """Calls an endpoint by its name, with the interface's own field names. The methods use this."""
        if call is not None and not isinstance(call, Call):
            raise TypeError(f"call must be a paysvc.Call, not {type(call).__name__}")
        members = hidden(members)
        request = Request(name, members, Call() if call is None else call, progress)
        del call  # An error that the program keeps has this frame.
        try:
            request.token._prepare(timeout, idempotency_key)
            self._invoke(self._handle(request), request)
            return request.end()
        except BaseException as interrupt:
            request.interrupted(interrupt)
            raise

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

        Record the reply before the next step: what its response proves is written to the journal at that step.
        A program that is killed in between, or leaves the loop, hears of the payment again.

        Args:
            after: the key to go on after
            timeout: of each step. A key that there is no time to ask about is given as it is, UNKNOWN

        Raises:
            OutcomeUnknown: the journal cannot be read, which is a JournalError as well; or the client has no journal
        """
        while True:
            try:
                reply = self.call("journal_next", {"after": after}, timeout=timeout, call=call)
            except PaysvcError as error:  # An open request is no failure of this call.
                reply = error.reply
                if reply._key in ("", after):  # The journal could not be read.
                    raise
            if not (after := reply._key):
                return
            yield after, reply

    def close(self) -> None:
        """Closes the client. Calls in progress on other threads end normally."""
        self._owned = None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
