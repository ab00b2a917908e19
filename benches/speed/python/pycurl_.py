"""pycurl and cryptography: one handle."""

from __future__ import annotations

import io
import json

import key
import pycurl
import worker

curl = pycurl.Curl()
curl.setopt(pycurl.URL, worker.BASE_URL + "/payment/order/create")
curl.setopt(pycurl.CAINFO, worker.BUNDLE)
curl.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in worker.HEADERS.items()])
curl.setopt(pycurl.TIMEOUT, worker.TIMEOUT)
curl.setopt(pycurl.NOSIGNAL, 1)
public = key.load(worker.key_text())
order = worker.card()


def step() -> None:
    answer = io.BytesIO()
    curl.setopt(pycurl.POSTFIELDS, json.dumps(key.seal(public, order)))
    curl.setopt(pycurl.WRITEDATA, answer)
    curl.perform()
    worker.check(curl.getinfo(pycurl.RESPONSE_CODE), json.loads(answer.getvalue()))


worker.work(step)
