#!/usr/bin/env python3
"""gRPC and HTTP side by side under many clients, with and without idle connections.

    deploy/build.sh --tests release dragomand dragoman http_load
    tests/bench/adapters_load.py [--busy 200] [--idle 2000] [--seconds 20] [--rounds 3] [--json FILE] ...

Python's standard library only. One daemon serves the bundled model; the same texts are sent in the same order and as
many calls are in flight, in turns: over gRPC on one connection, over gRPC on as many connections as there are callers,
and over HTTP in LibreTranslate's dialect, a connection for each caller. Each round does that without and with --idle
further connections of HTTP, which have asked once and stay open. Both generators are one closed loop in C++
(`dragoman load`, `http_load`: client/load/load_run.h), which differ in the transport alone; what each takes of a processor
is a column.

A measurement fails if a call was not answered with a translation, or an idle connection was closed. The last line is
'N passed, N failed'.
"""
import argparse
import json
import os
import resource
import selectors
import shlex
import socket
import statistics
import subprocess
import sys
import urllib.request

import machine
from argument_types import count, natural, positive
from daemon import Daemon, cpu_seconds, memory_mib
from measured import add_programs, parse, run_and_report

GET = b"GET /languages HTTP/1.1\r\nHost: localhost\r\n\r\n"
COLUMNS = ("texts_per_second", "p50_ms", "p99_ms", "resident_mib", "client_cpu", "daemon_cpu")
HEADS = ("texts/s", "p50 ms", "p99 ms", "daemon MiB", "generator CPU", "daemon CPU")


def ways(busy):
    """{name: connections}, in the order of the table; the last is HTTP."""
    return {"gRPC, 1 connection": 1, f"gRPC, {busy} connections": busy, f"HTTP, {busy} connections": busy}


def turns(names, idles, rounds):
    """[(round, idle, name)]: each pair once a round, who is first changes."""
    order = []
    for number in range(rounds):
        shift = number % len(names)
        for idle in idles[::-1] if number % 2 else idles:
            order += [(number, idle, name) for name in names[shift:] + names[:shift]]
    return order


def record_of(report, before, after):
    """What is kept of a generator's report and of the processor time that the daemon had before and after. Raises
    RuntimeError unless every call brought a translation."""
    if report["sent"] == 0 or report["ok"] != report["sent"] or report["item_errors"]:
        raise RuntimeError(f"of {report['sent']} calls {report['ok']} were answered: {report['first_error']} "
                           f"{report['errors']} {report['item_errors']}")
    wall = after["at"] - before["at"]
    return dict(texts_per_second=report["sentences_per_second"], p50_ms=report["latency_ms"]["p50"],
                p99_ms=report["latency_ms"]["p99"], calls=report["sent"],
                client_cpu=report["client_cpu_seconds"] / wall, daemon_cpu=(after["cpu"] - before["cpu"]) / wall)


def medians(records):
    """{(idle, name): {column: median of the rounds}} of the records that did not fail."""
    groups = {}
    for record in records:
        if "failure" not in record:
            groups.setdefault((record["idle"], record["way"]), []).append(record)
    return {key: {column: statistics.median(r[column] for r in rows) for column in COLUMNS} for key, rows in groups.items()}


def ratios(records, of, to, column):
    """(median, least, most) of `of` / `to` within a round and number of idle connections, or None if none has both."""
    found = {(r["round"], r["idle"], r["way"]): r[column] for r in records if "failure" not in r}
    values = [value / found[number, idle, to] for (number, idle, way), value in found.items()
              if way == of and found.get((number, idle, to))]
    return (statistics.median(values), min(values), max(values)) if values else None


class Idle:
    """Connections of HTTP that have asked once and stay open; closed at the end of `with`."""

    def __init__(self, address, count):
        self.address, self.count, self.sockets = address, count, []

    def __enter__(self):
        host, port = self.address.rsplit(":", 1)
        try:
            for _ in range(self.count):
                connection = socket.create_connection((host, int(port)), timeout=30)
                self.sockets.append(connection)
                connection.sendall(GET)
                answer = b""
                while b"\r\n\r\n" not in answer:
                    part = connection.recv(65536)
                    if not part:
                        raise RuntimeError(f"connection {len(self.sockets)} of {self.count} was closed")
                    answer += part
                if not answer.startswith(b"HTTP/1.1 200 "):
                    raise RuntimeError(f"connection {len(self.sockets)} of {self.count}: {answer[:60]!r}")
                head, _, body = answer.partition(b"\r\n\r\n")
                length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                              if line.startswith(b"content-length:"))
                while len(body) < length:
                    part = connection.recv(65536)
                    if not part:
                        raise RuntimeError(f"connection {len(self.sockets)} of {self.count} was closed in its answer")
                    body += part
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for connection in self.sockets:
            connection.close()

    def open(self):
        """How many the server has not closed."""
        ended = 0
        with selectors.DefaultSelector() as selector:
            for connection in self.sockets:
                selector.register(connection, selectors.EVENT_READ)
            ended = len(selector.select(0)) if self.sockets else 0
        return len(self.sockets) - ended


