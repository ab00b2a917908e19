"""Runs paysvc-sandbox, the simulated payments service, as a child process, for tests and experiments."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

NAME = "paysvc-sandbox.exe" if sys.platform == "win32" else "paysvc-sandbox"


class SandboxNotFound(RuntimeError):
    """The program paysvc-sandbox was not found."""


def find() -> str:
    """The path of paysvc-sandbox.

    PAYSVC_SANDBOX, else that of the installed package paysvc-sandbox, else built in a parent folder, else on the PATH.
    """
    given = os.environ.get("PAYSVC_SANDBOX")
    if given:
        if not Path(given).is_file():
            raise SandboxNotFound(f"PAYSVC_SANDBOX names {given}, which does not exist")
        return given
    with suppress(ModuleNotFoundError):  # It is not a dependency of this package.
        installed: str = importlib.import_module("paysvc_sandbox").path()
        return installed
    found = next((str(file) for file in _built() if file.is_file()), None) or shutil.which(NAME)
    if found is None:
        raise SandboxNotFound(
            f"{NAME} was not found: install it with pip install 'paysvc[sandbox]', set PAYSVC_SANDBOX to its path, "
            "put it on the PATH, or run make build in libpaysvc"
        )
    return found


def _built() -> Iterator[Path]:
    """The places where a checkout of libpaysvc has it."""
    if folder := os.environ.get("CARGO_TARGET_DIR"):
        yield from (Path(folder, name, NAME) for name in ("release", "debug"))
    for start in (Path.cwd(), Path(__file__).resolve().parent):
        for parent in (start, *start.parents):
            yield from (parent / name / NAME for name in ("build/bin", "target/release", "target/debug"))


class Sandbox:
    """A running sandbox. It ends with `close()`, with the with statement, or with this process.

    `config` has the arguments for a client: `Client(**sandbox.config)`.
    """

    def __init__(self, *arguments: str) -> None:
        """Starts the sandbox on a free port; the arguments are options of paysvc-sandbox, e.g. "--tls"."""
        command = [find(), "--listen", "127.0.0.1:0", "--exit-with-parent", *arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError(f"{command[0]} ended before it was ready: exit status {self._process.wait()}")
            #: The arguments for a client of this sandbox.
            self.config: dict[str, Any] = {name: text for name, text in json.loads(line).items() if text is not None}
            trust = ssl.create_default_context(cafile=self.config.get("ca_file"))
            # Never through a proxy.
            proxies = urllib.request.ProxyHandler({})
            self._opener = urllib.request.build_opener(proxies, urllib.request.HTTPSHandler(context=trust))
        except BaseException:
            self.close()
            raise

    def get(self, path: str) -> Any:
        """Calls the sandbox's admin interface, e.g. get("/sandbox/state")."""
        return self._send("GET", path, None)

    def post(self, path: str, members: Mapping[str, object] | None = None) -> Any:
        """Calls the admin interface, e.g. post("/sandbox/orders", {"reference": "ORDER-1", "amount": "20"})."""
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
        """Adds a fault rule, for the next request to the path; rule members such as nth=2 say otherwise.

        For example fault("commit_then_reset", "/payment/order/refund").
        """
        self.post("/sandbox/faults", {"fault": fault, "path": path, **rule})

    def ledger(self) -> list[dict[str, Any]]:
        """The service's actual effects, in order. They show whether anybody was charged twice."""
        found: list[dict[str, Any]] = self.get("/sandbox/ledger")["ledger"]
        return found

    def requests(self) -> list[dict[str, Any]]:
        """The requests it received, with secrets masked."""
        found: list[dict[str, Any]] = self.get("/sandbox/requests")["requests"]
        return found

    def reset(self) -> None:
        """Deletes all state and faults, but keeps the keys."""
        self._send("DELETE", "/sandbox/faults", None)
        self.post("/sandbox/reset")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
