#!/usr/bin/env python3
"""Translates one side of parallel text with a Hugging Face MarianMT directory: sequence-level knowledge distillation
(Kim and Rush, 2016), and, from the other side, back-translation.

    distil.py MODEL_DIR PAIRS.tsv ... --out OUT.tsv [--from-target] [--beam 4] [--minutes M] [--device auto|cpu|cuda]

OUT.tsv gets a line for each pair: the source, TAB, its translation. With --from-target the model translates targets, and a
line is the translation, TAB, the target. Pairs come in an order drawn by a fixed seed; after --minutes (start-up included) what
is done stays, and the same command goes on from there.
Needs transformers, torch, sentencepiece, safetensors, numpy (pins: tests/parity/requirements.txt).
"""
import argparse
import os
import random
import time

BEGAN = time.monotonic()  # ahead of imports that take seconds

import torch
from transformers import MarianMTModel

from corpus import MAX_TRAIN_TOKENS, Vocab, padded, read_pairs

CHUNK = 16384  # pairs that are sorted by length together


def translate(model, vocab, encoded, beam):
    """The translations of texts as token ids, in one batch."""
    source = padded(encoded, vocab.pad).long().to(model.device)
    ids = model.generate(input_ids=source, attention_mask=(source != vocab.pad).long(), do_sample=False,
                         num_beams=beam, early_stopping=beam > 1, max_new_tokens=2 * source.shape[1] + 10)
    return [vocab.decode(row) for row in ids[:, 1:].tolist()]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", help="model directory")
    p.add_argument("pairs", nargs="+", help="pairs, source TAB target")
    p.add_argument("--out", required=True)
    p.add_argument("--from-target", action="store_true", help="translate the targets, with a model of the other direction")
    p.add_argument("--beam", type=int, default=4)
    p.add_argument("--minutes", type=float, default=float("inf"))
    p.add_argument("--rows", type=int, help="hypotheses in a batch (default 8192 on a GPU, 256 on a CPU)")
    p.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    a = p.parse_args()
    device = ("cuda" if torch.cuda.is_available() else "cpu") if a.device == "auto" else a.device
    batch = max(1, (a.rows or (8192 if device == "cuda" else 256)) // a.beam)
    vocab = Vocab(os.path.join(a.model, "source.spm"))
    pairs = read_pairs(a.pairs)
    encoded = [ids[:MAX_TRAIN_TOKENS] for ids in vocab.encode([pair[a.from_target] for pair in pairs], threads=-1)]
    order = list(range(len(pairs)))
    random.Random(1).shuffle(order)
    order = [i for at in range(0, len(order), CHUNK) for i in sorted(order[at : at + CHUNK], key=lambda i: len(encoded[i]))]
    done = 0
    if os.path.exists(a.out):
        with open(a.out, "rb+") as f:
            written = f.read()
            f.truncate(written.rfind(b"\n") + 1)  # a line that was cut off
            done = written.count(b"\n")
    dtype = torch.float16 if device == "cuda" else torch.float32
    model = MarianMTModel.from_pretrained(a.model, dtype=dtype).to(device).eval()
    with open(a.out, "a", encoding="utf-8") as f:
        while done < len(order) and time.monotonic() - BEGAN < 60 * a.minutes:
            part = order[done : done + batch]
            for i, new in zip(part, translate(model, vocab, [encoded[i] for i in part], a.beam)):
                source, target = pairs[i]
                f.write(f"{new}\t{target}\n" if a.from_target else f"{source}\t{new}\n")
            f.flush()
            done += len(part)
            print(f"{done} of {len(order)} in {time.monotonic() - BEGAN:.0f} s", flush=True)


if __name__ == "__main__":
    main()
