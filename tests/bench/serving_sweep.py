#!/usr/bin/env python3
"""The daemon end to end through gRPC: at which --max-rows it does most, and what each switch changes there.

    serving_sweep.py [--json FILE] [--device cpu] [--max-rows 64 128 256 512] [--also DEVICE] [--seconds 300] ...

To be run from the root of the repository, or of the GPU's bundle. Python's standard library only.

Every measurement is `dragoman load` (one, or --clients) in a closed loop with the same mixed texts and beams and as many
calls in flight, so that segments always wait. First each --max-rows with the default scheduler, once; then at the one
with the most texts per second, in rounds that alternate, each of `switches` alone; then --also's device with its own
defaults.
The daemons of a stage all run, and one of them works. Ratios are medians of those within a round.

A record has what the client saw in its window (texts and tokens per second, latency) and what the daemon's counters
moved by between two scrapes at the ends of that window: occupancy = busy row-steps / all row-steps. A measurement
passes if every call was answered with OK and both sides count as many texts. The last line is 'N passed, N failed'.
"""
import argparse
import collections
import json
import signal
import statistics
import subprocess
import sys
import time

import machine
from daemon import Daemon, busy_threads, cpu_seconds, schedule, thread_seconds


def switches(rows):
    """What each differs in from the defaults at this --max-rows. None of it changes a translation."""
    return {
        "defaults": [],
        "static": schedule(refill="static"),
        "half-empty": schedule(refill="half-empty"),
        "stream": schedule(refill="stream"),
        "window of 512": schedule(window_segments=512),
        # More than fit: those too many pause, and take the rows of whoever ends at once.
        "capacity 9/8": schedule(capacity=rows * 9 // 8),
    }


def together(reports):
    """One report of `dragoman load` for several that ran at the same time: sums, the mean of medians, the longest p99."""
    def sums(key):
        return sum(report[key] for report in reports)

    def codes(key):
        return dict(sum((collections.Counter(report[key]) for report in reports), collections.Counter()))

    return {
        **{key: sums(key) for key in ("sentences_per_second", "sent", "ok", "refused")},
        "errors": codes("errors"), "item_errors": codes("item_errors"),
        "latency_ms": {"p50": statistics.mean(report["latency_ms"]["p50"] for report in reports),
                       "p99": max(report["latency_ms"]["p99"] for report in reports)},
        "send_delay_ms": {"p99": max(report["send_delay_ms"]["p99"] for report in reports)},
    }


TEXTS = ["--join-lines", "4", "--split", "none", "--shuffle", "--seed", "1"]
MIX = [*TEXTS, "--beams", "1,4,8"]


class Bench:
    def __init__(self, options):
        self.options = options
        self.ends_at = time.monotonic() + options.seconds
        self.records = []
        self.failed = 0
        self.machine = machine.describe()

    def save(self):
        o = self.options
        if not o.json:
            return
        result = {"machine": self.machine, "mix": MIX,
                  "in_flight": o.in_flight, "clients": o.clients, "window_seconds": o.duration, "records": self.records}
        with open(o.json, "w", encoding="utf-8") as f:
            json.dump(result, f, indent=1)
            f.write("\n")

    def start(self, settings):
        """Daemons by name, all at once: starting is most of a short run."""
        o = self.options
        daemons = {}
        for name, (device, rows, flags) in settings.items():
            daemons[name] = Daemon(o.daemon, ["--model", o.model, "--device", device,
                                              *(["--max-rows", str(rows)] if rows else []),
                                              "--max-queue-segments", "1000000", "--max-queue-tokens", "100000000",
                                              # All clients begin at once.
                                              "--receive-memory-mb", "512",
                                              *(["--kv-memory-mb", str(o.kv_memory_mb)] if o.kv_memory_mb and device != "cpu" else []),
                                              *flags])
        for daemon in daemons.values():
            daemon.wait()
        return daemons

    def measure(self, stage, name, round_number, daemon):
        o = self.options
        begun = time.monotonic()
        clients = [subprocess.Popen(
            [o.client, "load", "--server", daemon.grpc, "--input", o.input, *MIX, "--concurrency", str(o.in_flight // o.clients),
             "--connections", str(-(-o.connections // o.clients)), "--warmup", str(o.warmup), "--duration", str(o.duration),
             "--count-tokens=false", "--max-failed", "100%", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(o.clients)]
        processes = [daemon.process, *clients]
        try:
            # The clients' window, seen from outside.
            time.sleep(max(0, begun + o.warmup - time.monotonic()))
            before, clients_before = daemon.scrape(), sum(map(cpu_seconds, clients))
            threads = [thread_seconds(process) for process in processes]
            time.sleep(max(0, begun + o.warmup + o.duration - time.monotonic()))
            after, clients_after = daemon.scrape(), sum(map(cpu_seconds, clients))
            threads = [busy_threads(then, thread_seconds(process), after["at"] - before["at"])
                       for then, process in zip(threads, processes)]
            ends = [client.communicate() for client in clients]
        finally:
            for client in clients:
                client.kill()  # of no effect on one that has ended
        record = {"stage": stage, "name": name, "round": round_number, "flags": daemon.flags}
        errors = [err.strip() for client, (_, err) in zip(clients, ends) if client.returncode != 0]
        if errors:
            record["failure"] = errors[0]
        else:
            reports = [json.loads(out) for out, _ in ends]
            record.update(self.figures(together(reports), before, after, clients_after - clients_before))
            # Of the clients the first: they are alike.
            for side, found in zip(("server", "client"), threads):
                record[f"{side}_threads"] = found
                record[f"busiest_{side}_thread"] = max((figures["busiest"] for figures in found.values()), default=0.0)
        self.records.append(record)
        self.save()  # every time: whoever ends this early finds what there is
        if "failure" in record:
            self.failed += 1
            print(f"{stage}, {name}: FAILED: {record['failure']}", flush=True)

    @staticmethod
    def figures(load, before, after, client_cpu):
        moved = {key: after[key] - before[key] for key in after}
        seconds = moved["at"]
        texts = moved["segments"] / seconds
        own_cpu = moved["server_cpu"] + client_cpu
        record = {
            "texts_per_second": load["sentences_per_second"],
            "counted_texts_per_second": texts,
            "target_tokens_per_second": moved["target_tokens"] / seconds,
            "p50_ms": load["latency_ms"]["p50"],
            "p99_ms": load["latency_ms"]["p99"],
            "send_delay_p99_ms": load["send_delay_ms"]["p99"],
            "occupancy": moved["busy"] / max(1, moved["busy"] + moved["idle"]),
            "rows_per_step": moved["busy"] / max(1, moved["steps"]),
            "steps_per_second": moved["steps"] / seconds,
            "topped_up_per_step": moved["topped_up"] / max(1, moved["steps"]),
            # Of the decode threads' time; the rest is top-up, delivery and waiting.
            "in_steps": moved["step_seconds"] / (seconds * max(1, after["workers"])),
            "least_waiting": min(before["waiting"], after["waiting"]),
            "sent": load["sent"], "ok": load["ok"], "refused": load["refused"],
            "texts_per_server_cpu_second": texts / max(1e-9, moved["server_cpu"] / seconds),
            "server_cores": moved["server_cpu"] / seconds,
            "client_cores": client_cpu / seconds,
            "other_cores": max(0.0, moved["machine_cpu"] - own_cpu) / seconds,
        }
        if load["ok"] != load["sent"] or load["item_errors"]:
            record["failure"] = f"{load['sent']} calls, {load['ok']} OK: {load['errors']} {load['item_errors']}"
        elif abs(texts / load["sentences_per_second"] - 1) > 0.2:
            record["failure"] = f"the client counts {load['sentences_per_second']:.1f} texts/s, the daemon {texts:.1f}"
        return record

    def time_left(self):
        return self.ends_at - time.monotonic()

    def of(self, stage, name=None):
        return [r for r in self.records
                if r["stage"] == stage and "failure" not in r and name in (None, r["name"])]


COLUMNS = [("texts_per_second", "texts/s", "{:.1f}"), ("target_tokens_per_second", "target tokens/s", "{:,.0f}"),
           ("p50_ms", "p50 ms", "{:.0f}"), ("p99_ms", "p99 ms", "{:.0f}"), ("occupancy", "occupancy", "{:.1%}"),
           ("rows_per_step", "rows/step", "{:.0f}"), ("steps_per_second", "steps/s", "{:.0f}"),
           ("in_steps", "in steps", "{:.1%}"), ("least_waiting", "waiting", "{:.0f}"),
           ("texts_per_server_cpu_second", "texts/server CPU s", "{:.1f}"), ("server_cores", "server cores", "{:.1f}"),
           ("client_cores", "client cores", "{:.1f}"), ("other_cores", "other cores", "{:.1f}"),
           # A thread that takes a whole core bounds everything, however many cores are left.
           ("busiest_server_thread", "busiest of server", "{:.2f}"),
           ("busiest_client_thread", "of client", "{:.2f}")]


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def print_table(title, bench, stage, ratios=()):
    """Medians over the rounds; then for each of `ratios` the median of what a round's is of its first row's."""
    print(f"\n{title}\n")
    print_row([stage] + [head for _, head, _ in COLUMNS] + [f"{head}, x" for _, head, _ in ratios])
    print_row(["--"] * (1 + len(COLUMNS) + len(ratios)))
    names = list(dict.fromkeys(r["name"] for r in bench.of(stage)))
    for name in names:
        of_name = bench.of(stage, name)
        cells = [name] + [form.format(statistics.median(r[key] for r in of_name)) for key, _, form in COLUMNS]
        for key, _, _ in ratios:
            by_round = {r["round"]: r[key] for r in bench.of(stage, names[0])}
            found = [r[key] / by_round[r["round"]] for r in of_name if by_round.get(r["round"])]
            cells.append(f"{statistics.median(found):.3f}" if found else "-")
        print_row(cells)
    best = max(bench.of(stage), key=lambda r: r["texts_per_second"], default=None)
    for side in ("server", "client") if best else ():
        each = ", ".join(f"{name} {figures['all']:.2f} ({figures['threads']}, the busiest {figures['busiest']:.2f})"
                         for name, figures in best[f"{side}_threads"].items())
        print(f"cores that the {side}'s threads took, {best['name']}: {each}")


def run(bench):
    o = bench.options
    settings = {f"{rows} rows": (o.device, rows, []) for rows in o.max_rows}
    daemons = bench.start(settings)
    for name, daemon in daemons.items():
        bench.measure("max-rows", name, 0, daemon)
    for daemon in daemons.values():
        daemon.stop()
    found = bench.of("max-rows")
    if not found:
        return
    best = max(found, key=lambda r: r["texts_per_second"])["name"]
    print_table(f"{o.device}, by --max-rows; the most texts/s: {best}", bench, "max-rows")

    if o.rounds:
        run_switches(bench, settings[best][1])
    if o.also:
        daemon = bench.start({o.also: (o.also, 0, [])})[o.also]
        bench.measure("devices", o.also, 0, daemon)
        daemon.stop()
        print_table(f"{o.also} with its defaults, under the same load", bench, "devices")


def run_switches(bench, rows):
    o = bench.options
    daemons = bench.start({name: (o.device, rows, flags) for name, flags in switches(rows).items()})
    names = list(daemons)
    round_seconds = 0.0
    rounds = 0
    reserve = o.warmup + o.duration + 10 if o.also else 0
    while rounds < o.rounds and (rounds == 0 or bench.time_left() > round_seconds + reserve):
        begun = time.monotonic()
        for name in names[rounds % len(names):] + names[:rounds % len(names)]:
            bench.measure("switches", name, rounds, daemons[name])
        rounds += 1
        round_seconds = time.monotonic() - begun
    for daemon in daemons.values():
        daemon.stop()
    print_table(f"{o.device}, --max-rows {rows}, {rounds} rounds", bench, "switches",
                [c for c in COLUMNS if c[0] in ("texts_per_second", "p99_ms", "texts_per_server_cpu_second")])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--json", help="where the records go")
    p.add_argument("--daemon", default="build/release/server/dragomand")
    p.add_argument("--client", default="build/release/client/dragoman")
    p.add_argument("--model", default="deploy/models/de-en")
    p.add_argument("--input", default="tests/data/german.txt")
    p.add_argument("--device", default="cpu")
    p.add_argument("--also", metavar="DEVICE", help="measured with the same load at the end, beside --device")
    p.add_argument("--max-rows", type=int, nargs="+", metavar="N", default=[64, 128, 256, 512])
    p.add_argument("--rounds", type=int, default=3, help="of the switches, fewer if --seconds are used up, none with 0")
    p.add_argument("--seconds", type=float, default=300, help="no further round begins that would end later")
    p.add_argument("--warmup", type=float, default=5)
    p.add_argument("--duration", type=float, default=8)
    p.add_argument("--in-flight", type=int, default=768)
    p.add_argument("--connections", type=int, default=4)
    p.add_argument("--clients", type=int, default=1, help="processes that the calls come from, each with its part of them")
    p.add_argument("--kv-memory-mb", type=int, default=0,
                   help="of each daemon on a GPU, where the first would take all otherwise")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the daemons end, too
    bench = Bench(p.parse_args())
    failure = ""
    try:
        run(bench)
    except (OSError, RuntimeError) as e:
        failure = str(e)
    if failure:
        print(f"FAILED: {failure}")
        bench.failed += 1
    print(f"\n{len([r for r in bench.records if 'failure' not in r])} passed, {bench.failed} failed")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
