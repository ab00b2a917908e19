"""A client for certify: it repeats nothing and follows no redirect. CLIENT_KEY and CLIENT_HOST replace its own."""

import http.client
import json
import os
from urllib.parse import urlsplit

BASE, PUBLIC, SECRET = (os.environ[f"PAYSVC_{name}"] for name in ("BASE_URL", "PUBLIC_KEY", "SECRET_KEY"))
TASK, REFERENCE, AMOUNT, CURRENCY, CARD = (
    os.environ[f"CERTIFY_{name}"] for name in ("TASK", "REFERENCE", "AMOUNT", "CURRENCY", "CARD")
)
KEY, HOST = os.environ.get("CLIENT_KEY"), os.environ.get("CLIENT_HOST", urlsplit(BASE).netloc)


def send(path, body, key=None):
    connection = http.client.HTTPConnection(urlsplit(BASE).netloc, timeout=60)
    headers = {"content-type": "application/json", "host": HOST, **({"api-key": KEY or key} if key else {})}
    connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    return answer.status, json.loads(text) if text.startswith(b"{") else {}


def encrypted(members):
    return send("/sandbox/encrypt", members)[1]


def paid():
    status, answer = send("/payment/order/verify", {"reference": REFERENCE}, SECRET)
    data = answer.get("data") or {}
    as_ordered = float(data.get("orderAmount", 0)) == float(AMOUNT) and data.get("currencyName") == CURRENCY
    return True if status == 200 and data["statusId"] == 5 and as_ordered else "unknown"


def charge():
    card = {"cardnumber": CARD, "expirymonth": "01", "expiryyear": "39", "cvv": "193"}
    order = {"reference": REFERENCE, "amount": AMOUNT, "currency": CURRENCY}
    body = {"paymentoption": "C", "country": "NG", "card": card, "order": order}
    send("/payment/order/create", encrypted(body), PUBLIC)
    return paid()


def refund():
    send("/payment/order/refund", {"reference": REFERENCE}, SECRET)
    return "unknown"


task = {"charge": charge, "refund": refund}.get(TASK, paid)
send("/sandbox/certify/result", {"reference": REFERENCE, "paid": task()})
