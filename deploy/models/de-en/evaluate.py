#!/usr/bin/env python3
"""Translates the German side of a TSV file with a Hugging Face MarianMT directory and prints BLEU.

    evaluate.py MODEL_DIR TEST.tsv [--beams 1 4] [--batch 64] [--device auto|cpu|cuda] [--out PREFIX]

TEST.tsv has one pair per line, source TAB reference. The weights are taken up to float32. BLEU is sacreBLEU's
default (13a tokenisation), printed with its signature. With --out the translations go to PREFIX.beamN.txt.
Needs transformers, torch, sentencepiece, sacrebleu (pins: tests/parity/requirements.txt).
"""
import argparse
import time

import sacrebleu
import torch
from transformers import MarianMTModel, MarianTokenizer


def read_pairs(path):
    pairs = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 2:
                pairs.append((fields[0], fields[1]))
    return pairs


def translate(model, tokenizer, sources, beam, batch_size, device):
    """Length-sorted batches; the order of the input comes back."""
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    out = [""] * len(sources)
    for at in range(0, len(order), batch_size):
        part = order[at : at + batch_size]
        batch = tokenizer([sources[i] for i in part], return_tensors="pt", padding=True).to(device)
        with torch.no_grad():
            ids = model.generate(**batch, num_beams=beam, do_sample=False)
        for i, text in zip(part, tokenizer.batch_decode(ids, skip_special_tokens=True)):
            out[i] = text
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", help="model directory")
    p.add_argument("test", help="pairs, source TAB reference")
    p.add_argument("--beams", type=int, nargs="+", default=[1, 4])
    p.add_argument("--batch", type=int, default=64, help="sentences in a batch")
    p.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    p.add_argument("--out", help="write the translations to OUT.beamN.txt")
    a = p.parse_args()
    device = ("cuda" if torch.cuda.is_available() else "cpu") if a.device == "auto" else a.device
    tokenizer = MarianTokenizer.from_pretrained(a.model)
    model = MarianMTModel.from_pretrained(a.model, dtype=torch.float32).to(device).eval()
    pairs = read_pairs(a.test)
    for beam in a.beams:
        began = time.time()
        hyps = translate(model, tokenizer, [s for s, _ in pairs], beam, a.batch, device)
        metric = sacrebleu.BLEU()
        score = metric.corpus_score(hyps, [[r for _, r in pairs]])
        print(f"beam {beam}: {score}", flush=True)
        print(f"  {metric.get_signature()}, {len(pairs)} sentences, {time.time() - began:.0f} s", flush=True)
        if a.out:
            with open(f"{a.out}.beam{beam}.txt", "w", encoding="utf-8") as f:
                f.writelines(h.replace("\n", " ") + "\n" for h in hyps)


if __name__ == "__main__":
    main()
