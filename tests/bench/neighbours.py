#!/usr/bin/env python3
"""What another client waits beside clients that send one large request after the other.

    deploy/build.sh --tests release dragomand dragoman http_load
    tests/bench/neighbours.py [--clients 8] [--seconds 10] [--rounds 3] [--json FILE] ...

Python's standard library only. One daemon serves the bundled model, with the bundled classifier of languages. Clients
of another address (127.0.0.2, which is another client to a server without keys) keep it busy, one request at a time
each; lists have as many items and code points as a request may have:

  nothing    there are none
  processes  as many processes that count, without asking the daemon
  detect     lists for /v1/detect
  auto       lists for /v1/translate, of texts whose language is detected
  named      the same, with the language named

Meanwhile one client at a time asks, one request after the other: a sentence to translate over gRPC, the same over HTTP,
and the language of one text of 1,500 bytes, which is a large request, too. Kinds take turns; each has its turn in each
round. A measurement fails if a call of the client was not answered. The last line is 'N passed, N failed'.
"""
import argparse
import contextlib
import http.client
import json
import os
import shlex
import statistics
import subprocess
import sys
import threading
import time

import machine
from argument_types import count, natural, positive
from daemon import Daemon
from measured import add_programs, parse, run_and_report

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
LOADS = ("nothing", "processes", "detect", "auto", "named")
PROBES = ("gRPC", "HTTP", "HTTP, 1,500 bytes")
# The defaults of --max-items and --max-code-points.
ITEMS, CODE_POINTS = 1024, 30_000
HOG_ADDRESS = "127.0.0.2"
JSON = {"Content-Type": "application/json"}


def turns(loads, probes, rounds):
    """[(round, load, probe)]: each pair once a round, who is first changes."""
    order = []
    for number in range(rounds):
        shift = number % len(loads)
        order += [(number, load, probe) for load in loads[shift:] + loads[:shift] for probe in probes]
    return order


