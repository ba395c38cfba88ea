#!/usr/bin/env python3
"""The table of deploy/SIZING.md, and how far `dragoman plan` is from what it says.

    sizing.py --dragomand FILE --dragoman FILE --work FOLDER --out FILE [--models bundled opus nllb madlad]
              [--types int8 bfloat16 float32] [--workers 2 1] [--seconds 20]

For each model, type and number of workers a daemon is started. Its memory at rest is read; its batch is kept full for
--seconds, and for five times what a call takes, in which its processor time and its memory are read. Before that it is
full for half as long. Calls end in waves, so their rate is not counted by ends: it is that of a closed loop, calls in
flight divided by their mean time. Then calls come at 70 % of that rate for --seconds, whose p99 is read. Characters for
each second of a core are of processor time, which takes out most of what other programs have of the machine, but not
what they cost in caches; latencies are what they are. The load of the machine stands beside both: run it on a quiet
one. `dragoman plan` is run with the first number of workers alone, and its forecast for every number compared. It is
run before and after the measurement: how far the two differ is what the machine itself does, as on a rented one whose
memory has other users. Shapes are made once, in FOLDER: opus_base.py, nllb_shape.py and madlad_shape.py, with noise for
weights, so each of their outputs is forced to --forced tokens. FILE gets a JSON object for each row, and one run adds
to another's.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/attack"))
sys.path.insert(0, os.path.join(ROOT, "tests/bench"))
import machine  # noqa: E402
from daemon import Daemon, cpu_seconds, memory_mib  # noqa: E402

TEXTS = os.path.join(ROOT, "tests/data/german.txt")
BUNDLED = os.path.join(ROOT, "deploy/models/de-en")
LANGUAGES = {"nllb": ["--from", "deu_Latn", "--to", "eng_Latn"], "madlad": ["--to", "en"]}
NAMES = {"bundled": "bundled (6.8 M)", "opus": "OPUS-MT base (75 M)", "nllb": "NLLB-600M (615 M)", "madlad": "MADLAD-3B (2.9 B)"}
AT = 0.7  # of full load


def make(name, folder):
    """The model's directory; made if it is not there."""
    if name == "bundled":
        return BUNDLED
    path = os.path.join(folder, name)
    if not os.path.isdir(path):
        half = f"{path}.half"
        os.makedirs(half, exist_ok=True)
        if name == "opus":
            import opus_base
            opus_base.make(half)
        else:
            script = os.path.join(ROOT, f"tests/bench/{name}_shape.py")
            subprocess.run([sys.executable, "-B", script, half], check=True)
        os.rename(half, path)
    return path


def spread(path, out):
    """The lines of `path` in an order in which every stretch of them is as long on average as all: SpreadLengths in
    client/load/load_texts.h. dragoman plan puts them into that order itself."""
    with open(path, encoding="utf-8") as f:
        lines = sorted(f, key=lambda line: len(line.encode()))
    turns = sorted(range(len(lines)), key=lambda i: math.fmod(0.5 + 0.6180339887498949 * i, 1))
    with open(out, "w", encoding="utf-8") as f:
        f.writelines(line for _, line in sorted(zip(turns, lines)))
    return out


def request_flags(o, name):
    flags = ["--beam-size", str(o.beam), *LANGUAGES.get(name, [])]
    if name != "bundled":
        flags += ["--min-output-tokens", str(o.forced), "--max-output-tokens", str(o.forced)]
    return flags


