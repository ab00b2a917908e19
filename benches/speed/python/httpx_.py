"""httpx and cryptography: one client."""

from __future__ import annotations

import ssl

import httpx
import key
import worker

trust = ssl.create_default_context(cafile=worker.BUNDLE)
client = httpx.Client(verify=trust, headers=worker.HEADERS, timeout=worker.TIMEOUT, trust_env=False)
public = key.load(worker.key_text())
order = worker.card()


def step() -> None:
    answer = client.post(worker.BASE_URL + "/payment/order/create", json=key.seal(public, order))
    worker.check(answer.status_code, answer.json())


worker.work(step)