def quantile(values, share):
    """Of the sorted values, the one that `share` of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def full_list(lines):
    """ITEMS texts, of CODE_POINTS in all."""
    each = CODE_POINTS // ITEMS
    text = " ".join(lines)
    return [text[at:at + each] for at in range(0, ITEMS * each, each)]


def request_of(load, texts):
    """(path, body) of a large request."""
    if load == "detect":
        return "/v1/detect", dict(contents=texts)
    return "/v1/translate", dict(contents=texts, sourceLanguageCode="auto" if load == "auto" else "de",
                                 targetLanguageCode="en")


class Hogs:
    """Clients that ask one thing after the other until the end of `with`; what they got, by HTTP status."""

    def __init__(self, address, path, body, clients):
        self.address, self.path, self.body = address, path, json.dumps(body).encode()
        self.stop, self.statuses, self.lock = threading.Event(), {}, threading.Lock()
        self.threads = [threading.Thread(target=self._run) for _ in range(clients)]

    def _run(self):
        host, port = self.address.rsplit(":", 1)
        while not self.stop.is_set():
            status = "lost"
            connection = http.client.HTTPConnection(host, int(port), timeout=120, source_address=(HOG_ADDRESS, 0))
            with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
                while not self.stop.is_set():
                    connection.request("POST", self.path, self.body, JSON)
                    answer = connection.getresponse()
                    answer.read()
                    status = answer.status
                    with self.lock:
                        self.statuses[status] = self.statuses.get(status, 0) + 1
                    if status != 200:
                        self.stop.wait(0.02)
                status = None
            if status == "lost":
                with self.lock:
                    self.statuses[status] = self.statuses.get(status, 0) + 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()


class Processes:
    """Processes that count until the end of `with`."""

    def __init__(self, count_of):
        self.count, self.processes, self.statuses = count_of, [], {}

    def __enter__(self):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(self.count)]
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


class Bench:
    def __init__(self, o):
        self.options, self.records, self.failed = o, [], 0
        self.about = machine.describe()
        with open(o.input, encoding="utf-8") as f:
            self.lines = [line for line in map(str.strip, f) if line]
        while sum(map(len, self.lines)) < CODE_POINTS:
            self.lines *= 2

    def hogs(self, load):
        if load == "nothing":
            return contextlib.nullcontext()
        if load == "processes":
            return Processes(self.options.clients)
        path, body = request_of(load, full_list(self.lines))
        return Hogs(self.daemon.api_address, path, body, self.options.clients)

    def probe(self, kind):
        """{p50_ms, p99_ms, calls} of one client."""
        o = self.options
        if kind == PROBES[2]:
            return self.probe_large()
        common = ["--input", o.input, "--concurrency", "1", "--warmup", str(o.warmup), "--duration", str(o.seconds)]
        if kind == "HTTP":
            command = [o.http_load, "--server", self.daemon.api_address, *common]
        else:
            command = [o.client, "load", "--server", self.daemon.grpc, "--from", "de", "--to", "en",
                       "--count-tokens=false", "--json", *common]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=600 + o.warmup + o.seconds)
        if done.returncode != 0:
            raise RuntimeError(f"{os.path.basename(command[0])}: {done.stderr.strip()[-400:]} {done.stdout.strip()[:400]}")
        report = json.loads(done.stdout)
        if report["sent"] == 0 or report["ok"] != report["sent"] or report["item_errors"]:
            raise RuntimeError(f"of {report['sent']} calls {report['ok']} were answered: {report['first_error']}")
        return dict(p50_ms=report["latency_ms"]["p50"], p99_ms=report["latency_ms"]["p99"], calls=report["sent"])

    def probe_large(self):
        host, port = self.daemon.api_address.rsplit(":", 1)
        body = json.dumps(dict(contents=[" ".join(self.lines)[:1500]])).encode()
        waits, begin = [], time.monotonic()
        with contextlib.closing(http.client.HTTPConnection(host, int(port), timeout=120)) as connection:
            while (now := time.monotonic()) < begin + self.options.warmup + self.options.seconds:
                connection.request("POST", "/v1/detect", body, JSON)
                answer = connection.getresponse()
                text = answer.read()
                if answer.status != 200:
                    raise RuntimeError(f"/v1/detect: {answer.status} {text[:200]!r}")
                if now >= begin + self.options.warmup:
                    waits.append(1e3 * (time.monotonic() - now))
        if not waits:
            raise RuntimeError("/v1/detect: no call was made")
        return dict(p50_ms=quantile(waits, 50), p99_ms=quantile(waits, 99), calls=len(waits))

    def measure(self, number, load, kind):
        record = dict(round=number, load=load, probe=kind)
        try:
            with self.hogs(load) as hogs:
                record.update(self.probe(kind))
            record["hogs"] = getattr(hogs, "statuses", {})
            print(f"round {number + 1}, beside {load}, {kind}: p50 {record['p50_ms']:.1f} ms, p99 {record['p99_ms']:.1f} ms of "
                  f"{record['calls']} calls; beside it {record['hogs']}", flush=True)
        except (OSError, RuntimeError, ValueError, http.client.HTTPException, subprocess.TimeoutExpired) as e:
            record["failure"] = str(e)
            self.failed += 1
            print(f"round {number + 1}, beside {load}, {kind}: FAILED: {e}", flush=True)
        self.records.append(record)

    def run(self):
        o = self.options
        self.daemon = Daemon(o.daemon, ["--model", f"de-en={o.model}", "--device", "cpu", "--compute-type", o.compute_type,
                                        "--http", "127.0.0.1:0", "--language-model", o.classifier,
                                        *shlex.split(o.daemon_flags)])
        self.daemon.wait()
        for number, load, kind in turns(o.loads, PROBES, o.rounds):
            self.measure(number, load, kind)
        self.daemon.stop()

    def report(self):
        o, about = self.options, self.about
        print(f"\n{about['cpu']}, {about['processors']} processors, {about['flags']}, load before {about['load']}; bundled model, "
              f"{o.compute_type}, {o.clients} clients beside it, {o.seconds:g} s, medians of {o.rounds} rounds\n")
        print("| beside | " + " | ".join(f"{kind}: p50, p99 ms" for kind in PROBES) + " |\n" + "|--" * (len(PROBES) + 1) + "|")
        for load in o.loads:
            cells = []
            for kind in PROBES:
                rows = [r for r in self.records if r["load"] == load and r["probe"] == kind and "failure" not in r]
                cells.append(", ".join(f"{statistics.median(r[column] for r in rows):.1f}" for column in ("p50_ms", "p99_ms"))
                             if rows else "-")
            print(f"| {load} | " + " | ".join(cells) + " |")
        if o.json:
            with open(o.json, "w", encoding="utf-8") as f:
                json.dump(dict(machine=about, command=shlex.join(["neighbours.py", *sys.argv[1:]]), records=self.records), f,
                          indent=1)
                f.write("\n")


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--clients", type=count, default=8, help="that send large requests")
    p.add_argument("--loads", nargs="+", choices=LOADS, default=list(LOADS))
    p.add_argument("--seconds", type=positive, default=10, help="of a measurement")
    p.add_argument("--warmup", type=natural, default=2, help="seconds before it")
    p.add_argument("--rounds", type=count, default=3)
    p.add_argument("--classifier", default=os.path.join(ROOT, "deploy/models/lid.176/lid.176.ftz"), help="of languages")
    add_programs(p)
    return parse(p)


if __name__ == "__main__":
    sys.exit(run_and_report(Bench(options())))
