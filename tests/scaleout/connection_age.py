#!/usr/bin/env python3
"""How fast pods that join get their share of calls, for several --connection-age-seconds, and what it costs.

    tests/scaleout/connection_age.py [--ages 15,30,60,120,300] [--rate N] [--clients N]

Two daemons become four, as an autoscaler that doubles makes them, under `dragoman load` with gRPC's
round_robin over the addresses of a name (no proxy). Clients start one after the other within one age, so that
their connections end one after the other too. For each age: the seconds until a new daemon has its first
call, half of its share and nine tenths of it; the calls and how many failed; p99. Then the cost of a
connection that is renewed, in processor time of the daemon, without TLS and with it.

Not a test: it measures, for the default of the chart. The figures are in deploy/README.md,
"Balancing".
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "attack"))
from harness import CLIENT, Daemon, Failed, check  # noqa: E402
from scaleout import TEXT, Fleet, Load, Settings, nothing_lost  # noqa: E402

# Seconds over which shares of calls are counted.
WINDOW = 20


class SlowLoad(Load):
    """Processes of `dragoman load` that start one after the other."""

    def __init__(self, target, rate, clients, seconds, *flags):
        self._command = [CLIENT, "load", "--server", target, "--input", str(TEXT), "--json"]
        self._command += ["--beam-size", "1", "--connections", "1", "--rate", str(rate / clients)]
        self._command += ["--retries", "0", "--count-tokens=false", *flags]
        self._seconds = seconds
        self._clients = clients
        self._processes = []

    def start_all(self, within):
        begin = time.monotonic()
        for number in range(self._clients):
            time.sleep(max(0.0, begin + within * number / self._clients - time.monotonic()))
            left = self._seconds - (time.monotonic() - begin)
            command = [*self._command, "--duration", f"{left:.0f}"]
            pipe = subprocess.PIPE
            self._processes.append(subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True))

    def reports(self):
        for process in self._processes:
            out, errors = process.communicate(timeout=self._seconds)
            check(out != "", f"no report of the clients: {errors[-400:]}")
            yield json.loads(out)


def settings_of(age):
    settings = Settings(short=True, clients=None, lame_duck=None)
    settings.age = age
    return settings


def joining(age, rate, clients):
    """A line of the table for one age."""
    with Fleet(settings_of(age)) as fleet:
        for _ in range(2):
            fleet.start()
        fleet.names.set_now(fleet.members)
        until = 1.3 * age + 3 * WINDOW + 10
        with SlowLoad(fleet.target, rate, clients, age + until + 5) as load:
            load.start_all(within=age)
            joined = [fleet.start(), fleet.start()]
            begin = time.monotonic()
            first = half = most = None
            seen = [(0.0, fleet.answered())]
            while time.monotonic() - begin < until and most is None:
                time.sleep(0.5)
                now = time.monotonic() - begin
                counts = fleet.answered()
                seen.append((now, counts))
                if first is None and min(counts[a] for a in joined) > 0:
                    first = now
                old = [counts_then for then, counts_then in seen if then <= now - WINDOW]
                if not old:
                    continue
                calls = {a: counts[a] - old[-1][a] for a in counts}
                share = sum(calls[a] for a in joined) / len(joined) / max(1, sum(calls.values()) / len(calls))
                if half is None and share >= 0.5:
                    half = now
                if share >= 0.9:
                    most = now
            text = nothing_lost(load.reports())
    check(most is not None, f"the new daemons have {share:.0%} of their share after {until:.0f} s")
    return f"| {age} | {first:.0f} | {half:.0f} | {most:.0f} | {text} |"


def renewing(age, clients, seconds, certificates=None):
    """Processor milliseconds of the daemon for a connection that is renewed."""
    flags = certificates.flags() if certificates else ()
    target = []
    if certificates:
        target = ["--ca", certificates["ca.pem"]]
    used = {}
    for each in (0, age):
        with Daemon("--connection-age-seconds", each, "--cpu-workers", 1, *flags) as daemon:
            command = [CLIENT, "load", "--server", daemon.grpc, "--input", str(TEXT), "--json", *target]
            command += ["--beam-size", "1", "--connections", str(clients), "--rate", "40"]
            command += ["--duration", str(seconds), "--count-tokens=false", "--retries", "0"]
            before = daemon.cpu_seconds(), connections(daemon)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            used[each] = daemon.cpu_seconds() - before[0], connections(daemon) - before[1]
    made = used[age][1] - used[0][1]
    check(made > 0, "no connection was renewed")
    return 1000 * (used[age][0] - used[0][0]) / made, made


def connections(daemon):
    return sum(v for k, v in daemon.samples().items() if k.startswith("dragoman_connections_total"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ages", default="15,30,60,120,300")
    parser.add_argument("--rate", type=int, default=12)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--seconds", type=int, default=40, help="of each measurement of a connection's cost")
    arguments = parser.parse_args()
    failed = 0
    print("| age, s | first call, s | half of its share | nine tenths | |\n|--|--|--|--|--|", flush=True)
    for age in map(int, arguments.ages.split(",")):
        try:
            print(joining(age, arguments.rate, arguments.clients), flush=True)
        except Failed as why:
            failed = 1
            print(f"| {age} | FAILED {why} |", flush=True)
    from security import Certificates

    for name, certificates in (("plain", None), ("TLS", Certificates())):
        cost, made = renewing(1, 40, arguments.seconds, certificates)
        print(f"{name}: {cost:.2f} ms of the daemon's processor time for each of {made:.0f} renewed connections")
    return failed


if __name__ == "__main__":
    sys.exit(main())
