#!/usr/bin/env python3
"""Prints the BLEU of translations, as sacreBLEU computes it by default, with its signature.

    bleu.py TEST.tsv HYPOTHESES [--json]

TEST.tsv has one pair per line, source TAB reference; HYPOTHESES one translation per line, in the same order. The data
are read by path: none are kept here. Needs sacrebleu (pins: tests/parity/requirements.txt).
"""
import argparse
import json
import sys

import sacrebleu


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("test", help="pairs, source TAB reference")
    p.add_argument("hypotheses", help="translations, one a line")
    p.add_argument("--json", action="store_true")
    a = p.parse_args()
    with open(a.test, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    with open(a.hypotheses, encoding="utf-8", newline="\n") as f:
        hypotheses = [line.rstrip("\n") for line in f]
    for number, row in enumerate(rows, 1):
        if len(row) != 2:
            sys.exit(f"{a.test}:{number}: {len(row)} fields, expected 2")
    if len(rows) != len(hypotheses):
        sys.exit(f"{a.test} has {len(rows)} lines, {a.hypotheses} has {len(hypotheses)}")
    metric = sacrebleu.BLEU()
    score = metric.corpus_score(hypotheses, [[reference for _, reference in rows]])
    if a.json:
        print(json.dumps(dict(bleu=round(score.score, 2), sentences=len(rows), signature=str(metric.get_signature()))))
    else:
        print(f"{score}\n{metric.get_signature()}, {len(rows)} sentences")


if __name__ == "__main__":
    main()
