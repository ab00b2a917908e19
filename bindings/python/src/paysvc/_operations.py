"""The methods that take something else than the members of a request, once for threads and once for asyncio."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

from ._earlier import Resolve
from ._endpoints import AsyncEndpoints, Endpoints
from ._errors import PaysvcError
from ._generated import Expect, PayoutDetails, WebhookVerifyExpect
from ._native import Call
from ._progress import Progress
from ._replies import PayoutBulkReply, WebhookVerifyReply
from ._reply import Reply
from ._values import OMIT, Members, Omitted, raw_body

#: A recipient. Not any mapping: a list of cards is refused by type checkers already.
Payout = Union[PayoutDetails, dict[str, Any]]


def _list(
    payouts: Iterable[Payout], continue_: bool | Omitted, continue_after_unknown: bool | Omitted
) -> Members:
    return Members({
        "payoutDetails": list(payouts), "continue": continue_, "continue_after_unknown": continue_after_unknown,
    })  # fmt: skip


def _event(
    body: bytes | str, expect: WebhookVerifyExpect | Mapping[str, object] | Omitted, ask: bool | Omitted
) -> Members:
    return Members({"body": raw_body(body), "expect": expect, "ask": ask})


class Operations(Endpoints):
    """What paysvc.Client can do besides calling an endpoint."""

    def resolve(
        self,
        about: PaysvcError | str,
        *,
        request: Mapping[str, object] | Omitted = OMIT,
        attempts: int | Omitted = OMIT,
        expect: Expect | Mapping[str, object] | Omitted = OMIT,
        wait: bool | Omitted = OMIT,
        charged: bool | Omitted = OMIT,
        timeout: float | None = None,
        call: Call | None = None,
    ) -> Reply:
        """Finds out what became of a request whose outcome is UNKNOWN. It moves no money.

        It returns if the request was executed: ask is_paid() of the reply. The reply is that of the endpoint that was
        asked, such as an OrderStatusReply.

        Args:
            about: the error of the request, including one of an earlier resolve(); or the name of its endpoint
            request: the members by which the request is looked up, by the interface's names, if there is no error, or
                in addition to what it knows; further members are ignored, so nobody has to keep card data
            attempts: how many requests that may charge this order were begun, by anyone, including every resend; the
                outcome can be REJECTED only with 1. If no other request was made for the order: the error's own
                attempts
            expect: the price that was asked for
            wait: asks again until the outcome is known or the time is over
            charged: False: the request made an order without a charge, so it may be sent again if the service does not
                know it. An error knows that itself; a request that is not known to make no charge counts as a charge
            timeout: seconds for the whole call, retries and waits included; else the client's timeout
            call: a token by which another thread cancels this call

        Raises:
            Rejected: the outcome is REJECTED; the request was not executed
            OutcomeUnknown: it is still not known; the exception can be resolved as well
        """
        earlier = Resolve(about, request, attempts, expect, wait, charged)
        reply: Reply = self.call("resolve", earlier, timeout=timeout, call=call)
        return reply

    def webhook_verify(
        self,
        body: bytes | str,
        *,
        expect: WebhookVerifyExpect | Mapping[str, object] | Omitted = OMIT,
        ask: bool | Omitted = OMIT,
        timeout: float | None = None,
        call: Call | None = None,
    ) -> WebhookVerifyReply:
        """Checks a webhook. Webhooks are not signed, so it reads the event in any form that the service uses,
        and asks the service whether it is true.

        Args:
            body: the body of the webhook as it was received, never a parsed event, which has lost duplicate members and
                exact numbers: request.get_data() of Flask, request.body of Django, await request.body() of FastAPI
            expect: what the event must be about
            ask: False: reads the event and says what it is about, and asks nothing: OK NOT_SENT, and never authentic
                (default True)
            timeout: seconds for the whole call, retries and waits included; else the client's timeout
            call: a token by which another thread cancels this call

        Raises:
            TypeError: the body is neither bytes nor str
            PaysvcError: every failure
        """
        reply: WebhookVerifyReply = self.call("webhook_verify", _event(body, expect, ask), timeout=timeout, call=call)
        return reply

    def payout_bulk(
        self,
        payouts: Iterable[Payout],
        *,
        continue_: bool | Omitted = OMIT,
        continue_after_unknown: bool | Omitted = OMIT,
        progress: Progress | None = None,
        timeout: float | None = None,
        call: Call | None = None,
    ) -> PayoutBulkReply:
        """Pays any number of recipients, in the largest batches that fit the encryption key, one after the other.

        It needs a journal or a store, which remembers each clientReference: after a crash, or when a call has stopped,
        give the same list again. It returns if the service accepted all; accepted does not mean paid. The reply of an
        error is a PayoutBulkReply as well, and its answer has the outcome of each recipient.

        Args:
            payouts: the recipients, by the interface's names, each with a clientReference that is used for no other
                payout, in this list or another one
            continue_: the list goes on with one that was paid in part, and is corrected or longer: who was paid by that
                one is reported as replayed, with the date
            continue_after_unknown: continues after a batch whose outcome is UNKNOWN
            progress: called with done, total and step before and after each batch; unless it returns paysvc.CONTINUE,
                no further batch is sent. If it raises, or a signal's handler does, Ctrl-C's for example, the exception
                is raised when the batch in hand has ended, and paysvc.abandoned_call() gives the report from it
            timeout: seconds for the whole list; the client's timeout is for each batch
            call: a token by which another thread cancels this call

        Raises:
            ConfigError: there is neither a journal nor a store; nothing was sent
            KeyReused: another list has paid some of the recipients, and continue_ is not True; nothing was sent
            PaysvcError: not all were accepted; its outcome is the one that all recipients have, otherwise UNKNOWN
        """
        members = _list(payouts, continue_, continue_after_unknown)
        reply: PayoutBulkReply = self.call("payout_bulk", members, progress=progress, timeout=timeout, call=call)
        return reply


class AsyncOperations(AsyncEndpoints):
    """What paysvc.AsyncClient can do besides calling an endpoint."""

    async def resolve(
        self,
        about: PaysvcError | str,
        *,
        request: Mapping[str, object] | Omitted = OMIT,
        attempts: int | Omitted = OMIT,
        expect: Expect | Mapping[str, object] | Omitted = OMIT,
        wait: bool | Omitted = OMIT,
        charged: bool | Omitted = OMIT,
        timeout: float | None = None,
    ) -> Reply:
        """As Client.resolve(). A task cancels it by being cancelled."""
        earlier = Resolve(about, request, attempts, expect, wait, charged)
        reply: Reply = await self.call("resolve", earlier, timeout=timeout)
        return reply

    async def webhook_verify(
        self,
        body: bytes | str,
        *,
        expect: WebhookVerifyExpect | Mapping[str, object] | Omitted = OMIT,
        ask: bool | Omitted = OMIT,
        timeout: float | None = None,
    ) -> WebhookVerifyReply:
        """As Client.webhook_verify()."""
        reply: WebhookVerifyReply = await self.call("webhook_verify", _event(body, expect, ask), timeout=timeout)
        return reply

    async def payout_bulk(
        self,
        payouts: Iterable[Payout],
        *,
        continue_: bool | Omitted = OMIT,
        continue_after_unknown: bool | Omitted = OMIT,
        progress: Progress | None = None,
        timeout: float | None = None,
    ) -> PayoutBulkReply:
        """As Client.payout_bulk(). The progress function runs on a thread of the client."""
        members = _list(payouts, continue_, continue_after_unknown)
        reply: PayoutBulkReply = await self.call("payout_bulk", members, progress=progress, timeout=timeout)
        return reply
