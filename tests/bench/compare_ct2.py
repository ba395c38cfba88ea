#!/usr/bin/env python3
"""Dragoman against CTranslate2: text to text, float32, the same weights, beam 4, FIRST_K with patience 1, in one run.

    compare_ct2.py --build build/release --input FILE [--texts 3000] [--rounds 5]
                   [--settings 2x1:32 ...] [--daemon-flags '--cpu-workers 2'] [--concurrency 256]

FILE has one sentence a line. The texts are 1-4 of its lines joined by a fixed seed, sorted by their number of characters.
First CTranslate2's best setting is looked for (--settings; by default all of ct2_baseline.py), then the two take turns,
round by round: CTranslate2 on the whole file in its process, Dragoman through gRPC with `dragoman load` as the client on
the same processors. Printed is the ratio of texts per second, round by round, and the totals of target tokens, which
must be equal within 1 %. Needs the packages of tests/parity/requirements.txt.
"""
import argparse
import atexit
import json
import os
import random
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import urllib.request

import machine
from ct2_baseline import SWEEP, Baseline, convert

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "../../deploy/models/de-en")


class Dragoman:
    """The daemon on free ports of the loopback."""

    def __init__(self, build, flags):
        self.client = os.path.join(build, "client/dragoman")
        self.process = subprocess.Popen(
            [os.path.join(build, "server/dragomand"), "--model", MODEL, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0",
             "--log-level", "warn", *flags], stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)  # whatever ends this script ends the daemon
        line = self.process.stdout.readline()
        self.grpc = re.search(r"grpc=(\S+)", line)[1]
        self.http = re.search(r"metrics=(\S+)", line)[1]

    def counter(self, name):
        with urllib.request.urlopen(f"http://{self.http}/metrics") as page:
            text = page.read().decode()
        return sum(float(v) for v in re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", text, re.M))

    def run(self, path, texts, concurrency, batch):
        """(texts per second, target tokens without EOS, seconds of CPU of the client)"""
        before = self.counter("dragoman_target_tokens_total"), self.counter("dragoman_segments_total")
        out = subprocess.run(
            [self.client, "load", "--server", self.grpc, "--input", path, "--requests", str(-(-texts // batch)),
             "--concurrency", str(concurrency), "--batch", str(batch), "--beam", "4", "--stop-rule", "first_k",
             "--length-penalty", "1", "--split", "none", "--count-tokens=false", "--json"],
            stdout=subprocess.PIPE, text=True, check=True)
        report = json.loads(out.stdout)
        if report["ok"] != report["sent"] or report["errors"]:
            sys.exit(f"not every call came back: {out.stdout}")
        tokens = self.counter("dragoman_target_tokens_total") - before[0]
        ends = self.counter("dragoman_segments_total") - before[1]
        return texts / report["seconds"], int(tokens - ends), report["client_cpu_seconds"]

    def stop(self):
        self.process.terminate()
        return self.process.wait()


def make_texts(path, count):
    with open(path, encoding="utf-8") as f:
        lines = [line.strip() for line in f if re.search(r"\w", line)]
    rng = random.Random(1)
    texts = [" ".join(rng.sample(lines, rng.randint(1, 4))) for _ in range(count)]
    return sorted(texts, key=len, reverse=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default="build/release", help="build folder with dragomand and dragoman")
    p.add_argument("--input", required=True)
    p.add_argument("--texts", type=int, default=3000)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--settings", nargs="+", default=SWEEP, metavar="INTERxINTRA:BATCH")
    p.add_argument("--daemon-flags", default="--max-queue-tokens 1000000 --max-queue-segments 100000",
                   help="the queue holds every call of the client")
    p.add_argument("--concurrency", type=int, default=256)
    p.add_argument("--batch", type=int, default=1, help="texts per call of Dragoman")
    a = p.parse_args()
    print(json.dumps(machine.describe()), flush=True)
    texts = make_texts(a.input, a.texts)
    with tempfile.TemporaryDirectory() as folder:
        converted = convert(MODEL, folder)
        best = None
        for setting in a.settings:
            peer = Baseline(MODEL, converted, setting, beam=4)
            found = peer.measure(texts[:: max(1, len(texts) // 1000)], 2)
            print(json.dumps(dict(ct2=setting, sentences_per_s=found["sentences_per_s"])), flush=True)
            if best is None or found["sentences_per_s"] > best[0]:
                best = found["sentences_per_s"], setting
        path = os.path.join(folder, "texts")
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(text + "\n" for text in texts)
        peer = Baseline(MODEL, converted, best[1], beam=4)
        ours = Dragoman(a.build, shlex.split(a.daemon_flags))
        ours.run(path, min(len(texts), 500), a.concurrency, a.batch)
        ratios = []
        for n in range(a.rounds):
            theirs = peer.measure(texts, 1)
            speed, tokens, client = ours.run(path, len(texts), a.concurrency, a.batch)
            ratios.append(speed / theirs["sentences_per_s"])
            print(json.dumps(dict(round=n, dragoman_texts_per_s=round(speed, 1), dragoman_target_tokens=tokens,
                                  dragoman_tokens_per_s=round(speed * tokens / len(texts), 1), client_cpu_s=round(client, 2),
                                  ct2=best[1], ct2_texts_per_s=theirs["sentences_per_s"],
                                  ct2_target_tokens=theirs["target_tokens"],
                                  ct2_tokens_per_s=theirs["target_tokens_per_s"], ratio=round(ratios[-1], 3))), flush=True)
        status = ours.stop()
    difference = tokens / theirs["target_tokens"] - 1
    print(json.dumps(dict(texts=len(texts), ratio_median=round(statistics.median(ratios), 3), ratio_min=round(min(ratios), 3),
                          ratio_max=round(max(ratios), 3), token_totals_differ_by=round(difference, 5), daemon_exit=status)))
    if abs(difference) > 0.01:
        sys.exit("the totals of target tokens differ by more than 1 %")


if __name__ == "__main__":
    main()
