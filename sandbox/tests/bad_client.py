"""A client that makes every mistake that `paysvc-sandbox certify` looks for."""

import base64
import json
import os
import subprocess
import tempfile
import urllib.request
from urllib.error import HTTPError

BASE, PUBLIC, SECRET = (os.environ[f"PAYSVC_{name}"] for name in ("BASE_URL", "PUBLIC_KEY", "SECRET_KEY"))
SCENARIO, TASK, REFERENCE, AMOUNT, CURRENCY, CARD, EVENT, RESULT_URL = (
    os.environ[f"CERTIFY_{name}"]
    for name in ("SCENARIO", "TASK", "REFERENCE", "AMOUNT", "CURRENCY", "CARD", "EVENT", "RESULT_URL")
)


def send(url, body=None, key=None, timeout=60):
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", **({"api-key": key} if key else {})}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=timeout) as answer:
            return json.load(answer)
    except HTTPError as error:
        if error.code == 307:
            # Sends key and card wherever the redirect points, once.
            return send(error.headers["location"], body, key) if url.startswith(BASE) else {"status": "success"}
        return {"status": "failed", "http": error.code}


def encrypted(members):
    with urllib.request.urlopen(BASE + "/sandbox/key.pem", timeout=60) as answer, tempfile.NamedTemporaryFile() as pem:
        pem.write(answer.read())
        pem.flush()
        command = ["openssl", "pkeyutl", "-encrypt", "-pubin", "-inkey", pem.name]
        block = subprocess.run(command, input=json.dumps(members).encode(), stdout=subprocess.PIPE, check=True)
    return {"data": base64.b64encode(block.stdout).decode()}


def card_payment():
    card = {"cardnumber": CARD, "expirymonth": "01", "expiryyear": "39", "cvv": "193"}
    order = {"reference": REFERENCE, "amount": AMOUNT, "currency": CURRENCY}
    return {"reference": REFERENCE, "paymentoption": "C", "country": "NG", "card": card, "order": order}


def charge():
    url, body = BASE + "/payment/order/create", card_payment()
    if SCENARIO == "plain_body":
        return send(url, body, PUBLIC)["status"] == "success"
    if SCENARIO == "secrets_in_the_open":
        url += f"?cardnumber={CARD}"
    for _ in range(2):
        try:
            answer = send(url, encrypted(body), PUBLIC, timeout=5 if SCENARIO == "no_answer" else 60)
        except OSError:
            continue
        if answer["status"] == "success":
            return True
    return False


def check():
    while True:
        answer = send(BASE + "/payment/order/verify", {"reference": REFERENCE}, SECRET)
        if answer.get("statusCode") == "00":
            return True


def wait():
    for _ in range(50):
        send(BASE + "/payment/order/verify", {"reference": REFERENCE}, SECRET)
    return True


def refund():
    return send(BASE + "/payment/order/refund", {"reference": REFERENCE}, PUBLIC)["status"] == "success"


def webhook():
    return json.loads(EVENT)["data"]["status"] == "Successful"


send(RESULT_URL, {"reference": REFERENCE, "paid": globals()[TASK]()})
