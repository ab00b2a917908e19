"""Requests: what the program passes, what the service receives, and the reply."""

from __future__ import annotations

import asyncio
import copy
import inspect
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from helpers import CARD, REFUSED, card
from peer import Peer

import paysvc
from paysvc._generated import KEYWORDS
from paysvc.sandbox import Sandbox


def paid(sandbox: Sandbox, reference: str, amount: str) -> None:
    sandbox.post("/sandbox/orders", {"reference": reference, "amount": amount, "paid": True})


def sent(sandbox: Sandbox) -> Any:
    return sandbox.requests()[-1]["payload"]


def test_a_debit_under_a_mandate(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "ORD-1", "amount": "2500.50"})
    mandate = client.direct_debit_create(
        recurring_payment_id=7, order_reference="ORD-1", account_number="0123456789", bank_code="044"
    ).body["data"]["mandateCode"]
    status = client.direct_debit_status(mandate_code=mandate)
    assert (status.message, status.is_active) == ("Mandate is active", True)
    assert pickle.loads(pickle.dumps(status)).is_active
    client.direct_debit_otp(mandate_code=mandate)
    otp = paysvc_sandbox.get(f"/sandbox/otp/{mandate}")["otp"]
    debit = paysvc.DirectDebitPaymentRequest(otp=otp, mandate_code=mandate, account_name="Adé", bank_code="044")
    reply = client.order_pay(payment_option="NDD", reference="ORD-1", direct_debit_payment_request=debit)
    assert (reply.status, reply.outcome, reply.state) == (
        paysvc.Status.OK,
        paysvc.Outcome.CONFIRMED,
        paysvc.State.INITIATED,
    )
    assert (reply.code, reply.http_status, reply.attempts, reply.retry_after) == ("02", 200, 1, None)
    total = reply.body["data"]["orderPayment"]["totalAmount"]
    assert total == Decimal("2538.50")
    assert isinstance(total, Decimal)
    assert type(reply.body["data"]["orderPayment"]["statusId"]) is int
    assert [entry["effect"] for entry in paysvc_sandbox.ledger()][-1] == "charge_made"


def test_a_plain_mapping_serves_as_an_object(client: paysvc.Client) -> None:
    order = {"reference": "C-1", "amount": "20"}
    reply = client.order_create(reference="C-1", paymentoption="C", country="NG", card=CARD, order=order)
    assert reply.state == paysvc.State.SUCCESSFUL


