"""What the measurements share: folders, payloads, certificates, the server, and which core runs what."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BUILD = ROOT / "build/bench"
FOLDER = BUILD / "stage"
DELAY_MS = 20
CORES = sorted(os.sched_getaffinity(0))
#: Sequential work: client and server share a core, so that no figure depends on the communication between cores.
ONE = {CORES[-1]}
#: 64 threads: the client has one core, the server the other.
OTHER = {CORES[0]}

SYSTEM_ROOTS = Path("/etc/ssl/certs/ca-certificates.crt")


@dataclass
class Server:
    pid: int
    url: str
    delayed_url: str

    def command(self, program: list[str], mode: str, delayed: bool = False) -> list[str]:
        """A program of the benchmark, which calls the port of that kind."""
        return [*program, mode, self.delayed_url if delayed else self.url, str(FOLDER)]

    def pin(self, cores: set[int]) -> None:
        """Pins all its threads; later ones inherit it."""
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread), cores)


def environment() -> dict[str, str]:
    """The environment of every program: the library in build/, and no proxy or setting that affects a peer."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().endswith("_PROXY")}
    kept = {name: value for name, value in kept.items() if not name.startswith(("PAYSVC_", "SSL_CERT_", "PYTHON"))}
    return kept | {
        "LD_LIBRARY_PATH": str(ROOT / "build/lib"),
        "PKG_CONFIG_PATH": str(ROOT / "build/lib/pkgconfig"),
        "PAYSVC_LIBRARY": str(ROOT / "build/lib/libpaysvc.so"),
        "PYTHONPATH": str(ROOT / "bindings/python/src"),
        # Bytecode is cached, as for an installed package, but outside of the source tree.
        "PYTHONPYCACHEPREFIX": str(BUILD / "pycache"),
    }


def payloads() -> None:
    vector = json.loads((ROOT / "tests/vectors/rsa4096.json").read_text())
    plain = {"reference": "ORDER-20260101-000001", "amount": "100.10", "reason": ""}
    plain["reason"] = ("one item of the order was returned by the customer; " * 14)[: 700 - len(compact(plain))]
    card = {"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"}
    order = {"reference": "ORDER-20260101-000001", "paymentoption": "C", "country": "NG", "card": card}
    assert len(compact(plain)) == 700
    payment = {
        "orderId": 1001, "orderPaymentReference": "ORDER-20260101-000001", "currency": "NGN", "statusId": 5,
        "orderPaymentResponseCode": "00", "orderPaymentResponseMessage": "Approved", "orderPaymentInstrument": None,
        "remarks": "Order payment completed", "totalAmount": 100.25, "fee": 1.5,
    }  # fmt: skip
    detail = {"redirectUrl": None, "recipientAccount": "0123456789", "paymentReference": "PAY-1", "cardToken": None}
    data = {"paymentDetail": detail, "bankTransferDetails": None, "orderPayment": payment}
    paid = {"data": data, "status": "success", "statusCode": "00", "message": "Order payment completed"}
    mandates = [
        {"accountNumber": "0123456789", "bankName": "Example Bank", "directDebitId": 1 + number,
         "dateCreated": "2026-01-31T09:30:00.000Z", "bankCode": "044"}
        for number in range(500)
    ]  # fmt: skip
    history = {"customerName": "Ada Lovelace", "hasExistingDebitMandate": True, "directDebitMandates": mandates}
    assert 66_000 < len(compact(history)) < 68_000
    (FOLDER / "payment.json").write_text(compact(paid) + "\n")
    (FOLDER / "history.json").write_text(compact(history) + "\n")
    (FOLDER / "key.txt").write_text(vector["encryption_key"] + "\n")
    (FOLDER / "plain.json").write_text(compact(plain) + "\n")
    (FOLDER / "card.json").write_text(compact(order) + "\n")


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


@contextlib.contextmanager
def server(program: Path) -> Iterator[Server]:
    """The server, its certificate authority, and the bundle with the roots that libpaysvc trusts, for the peers."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    payloads()
    command = [str(program), str(FOLDER), str(DELAY_MS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ports = json.loads(process.stdout.readline())
        roots = SYSTEM_ROOTS.read_text() if SYSTEM_ROOTS.exists() else ""
        (FOLDER / "bundle.pem").write_text(roots + (FOLDER / "ca.pem").read_text())
        urls = [f"https://127.0.0.1:{ports[name]}" for name in ("port", "delayed_port")]
        try:
            yield Server(process.pid, *urls)
        finally:
            process.stdin.close()


def roots() -> int:
    return (FOLDER / "bundle.pem").read_text().count("BEGIN CERTIFICATE")
