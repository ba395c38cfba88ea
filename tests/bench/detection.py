#!/usr/bin/env python3
"""How often languages are detected right, and how fast: dragoman, CLD2 (pycld2) and langdetect on the same lines.

    tests/bench/detection.py --server ADDR [--client PATH] [--lines N] PAIRS.tsv

PAIRS.tsv has German TAB English, as Tatoeba's pairs. The server serves a model from German to English, with
--language-model, so that it looks for these two. The others answer among all their languages: each is shown as it is,
and with what it ranks lower (CLD2: hints and three guesses; langdetect: all its guesses) limited to the two. Needs
pycld2 and langdetect from PyPI.
"""
import argparse
import random
import subprocess
import time

import langdetect
import pycld2


def dragoman(client, server, lines):
    begin = time.perf_counter()
    out = subprocess.run([client, "detect", "--server", server], input="\n".join(lines) + "\n", text=True,
                         capture_output=True, check=True).stdout.splitlines()
    return [line.split("\t")[0] for line in out], time.perf_counter() - begin


def cld2(lines, limited):
    begin = time.perf_counter()
    found = []
    for line in lines:
        guesses = [guess[1] for guess in pycld2.detect(line, bestEffort=limited)[2]]
        if limited:
            guesses = [guess for guess in guesses if guess in ("de", "en")]
        found.append(guesses[0] if guesses else "un")
    return found, time.perf_counter() - begin


def langdetect_(lines, limited):
    langdetect.DetectorFactory.seed = 0
    begin = time.perf_counter()
    found = []
    for line in lines:
        try:
            guesses = [guess.lang for guess in langdetect.detect_langs(line)]
        except langdetect.lang_detect_exception.LangDetectException:
            guesses = []
        if limited:
            guesses = [guess for guess in guesses if guess in ("de", "en")]
        found.append(guesses[0] if guesses else "un")
    return found, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True)
    parser.add_argument("--client", default="build/release/client/dragoman")
    parser.add_argument("--lines", type=int, default=3000)
    parser.add_argument("pairs")
    arguments = parser.parse_args()
    german, english = [], []
    for line in open(arguments.pairs, encoding="utf-8"):
        columns = line.rstrip("\n").split("\t")
        german.append(columns[0])
        english.append(columns[1])
    draw = random.Random(1)

    def sample(keep):
        items = []
        for language, texts in (("de", german), ("en", english)):
            kept = sorted({text for text in texts if keep(text)})
            items += [(language, text) for text in draw.sample(kept, min(len(kept), arguments.lines // 2))]
        draw.shuffle(items)
        return items

    print("| lines | program | right | wrong | unknown | us a line |")
    print("|---|---|---|---|---|---|")
    for name, keep in (("all lengths", lambda text: True), ("at most 20 characters", lambda text: len(text) <= 20)):
        items = sample(keep)
        lines = [text for _, text in items]
        for program, (found, seconds) in (
            ("dragoman detect, over gRPC", dragoman(arguments.client, arguments.server, lines)),
            ("CLD2", cld2(lines, False)),
            ("CLD2, limited", cld2(lines, True)),
            ("langdetect", langdetect_(lines, False)),
            ("langdetect, limited", langdetect_(lines, True)),
        ):
            assert len(found) == len(items), program
            right = sum(language == answer for (language, _), answer in zip(items, found))
            unknown = sum(answer in ("und", "un") for answer in found)
            shares = [100 * count / len(items) for count in (right, len(items) - right - unknown, unknown)]
            print(f"| {len(items)}, {name} | {program} | " + " | ".join(f"{share:.1f} %" for share in shares) +
                  f" | {1e6 * seconds / len(items):.0f} |", flush=True)


if __name__ == "__main__":
    main()
