"""Builds every program of the benchmark."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from stage import BUILD, HERE, ROOT, environment

C = HERE / "c"
BIN = BUILD / "bin"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
CURRENT = "current libcurl"


def run(*command: str | Path, cwd: Path = ROOT, **more: str) -> str:
    done = subprocess.run(command, cwd=cwd, env=environment() | more, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return done.stdout.strip()


def server() -> Path:
    """A build of its own, so that it does not affect the features of the library; in the environment of `make build`,
    so that the dependencies are not built again."""
    command = ["cargo", "build", "--release", "--locked", "--quiet", "-p", "paysvc-bench"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        sys.exit("failed: the benchmark's server cannot be built")
    return TARGET / "release/bench-server"


def ours() -> Path:
    """Our C program, against the shared library."""
    BIN.mkdir(parents=True, exist_ok=True)
    library = [f"-I{ROOT / 'build/include'}", f"-L{ROOT / 'build/lib'}", "-lpaysvc"]
    run("cc", "-O2", C / "worker.c", C / "ours.c", *library, "-lpthread", "-o", BIN / "ours")
    return BIN / "ours"


def launch() -> Path:
    run("cc", "-O2", C / "worker.c", C / "launch.c", "-lpthread", "-o", BIN / "launch")
    return BIN / "launch"


def libcurl() -> Path:
    """The peer with the libcurl of the system."""
    link("libcurl", [], ["-lcurl"])
    return BIN / "libcurl"


def link(name: str, before: list[str], libraries: list[str]) -> None:
    sources = [C / "worker.c", C / "rsa.c", C / "libcurl.c"]
    run("cc", "-O2", *before, *sources, "-o", BIN / name, *libraries, "-lcjson", "-lcrypto", "-lpthread")


def current_libcurl() -> Path | None:
    """The same program with a current libcurl, built from source; None if that fails."""
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--message-format=json"]
    more = ["--target-dir", str(BUILD / "curl")]
    done = subprocess.run([*command, *more], cwd=HERE / "curl", stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(f"MISSING: the {CURRENT} cannot be built on this machine; it is NOT compared", file=sys.stderr)
        return None
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    built = [message for message in messages if message["reason"] == "build-script-executed"]
    folder = next(Path(message["out_dir"]) for message in built if "curl-sys" in message["package_id"])
    archive, include = folder / "build/libcurl.a", folder / "include"
    link("libcurl-current", ["-I", str(include)], [str(archive), "-lssl", "-lcrypto", "-lz"])
    return BIN / "libcurl-current"


def go() -> dict[str, list[str]]:
    """Ours, net/http, and the package's own benchmark of what it reads."""
    compiler, names = run("sh", "scripts/go.sh"), ("ours", "nethttp")
    for name in names:
        run(compiler, "build", "-o", BIN / f"go-{name}", f"./{name}", cwd=HERE / "go", GOFLAGS="-mod=mod", GOWORK="off")
    run(compiler, "test", "-c", "-o", BIN / "go-answers", ".", cwd=ROOT / "bindings/go")
    return {name: [str(BIN / f"go-{name}")] for name in (*names, "answers")}


def python() -> Path:
    """The virtual environment of the peers; created again when the list changes."""
    wanted, made = HERE / "python/requirements.txt", BUILD / "venv/installed.txt"
    interpreter = BUILD / "venv/bin/python"
    if not made.exists() or made.read_text() != wanted.read_text():
        run("python3", "-m", "venv", "--clear", BUILD / "venv")
        run(interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", wanted)
        shutil.copy(wanted, made)
    return interpreter
