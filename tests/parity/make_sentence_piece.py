#!/usr/bin/env python3
"""What sentencepiece of requirements.txt cuts texts into, where its releases differ: ties of the
Viterbi search, and user-defined pieces. Writes three small unigram models to
tests/data/sentence_piece and fixtures/sentence-piece.jsonl.gz."""

import pathlib
import random

import sentencepiece

from fixture_file import write_jsonl

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "tests/data/sentence_piece"
OUT = ROOT / "tests/parity/fixtures/sentence-piece.jsonl.gz"

# Of the plain one many numbers have two cuts that score the same. `ung` is the model of issue 12.
TRAINED = {
    "plain": dict(vocab_size=900),
    "ung": dict(vocab_size=400, user_defined_symbols=["ung"]),
    "user": dict(vocab_size=500, user_defined_symbols=["ung", "sch", "0", "en", "a", "33", "Straße"]),
}


def numbers(seed, count):
    rng = random.Random(seed)
    out = [str(rng.randrange(10 ** rng.randrange(2, 12))) for _ in range(count)]
    return out + [s + d * n for s in ("", "31") for d in "0123456789" for n in range(2, 13)]


def main():
    lines = (ROOT / "tests/data/german.txt").read_text(encoding="utf-8").splitlines()
    MODELS.mkdir(parents=True, exist_ok=True)
    corpus = MODELS / "corpus.txt"
    corpus.write_text("\n".join(lines + numbers(1, 20000)) + "\n", encoding="utf-8")
    texts = ["Junge Erwachsene", "310000", "Schulung an der Hauptstraße 33000"]
    texts += numbers(2, 150) + [f"{a}, am {b}. {c}" for a, b, c in
                                zip(lines[:100], numbers(3, 100), lines[150:250])]
    rows = [{"header": True, "sentencepiece": sentencepiece.__version__}]
    for name, args in TRAINED.items():
        sentencepiece.SentencePieceTrainer.train(
            input=str(corpus), model_prefix=str(MODELS / name), model_type="unigram",
            normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1,
            minloglevel=2, **args)
        (MODELS / f"{name}.vocab").unlink()
        model = MODELS / f"{name}.spm"
        (MODELS / f"{name}.model").rename(model)
        processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
        for text in texts:
            rows.append({"model": name, "text": text, "pieces": processor.encode(text, out_type=str)})
    write_jsonl(OUT, rows, separators=None)
    corpus.unlink()


if __name__ == "__main__":
    main()
