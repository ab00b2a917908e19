"""The programs that are compared, by their names in the table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import build
from stage import HERE, ROOT


@dataclass
class Programs:
    server: Path
    launch: Path
    c: list[str]
    raw: list[str]
    #: The system's first.
    libcurls: dict[str, list[str]]
    python: list[str]
    python_get: list[str]
    python_peers: dict[str, list[str]]
    go: list[str]
    nethttp: list[str]
    go_answers: list[str]
    #: Programs that read responses without a network, ours and the peer's.
    python_readers: dict[str, list[str]]
    versions: dict[str, str]

    def libcurl_of_the_system(self) -> str:
        return next(iter(self.libcurls.values()))[0]


def all_of_them() -> Programs:
    server, ours, launch, debian = build.server(), build.ours(), build.launch(), build.libcurl()
    current, interpreter = build.current_libcurl(), build.python()
    go = build.go()
    versions = {"libpaysvc": (ROOT / "Cargo.toml").read_text().split('version = "', 1)[1].split('"', 1)[0]}
    libcurls = {}
    for program, origin in ((debian, "of the system"), (current, "from source")):
        if program is not None:
            told = build.run(program, "version")
            name = told.split(" ", 1)[0].replace("/", " ")
            libcurls[name] = [str(program)]
            versions[f"libcurl {origin}"] = told
            versions["OpenSSL"] = re.sub(r".*OpenSSL/(\S+).*", r"OpenSSL \1", told)
    versions["Rust"] = build.run("rustc", "--version")
    versions["C compiler"] = build.run("cc", "--version").splitlines()[0]
    versions["Go"] = build.run(build.run("sh", "scripts/go.sh"), "env", "GOVERSION").replace("go", "Go ", 1)
    folder = HERE / "python"
    versions["Python"] = build.run(interpreter, "--version")
    pinned = dict(line.split("==") for line in (folder / "requirements.in").read_text().splitlines() if "==" in line)
    versions["Python packages"] = ", ".join(f"{name} {version}" for name, version in pinned.items())
    versions["libcurl in pycurl"] = build.run(interpreter, "-c", "import pycurl; print(pycurl.version)")
    peers = {
        f"{name} {pinned[name]}": [str(interpreter), str(folder / f"{name}_.py")]
        for name in ("requests", "httpx", "pycurl")
    }
    return Programs(
        server=server,
        launch=launch,
        c=[str(ours)],
        raw=[str(server.parent / "bench-raw")],
        libcurls=libcurls,
        python=[str(interpreter), str(folder / "ours.py")],
        python_get=[str(interpreter), str(folder / "get.py")],
        python_peers=peers,
        go=go["ours"],
        nethttp=go["nethttp"],
        go_answers=go["answers"],
        python_readers={
            "ours": [str(interpreter), str(folder / "answer.py")],
            "theirs": [str(interpreter), str(folder / "loads.py")],
        },
        versions=versions,
    )
