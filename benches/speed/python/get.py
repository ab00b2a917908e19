"""A small GET with the Python binding of libpaysvc, from a thread or from asyncio."""

from __future__ import annotations

import asyncio

import worker

import paysvc

config = {
    "base_url": worker.BASE_URL,
    "secret_key": "SECRETKEY-BENCH",
    "ca_file": str(worker.FOLDER / "ca.pem"),
    "timeout_ms": worker.TIMEOUT * 1000,
}


async def in_asyncio() -> None:
    async with paysvc.AsyncClient(**config) as client:

        async def step() -> None:
            assert (await client.payout_balance(currency="NGN")).answer.available_balance

        await worker.work_async(step)


def in_threads() -> None:
    with paysvc.Client(**config) as client:

        def step() -> None:
            assert client.payout_balance(currency="NGN").answer.available_balance

        worker.work(step)


asyncio.run(in_asyncio()) if worker.MODE == "async" else in_threads()
