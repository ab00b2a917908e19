"""The simulated payments service as a process of this program's own, for tests and for trying things out."""

from __future__ import annotations

import json
import os
import shutil
import ssl
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.error import HTTPError

NAME = "paysvc-sandbox"
_PLACES = ("build/bin", "target/release", "target/debug")


class SandboxNotFound(RuntimeError):
    """There is no paysvc-sandbox to start."""


def find() -> str:
    """The sandbox's program: PAYSVC_SANDBOX, built in a folder above here, or on the PATH, in this order."""
    given = os.environ.get("PAYSVC_SANDBOX")
    if given:
        if not Path(given).is_file():
            raise SandboxNotFound(f"PAYSVC_SANDBOX names {given}, which is not there")
        return given
    for place in _places():
        if (place / NAME).is_file():
            return str(place / NAME)
    found = shutil.which(NAME)
    if found is None:
        raise SandboxNotFound(
            f"no {NAME}: let PAYSVC_SANDBOX name it, put it on the PATH, or run make build in a checkout of libpaysvc"
        )
    return found


def _places() -> Iterator[Path]:
    folder = os.environ.get("CARGO_TARGET_DIR")
    if folder:
        yield from (Path(folder, "release"), Path(folder, "debug"))
    for start in (Path.cwd(), Path(__file__).resolve().parent):
        for above in (start, *start.parents):
            yield from (above / place for place in _PLACES)


class Sandbox:
    """A running sandbox, ended by `close()`, by the with statement, or with this process.

    `config` holds the arguments of a client: `Client(**sandbox.config)`.
    """

    def __init__(self, *arguments: str) -> None:
        """Starts it on a free port; further arguments as its README tells, e.g. "--tls"."""
        command = [find(), "--listen", "127.0.0.1:0", "--exit-with-parent", *arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError(f"{command[0]} ended before it was ready: exit status {self._process.wait()}")
            #: The arguments of a client that fits it.
            self.config: dict[str, Any] = {name: text for name, text in json.loads(line).items() if text is not None}
            trust = ssl.create_default_context(cafile=self.config.get("ca_file"))
            # Never through a proxy.
            proxies = urllib.request.ProxyHandler({})
            self._opener = urllib.request.build_opener(proxies, urllib.request.HTTPSHandler(context=trust))
        except BaseException:
            self.close()
            raise

    def get(self, path: str) -> Any:
        """An admin call, e.g. get("/sandbox/state")."""
        return self._send("GET", path, None)

    def post(self, path: str, members: Mapping[str, object] | None = None) -> Any:
        """An admin call, e.g. post("/sandbox/orders", {"reference": "ORDER-1", "amount": "20"})."""
        return self._send("POST", path, members or {})

    def _send(self, method: str, path: str, members: Mapping[str, object] | None) -> Any:
        body = None if members is None else json.dumps(members).encode()
        request = urllib.request.Request(self.config["base_url"] + path, body, method=method)
        request.add_header("content-type", "application/json")
        try:
            with self._opener.open(request, timeout=60) as answer:
                return json.loads(answer.read())
        except HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from None

    def fault(self, fault: str, path: str, **rule: object) -> None:
        """The next request of that path meets a fault: fault("commit_then_reset", "/payment/order/refund", nth=2)."""
        self.post("/sandbox/faults", {"fault": fault, "path": path, **rule})

    def ledger(self) -> list[dict[str, Any]]:
        """What the service really did, in order: was anybody charged twice?"""
        found: list[dict[str, Any]] = self.get("/sandbox/ledger")["ledger"]
        return found

    def requests(self) -> list[dict[str, Any]]:
        """The requests that came, masked."""
        found: list[dict[str, Any]] = self.get("/sandbox/requests")["requests"]
        return found

    def reset(self) -> None:
        """Forgets everything but the keys, faults included."""
        self._send("DELETE", "/sandbox/faults", None)
        self.post("/sandbox/reset")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
