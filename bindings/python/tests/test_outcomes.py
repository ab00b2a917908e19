"""The outcome in errors, and which except clause catches them."""

from __future__ import annotations

import copy
import json
import pickle
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from peer import Peer

import paysvc
from paysvc import Outcome, State, Status
from paysvc._errors import error_of
from paysvc._generated import DENIALS
from paysvc._library import library
from paysvc._numbers import member
from paysvc.sandbox import Sandbox

REFUND = "/payment/order/refund"


def test_the_refund_was_made_and_the_answer_lost(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R-1", "amount": "20", "paid": True})
    paysvc_sandbox.fault("commit_then_reset", REFUND)
    with pytest.raises(paysvc.OutcomeUnknown) as caught:
        client.order_refund(reference="R-1")
    assert isinstance(caught.value, paysvc.TransportError)
    assert (caught.value.outcome, caught.value.attempts) == (Outcome.UNKNOWN, 1)
    assert [entry["effect"] for entry in paysvc_sandbox.ledger()].count("refund_made") == 1


def test_an_error_has_everything_of_its_reply(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.fault("refused", REFUND)
    with pytest.raises(paysvc.Rejected) as caught:
        client.order_refund(reference="R-1")
    error, reply = caught.value, caught.value.reply
    public = [name for name in dir(paysvc.Reply) if not name.startswith("_") and not hasattr(dict, name)]
    assert len(public) > 15
    for name in set(public) - {"local", "is_paid", "why_not_paid"}:
        assert getattr(error, name) == getattr(reply, name), name
    assert error.call_id
    assert isinstance(error.answer, paysvc.OrderRefundAnswer)
    assert not error.is_paid("R-1", "*", "*")
    assert error.why_not_paid("R-1", "*", "*") == reply.why_not_paid("R-1", "*", "*") != ""
    assert pickle.loads(pickle.dumps(error)).reply == reply


def test_the_number_that_the_service_gave_to_a_request(peer: Peer, caplog: pytest.LogCaptureFixture) -> None:
    def answer() -> None:
        peer.next().answer_text('{"status":false,"message":"refused"}', "x-request-id: its-7")

    with paysvc.Client(**peer.config) as client, ThreadPoolExecutor() as threads:
        answering = threads.submit(answer)
        with pytest.raises(paysvc.Rejected) as caught:
            client.order_refund(reference="R-1")
        answering.result()
    assert caught.value.request_id == caught.value.reply.request_id == "its-7"
    assert vars(caplog.records[-1])["request_id"] == "its-7"


@pytest.mark.parametrize(
    ("fault", "kind", "outcome"),
    [
        ("status_500", paysvc.ServerError, Outcome.UNKNOWN),
        ("status_408", paysvc.Timeout, Outcome.UNKNOWN),
        ("html_200", paysvc.ResponseError, Outcome.UNKNOWN),
        ("empty_200", paysvc.ResponseError, Outcome.UNKNOWN),
        ("redirect_same", paysvc.ResponseError, Outcome.UNKNOWN),
        ("unauthorized", paysvc.Unauthorized, Outcome.REJECTED),
        ("failed_then_success", paysvc.Rejected, Outcome.REJECTED),
    ],
)
def test_each_failure_has_its_class(
    client: paysvc.Client, paysvc_sandbox: Sandbox, fault: str, kind: type[paysvc.PaysvcError], outcome: Outcome
) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R-2", "amount": "20", "paid": True})
    paysvc_sandbox.fault(fault, REFUND)
    with pytest.raises(kind) as caught:
        client.order_refund(reference="R-2")
    assert caught.value.outcome == outcome
    assert isinstance(caught.value, paysvc.OutcomeUnknown) == (outcome == Outcome.UNKNOWN)
    assert len(paysvc_sandbox.requests()) == 1


def test_a_429_says_when_to_try_again(paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.fault("status_429_retry_after", REFUND)
    client = paysvc.Client(**paysvc_sandbox.config, max_attempts=1)
    with client, pytest.raises(paysvc.RateLimited) as caught:
        client.order_refund(reference="R-3")
    assert (caught.value.retry_after, caught.value.http_status) == (1.0, 429)


def test_a_request_that_was_not_sent_may_be_repeated() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    client = paysvc.Client(base_url=f"http://127.0.0.1:{port}", secret_key="s", max_attempts=1)
    with client, pytest.raises(paysvc.TransportError) as caught:
        client.order_refund(reference="R-4")
    assert caught.value.outcome == Outcome.NOT_SENT
    assert not isinstance(caught.value, paysvc.OutcomeUnknown)


@pytest.mark.parametrize("fault", ["deep_nesting", "huge_number"])
def test_an_answer_that_python_cannot_parse_has_its_outcome(
    client: paysvc.Client, paysvc_sandbox: Sandbox, fault: str
) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R-5", "amount": "20", "paid": True})
    paysvc_sandbox.fault(fault, REFUND)
    reply = client.order_refund(reference="R-5")
    assert reply.outcome == Outcome.CONFIRMED
    assert reply
    assert '"amount_refunded"' in reply.text
    if fault == "huge_number":
        assert reply.body["data"]["reference"] == "R-5"
    else:
        with pytest.raises(ValueError, match="nested too deeply"):
            _ = reply.body


def reply_with(status: Status, outcome: Outcome) -> paysvc.Reply:
    text = '{"status":false,"errors":{"otp":"is wrong"}}'
    return paysvc.Reply(status=status, outcome=outcome, text=text, message="so it is", retry_after=1.5)


#: Statuses that come with no other outcome.
ALWAYS_UNKNOWN = (Status.UNRESOLVED, Status.KEY_REUSED)


def _proved(status: Status) -> Outcome:
    return Outcome.REJECTED if status == Status.REJECTED else Outcome.NOT_SENT


@pytest.mark.parametrize("status", [it for it in Status if it not in (Status.OK, *ALWAYS_UNKNOWN)])
def test_every_status_has_a_class_of_its_own(status: Status) -> None:
    plain, unknown = (error_of(reply_with(status, outcome)) for outcome in (_proved(status), Outcome.UNKNOWN))
    assert type(plain) not in (paysvc.PaysvcError, paysvc.Abandoned)
    assert isinstance(unknown, paysvc.OutcomeUnknown)
    # A class that sounds as if the request had not been executed is not a class of an unknown outcome.
    assert isinstance(unknown, type(plain)) == (status not in DENIALS)


def test_rejected_is_never_caught_with_another_outcome() -> None:
    for outcome in (Outcome.NOT_SENT, Outcome.CONFIRMED, Outcome.UNKNOWN, member(Outcome, 9)):
        assert not isinstance(error_of(reply_with(Status.REJECTED, outcome)), paysvc.Rejected)
    assert isinstance(error_of(reply_with(Status.REJECTED, Outcome.REJECTED)), paysvc.Rejected)


@pytest.mark.parametrize("status", [*ALWAYS_UNKNOWN, Status.JOURNAL])
def test_what_the_journal_answers_denies_nothing(status: Status) -> None:
    denials = (paysvc.Rejected, paysvc.ArgumentError, ValueError, paysvc.ConfigError, paysvc.Unauthorized)
    unknown = error_of(reply_with(status, Outcome.UNKNOWN))
    assert isinstance(unknown, paysvc.OutcomeUnknown)
    assert not isinstance(unknown, denials)
    not_sent = error_of(reply_with(status, Outcome.NOT_SENT))
    assert type(not_sent) is (paysvc.JournalError if status == Status.JOURNAL else paysvc.PaysvcError)


@pytest.mark.parametrize("outcome", list(Outcome))
@pytest.mark.parametrize("status", list(Status))
def test_errors_survive_a_process_boundary(status: Status, outcome: Outcome) -> None:
    error = error_of(reply_with(status, outcome), "order_pay", {"reference": "R"}, 2)
    error.charged = False
    for twin in (*(pickle.loads(pickle.dumps(error, protocol)) for protocol in range(6)), copy.deepcopy(error)):
        assert (type(twin), vars(twin), str(twin)) == (type(error), vars(error), str(error))
        assert isinstance(twin, paysvc.OutcomeUnknown) == (outcome == Outcome.UNKNOWN)
        assert (twin.outcome, twin.retry_after, twin.errors) == (outcome, 1.5, {"otp": "is wrong"})


def test_an_outcome_is_its_name_in_comparisons_logs_json_and_copies() -> None:
    error = error_of(reply_with(Status.TIMEOUT, Outcome.UNKNOWN))
    assert error.outcome == "UNKNOWN"
    assert error.outcome != "NOT_SENT"
    assert f"{error.outcome}{error.outcome:>8} {error.status!s}" == "UNKNOWN UNKNOWN TIMEOUT"
    assert f"{error.outcome} %s" % error.state == "UNKNOWN NONE"
    assert json.dumps({"outcome": error.outcome}) == '{"outcome": "UNKNOWN"}'
    assert (Outcome("UNKNOWN"), Outcome.UNKNOWN.number) == (Outcome.UNKNOWN, 3)
    assert {"UNKNOWN": 1}[error.outcome] == 1
    # As a program compares the service's own statusId, on either side.
    for state in State:
        for number in range(9):
            same = state.number == number
            assert ((state == number), (number == state), (state != number), (number != state)) == (
                same, same, not same, not same
            )  # fmt: skip
    for twin in (copy.deepcopy(error.outcome), pickle.loads(pickle.dumps(error.outcome))):
        assert twin is Outcome.UNKNOWN


def test_numbers_that_this_version_does_not_know() -> None:
    assert (member(Status, 77).name, member(State, 12).number) == ("NUMBER_77", 12)
    assert pickle.loads(pickle.dumps(member(State, 12))) is member(State, 12)
    assert not any(member(Outcome, 9) == outcome for outcome in Outcome)
    error = error_of(reply_with(member(Status, 77), Outcome.REJECTED))
    assert type(error) is paysvc.PaysvcError
    # An outcome that this version does not know is caught as OutcomeUnknown.
    assert isinstance(error_of(reply_with(member(Status, 77), member(Outcome, 9))), paysvc.OutcomeUnknown)
    text: Any = "text"
    with pytest.raises(ValueError, match="text"):
        Status(text)


def test_a_call_without_a_reply_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the library had no memory for one."""
    with paysvc.Client(base_url="http://127.0.0.1:9", secret_key="s") as client:
        monkeypatch.setattr(library, "paysvc_invoke", lambda *_: Status.INTERNAL.number)
        with pytest.raises(paysvc.OutcomeUnknown) as caught:
            client.order_refund(reference="R-6")
    assert caught.value.outcome == Outcome.UNKNOWN
