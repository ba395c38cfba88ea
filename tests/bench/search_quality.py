#!/usr/bin/env python3
"""BLEU of searches, and of required phrases taken from the references, with the bundled model.

    search_quality.py --bench build/release/tests/bench/search_bench --pairs TEST.tsv [--part PART]
                      [--device cuda:0 [--compute-type TYPE]] [--segments N] [--json FILE]

TEST.tsv has one pair per line, source TAB reference; it is read by path, none is kept here. Parts, by the claims of
details/claims.md, "Claims of the papers":
  searches  a8: greedy, FIXED, and pruned search over delta and M, on all pairs
  words     d6: 1 to 4 random words, or a 4-word phrase, of the reference as constraints, k = 5, 10, 20, on --sentences
            pairs with references of at least 4 words; r of the relative positions in output and reference
  prune     d3: constraint_prune with 3 random words, k = 10, on the same pairs
  grid      d4: as many rows for dynamic beam allocation, k = C + 1, as for grid beam search with one hypothesis for each
            number of met constraint tokens; 2, 4, 6 and 8 random words of references of at least 8, the last two with C >= 9.
            Runs on the CPU
  ensemble  a1 to a3 with --members models: the experiment of search_bench on --sentences pairs and its BLEU, and that of
            every member alone at beam 5. Runs on the CPU, and only when it is asked for
Prints Markdown tables; --json keeps them as {"tables": [{"title", "columns", "rows"}]}. Exit status 1 if a phrase was unmet, or the bounds of d4 or d6 do not hold. Needs sacrebleu (pins:
tests/parity/requirements.txt).
"""
import argparse
import json
import math
import os
import random
import string
import subprocess
import sys
import tempfile

import sacrebleu

PUNCTUATION = string.punctuation + "…“”„’‘«»–—"


def bare(word):
    return word.strip(PUNCTUATION)


TABLES = []


