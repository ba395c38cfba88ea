"""A daemon under all kinds of calls for half an hour, and what is left of them; see README.md."""

import argparse
import asyncio
import collections
import contextlib
import os
import pathlib
import re
import sys
import time

import cases as requests
from clients import IN_FLIGHT, Clients, load, measure
from harness import Daemon, wait_until
from otlp import Collector
from place import Operator, Place
from watch import Watch, at_rest, bad_lines, balance, count_wrong, of_models, own_threads, thirds

CASES = 1500
FLAT = 0.02


class Table:
    """What was checked, as it is found."""

    def __init__(self):
        self.failed = 0

    def row(self, what, found, wrong=()):
        wrong = [str(w) for w in wrong]
        self.failed += bool(wrong)
        print(f"{'FAILED' if wrong else 'ok':6} {what}: {found}")
        for line in wrong[:8]:
            print(f"       {line}")
        if len(wrong) > 8:
            print(f"       and {len(wrong) - 8} more")
        sys.stdout.flush()


def compared(series, seconds):
    first, last = thirds(series, seconds)
    grown = last / first - 1
    return f"{mb(first)} in the first third after the warm-up, {mb(last)} in the last ({grown:+.2%})", grown


def mb(count):
    return f"{count / 1e6:.1f} MB"


def share_processors():
    """The first half of this process's processors is the daemon's, the other is ours. Returns both."""
    all_of_them = sorted(os.sched_getaffinity(0))
    half = len(all_of_them) // 2
    return (all_of_them[:half], all_of_them[half:]) if half else (all_of_them, all_of_them)


@contextlib.contextmanager
def started(place, processors, *flags):
    theirs, ours = processors
    os.sched_setaffinity(0, theirs)
    try:
        daemon = Daemon(*place.flags(), *flags, model=None)
    finally:
        os.sched_setaffinity(0, ours)
    with daemon:
        yield daemon


async def answers_of_an_idle_daemon(place, cases, processors):
    with started(place, processors) as daemon:
        clients = Clients(daemon, place, 1)
        clients.open()
        for case in cases:
            while case.expected is None:
                await clients.call(case)
        await clients.close()
    return collections.Counter((case.kind, case.expected[0]) for case in cases)


