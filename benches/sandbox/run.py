"""How steady the sandbox is: `python3 benches/sandbox/run.py [PROGRAM [SECONDS [FLAG...]]]`.

Prints the encrypted calls a second of eight clients, the times of a plain GET alone, meanwhile and with 10,000 orders, and
the memory of the program. The clients are processes, so that they do not wait for each other. The flags are the sandbox's.
"""

import http.client
import json
import multiprocessing
import pathlib
import subprocess
import sys
import time

CLIENTS = 8
ORDERS = 10_000
ROOT = pathlib.Path(__file__).parents[2]


class Connection:
    def __init__(self, ready):
        self.http = http.client.HTTPConnection(ready["base_url"].removeprefix("http://"), timeout=60)
        self.headers = {"api-key": ready["public_key"], "content-type": "application/json"}

    def send(self, method, path, body=None):
        self.http.request(method, path, body, self.headers)
        answer = self.http.getresponse()
        text = answer.read()
        assert answer.status == 200, (answer.status, text)
        return text


def encrypting(ready, until, count):
    """Sends one encrypted status query after the other."""
    connection = Connection(ready)
    body = connection.send("POST", "/sandbox/encrypt", '{"reference":"ORDER-0"}')
    while time.monotonic() < until:
        connection.send("POST", "/payment/order/status", body)
        with count.get_lock():
            count.value += 1


def orders_made(ready, until):
    """Makes ten orders a second."""
    connection = Connection(ready)
    while time.monotonic() < until:
        connection.send("POST", "/sandbox/orders", json.dumps({"reference": f"MORE-{time.time_ns()}", "amount": "5"}))
        time.sleep(0.1)


def gets(ready, seconds):
    """The times of one plain GET after the other, in milliseconds, sorted."""
    connection, times, until = Connection(ready), [], time.monotonic() + seconds
    while time.monotonic() < until:
        start = time.perf_counter()
        connection.send("GET", "/payment/banks")
        times.append((time.perf_counter() - start) * 1000)
        time.sleep(0.005)
    return sorted(times)


def shown(times):
    part = [times[len(times) * percent // 100] for percent in (50, 99)]
    return f"p50 {part[0]:.2f} ms, p99 {part[1]:.2f} ms ({len(times)} calls)"


def memory(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))


def measure(ready, pid, seconds):
    connection = Connection(ready)
    before = memory(pid)
    connection.send("POST", "/sandbox/orders", '{"reference":"ORDER-0","amount":"5"}')
    print("plain GET alone:", shown(gets(ready, seconds / 2)))
    count, until = multiprocessing.Value("l", 0), time.monotonic() + seconds
    clients = [multiprocessing.Process(target=encrypting, args=(ready, until, count)) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    times = gets(ready, seconds)
    for client in clients:
        client.join()
    print(f"plain GET while {CLIENTS} clients encrypt:", shown(times))
    print(f"encrypted calls a second: {count.value / seconds:.0f}")
    connection.send("POST", "/sandbox/reset")
    for number in range(ORDERS):
        order = {"reference": f"ORDER-{number}", "amount": "5", "paid": True, "email": "ada@example.com"}
        connection.send("POST", "/sandbox/orders", json.dumps(order))
    print(f"memory: {before:.0f} MB at the start, {memory(pid):.0f} MB with {ORDERS} paid orders", end="")
    for _ in range(ORDERS):
        connection.send("GET", "/payment/banks")
    print(f", {memory(pid):.0f} MB with a full request log as well")
    paying = multiprocessing.Process(target=orders_made, args=(ready, time.monotonic() + seconds))
    paying.start()
    print(f"plain GET with {ORDERS} orders while one client makes more:", shown(gets(ready, seconds)))
    paying.join()


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/bin/paysvc-sandbox")
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    arguments = [program, "--seed", "1", "--exit-with-parent", *sys.argv[3:]]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as sandbox:
        measure(json.loads(sandbox.stdout.readline()), sandbox.pid, seconds)
        sandbox.stdin.close()


if __name__ == "__main__":
    main()
