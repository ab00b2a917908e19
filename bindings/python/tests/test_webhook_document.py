"""The programs of docs/webhooks.md as they are written, behind their frameworks' servers, with the sandbox's events."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from helpers import PROJECT, card
from servers import WAIT, Sender, wsgi
from test_programs import variables

import paysvc
from paysvc.sandbox import Sandbox
from paysvc.webhooks import Begin, Receiver, Store, WSGIApp

TEXT = (PROJECT / ".." / ".." / "docs" / "webhooks.md").read_text()
BLOCKS = [part.split("```")[0] for part in TEXT.split("```python\n")[1:]]
#: Each begins with the name of its file.
FILES = {block.split("\n")[0][len("# ") :]: block for block in BLOCKS}

#: How the server of each framework is started; each prints its port.
SERVERS = {
    "fastapi_app.py": """
import uvicorn
from fastapi_app import app
config = uvicorn.Config(app, port=0, log_level="warning")
socket = config.bind_socket()
socket.listen()  # before the port is told: nothing that comes meanwhile is refused
print(socket.getsockname()[1], flush=True)
uvicorn.Server(config).run(sockets=[socket])
""",
    "flask_app.py": """
from flask_app import app
from werkzeug.serving import make_server
server = make_server("127.0.0.1", 0, app, threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
""",
    # As a new project is configured: with the check of the forms' tokens, and with slashes that are appended.
    "django_urls.py": """
from django.conf import settings
middleware = ["common.CommonMiddleware", "csrf.CsrfViewMiddleware"]
settings.configure(
    ROOT_URLCONF="django_urls", ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="tests", APPEND_SLASH=True,
    MIDDLEWARE=[f"django.middleware.{name}" for name in middleware],
)
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
server.set_app(get_wsgi_application())
print(server.server_port, flush=True)
server.serve_forever()
""",
    "wsgi_app.py": """
from wsgiref.simple_server import make_server
from wsgi_app import application
server = make_server("127.0.0.1", 0, application)
print(server.server_port, flush=True)
server.serve_forever()
""",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, block in FILES.items():
        (tmp_path / name).write_text(block)
    return tmp_path


def test_each_block_is_known() -> None:
    """One that is added needs a test."""
    assert sorted(FILES) == sorted([*SERVERS, "checkout.py", "polling.py", "shop.py", "store.py"])
    assert len(BLOCKS) == len(FILES)


def progress(sandbox: Sandbox, deliveries: int) -> list[list[int]]:
    """How each of these deliveries was answered, when all have ended."""
    deadline = time.monotonic() + WAIT
    while True:
        found: list[dict[str, Any]] = sandbox.get("/sandbox/webhooks")["deliveries"]
        if len(found) == deliveries and all(one["progress"] in ("delivered", "failed") for one in found):
            return [[attempt.get("status") for attempt in one["attempts"]] for one in found]
        assert time.monotonic() < deadline, found


#: What a server's program does before: what is settled is written down, at the first time after a failure.
BEFORE = """
import shop
settle, fails = shop.settle, {fails}
def told(reference, reply):
    global fails
    if fails:
        fails -= 1
        raise RuntimeError("the database is down")
    settle(reference, reply)
    print("settled", reference, sorted(shop.paid), file=open("settled", "a"), flush=True)
shop.settle = told
"""


@contextmanager
def served(name: str, folder: Path, sandbox: Sandbox, fails: int = 0) -> Iterator[Sender]:
    """Runs the program behind its server; the handler fails so many times at first."""
    with (folder / "log").open("w") as log, subprocess.Popen(
        [sys.executable, "-c", BEFORE.format(fails=fails) + SERVERS[name]],
        cwd=folder,
        env={**os.environ, **variables(sandbox.config)},
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    ) as running:
        try:
            assert running.stdout is not None
            port = running.stdout.readline()
            assert port, (folder / "log").read_text()
            yield Sender(int(port), "/webhooks/payments")
        finally:
            running.kill()


def pay(sandbox: Sandbox, reference: str = "ORDER-1", amount: str = "600.00") -> None:
    """Pays an order, of which the sandbox sends an event."""
    with paysvc.Client(**sandbox.config) as client:
        order = paysvc.Order(reference=reference, amount=amount, currency="NGN", description="tea")
        client.order_create(reference=reference, payment_option="C", country="NG", card=card(), order=order)


@pytest.mark.parametrize("name", SERVERS)
def test_a_program_settles_what_the_service_tells_it_of(name: str, folder: Path, paysvc_sandbox: Sandbox) -> None:
    with served(name, folder, paysvc_sandbox) as sender:
        paysvc_sandbox.post("/sandbox/webhooks", {"url": sender.url, "duplicates": 2})
        pay(paysvc_sandbox)
        assert progress(paysvc_sandbox, 3) == [[200]] * 3
        paysvc_sandbox.post("/sandbox/webhooks", {"duplicates": 0})
        for forged in ({"order": "ORDER-1", "change": {"orderAmount": "1.00"}}, {"order": "ORDER-9"}):
            paysvc_sandbox.post("/sandbox/webhooks/forge", forged)
        assert progress(paysvc_sandbox, 5) == [*[[200]] * 4, [503]]  # Nobody knows ORDER-9 yet.
        assert sender.post(b"{").status == 400
        assert sender.send("GET", None).status == 405
        if name in ("fastapi_app.py", "django_urls.py"):
            assert sender.post(b" " * 262145).status == 413
        else:  # These answer before they read the body.
            assert sender.post(b"", **{"content-length": "262145"}).status == 413
    assert (folder / "settled").read_text() == "settled ORDER-1 ['ORDER-1']\n"


@pytest.mark.parametrize("name", SERVERS)
def test_a_program_is_sent_again_what_its_handler_could_not_handle(
    name: str, folder: Path, paysvc_sandbox: Sandbox
) -> None:
    with served(name, folder, paysvc_sandbox, fails=1) as sender:
        paysvc_sandbox.post("/sandbox/webhooks", {"url": sender.url, "attempts": 3, "retry_ms": 10})
        pay(paysvc_sandbox)
        assert progress(paysvc_sandbox, 1) == [[500, 200]]
    assert (folder / "settled").read_text() == "settled ORDER-1 ['ORDER-1']\n"
    log = (folder / "log").read_text()
    assert "ERROR:paysvc:an event about 'ORDER-1' was not handled: key order-5-" in log
    assert "RuntimeError: the database is down" in log


@pytest.fixture
def load(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Imports a program of the document into this process."""
    monkeypatch.syspath_prepend(folder)
    yield importlib.import_module
    for name in FILES:
        sys.modules.pop(name[: -len(".py")], None)


def test_the_store_of_the_document_gives_each_event_to_one(
    load: Callable[[str], Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = load("store").DatabaseStore
    path = str(folder / "events.db")
    with ThreadPoolExecutor(8) as threads:  # Each with a store of its own, as in processes.
        begun = list(threads.map(lambda _: made(path).begin("k"), range(40)))
    assert sorted(one.name for one in begun) == ["BUSY"] * 39 + ["HANDLE"]
    store: Store = made(path)
    store.failed("k")
    assert [store.begin("k"), store.begin("k")] == [Begin.HANDLE, Begin.BUSY]
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 301)  # Who had begun it is dead.
    assert [made(path).begin("k"), store.begin("k")] == [Begin.HANDLE, Begin.BUSY]
    store.done("k")
    store.failed("k")  # It comes too late, from whom was taken for dead.
    monkeypatch.setattr(time, "time", lambda: now + 9999)
    assert [made(path).begin("k"), store.begin("other")] == [Begin.DONE, Begin.HANDLE]


def test_two_receivers_with_the_store_of_the_document_handle_an_event_once(
    load: Callable[[str], Any], folder: Path, paysvc_sandbox: Sandbox
) -> None:
    pay(paysvc_sandbox)
    body: str = paysvc_sandbox.get("/sandbox/webhooks")["deliveries"][-1]["body"]
    handled: list[paysvc.Reply] = []
    for _ in range(2):
        store = load("store").DatabaseStore(str(folder / "events.db"))
        receiver = Receiver(paysvc.Client(**paysvc_sandbox.config), handled.append, store=store)
        assert receiver.handle(body)[0] == 200
    assert len(handled) == 1


def test_polling_settles_what_no_event_has_settled(
    load: Callable[[str], Any], paysvc_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in variables(paysvc_sandbox.config).items():
        monkeypatch.setenv(name, text)
    pay(paysvc_sandbox)
    load("polling").poll(["ORDER-9", "ORDER-1"])
    assert load("shop").paid == {"ORDER-1"}


def agree(page: str) -> None:
    """The holder of the card agrees."""
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(page, timeout=WAIT) as answer:
        assert answer.status == 200


@contextmanager
def checkout(folder: Path, sandbox: Sandbox) -> Iterator[tuple[str, Callable[[], str]]]:
    """Runs the program; gives the page to which it sends the browser, and what returns its last line."""
    with subprocess.Popen(
        [sys.executable, "-W", "error", "checkout.py"],
        cwd=folder,
        env={**os.environ, **variables(sandbox.config)},
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        assert line.startswith("send the browser to "), line
        yield line.split()[-1], running.stdout.read


def test_a_card_that_needs_its_holder_is_paid_when_the_holder_agrees(folder: Path, paysvc_sandbox: Sandbox) -> None:
    with checkout(folder, paysvc_sandbox) as (page, rest):
        assert [entry["effect"] for entry in paysvc_sandbox.ledger()] == ["order_created"]
        agree(page)
        assert rest() == "paid\n"
    assert [entry["effect"] for entry in paysvc_sandbox.ledger()] == ["order_created", "charge_made"]


def test_a_card_whose_holder_does_not_agree_is_not_charged_again(folder: Path, paysvc_sandbox: Sandbox) -> None:
    program = FILES["checkout.py"].replace("timeout=30.0", "timeout=1.0")
    (folder / "checkout.py").write_text(program)
    with checkout(folder, paysvc_sandbox) as (_, rest):
        assert rest().startswith("not known, do not charge again: ")
    assert [entry["effect"] for entry in paysvc_sandbox.ledger()] == ["order_created"]


def test_an_event_settles_an_order_whose_holder_agrees(
    load: Callable[[str], Any], client: paysvc.Client, paysvc_sandbox: Sandbox
) -> None:
    shop, program = load("shop"), load("checkout")
    with wsgi(WSGIApp(client, shop.handle)) as sender:
        paysvc_sandbox.post("/sandbox/webhooks", {"url": sender.url})
        reply = program.begin(client, "ORDER-1")
        assert (reply.state, shop.paid) == (paysvc.State.PENDING, set())
        agree(reply.body["data"]["paymentDetail"]["redirectUrl"])
        assert progress(paysvc_sandbox, 1) == [[200]]
    assert shop.paid == {"ORDER-1"}
    asked = len(paysvc_sandbox.requests())
    program.end(client, "ORDER-1", reply.attempts)  # It is settled: nothing is asked.
    assert len(paysvc_sandbox.requests()) == asked
