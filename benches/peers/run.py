#!/usr/bin/env python3
"""Compares what HTTP clients do in two failures, and prints a table.

Each client refunds an order twice, 10.00 and then 20.00, over one kept-alive connection. At the second refund
  - the service makes the refund and closes the connection without a response, or
  - the connection holds an unsolicited response since the first refund.
The sandbox's ledger says what was really refunded. Needs build/ (make build), libcurl's headers, and Go.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "benches/peers"


def compile_peers(folder):
    libraries = ["-I", ROOT / "build/include", ROOT / "build/lib/libpaysvc.a"]
    static = next(l for l in (ROOT / "build/lib/pkgconfig/paysvc.pc").read_text().splitlines() if l.startswith("Libs.private: "))
    subprocess.run(["cc", "-O2", HERE / "ours.c", *libraries, *static.split()[1:], "-o", folder / "ours"], check=True)
    subprocess.run(["cc", "-O2", HERE / "libcurl.c", "-lcurl", "-o", folder / "libcurl"], check=True)
    subprocess.run(["go", "build", "-o", folder / "nethttp", HERE / "nethttp.go"], check=True)
    curl = subprocess.run(["curl-config", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    go = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout.strip()
    return {
        "libpaysvc": ([folder / "ours"], []),
        curl: ([folder / "libcurl"], []),
        f"net/http of {go}": ([folder / "nethttp"], []),
        f"net/http of {go}, Idempotency-Key": ([folder / "nethttp"], ["idempotent"]),
    }


def admin(base, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(base + path, data=data)) as answer:
        return json.load(answer)


def short(told):
    """The first words and the message of a response, without the parts that change from run to run."""
    told = re.sub(r"http://[0-9.:]+", "", told)
    message = re.search(r'"message":"([^"]*)"', told)
    return f"{told.split(':')[0]}: {message.group(1)}" if message else told


def play(ready, fault, nth, command, extra):
    """Runs one client; returns what it printed for the second refund, and how many refunds of 20.00 were made."""
    base = ready["base_url"]
    admin(base, "/sandbox/reset", {})
    admin(base, "/sandbox/orders", {"reference": "ORDER-1", "amount": "1000.00", "currency": "NGN", "paid": True})
    admin(base, "/sandbox/faults", {"path": "/payment/order/refund", "fault": fault, "nth": nth})
    arguments = [base, ready["secret_key"], "ORDER-1", "10.00", "20.00", *extra]
    told = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout
    ledger = admin(base, "/sandbox/ledger")["ledger"]
    made = [entry["amount"] for entry in ledger if entry["effect"] == "refund_made"]
    return told.splitlines()[-1], made.count("20.00")


def main():
    with tempfile.TemporaryDirectory() as name:
        peers = compile_peers(pathlib.Path(name))
        command = [ROOT / "build/bin/paysvc-sandbox", "--seed", "1", "--exit-with-parent"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sandbox:
            ready = json.loads(sandbox.stdout.readline())
            print("| client | refund made, answer lost | unsolicited response |\n|---|---|---|")
            worst = 0
            for peer, (program, extra) in peers.items():
                told, times = play(ready, "commit_then_close", 2, program, extra)
                lost = f"refunded {'once' if times == 1 else f'{times} times'}; reports `{short(told)}`"
                told, times = play(ready, "late_unsolicited_response", 1, program, extra)
                stray = "takes it for the response" if "unsolicited" in told else "does not take it"
                stray += f"; reports `{short(told)}`"
                print(f"| {peer} | {lost} | {stray} |")
                worst = max(worst, times) if peer == "libpaysvc" else worst
            sandbox.stdin.close()
    return 0 if worst == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
