"""A million lines through translate_lines, with the memory that they take.

    tests/client/python/run.sh --slow [LINES]

The server is a process of its own that answers with the texts in brackets, because the bundled model would take too
long; it is killed after a third of the lines and comes back on its port. A second run of the asyncio client has a tenth
of the lines. Fails if a line is lost, doubled or out of order, or if the resident memory after the first hundredth grows
by more than 16 MiB.
"""

import asyncio
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import dragoman
from harness import own_loopback_address

GROWTH = 16 << 20
SERVER = """
import sys
from scripted import ScriptedServer
with ScriptedServer(address=sys.argv[1], threads=8) as server:
    server.requests = server.metadata = type("Count", (), {"append": lambda *_: None, "__len__": lambda _: 0})()
    print(server.address, flush=True)
    sys.stdin.read()
"""


def resident():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+)", status, re.M).group(1)) << 10


def start(address):
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "GRPC_VERBOSITY": "NONE"},
        text=True,
    )
    return server, server.stdout.readline().strip()


class Check:
    """Takes the results in turn."""

    def __init__(self, lines):
        self.lines = lines
        self.seen = 0
        self.first = self.most = 0

    def add(self, result):
        expected = f"<Zeile {self.seen}>"
        if result.text != expected:
            sys.exit(f"FAILED: line {self.seen}: found {result.text!r}, expected {expected!r}")
        self.seen += 1
        if self.seen % (self.lines // 100) == 0:
            now = resident()
            self.first = self.first or now
            self.most = max(self.most, now)

    def end(self, name, seconds):
        if self.seen != self.lines:
            sys.exit(f"FAILED: found {self.seen} results, expected {self.lines}")
        growth = self.most - self.first
        print(
            f"{name}: {self.lines} lines in {seconds:.0f} s; resident {self.first >> 20} MiB after the first hundredth, "
            f"{self.most >> 20} MiB at most"
        )
        if growth > GROWTH:
            sys.exit(f"FAILED: the memory grew by {growth >> 20} MiB, expected at most {GROWTH >> 20}")


def main():
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    server, address = start(own_loopback_address() + ":0")
    servers = [server]
    third = threading.Event()

    def restart():
        third.wait()
        servers[0].kill()
        servers[0].wait()
        servers.append(start(address)[0])

    threading.Thread(target=restart, daemon=True).start()

    def texts(count):
        for i in range(count):
            if i == lines // 3:
                third.set()
            yield f"Zeile {i}"

    try:
        check, begin = Check(lines), time.monotonic()
        with dragoman.Client(address) as client:
            for result in client.translate_lines(texts(lines), batch=64):
                check.add(result)
        if len(servers) != 2:
            sys.exit("FAILED: the server was not restarted")
        check.end("sync, server killed and restarted", time.monotonic() - begin)

        async def run():
            check, begin = Check(lines // 10), time.monotonic()
            async with dragoman.AsyncClient(address) as client:
                async for result in client.translate_lines(texts(lines // 10), batch=64):
                    check.add(result)
            check.end("asyncio", time.monotonic() - begin)

        asyncio.run(run())
    finally:
        for server in servers:
            server.kill()


main()
