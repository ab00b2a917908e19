"""The Python binding of libpaysvc."""

from __future__ import annotations

import sys

import worker

import paysvc

client = paysvc.Client(
    base_url=worker.BASE_URL,
    public_key="PUBLICKEY-BENCH",
    encryption_key=worker.key_text(),
    ca_file=str(worker.FOLDER / "ca.pem"),
    connection_reuse="all",
    timeout_ms=worker.TIMEOUT * 1000,
)
order = worker.card()
card = paysvc.Card(**order["card"])


def step() -> None:
    reply = client.order_create(
        reference=order["reference"],
        paymentoption=order["paymentoption"],
        country=order["country"],
        card=card,
        order=paysvc.EXISTING_ORDER,
    )
    if reply.state is not paysvc.State.SUCCESSFUL:
        sys.exit(reply.message)


worker.work(step)
