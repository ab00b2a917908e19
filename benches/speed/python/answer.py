"""Typed answers of the Python binding: made of the JSON that the library has made of a response. No network is measured."""

from __future__ import annotations

import pickle
import sys
import threading
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer

import worker

import paysvc

text = (worker.FOLDER / f"{worker.MODE}.json").read_bytes().rstrip(b"\n")


class Service(BaseHTTPRequestHandler):
    """Gives the response to the one request for which the library makes its JSON."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass


def answered() -> paysvc.Reply:
    server = HTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.handle_request, daemon=True).start()
    url, key = f"http://127.0.0.1:{server.server_port}", worker.key_text()
    with paysvc.Client(base_url=url, public_key="public", secret_key="secret", encryption_key=key) as client:
        try:
            if worker.MODE == "payment":
                return client.order_pay(payment_option="bank-transfer", reference="R", bank_transfer={})
            return client.direct_debit_history(email_address="ada@example.com")
        except paysvc.PaysvcError as error:  # Its response is about another order; it is read as well.
            return error.reply


reply = pickle.loads(pickle.dumps(answered()))  # It has the JSON, and no response yet.


def payment() -> None:
    del vars(reply)["_read"]
    it = reply.answer.order_payment
    if it.total_amount != Decimal("100.25") or it.currency != "NGN" or it.status_id != 5:
        sys.exit("another payment")


def history() -> None:
    del vars(reply)["_read"]
    it = reply.answer
    mandates = it.direct_debit_mandates
    if it.customer_name != "Ada Lovelace" or mandates is None or mandates[499].direct_debit_id != 500:
        sys.exit("another history")


_ = reply.answer
worker.work({"payment": payment, "history": history}[worker.MODE])
