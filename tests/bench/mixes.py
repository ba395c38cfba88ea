"""The worst mixes of legal options beside an interactive client; see mixes.sh, which runs it.

A daemon of build/release serves; one client translates one short sentence after the other; others keep 128 rows busy: with
plain beam search (32 calls of beam 4), or with as many rows of the options at their extreme, all with outputs of 100 tokens. All
settings take turns within a round. The table has the interactive client's p50 and p99 over all rounds; "x" is what they are of those beside plain beam
search, at most 3: else the exit status is 1. Rows and milliseconds of a step, and microseconds of a row, are the daemon's.
"""

import argparse
import os
import re
import sys
import tempfile

import harness
import opus_base
import sampling
from dragoman.v1 import translation_pb2 as pb

ROWS = 128


def words():
    text = (harness.ROOT / "tests/data/german.txt").read_text()
    return sorted(set(re.findall(r"[a-z]{4,8}", text)))


def mixes():
    """name -> crowds of 128 rows together"""
    draws, plain, length = sampling.draws, sampling.plain, sampling.LENGTH
    found = words()
    # As many as the limits take: 4,096 nodes, about five for each word; 128 tokens, at most five for each.
    forbidden = [f"{a} {b}" for a, b in zip(found[:170], found[170:340])]
    required = [pb.RequiredPhrase(text=word) for word in found[:24]]
    everything = draws(1, top_k=4000, top_p=0.9, temperature=3.0, repetition_penalty=1.3)
    return {
        "plain": [plain(ROWS)],
        "64 draws, top_k 1,000,000": [draws(2, top_k=1_000_000)],
        "64 draws, top_k 50": [draws(2, top_k=50)],
        "64 draws, temperature 3": [draws(2, temperature=3.0)],
        "64 draws, top_k 4,000, top_p 0.9, temperature 3, penalty 1.3": [(2, everything[1])],
        "repetition penalty": [(ROWS // 4, {"beam_size": 4, "repetition_penalty": 1.3, **length})],
        "beam 64": [(2, {"beam_size": 64, "num_alternatives": 64, **length})],
        "beam 64, 24 required words": [(2, {"beam_size": 64, "required_phrases": required, **length})],
        "forbidden phrases": [(ROWS // 4, {"beam_size": 4, "forbidden_phrases": forbidden, **length})],
        "all together": [
            everything,
            (4, {"beam_size": 8, "repetition_penalty": 1.3, "no_repeat_ngram": 1, **length}),
            (1, {"beam_size": 16, "num_alternatives": 16, "required_phrases": required, **length}),
            (4, {"beam_size": 4, "forbidden_phrases": forbidden, **length}),
        ],
    }


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return re.search(r"model name\s*: (.*)", f.read())[1]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=float, default=4, help="of each setting in a round")
    p.add_argument("--big", action="store_true",
                   help="a model of OPUS-MT's size with random weights, of which a step takes much longer")
    p.add_argument("--only", help="those mixes whose names have this")
    p.add_argument("--flag", action="append", default=[], help="of the daemon")
    o = p.parse_args()
    chosen = {name: crowds for name, crowds in mixes().items()
              if o.only is None or o.only in name or name == "plain"}
    found = {name: sampling.Seen() for name in ["nobody", *chosen]}
    with tempfile.TemporaryDirectory(prefix="mixes-") as directory:
        model = harness.MODEL
        if o.big:
            opus_base.make(directory)
            model = f"de-en={directory}"
        with harness.Daemon(*o.flag, model=model, wait=180) as daemon:
            for _ in range(o.rounds):
                for name, seen in found.items():
                    print(f"beside {name}", file=sys.stderr)
                    seen.add(sampling.beside(daemon, chosen.get(name, []), o.seconds))
    print(f"{cpu_name()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}; "
          f"{'OPUS-MT base, random weights' if o.big else 'bundled model'}; {o.rounds} rounds of {o.seconds:g} s\n")
    print("| beside | calls | p50 ms | x | p99 ms | x | rows/step | ms/step | us/row |")
    print("|--|--|--|--|--|--|--|--|--|")
    held = True
    for name, seen in found.items():
        if seen.failures or not seen.seconds:
            held = False
            print(f"FAILED {name}: {seen.failures[:3] or 'no answer'}")
            continue
        cells = [name, str(len(seen.seconds))]
        for q in (0.5, 0.99):
            value, plain = seen.quantile(q), found["plain"].quantile(q)
            held = held and value <= 3 * plain
            cells += [f"{value * 1e3:.0f}", f"{value / plain:.2f}"]
        cells += [f"{seen.row_steps / seen.steps:.0f}", f"{seen.step_seconds / seen.steps * 1e3:.1f}",
                  f"{seen.step_seconds / seen.row_steps * 1e6:.0f}"]
        print(f"| {' | '.join(cells)} |")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