class Bench:
    def __init__(self, o):
        self.options, self.records, self.failed = o, [], 0
        self.about = machine.describe()

    def load(self, way, connections):
        o = self.options
        common = ["--input", o.input, "--concurrency", str(o.busy), "--warmup", str(o.warmup), "--duration", str(o.seconds)]
        if way.startswith("HTTP"):
            command = [o.http_load, "--server", self.daemon.api_address, *common]
        else:
            command = [o.client, "load", "--server", self.daemon.grpc, "--from", "de", "--to", "en", "--connections",
                       str(connections), "--count-tokens=false", "--json", *common]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=600 + o.warmup + o.seconds)
        if done.returncode != 0:
            raise RuntimeError(f"{os.path.basename(command[0])}: {done.stderr.strip()[-400:]} {done.stdout.strip()[:400]}")
        return json.loads(done.stdout)

    def now(self):
        with open("/proc/uptime", encoding="ascii") as f:
            return dict(at=float(f.read().split()[0]), cpu=cpu_seconds(self.daemon.process))

    def measure(self, number, idle, way, connections):
        record = dict(round=number, idle=idle, way=way)
        try:
            with Idle(self.daemon.api_address, idle) as waiting:
                before = self.now()
                report = self.load(way, connections)
                record.update(record_of(report, before, self.now()), resident_mib=memory_mib(self.daemon.process.pid)["resident"])
                if waiting.open() != idle:
                    raise RuntimeError(f"of {idle} idle connections {waiting.open()} are open")
            print(f"round {number + 1}, {idle} idle, {way}: " + ", ".join(
                f"{head} {record[column]:.2f}" for head, column in zip(HEADS, COLUMNS)), flush=True)
        except (OSError, RuntimeError, ValueError, subprocess.TimeoutExpired) as e:
            record["failure"] = str(e)
            self.failed += 1
            print(f"round {number + 1}, {idle} idle, {way}: FAILED: {e}", flush=True)
        self.records.append(record)

    def check_answers(self):
        """Both adapters translate alike: else they would not be compared."""
        o = self.options
        with open(o.input, encoding="utf-8") as f:
            lines = [line for line in map(str.strip, f) if line][:50]
        out = subprocess.run([o.client, "translate", "--server", self.daemon.grpc, "--from", "de", "--to", "en"],
                             input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True)
        body = json.dumps(dict(q=lines, source="de", target="en", format="text")).encode()
        request = urllib.request.Request(f"http://{self.daemon.api_address}/translate", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            over_http = json.load(answer)["translatedText"]
        if out.stdout.splitlines() != over_http:
            raise RuntimeError("gRPC and HTTP translate differently")

    def run(self):
        o = self.options
        self.daemon = Daemon(o.daemon, ["--model", f"de-en={o.model}", "--device", "cpu", "--compute-type", o.compute_type,
                                        "--http", "127.0.0.1:0", "--max-queue-tokens", "1000000",
                                        "--max-queue-segments", "100000", *shlex.split(o.daemon_flags)])
        self.daemon.wait()
        self.check_answers()
        self.at_rest = memory_mib(self.daemon.process.pid)["resident"]
        connections = ways(o.busy)
        for number, idle, way in turns(list(connections), [0, o.idle] if o.idle else [0], o.rounds):
            self.measure(number, idle, way, connections[way])
        self.daemon.stop()

    def report(self):
        o, about = self.options, self.about
        print(f"\n{about['cpu']}, {about['processors']} processors, {about['flags']}, load before {about['load']}; bundled model, "
              f"{o.compute_type}, {o.busy} calls in flight, {o.seconds:g} s, medians of {o.rounds} rounds; "
              f"daemon at rest {self.at_rest:.0f} MiB\n")
        print("| idle connections | | " + " | ".join(HEADS) + " |\n" + "|--" * (len(HEADS) + 2) + "|")
        for (idle, way), row in medians(self.records).items():
            print(f"| {idle} | {way} | " + " | ".join(f"{row[column]:.3g}" if column.endswith("cpu") else f"{row[column]:.1f}"
                                                     for column in COLUMNS) + " |")
        names = list(ways(o.busy))
        for to in names[:-1]:
            for column, head in (("texts_per_second", "texts/s"), ("p50_ms", "p50"), ("p99_ms", "p99")):
                found = ratios(self.records, names[-1], to, column)
                if found:
                    print(f"{names[-1]} / {to}: {head} {found[0]:.3f} x ({found[1]:.3f} to {found[2]:.3f})")
        if o.json:
            with open(o.json, "w", encoding="utf-8") as f:
                json.dump(dict(machine=about, command=shlex.join(["adapters_load.py", *sys.argv[1:]]), at_rest_mib=self.at_rest,
                               records=self.records), f, indent=1)
                f.write("\n")


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--busy", type=count, default=200, help="calls in flight")
    p.add_argument("--idle", type=natural, default=2000, help="idle connections of HTTP; 0: only without them")
    p.add_argument("--seconds", type=positive, default=20, help="of a measurement")
    p.add_argument("--warmup", type=natural, default=3, help="seconds before it")
    p.add_argument("--rounds", type=count, default=3)
    add_programs(p)
    return parse(p)


def main():
    bench = Bench(options())
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return run_and_report(bench)


if __name__ == "__main__":
    sys.exit(main())
