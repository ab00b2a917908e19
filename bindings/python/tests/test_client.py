"""Requests: what the program passes, what the service receives, and the reply."""

from __future__ import annotations

import asyncio
import copy
import inspect
import pickle
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from helpers import CARD, card
from peer import Peer

import paysvc
from paysvc import _generated
from paysvc._generated import KEYWORDS, OPERATIONS
from paysvc._values import Members
from paysvc.sandbox import Sandbox


def paid(sandbox: Sandbox, reference: str, amount: str) -> None:
    sandbox.post("/sandbox/orders", {"reference": reference, "amount": amount, "paid": True})


def sent(sandbox: Sandbox) -> Any:
    return sandbox.requests()[-1]["payload"]


OF_REQUEST = ("method", "path", "key", "query", "headers", "body", "encrypt", "read_only")


def test_every_argument_goes_to_its_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both clients have the same arguments, except for the token that cancels."""
    seen: list[Any] = []

    def call(_client: object, name: str, members: Any, **options: Any) -> None:
        seen.append((name, dict(members), options))

    async def coroutine(*arguments: Any, **options: Any) -> None:
        call(*arguments, **options)

    monkeypatch.setattr(paysvc.Client, "call", call)
    monkeypatch.setattr(paysvc.AsyncClient, "call", coroutine)
    functions = {**KEYWORDS, **OPERATIONS, "request": dict(zip(OF_REQUEST, OF_REQUEST)), "check": {}, "warm": {}}
    for name, keywords in functions.items():
        signatures = []
        for of in (paysvc.Client, paysvc.AsyncClient):
            method = getattr(object.__new__(of), name)
            known = inspect.signature(method).parameters
            options = {it: object() for it in ("timeout", "call", "idempotency_key", "progress") if it in known}
            values: dict[str, Any] = {field: f"its {field}" for field in keywords}
            if name == "resolve":
                del values["interval_ms"]
            if name == "payout_bulk":
                values["payoutDetails"] = ["its payoutDetails"]
            first = [values[next(iter(keywords))]] if name in OPERATIONS else []
            made = method(*first, **{keywords[it]: values[it] for it in list(values)[len(first) :]}, **options)
            if of is paysvc.AsyncClient:
                asyncio.run(made)
            assert seen.pop() == ({"check": "client_check", "warm": "client_warm"}.get(name, name), values, options)
            signatures.append([it for it in known.values() if it.name != "call"])
        assert signatures[0] == signatures[1]


def test_every_argument_of_an_object_goes_to_its_field() -> None:
    classes = [of for of in vars(_generated).values() if isinstance(of, type) and of.__base__ is Members]
    assert len(classes) == 11
    for of in classes:
        names = {*inspect.signature(of).parameters} - {"members", "bankcode"}
        made = of(**{name: f"its {name}" for name in names})
        assert {field.lower(): value for field, value in made.items()} == {
            name.replace("_", ""): f"its {name}" for name in names
        }


def test_every_setting_goes_to_its_field(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    names = {*inspect.signature(paysvc.Client).parameters} - {"timeout", "connect_timeout", "store"}
    settings: dict[str, Any] = {name: f"its {name}" for name in names}
    for of in (paysvc.Client, paysvc.AsyncClient):
        monkeypatch.setattr(of, "_open", lambda _client, config: seen.append(dict(config)))
        of(**settings)
        of(timeout=1, connect_timeout=2)
        assert seen == [settings, {"timeout_ms": 1000, "connect_timeout_ms": 2000}]
        seen.clear()


def test_an_amount_is_text_or_decimal(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paid(paysvc_sandbox, "R-1", "100.10")
    customer = paysvc.Customer(firstname="Ada", lastname="L", mobile="+1", country="NG", email="ada@example.com")
    amounts: list[str | Decimal] = ["25.50", Decimal("25.50")]
    for amount in amounts:
        client.order_refund(reference="R-1", amount=amount)
        assert sent(paysvc_sandbox)["amount"] == "25.50"
        order = paysvc.Order(reference=f"O-{type(amount)}", amount=amount, currency="NGN", description="rent")
        client.order_create(order=order, customer=customer)
        assert sent(paysvc_sandbox)["order"] == {**order, "amount": 25.5}
    assert paysvc.Order(reference="O", amount=Decimal("1E+2"))["amount"] == "100"


def test_a_float_and_an_int_are_no_amounts(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    wrong: Any = 25.5
    cents: Any = 2550
    no_int = "an int is refused, because 2550 is 2550.00 and may be meant as 25.50; give text or decimal.Decimal, such"
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: client.order_refund(reference="R-1", amount=wrong), "amount: a float is not exact"),
        (lambda: client.order_create(order={"amount": wrong}), "order.amount: a float is not exact"),
        (lambda: client.direct_debit_create(recurring_payment_id=wrong), "recurringPaymentId: a float is not exact"),
        (lambda: client.order_refund(reference="R-1", amount=cents), f'amount: {no_int} as "25.50"'),
        (lambda: client.call("order_refund", {"amount": cents}), f"amount: {no_int}"),
        (lambda: client.order_create(order={"amount": cents}), f"order.amount: {no_int}"),
    ]
    for call, message in calls:
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value).startswith(message)
    assert paysvc_sandbox.requests() == []


def test_further_members_are_passed_on_unchanged(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    members = {"payment": {"RedirectUrl": "https://till.example/done"}}
    order = {"amount": Decimal("98000.00"), "reference": "O-1", "description": "rent", "currency": "NGN"}
    customer = {"firstname": "Ada", "lastname": "L", "mobile": "+1", "country": "NG", "email": "ada@example.com"}
    client.order_create(order=order, customer=customer, members=members)
    assert sent(paysvc_sandbox)["payment"] == members["payment"]
    with pytest.raises(TypeError, match="country has an argument of its own"):
        client.order_create(country="NG", order=paysvc.EXISTING_ORDER, members={"country": "GH"})
    assert len(paysvc_sandbox.requests()) == 1


def test_a_charge_without_a_price_takes_a_word(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    wrong: Any = {"reference": "C-1", "paymentoption": "C", "country": "NG", "card": CARD}
    for forgotten in ({}, {"order": paysvc.OMIT}):
        with pytest.raises(TypeError, match="order"):
            client.order_create(**{**wrong, **forgotten})
    with pytest.raises(paysvc.ArgumentError, match="order is null: give it with its price"):
        client.order_create(**{**wrong, "order": None})
    assert paysvc_sandbox.requests() == []
    paysvc_sandbox.post("/sandbox/orders", {"reference": "C-1", "amount": "12.50"})
    reply = client.order_create(**wrong, order=paysvc.EXISTING_ORDER)
    assert reply.state == paysvc.State.SUCCESSFUL
    assert "order" not in sent(paysvc_sandbox)
    assert [made["amount"] for made in paysvc_sandbox.ledger() if made["effect"] == "charge_made"] == ["12.50"]
    # The payment option has a spelling of order_pay, too, which another test gives.
    assert sent(paysvc_sandbox)["paymentoption"] == "C"
    with pytest.raises(TypeError, match="payment_option and paymentoption are the same field; give one of them"):
        client.order_create(**wrong, payment_option="C", order=paysvc.EXISTING_ORDER)


def test_none_leaves_out_what_changes_nothing_about_a_payment(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paid(paysvc_sandbox, "R-1", "20")
    client.order_refund(reference="R-1", reason=None, amount="5")
    assert sent(paysvc_sandbox) == {"reference": "R-1", "amount": "5"}
    order = paysvc.Order(reference="C-1", amount="20", description=None)
    client.order_create(
        reference="C-1", payment_option="C", country=None, card=CARD, order=order, customer=None, payment=None
    )
    assert sent(paysvc_sandbox).keys() == {"reference", "paymentoption", "card", "order"}
    made = len(paysvc_sandbox.requests())
    nothing: Any = None
    for call in (
        lambda: client.order_create(order=order, card=nothing),
        lambda: client.order_create(order=paysvc.Order(reference="C-2", amount="20", currency=nothing)),
        lambda: paysvc.Client(journal=nothing, base_url="http://127.0.0.1:9"),
        lambda: paysvc.Client(public_key=nothing, base_url="http://127.0.0.1:9"),
    ):
        with pytest.raises((paysvc.ArgumentError, paysvc.ConfigError), match="null"):
            call()
    assert len(paysvc_sandbox.requests()) == made
    paysvc.Client(timeout=None, timeout_ms=None, ca_file=None, base_url="http://127.0.0.1:9").close()


def test_a_missing_amount_never_becomes_a_full_refund(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paid(paysvc_sandbox, "R-2", "100.10")
    nothing: Any = None
    with pytest.raises(paysvc.ArgumentError) as caught:
        client.order_refund(reference="R-2", amount=nothing)
    assert "not null" in caught.value.errors["amount"]
    assert [entry["effect"] for entry in paysvc_sandbox.ledger()] == ["order_created", "charge_made"]
    assert client.order_refund(reference="R-2", amount=paysvc.OMIT).body["data"]["amount_refunded"] == "100.10"


def test_call_takes_an_endpoint_by_name(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    assert client.call("virtual_account_generate", {"Alias": "a"}).outcome == paysvc.Outcome.CONFIRMED
    assert client.encrypt({"a": "b"}).body["data"]
    wrong: Any = "order_steal"
    with pytest.raises(paysvc.OutcomeUnknown, match="function is not a known name"):
        client.call(wrong, {})
    for wrong in ("order_refund\0", None):
        with pytest.raises(TypeError, match="the name of a function must be a str"):
            client.call(wrong, {"reference": "R"})
    wrong = object()
    with pytest.raises(TypeError, match=r"call must be a paysvc\.Call, not object"):
        client.order_refund(reference="R", call=wrong)
    assert len(paysvc_sandbox.requests()) == 1


def test_neither_clients_nor_tokens_are_copied(client: paysvc.Client) -> None:
    for made in (client, paysvc.Call()):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=rf"paysvc\.{type(made).__name__} cannot be copied or pickled"):
                copied(made)


TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


async def test_a_trace_goes_on_at_the_service(peer: Peer) -> None:
    async with paysvc.AsyncClient(**peer.config) as client:
        task = asyncio.ensure_future(client.call("banks", {"paymentmethod": "card"}, traceparent=TRACE))
        exchange = await peer.next_async()
        exchange.answer()
        await task
    assert f"traceparent: {TRACE}\r\n" in exchange.text
    for malformed in ("00", f"{TRACE}\0", TRACE.replace("b", "é")):
        with pytest.raises(ValueError, match="traceparent must be four parts"):
            paysvc.Call(traceparent=malformed)
    wrong: Any = 7
    with pytest.raises(TypeError, match="traceparent must be str, not int"):
        paysvc.Call(traceparent=wrong)


def test_a_closed_client_says_so(paysvc_sandbox: Sandbox) -> None:
    with paysvc.Client(**paysvc_sandbox.config) as client:
        assert repr(client) == "<paysvc.Client open>"
    assert repr(client) == "<paysvc.Client closed>"
    client.close()
    with pytest.raises(paysvc.Cancelled, match="this client is closed; nothing was sent") as caught:
        client.order_refund(reference="R")
    assert (caught.value.outcome, caught.value.request) == (paysvc.Outcome.NOT_SENT, {"reference": "R"})
    with pytest.raises(paysvc.OutcomeUnknown):  # The order that is asked about may have been paid.
        client.order_wait("R")


def test_a_client_that_was_refused_or_not_closed_says_so(paysvc_sandbox: Sandbox) -> None:
    refused = paysvc.Client.__new__(paysvc.Client)
    with pytest.raises(paysvc.ConfigError):
        paysvc.Client.__init__(refused, base_url="nowhere")
    assert repr(refused) == "<paysvc.Client closed>"
    for of in (paysvc.Client, paysvc.AsyncClient):
        clients: list[object] = [of(**paysvc_sandbox.config)]
        with pytest.warns(ResourceWarning, match=rf"<paysvc\.{of.__name__} open> was never closed"):
            clients.clear()


def shown_by_tools(call: Callable[[], object]) -> str:
    """The error, and the variables of the package's frames, as tools show them that report errors."""
    ours = Path(paysvc.__file__).parent
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    frames = [entry.frame.f_locals for entry in caught.traceback if ours in Path(entry.path).parents]
    return f"{frames}{caught.value}{caught.value!r}"


def test_no_variable_of_ours_shows_a_secret(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    """Also if the program gives plain mappings."""
    assert repr(card()) == "<Card: cardnumber, expirymonth, expiryyear, cvv>"
    config, wrong = paysvc_sandbox.config, 1.5

    def on_a_task() -> None:
        async def main() -> None:
            async with paysvc.AsyncClient(**config) as other:
                await other.order_pay_authorize(order_payment_reference="P", otp="482913")

        asyncio.run(main())

    shown = "".join(map(shown_by_tools, [
        lambda: client.order_create(reference="C", paymentoption="C", card={**CARD}, order={"amount": wrong}),
        lambda: client.order_pay(reference="C", payment_option="C", card={**CARD}, members={"pin": "482913"}),
        lambda: client.call("order_create", {"reference": "C", "card": CARD, "order": {"reference": "C"}}),
        lambda: client.order_pay_authorize(order_payment_reference="P", otp="482913"),
        lambda: paysvc.Client(**{**config, "base_url": "nowhere"}),
        on_a_task,
    ]))  # fmt: skip
    assert "order_create" in shown
    for secret in (CARD["cardnumber"], CARD["cvv"], "482913", config["secret_key"], config["public_key"]):
        assert f"'{secret}'" not in shown
