#!/usr/bin/env python3
"""Latency against offered load: continuous top-up beside batches refilled when half empty and static batches.

    open_loop.py [--out STEM] [--schedulers continuous half-empty static] [--loads 10] [--duration 20] ...

To be run from the root of the repository. Python's standard library only.

First each scheduler's texts per second in a closed loop, as serving_sweep.py measures them; the most of these is the
saturation. Then --loads rates up to it, evenly apart; at each the schedulers in turns, all with the same texts and beams
at the same times (`dragoman load --rate`, Poisson arrivals; latency counts from the time at which a call was due). The
queue holds whatever waits, so beyond what a scheduler can do its latency grows with --duration.
The daemons all run, and one of them works. A point fails if a call was not answered with OK.

Writes STEM.json (the records), STEM.svg (p50 and p99), prints a table. The last line is 'N passed, N failed'.
"""
import argparse
import json
import shlex
import statistics
import subprocess
import sys

import machine
import svg
from argument_types import count, positive
from daemon import Daemon, schedule
from measured import run_and_report
from serving_sweep import TEXTS

NAMES = {"continuous": "continuous top-up", "half-empty": "half empty", "static": "static batches", "stream": "stream"}


def load(o, daemon, *how):
    """What `dragoman load` says, and the batch's occupancy meanwhile. Raises RuntimeError unless every call came back."""
    before = daemon.scrape()
    out = subprocess.run([o.client, "load", "--server", daemon.grpc, "--input", o.input, *TEXTS, "--beams", o.beams,
                          "--deadline-ms", "1800000", "--connections", str(o.connections), "--count-tokens=false", "--json", *how],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if out.returncode != 0:
        raise RuntimeError(out.stderr.strip()[-400:])
    report, after = json.loads(out.stdout), daemon.scrape()
    if report["ok"] != report["sent"] or report["item_errors"]:
        raise RuntimeError(f"{report['sent']} calls, {report['ok']} OK: {report['errors']} {report['item_errors']}")
    busy, idle = after["busy"] - before["busy"], after["idle"] - before["idle"]
    return report, busy / max(1, busy + idle)


class OpenLoop:
    def __init__(self, o):
        self.options, self.records, self.failed = o, [], 0
        self.result = dict(machine=machine.describe(), command=shlex.join(["open_loop.py", *sys.argv[1:]]), texts=TEXTS,
                           beams=o.beams, closed_loop={}, records=self.records)

    def save(self):
        if self.options.out:
            with open(f"{self.options.out}.json", "w", encoding="utf-8") as f:
                json.dump(self.result, f, indent=1)
                f.write("\n")

    def saturation(self, daemons):
        """Texts per second."""
        o = self.options
        for name, daemon in daemons.items():
            report, occupancy = load(o, daemon, "--concurrency", str(o.in_flight), "--warmup", str(o.warmup), "--duration",
                                     str(o.duration))
            self.result["closed_loop"][name] = dict(texts_per_second=report["sentences_per_second"], occupancy=occupancy)
            print(f"{name}: {report['sentences_per_second']:.1f} texts/s in a closed loop, occupancy {occupancy:.1%}", flush=True)
        return max(row["texts_per_second"] for row in self.result["closed_loop"].values())

    def point(self, name, daemon, share, rate, number):
        o = self.options
        seconds = max(o.duration, o.calls / rate)
        record = dict(scheduler=name, load=round(share, 4), rate=rate, round=number, seconds=seconds)
        try:
            report, occupancy = load(o, daemon, "--rate", f"{rate:.6g}", "--warmup", str(o.warmup), "--duration", f"{seconds:.6g}")
            record.update(p50_ms=report["latency_ms"]["p50"], p99_ms=report["latency_ms"]["p99"], calls=report["sent"],
                          send_delay_p99_ms=report["send_delay_ms"]["p99"], texts_per_second=report["sentences_per_second"],
                          occupancy=occupancy)
            print(f"{share:.0%} ({rate:.1f}/s), {name}: p50 {record['p50_ms']:.0f} ms, p99 {record['p99_ms']:.0f} ms, "
                  f"{report['sent']} calls", flush=True)
        except RuntimeError as e:
            record["failure"] = str(e)
            self.failed += 1
            print(f"{share:.0%} ({rate:.1f}/s), {name}: FAILED: {e}", flush=True)
        self.records.append(record)
        self.save()  # every time: whoever ends this early finds what there is

    def run(self):
        o = self.options
        daemons = {name: Daemon(o.daemon, ["--model", o.model, "--device", o.device, *schedule(refill=name),
                                           "--max-rows", str(o.max_rows),
                                           "--max-queue-segments", "1000000", "--max-queue-tokens", "100000000",
                                           *shlex.split(o.daemon_flags)])
                   for name in o.schedulers}
        for daemon in daemons.values():
            daemon.wait()
        most = o.saturation or self.saturation(daemons)
        self.result["saturation"] = most
        names = list(daemons)
        for number in range(o.rounds):
            for step in range(1, o.loads + 1):
                first = (number + step) % len(names)
                for name in names[first:] + names[:first]:
                    self.point(name, daemons[name], step / o.loads, most * step / o.loads, number)
        for daemon in daemons.values():
            daemon.stop()

    def curve(self, name, key):
        """[(offered texts per second, median over the rounds)]"""
        by_rate = {}
        for r in self.records:
            if r["scheduler"] == name and "failure" not in r:
                by_rate.setdefault(r["rate"], []).append(r[key])
        return [(rate, statistics.median(found)) for rate, found in sorted(by_rate.items())]

    def report(self):
        o, about = self.options, self.result["machine"]
        curves = {(name, key): dict(self.curve(name, key)) for name in o.schedulers for key in ("p50_ms", "p99_ms")}
        print(f"\n{about['cpu']}, {about['processors']} processors, {about['flags']}, load before {about['load']}\n")
        heads = ["load", "texts/s offered"] + [f"{key[:3]} ms, {name}" for name in o.schedulers for key in ("p50_ms", "p99_ms")]
        print("| " + " | ".join(heads) + " |\n| " + " | ".join(["--"] * len(heads)) + " |")
        for rate in sorted({r["rate"] for r in self.records}):
            found = [curves[name, key].get(rate) for name in o.schedulers for key in ("p50_ms", "p99_ms")]
            print("| " + " | ".join([f"{rate / self.result['saturation']:.0%}", f"{rate:.1f}",
                                     *("-" if ms is None else f"{ms:.0f}" for ms in found)]) + " |")
        if o.out:
            svg.lines(f"{o.out}.svg", "Latency against offered load",
                      f"{about['cpu']}, {about['processors']} processors; {about['flags']}\nbeams {o.beams} in turn, 1 to 4 lines a text",
                      [dict(heading=f"{key[:3]} of a call", x="offered texts/s", y="ms", log=True,
                            series={NAMES[name]: self.curve(name, key) for name in o.schedulers if self.curve(name, key)})
                       for key in ("p50_ms", "p99_ms")])
            print(f"\n{o.out}.json\n{o.out}.svg")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", metavar="STEM", help="path of the results without .json and .svg")
    p.add_argument("--daemon", default="build/release/server/dragomand")
    p.add_argument("--client", default="build/release/client/dragoman")
    p.add_argument("--daemon-flags", default="", help="further flags, in one word: '--compute-type int8'")
    p.add_argument("--model", default="deploy/models/de-en")
    p.add_argument("--input", default="tests/data/german.txt")
    p.add_argument("--device", default="cpu")
    p.add_argument("--schedulers", nargs="+", choices=list(NAMES), default=["continuous", "half-empty", "static"])
    p.add_argument("--max-rows", type=count, default=128, help="of each worker")
    p.add_argument("--beams", default="1,4,8")
    p.add_argument("--saturation", type=positive, metavar="TEXTS_PER_S", help="the highest rate (what a closed loop gives)")
    p.add_argument("--in-flight", type=count, default=320, help="calls of the closed loop")
    p.add_argument("--connections", type=count, default=4)
    p.add_argument("--loads", type=count, default=10)
    p.add_argument("--rounds", type=count, default=1)
    p.add_argument("--warmup", type=float, default=3)
    p.add_argument("--duration", type=positive, default=20, help="seconds of a point, more where --calls want it")
    p.add_argument("--calls", type=count, default=300, help="that a point has at least: p99 rests on a hundredth of them")
    return run_and_report(OpenLoop(p.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