def test_a_charge_without_a_price_takes_a_word(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    wrong: Any = {"reference": "C-1", "paymentoption": "C", "country": "NG", "card": CARD}
    for forgotten in ({}, {"order": paysvc.OMIT}):
        with pytest.raises(TypeError, match="order"):
            client.order_create(**{**wrong, **forgotten})
    with pytest.raises(paysvc.ArgumentError, match="order is null: give it with its price"):
        client.order_create(**{**wrong, "order": None})
    assert paysvc_sandbox.requests() == []
    # Nobody has named a price: nothing is charged.
    with pytest.raises(paysvc.Rejected):
        client.order_create(**wrong, order=paysvc.EXISTING_ORDER)
    paysvc_sandbox.post("/sandbox/orders", {"reference": "C-1", "amount": "12.50"})
    reply = client.order_create(**wrong, order=paysvc.EXISTING_ORDER)
    assert reply.state == paysvc.State.SUCCESSFUL
    assert "order" not in sent(paysvc_sandbox)
    assert [made["amount"] for made in paysvc_sandbox.ledger() if made["effect"] == "charge_made"] == ["12.50"]


def test_an_unknown_says_first_what_it_means(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paid(paysvc_sandbox, "R-1", "20")
    paysvc_sandbox.fault("commit_then_reset", "/payment/order/refund")
    with pytest.raises(paysvc.OutcomeUnknown, match="the refund may have been made; do not repeat it: ") as caught:
        client.order_refund(reference="R-1")
    assert caught.value.message.startswith("the refund may have been made; do not repeat it: ")


def test_a_key_has_one_spelling(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    for key in ("line-7 ", " line-7", "line\u200b-7", "line-7\n"):
        with pytest.raises(ValueError, match="neither begin nor end with a blank"):
            client.order_refund(reference="R-1", idempotency_key=key)
    with pytest.raises(paysvc.ArgumentError, match="reference begins or ends with a blank"):
        client.order_refund(reference="R-1 ")
    assert paysvc_sandbox.requests() == []


def test_further_members_are_passed_on_unchanged(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    members: dict[str, Any] = {
        "customer": {"firstname": "Ada", "lastname": "L", "mobile": "+1", "country": "NG", "email": "ada@example.com"},
        "order": {"amount": Decimal("98000.00"), "reference": "O-1", "description": "rent", "currency": "NGN"},
        "payment": {"RedirectUrl": "https://till.example/done"},
    }
    reply = client.order_create(order=members.pop("order"), members=members)
    assert reply.body["data"]["order"]["amount"] == Decimal("98000.00")
    with pytest.raises(TypeError, match="country has an argument of its own"):
        client.order_create(country="NG", order=paysvc.EXISTING_ORDER, members={"country": "GH"})
    with pytest.raises(TypeError, match="refernce"):
        client.order_create(refernce="O-2")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    assert len(paysvc_sandbox.requests()) == 1


def test_an_order_is_made_of_its_objects(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    customer = paysvc.Customer(firstname="Ada", lastname="L", mobile="+1", country="NG", email="ada@example.com")
    amounts: list[str | Decimal] = ["98000.00", Decimal("98000.00")]
    for number, amount in enumerate(amounts):
        order = paysvc.Order(reference=f"O-{number}", amount=amount, currency="NGN", description="rent")
        reply = client.order_create(order=order, customer=customer)
        assert reply.answer.order is not None
        assert reply.answer.order.amount == Decimal("98000.00")
        assert sent(paysvc_sandbox)["order"] == {
            "reference": f"O-{number}", "amount": 98000, "currency": "NGN", "description": "rent"
        }  # fmt: skip


@pytest.mark.parametrize("amount", ["25.50", Decimal("25.50")])
def test_an_amount_is_text_or_decimal(client: paysvc.Client, paysvc_sandbox: Sandbox, amount: str | Decimal) -> None:
    paid(paysvc_sandbox, "R-1", "100.10")
    assert client.order_refund(reference="R-1", amount=amount).body["data"]["amount_refunded"] == "25.50"
    assert sent(paysvc_sandbox)["amount"] == "25.50"


def test_a_float_is_refused_and_named(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    wrong: Any = 25.5
    with pytest.raises(TypeError, match=r"^amount: a float is not exact"):
        client.order_refund(reference="R-1", amount=wrong)
    with pytest.raises(TypeError, match=r"^order\.amount: a float is not exact"):
        client.order_create(order={"amount": wrong})
    with pytest.raises(TypeError, match=r"^recurringPaymentId: a float is not exact"):
        client.direct_debit_create(recurring_payment_id=wrong)
    assert paysvc_sandbox.requests() == []


def test_an_int_is_no_amount(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    wrong: Any = 2550
    with pytest.raises(TypeError) as caught:
        client.order_refund(reference="R-1", amount=wrong)
    assert str(caught.value) == (
        "amount: an int is refused, because 2550 is 2550.00 and may be meant as 25.50; give text or decimal.Decimal, "
        'such as "25.50"'
    )
    for call in (
        lambda: client.call("order_refund", {"reference": "R-1", "amount": wrong}),
        lambda: client.order_create(order={"reference": "R-1", "amount": wrong}),
        lambda: client.order_status(reference="R-1").is_paid("R-1", wrong, "NGN"),
    ):
        paysvc_sandbox.reset()
        paysvc_sandbox.post("/sandbox/orders", {"reference": "R-1", "amount": "20"})
        with pytest.raises(TypeError, match="amount: an int is refused"):
            call()
        assert [entry["effect"] for entry in paysvc_sandbox.ledger()] == ["order_created"]


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


def test_a_wrong_request_is_refused_before_anything_is_sent(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    with pytest.raises(paysvc.ArgumentError) as caught:
        client.order_pay(payment_option="NDD", reference="R", direct_debit_payment_request={"mandateCode": "M"})
    error = caught.value
    assert error.errors == {"directDebitPaymentRequest.otp": "is required"}
    assert (error.outcome, error.attempts, error.http_status) == (paysvc.Outcome.NOT_SENT, 0, 0)
    assert isinstance(error, ValueError)
    assert not isinstance(error, paysvc.OutcomeUnknown)
    assert paysvc_sandbox.requests() == []


def test_call_takes_an_endpoint_by_name(client: paysvc.Client) -> None:
    assert client.call("virtual_account_generate", {"Alias": "a"}).outcome == paysvc.Outcome.CONFIRMED
    wrong: Any
    for wrong in ("order_steal", "client_free"):
        with pytest.raises(paysvc.OutcomeUnknown, match="function is not a known name"):
            client.call(wrong, {})
    for wrong in ("order_refund\0", None):
        with pytest.raises(TypeError, match="the name of a function must be a str"):
            client.call(wrong, {"reference": "R"})


def test_request_by_its_path(client: paysvc.Client) -> None:
    banks = client.request(method="GET", path="/payment/banks", key="public")
    assert banks.outcome == paysvc.Outcome.CONFIRMED
    with pytest.raises(paysvc.Rejected, match="There is no endpoint /payment/currencies"):
        client.request(method="GET", path="/payment/currencies", key="public")
    with pytest.raises(paysvc.ArgumentError, match="encrypt"):
        client.request(method="POST", path="/payment/order/pay", key="public", body={})


def test_a_connection_is_made_ahead(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    reply = client.warm()
    assert (reply.status, reply.outcome, reply.attempts) == (paysvc.Status.OK, paysvc.Outcome.NOT_SENT, 0)
    assert paysvc_sandbox.requests() == []
    with paysvc.Client(base_url="http://127.0.0.1:1") as closed:
        with pytest.raises(paysvc.TransportError, match="the next request makes its own") as caught:
            closed.warm(timeout=5)
        assert caught.value.outcome == paysvc.Outcome.NOT_SENT
        cancelled = paysvc.Call()
        cancelled.cancel()
        with pytest.raises(paysvc.Cancelled):
            closed.warm(call=cancelled)


def test_encryption_alone(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    assert len(client.encrypt({"reference": "R"}).body["data"]) > 300
    with pytest.raises(paysvc.EncryptError):
        client.encrypt({"long": "x" * 600})
    assert paysvc_sandbox.requests() == []


def test_the_environment_configures_a_client(paysvc_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("base_url", "public_key"):
        monkeypatch.setenv(f"PAYSVC_{name.upper()}", paysvc_sandbox.config[name])
    with paysvc.Client.from_env() as client:
        assert client.transaction_details.__doc__
        assert client.direct_debit_history(email_address="none@example.com").body["hasExistingDebitMandate"] is False
        with pytest.raises(paysvc.ConfigError, match="secret_key is not configured"):
            client.order_refund(reference="R")


def test_a_wrong_configuration_names_the_member() -> None:
    with pytest.raises(paysvc.ConfigError, match="base_url"):
        paysvc.Client(base_url="ftp://example.com")
    with pytest.raises(TypeError, match="base_uri"):
        paysvc.Client(base_uri="http://127.0.0.1")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def test_names_of_files_may_be_paths(tmp_path: Path) -> None:
    with Sandbox("--tls") as sandbox:
        config = {**sandbox.config, "ca_file": Path(sandbox.config["ca_file"])}
        with paysvc.Client(**config) as client:
            assert client.banks().outcome == paysvc.Outcome.CONFIRMED
    with pytest.raises(paysvc.ConfigError, match="client_cert_file"):
        paysvc.Client(base_url="https://127.0.0.1:1", client_cert_file=tmp_path / "x", client_key_file=tmp_path / "x")


def test_neither_clients_nor_tokens_are_copied(client: paysvc.Client) -> None:
    for made in (client, paysvc.Call()):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=rf"paysvc\.{type(made).__name__} cannot be copied or pickled"):
                copied(made)


def test_a_token_is_a_token(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    wrong: Any = object()
    with pytest.raises(TypeError, match=r"call must be a paysvc\.Call, not object"):
        client.order_refund(reference="R", call=wrong)
    assert paysvc_sandbox.requests() == []


TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_a_trace_goes_on_at_the_service(peer: Peer) -> None:
    def answer() -> list[str]:
        found = []
        for _ in range(3):
            exchange = peer.next()
            found.append(exchange.text)
            exchange.answer()
        return found

    async def task() -> None:
        async with paysvc.AsyncClient(**peer.config) as client:
            await client.call("banks", {"paymentmethod": "card"}, traceparent=TRACE)

    with paysvc.Client(**peer.config) as client, ThreadPoolExecutor() as threads:
        answering = threads.submit(answer)
        client.banks(paymentmethod="card", call=paysvc.Call(traceparent=TRACE))
        client.banks(paymentmethod="card")
        asyncio.run(task())
        assert [f"traceparent: {TRACE}\r\n" in text for text in answering.result()] == [True, False, True]
    for malformed in ("", "00", TRACE.upper(), f"{TRACE}-", f"{TRACE}\0", TRACE.replace("b", "é")):
        with pytest.raises(ValueError, match="traceparent must be four parts"):
            paysvc.Call(traceparent=malformed)
    wrong: Any = 7
    with pytest.raises(TypeError, match="traceparent must be str, not int"):
        paysvc.Call(traceparent=wrong)


def test_a_wrong_prefix_says_what_a_prefix_is() -> None:
    for prefix in ("TILL 7", "x" * 33, "a/b", "a\0", "é"):
        with pytest.raises(ValueError, match=r'a prefix has at most 32 letters, digits, "-", "_" and "\."; .* is none'):
            paysvc.reference_new(prefix)
    wrong: Any = 7
    with pytest.raises(TypeError, match="prefix must be str, not int"):
        paysvc.reference_new(wrong)


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


def test_a_member_of_two_endpoints_has_one_spelling(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    # As in order_pay, and as the interface writes it here.
    orders: list[dict[str, object]] = [{"reference": f"C-{number}", "amount": "20"} for number in (1, 2)]
    client.order_create(reference="C-1", payment_option="C", country="NG", card=CARD, order=orders[0])
    client.order_create(reference="C-2", paymentoption="C", country="NG", card=CARD, order=orders[1])
    payloads = [request["payload"] for request in paysvc_sandbox.requests()]
    assert [list(payload) for payload in payloads] == [["reference", "paymentoption", "country", "card", "order"]] * 2
    assert [payload["paymentoption"] for payload in payloads] == ["C", "C"]
    with pytest.raises(TypeError, match="payment_option and paymentoption are the same field; give one of them"):
        client.order_create(payment_option="C", paymentoption="C", order=paysvc.EXISTING_ORDER)


def test_no_repr_message_or_traceback_has_a_secret(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    refused = card(REFUSED)
    assert repr(refused) == "<Card: cardnumber, expirymonth, expiryyear, cvv>"
    order = {"reference": "C-2", "amount": "20"}
    with pytest.raises(paysvc.Rejected) as caught:
        client.order_create(reference="C-2", paymentoption="C", country="NG", card=refused, order=order)
    shown = "".join(map(str, caught.traceback)) + repr(caught.value) + str(caught.value) + repr(client)
    # Some tools show the variables of each frame too. The first frame is this test's own.
    for entry in caught.traceback[1:]:
        shown += repr(entry.frame.f_locals)
    for secret in (REFUSED, CARD["cvv"], *paysvc_sandbox.config.values()):
        assert secret not in shown


def shown_by_tools(call: Callable[[], object]) -> str:
    """The variables of the package's frames, as tools show them that report errors."""
    ours = Path(paysvc.__file__).parent
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return "".join(repr(entry.frame.f_locals) for entry in caught.traceback if ours in Path(entry.path).parents)


def test_no_variable_of_ours_shows_a_secret(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    """Also if the program gives plain mappings."""
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


def test_both_clients_have_every_endpoint_with_the_same_arguments() -> None:
    for name in (*KEYWORDS, "request"):
        threads = inspect.signature(getattr(paysvc.Client, name))
        tasks = inspect.signature(getattr(paysvc.AsyncClient, name))
        assert [p for p in threads.parameters.values() if p.name != "call"] == list(tasks.parameters.values())
        assert inspect.iscoroutinefunction(getattr(paysvc.AsyncClient, name))