async def soak(arguments, place, table):
    processors = share_processors()
    cases = requests.make(CASES, arguments.seed)
    kinds = await answers_of_an_idle_daemon(place, cases, processors)
    sound = sum(n for (_, code), n in kinds.items() if code == "OK")
    refusals = sorted(f"{kind} {code} {n}" for (kind, code), n in kinds.items() if code != "OK")
    table.row("requests", f"{len(cases)} of {len(requests.KINDS)} kinds; an idle daemon translates {sound} "
              "and refuses: " + ", ".join(refusals), [f"no case has {name}" for name in requests.missing_options(cases)]
              + [r for r in refusals if not r.startswith("refused ")])  # fmt: skip
    collector = Collector()
    with started(place, processors, *collector.flag) as daemon:
        clients = Clients(daemon, place, 2)
        clients.open()
        bears = await measure(clients, cases, 30 if arguments.minutes >= 5 else 15)
        rate = bears * arguments.load
        await clients.close()
        wait_until(lambda: not at_rest(daemon.samples()), 60)
        before = (daemon.fds(), own_threads(daemon), daemon.threads())
        table.row("load", f"{bears:.0f} calls/s with {IN_FLIGHT} in flight; {rate:.0f} calls/s from here on")

        clients.open()
        operator = Operator(daemon, place, clients)
        seconds = arguments.minutes * 60
        cpu, begin = daemon.cpu_seconds(), time.monotonic()
        with Watch(daemon) as watch:
            await asyncio.gather(load(clients, cases, rate, seconds, operator.rest), operator.run(seconds))
            cpu, took = daemon.cpu_seconds() - cpu, time.monotonic() - begin
        replayed = await clients.compare_draws()
        await clients.close()
        await operator.close()
        rested = await asyncio.to_thread(wait_until, lambda: not at_rest(daemon.samples()), 60)
        await asyncio.to_thread(
            wait_until, lambda: daemon.fds() <= before[0] and own_threads(daemon) <= before[1], 60)
        samples = daemon.samples()

        total = sum(clients.sent.values())
        table.row("calls", f"{total} in {took:.0f} s, {cpu / took:.2f} processors busy; " + ", ".join(
            f"{fate}: {code} {n}" for (fate, code), n in sorted(clients.fates.items())))
        table.row("administration", ", ".join(f"{n} {what}" for what, n in operator.done.items()),
                  operator.wrong)
        table.row("answers", f"{clients.compared} as of an idle daemon, {replayed} draws repeated by their "
                  f"seeds, {clients.partials} partials; {clients.wrong_count} wrong", clients.wrong)  # fmt: skip
        table.row("calls counted", "as by the clients", count_wrong(clients, daemon))
        table.row("metrics", f"{watch.scrapes} scrapes, {min(watch.series)} to {max(watch.series)} series",
                  watch.wrong)
        table.row("at rest", "all gauges 0", [] if rested else at_rest(samples))
        accepted = of_models(samples, "dragoman_segments_accepted_total")
        failed = [key for key, value in samples.items() if value and re.match(
            r'dragoman_(segments_total\{.*outcome="error"|engine_errors_total|log_lines_dropped_total'
            r'|spans_total\{outcome="(queue_full|failed))', key)]  # fmt: skip
        table.row("segments", ", ".join(f"{n:.0f} of {model}" for model, n in accepted.items()),
                  balance(samples) + failed)  # fmt: skip
        text, grown = compared(operator.rests, seconds)
        table.row("resident memory at rest", f"{text}; all: {', '.join(mb(b) for _, b in operator.rests)}",
                  [] if abs(grown) <= FLAT else [f"not within {FLAT:.0%}"])  # fmt: skip
        text, _ = compared(watch.resident, seconds)
        table.row("resident memory under load", f"{text}; {mb(max(b for _, b in watch.resident))} at most")
        table.row("descriptors", f"{before[0]} before, {watch.descriptors} at most, {daemon.fds()} after",
                  ["some are left"] if daemon.fds() > before[0] else [])  # fmt: skip
        own = own_threads(daemon)
        table.row("threads", f"{own} beside gRPC's, {before[1]} before; with those {daemon.threads()}, "
                  f"{before[2]} before, {watch.threads} at most", ["some are left"] if own > before[1] else [])  # fmt: skip
        if arguments.series:
            text = "".join(f"{t:.0f} {b}\n" for t, b in watch.resident)
            pathlib.Path(arguments.series).write_text(text)
        status = None
        if daemon.alive():
            daemon.signal()
            status = daemon.wait(60)
        exported = samples.get('dragoman_spans_total{outcome="exported"}', 0)
        table.row("spans", f"{len(collector.spans())} at the collector",
                  [f"{exported:.0f} counted"] if exported > len(collector.spans()) else [])  # fmt: skip
        table.row("end", f"status {status}", [] if status == 0 else ["expected 0"])
        table.row("log", f"{sum(1 for _ in daemon.log_lines())} lines",
                  bad_lines(daemon, operator.done["reloads of a broken directory"]))  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="run.sh")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--load", type=float, default=0.8, help="of what the daemon bears")
    parser.add_argument("--seed", type=int, default=1, help="of the requests")
    parser.add_argument("--series", metavar="FILE", help="resident memory of every second goes there")
    arguments = parser.parse_args()
    if arguments.minutes < 2:
        parser.error(f"--minutes: found {arguments.minutes:g}, expected 2 or more")
    table = Table()
    with Place() as place:
        asyncio.run(soak(arguments, place, table))
    print(f"{table.failed} of the checks failed" if table.failed else "all checks passed")
    sys.stdout.flush()
    os._exit(1 if table.failed else 0)  # threads of gRPC may hang


if __name__ == "__main__":
    main()
