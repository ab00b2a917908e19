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
from paysvc.webhooks import Begin, Store, WSGIApp

TEXT = (PROJECT / ".." / ".." / "docs" / "webhooks.md").read_text()
BLOCKS = [part.split("```")[0] for part in TEXT.split("```python\n")[1:]]
#: Each begins with the name of its file.
FILES = {block.split("\n")[0][len("# ") :]: block for block in BLOCKS}
# It says that ASGIApp is the same.
FILES["asgi_app.py"] = FILES["wsgi_app.py"].replace("WSGI", "ASGI").replace("paysvc.Client", "paysvc.AsyncClient")

UVICORN = """
import uvicorn
from {} import {} as app
config = uvicorn.Config(app, port=0, log_level="warning")
socket = config.bind_socket()
socket.listen()  # before the port is told: nothing that comes meanwhile is refused
print(socket.getsockname()[1], flush=True)
uvicorn.Server(config).run(sockets=[socket])
"""

#: The command that starts the server of each framework; each prints its port.
SERVERS = {
    "fastapi_app.py": UVICORN.format("fastapi_app", "app"),
    "asgi_app.py": UVICORN.format("asgi_app", "application"),
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
    assert len(BLOCKS) == len(FILES) - 1, "that of ASGIApp is made"


def progress(sandbox: Sandbox, deliveries: int) -> list[list[int]]:
    """The statuses answered to each of these deliveries, when all have ended."""
    deadline = time.monotonic() + WAIT
    while True:
        found: list[dict[str, Any]] = sandbox.get("/sandbox/webhooks")["deliveries"]
        if len(found) == deliveries and all(one["progress"] in ("delivered", "failed") for one in found):
            return [[attempt.get("status") for attempt in one["attempts"]] for one in found]
        assert time.monotonic() < deadline, found


#: A server's program runs this first: settled orders are written down, after a first failure.
BEFORE = """
import shop
settle, fails = shop.settle, True
def told(reference, reply):
    global fails
    if fails:
        fails = False
        raise RuntimeError("the database is down")
    settle(reference, reply)
    print("settled", reference, sorted(shop.paid), file=open("settled", "a"), flush=True)
shop.settle = told
"""


@contextmanager
def running(arguments: list[str], folder: Path, sandbox: Sandbox) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, **variables(sandbox.config)}
    with (folder / "log").open("w") as log:
        command, pipe = [sys.executable, *arguments], subprocess.PIPE
        with subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=log, text=True) as program:
            try:
                yield program
            finally:
                program.kill()


def pay(sandbox: Sandbox) -> None:
    """Pays an order, of which the sandbox sends an event."""
    with paysvc.Client(**sandbox.config) as client:
        order = paysvc.Order(reference="ORDER-1", amount="600.00", currency="NGN", description="tea")
        client.order_create(reference="ORDER-1", payment_option="C", country="NG", card=card(), order=order)


def line_of(program: subprocess.Popen[str], folder: Path) -> str:
    assert program.stdout is not None
    return program.stdout.readline().strip() or pytest.fail((folder / "log").read_text())


@pytest.mark.parametrize("name", SERVERS)
def test_a_program_settles_what_the_service_tells_it_of(name: str, folder: Path, paysvc_sandbox: Sandbox) -> None:
    with running(["-c", BEFORE + SERVERS[name]], folder, paysvc_sandbox) as program:
        sender = Sender(int(line_of(program, folder)), "/webhooks/payments")
        # Its handler fails at first: the event is sent again.
        paysvc_sandbox.post("/sandbox/webhooks", {"url": sender.url, "attempts": 3, "retry_ms": 10})
        pay(paysvc_sandbox)
        answers = [[500, 200]]
        assert progress(paysvc_sandbox, 1) == answers
        paysvc_sandbox.post("/sandbox/webhooks", {"attempts": 1})
        # The same again, a forged one, and one about an order that nobody knows yet.
        changed = {"order": "ORDER-1", "change": {"orderAmount": "1.00"}}
        for event, status in (({"order": "ORDER-1"}, 200), (changed, 200), ({"order": "ORDER-9"}, 503)):
            paysvc_sandbox.post("/sandbox/webhooks/forge", event)
            answers.append([status])
            assert progress(paysvc_sandbox, len(answers)) == answers
        assert [sender.post(body).status for body in (b"{", b" " * 262144)] == [400, 400]
        refused = sender.send("GET", None)
        assert (refused.status, "POST" in refused.headers["allow"]) == (405, True)
        if name in ("fastapi_app.py", "django_urls.py"):
            assert sender.post(b" " * 262145).status == 413
        else:  # These answer before they read the body.
            assert sender.post(b"", **{"content-length": "262145"}).status == 413
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


@pytest.mark.parametrize("agrees", [True, False])
def test_a_card_that_needs_its_holder_is_paid_when_the_holder_agrees(
    folder: Path, paysvc_sandbox: Sandbox, agrees: bool
) -> None:
    if not agrees:
        (folder / "checkout.py").write_text(FILES["checkout.py"].replace("timeout=30.0", "timeout=1.0"))
    with running(["-W", "error", "checkout.py"], folder, paysvc_sandbox) as program:
        page = line_of(program, folder).partition("send the browser to ")[2]
        assert [entry["effect"] for entry in paysvc_sandbox.ledger()] == ["order_created"]
        if agrees:
            agree(page)
        assert line_of(program, folder).startswith("paid" if agrees else "not known, do not charge again: ")
    effects = [entry["effect"] for entry in paysvc_sandbox.ledger()]
    assert effects == ["order_created", "charge_made"][: 1 + agrees]


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
