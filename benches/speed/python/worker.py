"""What every Python program of the benchmark does; see c/worker.h."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

MODE, BASE_URL = sys.argv[1], sys.argv[2]
FOLDER = Path(sys.argv[3])
BUNDLE = str(FOLDER / "bundle.pem")
TIMEOUT = 30
HEADERS = {"api-key": "PUBLICKEY-BENCH", "content-type": "application/json", "accept": "application/json"}


def card() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / "card.json").read_text())
    return loaded


def key_text() -> str:
    return (FOLDER / "key.txt").read_text().strip()


def check(http_status: int, answer: Any) -> None:
    """HTTP 200, a success envelope, and a payment that is successful; a benchmark of failing calls measures nothing."""
    if http_status != 200 or answer["status"] != "success" or answer["data"]["orderPayment"]["statusId"] != 5:
        sys.exit(f"HTTP {http_status}: {answer}")


def work(step: Callable[[], None]) -> None:
    """One call for the connection; then so many as standard input says, until its end."""
    step()
    if MODE == "first":
        return
    for line in sys.stdin:
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        for _ in range(int(line)):
            step()
        print(time.perf_counter_ns() - wall, time.process_time_ns() - cpu, flush=True)


async def work_async(step: Callable[[], Awaitable[None]]) -> None:
    """The same with coroutines, each of which is waited for."""
    await step()
    for line in sys.stdin:
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        for _ in range(int(line)):
            await step()
        print(time.perf_counter_ns() - wall, time.process_time_ns() - cpu, flush=True)
