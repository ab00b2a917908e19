"""The outcome in errors, and which except clause catches them."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from peer import Peer

import paysvc
from paysvc import Outcome, State, Status
from paysvc._errors import error_of
from paysvc._library import library
from paysvc._numbers import member


def test_an_error_has_everything_of_its_reply(peer: Peer) -> None:
    peer.replies('{"status":false,"message":"busy"}', "x-request-id: its-7", "retry-after: 2", status=429)
    with paysvc.Client(**peer.config, max_attempts=1) as client, pytest.raises(paysvc.RateLimited) as caught:
        client.order_refund(reference="R-1")
    error, reply = caught.value, caught.value.reply
    public = [name for name in dir(paysvc.Reply) if not name.startswith("_") and not hasattr(dict, name)]
    assert len(public) > 15
    for name in set(public) - {"local", "is_paid", "why_not_paid"}:
        assert getattr(error, name) == getattr(reply, name), name
    assert (bool(error.call_id), error.request_id, error.retry_after) == (True, "its-7", 2.0)
    assert isinstance(error.answer, paysvc.OrderRefundAnswer)
    assert not error.is_paid("R-1", "*", "*")
    assert error.why_not_paid("R-1", "*", "*") == reply.why_not_paid("R-1", "*", "*") != ""
    assert pickle.loads(pickle.dumps(error)).reply == reply


def reply_with(status: Status, outcome: Outcome) -> paysvc.Reply:
    text = '{"status":false,"errors":{"otp":"is wrong"}}'
    return paysvc.Reply(status=status, outcome=outcome, text=text, message="so it is", retry_after=1.5)


#: They sound as if the request had not been executed.
DENIALS = (
    paysvc.Rejected, ValueError, paysvc.ConfigError, paysvc.EncryptError, paysvc.Unauthorized, paysvc.RateLimited
)  # fmt: skip


def test_every_status_has_a_class_that_no_unknown_outcome_is_denied_by() -> None:
    for status in set(Status) - {Status.OK}:
        unknown = error_of(reply_with(status, Outcome.UNKNOWN))
        assert isinstance(unknown, paysvc.OutcomeUnknown)
        assert not isinstance(unknown, DENIALS)
        known = error_of(reply_with(status, Outcome.REJECTED if status == Status.REJECTED else Outcome.NOT_SENT))
        assert not isinstance(known, paysvc.OutcomeUnknown)
        of: type[paysvc.PaysvcError] = type(known)
        if status in (Status.UNRESOLVED, Status.KEY_REUSED):  # They come with no other outcome.
            assert of is paysvc.PaysvcError
            of = type(unknown)
        assert of.__name__.removesuffix("Error").upper() == status.name.replace("_", "")
        # `except Timeout` catches it with either outcome.
        assert isinstance(unknown, of) == (not issubclass(of, DENIALS))


def test_rejected_is_never_caught_with_another_outcome() -> None:
    for outcome in (Outcome.NOT_SENT, Outcome.CONFIRMED, Outcome.UNKNOWN, member(Outcome, 9)):
        assert not isinstance(error_of(reply_with(Status.REJECTED, outcome)), paysvc.Rejected)
    assert isinstance(error_of(reply_with(Status.REJECTED, Outcome.REJECTED)), paysvc.Rejected)


def test_errors_survive_a_process_boundary() -> None:
    for status in Status:
        for outcome in Outcome:
            error = error_of(reply_with(status, outcome), "order_pay", {"reference": "R"}, 2)
            error.charged = False
            for twin in (*(pickle.loads(pickle.dumps(error, protocol)) for protocol in range(6)), copy.deepcopy(error)):
                assert (type(twin), vars(twin), str(twin)) == (type(error), vars(error), str(error))
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