def load(o, daemon, name, warmup, seconds, *how):
    """What `dragoman load` says, and {cores, resident} of its time after the warm-up."""
    client = subprocess.Popen(
        [o.dragoman, "load", "--server", daemon.grpc, "--input", o.input, "--json", "--count-tokens=false", "--deadline-ms",
         "86400000", "--warmup", str(warmup), "--duration", str(seconds), *request_flags(o, name), *how],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        time.sleep(warmup)
        begin = time.monotonic(), cpu_seconds(daemon.process)
        resident = 0
        while time.monotonic() < begin[0] + seconds:
            time.sleep(min(0.5, seconds))
            resident = max(resident, memory_mib(daemon.process.pid)["resident"])
        end = time.monotonic(), cpu_seconds(daemon.process)
        out, err = client.communicate()
    finally:
        client.kill()  # of no effect on one that has ended
    if client.returncode != 0:
        raise RuntimeError(f"dragoman load: {err.strip()}")
    seconds, cpu = (after - before for before, after in zip(begin, end))
    return json.loads(out), dict(cores=cpu / seconds, resident=resident)


def window(seconds, latency):
    """(warm-up, duration): what starts together is over by the end of the one, and several ends of each are in the other."""
    return max(seconds / 2, 2 * latency), max(seconds, 5 * latency)


def measure(o, name, kind, workers):
    flags = ["--model", f"m={make(name, o.work)}", "--device", "cpu", "--compute-type", kind, "--cpu-workers", str(workers),
             "--threads-per-worker", "1"]
    daemon = Daemon(o.dragomand, flags)
    try:
        daemon.wait()
        rest = memory_mib(daemon.process.pid)["resident"]
        in_flight = o.concurrency * workers
        closed = "--concurrency", str(in_flight)
        first, _ = load(o, daemon, name, 0, 0.1, *closed)
        report, full = load(o, daemon, name, *window(o.seconds, first["latency_ms"]["p50"] / 1e3), *closed)
        rate = f"{AT * calls_per_second(in_flight, report):.4f}"
        part, _ = load(o, daemon, name, o.seconds / 2, o.seconds, "--rate", rate)
    finally:
        daemon.stop()
    return figures(in_flight, report, full, part, rest)


def calls_per_second(in_flight, report):
    return in_flight / (report["latency_ms"]["mean"] / 1e3)


def figures(in_flight, report, full, part, rest):
    """A row's numbers, of full load, part of it and rest."""
    rate = calls_per_second(in_flight, report) * report["characters"] / report["sentences"]
    per_core = rate / full["cores"]
    return dict(characters_per_core_second=per_core, characters_per_second=rate, cores_used=full["cores"],
                core_hours_per_million=1e6 / (per_core * AT) / 3600, rest_mib=rest, load_mib=full["resident"],
                p99_full_ms=report["latency_ms"]["p99"], p99_ms=part["latency_ms"]["p99"], calls_at_part=part["ok"])


def plan(o, name, kind, workers):
    command = [o.dragoman, "plan", "--dragomand", o.dragomand, "--model", f"m={make(name, o.work)}", "--input", o.input,
               "--chars-per-second", "1000", "--cores", str(workers), "--seconds", str(o.seconds), "--json",
               "--concurrency", str(o.concurrency * o.workers[0]), "--set", f"compute-type={kind}", "--workers",
               str(o.workers[0]), *request_flags(o, name)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"dragoman plan: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    return dict(characters_per_core_second=report["characters_per_core_second"],
                rest_mib=report["replica_at_rest_bytes"] / 2**20, load_mib=report["replica_under_load_bytes"] / 2**20)


def median_and_worst(off):
    return f"{100 * statistics.median(off):.1f} % (median), {100 * max(off):.1f} % (worst)"


def errors(rows):
    """{figure: (how far the mean of a row's plans is from what was measured, how far they are from each other)}, each a
    list of shares, one for each row."""
    out = {}
    for key in ("characters_per_core_second", "rest_mib", "load_mib"):
        pairs = [[plan[key] for plan in row["plans"]] for row in rows]
        out[key] = ([abs(statistics.mean(pair) / row[key] - 1) for pair, row in zip(pairs, rows)],
                    [max(pair) / min(pair) - 1 for pair in pairs])
    return out


def table(rows):
    lines = ["| model, type, workers | characters/s per core | MiB at rest; under load | p99 at 70 %, ms | core-hours per "
             "million characters at 70 % |", "|--|--|--|--|--|"]
    for row in rows:
        lines.append(f"| {NAMES[row['model']]}, {row['type']}, {row['workers']} | {row['characters_per_core_second']:,.0f} | "
                     f"{row['rest_mib']:,.0f}; {row['load_mib']:,.0f} | {row['p99_ms']:,.0f} | "
                     f"{row['core_hours_per_million']:.3g} |")
    return "\n".join(lines)


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dragomand", required=True)
    parser.add_argument("--dragoman", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--models", nargs="+", choices=sorted(NAMES), default=list(NAMES))
    parser.add_argument("--types", nargs="+", default=["int8", "bfloat16", "float32"])
    parser.add_argument("--workers", nargs="+", type=int, default=[len(os.sched_getaffinity(0)), 1])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--concurrency", type=int, default=96, help="calls in flight for each worker")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--forced", type=int, default=32)
    parser.add_argument("--input", default=TEXTS)
    o = parser.parse_args()
    os.makedirs(o.work, exist_ok=True)
    o.input = spread(o.input, os.path.join(o.work, "texts.txt"))
    for name in o.models:
        for kind in o.types:
            for workers in o.workers:
                row = dict(model=name, type=kind, workers=workers, beam=o.beam, seconds=o.seconds, machine=machine.describe())
                try:
                    before = plan(o, name, kind, workers)
                    row.update(measure(o, name, kind, workers), plans=[before, plan(o, name, kind, workers)])
                except RuntimeError as error:
                    print(f"{name}, {kind}, {workers}: FAILED: {error}", flush=True)
                    continue
                with open(o.out, "a", encoding="utf-8") as f:  # each at once: whoever ends this early finds what there is
                    f.write(json.dumps(row) + "\n")
                print(f"{name}, {kind}, {workers}: {row['characters_per_core_second']:.0f} characters/s per core", flush=True)
    rows = read(o.out)
    print(table(rows))
    if rows:
        for key, (off, apart) in errors(rows).items():
            print(f"dragoman plan, {key}: off by {median_and_worst(off)}; before and after differ by "
                  f"{median_and_worst(apart)}; {len(rows)} rows")


if __name__ == "__main__":
    main()