def line(cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def header(title, *columns):
    print(f"\n{title}\n")
    line(columns)
    print("|" + "--|" * len(columns))
    TABLES.append({"title": title, "columns": columns, "rows": []})


def row(*cells):
    line(cells)
    TABLES[-1]["rows"].append(cells)


class Bench:
    def __init__(self, path, directory, own):
        """own: options of every call."""
        self.path, self.directory, self.own, self.failed = path, directory, own, False

    def translate(self, sources, phrases, **options):
        """Translations and the run's counts. phrases: a list per source."""
        pairs, output = (os.path.join(self.directory, name) for name in ("in.tsv", "out.txt"))
        with open(pairs, "w", encoding="utf-8") as f:
            for source, own in zip(sources, phrases):
                f.write("\t".join([source, *own]) + "\n")
        command = [self.path, "translate", "--pairs", pairs, "--output", output]
        for name, value in {**self.own, **options}.items():
            command += ["--" + name.replace("_", "-"), str(value)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode == 2 or not done.stdout:
            sys.exit(f"{' '.join(command)} failed")
        counts = json.loads(done.stdout)
        if done.returncode or counts["unmet"]:
            self.failed = True
        with open(output, encoding="utf-8", newline="\n") as f:
            return [line.rstrip("\n") for line in f], counts


def bleu(hypotheses, references):
    return sacrebleu.BLEU().corpus_score(hypotheses, [references]).score


def draw(reference, kind, rng):
    """[(phrase, index of its first word)] of the reference's words."""
    words = reference.split()
    if kind == "phr4":
        at = rng.randrange(len(words) - 3)
        return [(" ".join(words[at:at + 4]).strip(PUNCTUATION), at)]
    places = [i for i, w in enumerate(words) if bare(w)]
    chosen = rng.sample(places, min(int(kind[-1]), len(places)))
    return [(bare(words[i]), i) for i in chosen]


def find(phrase, words, taken):
    """Where the phrase's words stand in the output, of words that no other phrase has; -1: not as whole words."""
    wanted = [bare(w) for w in phrase.split()]
    for at in range(len(words) - len(wanted) + 1):
        span = range(at, at + len(wanted))
        if words[at:at + len(wanted)] == wanted and not taken.intersection(span):
            taken.update(span)
            return at
    return -1


def pearson(points):
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    sxy = sum((x - mx) * (y - my) for x, y in points)
    return sxy / math.sqrt(sum((x - mx)**2 for x, _ in points) * sum((y - my)**2 for _, y in points))


def positions(drawn, references, hypotheses):
    points, missed = [], 0
    for own, reference, hypothesis in zip(drawn, references, hypotheses):
        words, taken = [bare(w) for w in hypothesis.split()], set()
        length = len(reference.split())
        for phrase, at in sorted(own, key=lambda x: x[1]):
            found = find(phrase, words, taken)
            if found < 0:
                missed += 1
            else:
                points.append((at / length, found / len(words)))
    return points, missed


def searches(bench, pairs):
    sources, references = zip(*pairs)
    header(f"{len(pairs)} sentences, beam 5", "search", "BLEU", "mean score", "row-steps", "decode s")
    for name, search, beam in [("GREEDY", "fixed-ours", 1), ("FIXED", "fixed", 5), ("FIXED-OURS", "fixed-ours", 5),
                               ("VAR 0.5, 5", "var:0.5:5", 5), ("VAR 1.5, 5", "var:1.5:5", 5),
                               ("VAR 2.5, 5", "var:2.5:5", 5), ("VAR 1.5, 3", "var:1.5:3", 5),
                               ("VAR 1.5, 10", "var:1.5:10", 5)]:
        out, counts = bench.translate(sources, [[]] * len(sources), search=search, beam=beam)
        row(name, f"{bleu(out, references):.2f}", counts["score"], counts["row_steps"], counts["seconds"])


def words(bench, pairs):
    sources, references = zip(*pairs)
    kinds = ["rand1", "rand2", "rand3", "rand4", "phr4"]
    drawn = {}
    for kind in kinds:
        rng = random.Random(kind)
        drawn[kind] = [draw(reference, kind, rng) for reference in references]
    header(f"{len(pairs)} sentences", "constraints", "k", "BLEU", "above unconstrained", "r of positions",
           "not as whole words", "left out (<unk>)", "unmet", "row-steps")
    holds = True
    for k in (5, 10, 20):
        out, counts = bench.translate(sources, [[]] * len(sources), beam=k)
        base = bleu(out, references)
        row("none", k, f"{base:.2f}", "", "", "", "", "", counts["row_steps"])
        for kind in kinds:
            phrases = [[p for p, _ in own] for own in drawn[kind]]
            out, counts = bench.translate(sources, phrases, beam=k)
            score = bleu(out, references)
            points, missed = positions(drawn[kind], references, out)
            r = pearson(points)
            holds = holds and (k < 10 or (score > base and r >= 0.7))
            row(kind, k, f"{score:.2f}", f"{score - base:+.2f}", f"{r:.3f}", missed, counts["left_out"],
                counts["unmet"], counts["row_steps"])
    print(f"\nd6 at k >= 10: {'holds' if holds else 'DOES NOT HOLD'}")
    return holds


def prune(bench, pairs):
    sources, references = zip(*pairs)
    rng = random.Random("rand3")
    phrases = [[p for p, _ in draw(reference, "rand3", rng)] for reference in references]
    header(f"{len(pairs)} sentences, 3 random reference words, k = 10", "constraint_prune", "BLEU", "mean score",
           "row-steps", "decode s", "x off")
    rows = [(t, *bench.translate(sources, phrases, beam=10, constraint_prune=t)) for t in ("off", 30, 20, 10, 5, 3)]
    for threshold, out, counts in rows:
        row(threshold, f"{bleu(out, references):.2f}", counts["score"], counts["row_steps"], counts["seconds"],
            f"{counts['seconds'] / rows[0][2]['seconds']:.3f}")


def grid(bench, pairs, sentences):
    header("the same rows for both", "constraints", "texts", "mean C", "search", "BLEU", "mean score", "row-steps")
    holds = True
    for kind, least in [("rand2", 1), ("rand4", 1), ("rand6", 9), ("rand8", 9)]:
        rng = random.Random(kind)
        drawn = [[p for p, _ in draw(reference, kind, rng)] for _, reference in pairs]
        _, counts = bench.translate([s for s, _ in pairs], drawn, beam=1)
        by_tokens = {}
        kept = [i for i, c in enumerate(counts["constraint_tokens"]) if c >= least][:sentences]
        for i in kept:
            by_tokens.setdefault(counts["constraint_tokens"][i], []).append(i)
        mean = sum(counts["constraint_tokens"][i] for i in kept) / len(kept)
        scores = []
        for name, options in [("DBA, k = C + 1", lambda c: {"beam": c + 1}),
                              ("grid, 1 per bank", lambda c: {"search": "grid:1"})]:
            found, score, row_steps = {}, 0, 0
            for c, own in by_tokens.items():
                out, run = bench.translate([pairs[i][0] for i in own], [drawn[i] for i in own], **options(c))
                found.update(zip(own, out))
                score += run["score"] * len(own) / len(kept)
                row_steps += run["row_steps"]
            quality = bleu([found[i] for i in kept], [pairs[i][1] for i in kept])
            scores.append(score)
            row(kind + (f", C >= {least}" if least > 1 else ""), len(kept), f"{mean:.1f}", name, f"{quality:.2f}",
                f"{score:.4f}", row_steps)
        holds = holds and (least < 9 or scores[0] >= scores[1])
    print(f"\nd4, score at C >= 9: {'holds' if holds else 'DOES NOT HOLD'}")
    return holds


def ensemble(bench, pairs, members, noise, beam, rounds):
    sources, references = zip(*pairs)
    texts, output, found = (os.path.join(bench.directory, name) for name in ("texts", "out.tsv", "found.json"))
    with open(texts, "w", encoding="utf-8") as f:
        f.writelines(source + "\n" for source in sources)
    done = subprocess.run([bench.path, "experiment", "--input", texts, "--texts", str(len(sources)), "--output", output,
                           "--members", str(members), "--noise-percent", str(noise), "--beam", str(beam),
                           "--rounds", str(rounds), "--json", found, "--compute-type", bench.own["compute_type"],
                           "--segments", str(bench.own["segments"])], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 2 or not done.stdout:
        sys.exit("search_bench experiment failed")
    bench.failed = bench.failed or done.returncode != 0
    with open(found, encoding="utf-8") as f:
        table = json.load(f)["tables"][0]
    # The printed cells are rounded as they should be read.
    printed = [[c.strip() for c in text.strip("|\n ").split("|")] for text in done.stdout.splitlines()
               if text.startswith("| ")][1:]
    with open(output, encoding="utf-8", newline="\n") as f:
        columns = list(zip(*(text.rstrip("\n").split("\t") for text in f)))
    header(table["title"], "search", "BLEU", *table["columns"][1:])
    for cells, column in zip(printed, columns):
        row(cells[0], f"{bleu(column, references):.2f}", *cells[1:])
    print("\n" + done.stdout.splitlines()[-1])
    header("each member alone, beam 5, FIXED", "member", "BLEU", "mean score")
    for seed in range(1, members + 1):
        out, counts = bench.translate(sources, [[]] * len(sources), search="fixed", beam=5, noise_percent=noise,
                                      member_seed=seed)
        row(seed, f"{bleu(out, references):.2f}", counts["score"])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bench", required=True, help="the program search_bench")
    p.add_argument("--pairs", required=True, help="source TAB reference")
    p.add_argument("--sentences", type=int, default=500, help="of parts words, prune, grid and ensemble")
    p.add_argument("--device", default="cpu", help="cpu or cuda:N")
    p.add_argument("--compute-type", default="auto")
    p.add_argument("--segments", type=int, default=16, help="decoded at a time")
    p.add_argument("--json", help="where the tables go as JSON too")
    p.add_argument("--part", choices=["searches", "words", "prune", "grid", "ensemble"], action="append")
    p.add_argument("--members", type=int, default=5, help="of part ensemble, as the next three")
    p.add_argument("--noise-percent", type=int, default=10)
    p.add_argument("--beam", type=int, default=50)
    p.add_argument("--rounds", type=int, default=3)
    a = p.parse_args()
    with open(a.pairs, encoding="utf-8") as f:
        pairs = [tuple(line.rstrip("\n").split("\t")) for line in f]
    def of_words(least):
        chosen = [pair for pair in pairs if len([w for w in pair[1].split() if bare(w)]) >= least]
        random.Random(1).shuffle(chosen)
        return chosen

    chosen = of_words(4)[:a.sentences]
    parts = a.part or ["searches", "words", "prune"] + (["grid"] if a.device == "cpu" else [])
    print(f"sacrebleu {sacrebleu.__version__}, its defaults")
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(a.bench, directory,
                      {"device": a.device, "compute_type": a.compute_type, "segments": a.segments})
        if "searches" in parts:
            searches(bench, pairs)
        holds = words(bench, chosen) if "words" in parts else True
        if "prune" in parts:
            prune(bench, chosen)
        if "ensemble" in parts:
            ensemble(bench, pairs[:a.sentences], a.members, a.noise_percent, a.beam, a.rounds)
        if "grid" in parts:
            holds = grid(bench, of_words(8), a.sentences) and holds
    if a.json:
        with open(a.json, "w", encoding="utf-8") as f:
            json.dump({"device": a.device, "compute_type": a.compute_type, "tables": TABLES}, f, indent=1)
    sys.exit(0 if holds and not bench.failed else 1)


if __name__ == "__main__":
    main()
