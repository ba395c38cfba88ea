#!/usr/bin/env python3
"""Scores given translations with transformers: the log-probability of each token, decoded with teacher forcing.

    make_scores.py [--out tests/parity/fixtures]

Each target is a line of german.txt, as are the sources: what a model with random weights is given does not matter. A
pair is kept if the model has the positions for it, and float32 and float64 differ by at most 2e-5 in each token. A
second run with the same pins writes the same bytes.
"""
import argparse
import copy
import os

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from fixture_file import write_jsonl
from hf_model import FIXTURES, MAX_SCORE_DIFFERENCE, ROOT, prepare, versions

PAIRS = 360
# Languages, the prompt of the source, and whether the labels begin with a token that is not scored.
MODELS = {
    "de-en": dict(),
    "tiny-a": dict(),
    "tiny-b": dict(),
    "tiny-m2m": dict(languages=("de", "en"), first=True),
    "tiny-nllb": dict(languages=("deu_Latn", "eng_Latn"), first=True),
    "tiny-mbart": dict(languages=("de_DE", "en_XX"), first=True),
    "tiny-bart": dict(first=True),
    "tiny-pegasus": dict(),
    "tiny-t5": dict(prompt="translate English to German: "),
    "tiny-madlad": dict(prompt="<2de> "),
}


def token_scores(model, source_ids, labels):
    start = model.config.decoder_start_token_id
    with torch.no_grad():
        logits = model(
            input_ids=torch.tensor([source_ids]), decoder_input_ids=torch.tensor([[start] + labels[:-1]])
        ).logits[0]
    return torch.log_softmax(logits, -1)[torch.arange(len(labels)), torch.tensor(labels)].tolist()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=FIXTURES)
    options = parser.parse_args()
    lines = prepare()
    sources = lines[:PAIRS]
    targets = [lines[(3 * i + 137) % len(lines)] for i in range(PAIRS)]
    rows = [dict(versions=versions(), sources=sources, targets=targets)]
    for name, facts in MODELS.items():
        path = os.path.join(ROOT, "deploy/models" if name == "de-en" else "tests/data/models", name)
        languages = facts.get("languages")
        tokenizer = AutoTokenizer.from_pretrained(
            path, use_fast=False, **(dict(src_lang=languages[0], tgt_lang=languages[1]) if languages else {})
        )
        single = AutoModelForSeq2SeqLM.from_pretrained(path, dtype=torch.float32).eval()
        double = copy.deepcopy(single).double()
        first = 1 if facts.get("first") else 0
        kept = 0
        for number, (source, target) in enumerate(zip(sources, targets)):
            source_ids = tokenizer(facts.get("prompt", "") + source)["input_ids"]
            labels = tokenizer(text_target=target)["input_ids"]
            if max(len(source_ids), len(labels)) > getattr(single.config, "max_position_embeddings", 512):
                continue
            found = token_scores(single, source_ids, labels)[first:]
            exact = token_scores(double, source_ids, labels)[first:]
            if max(abs(a - b) for a, b in zip(found, exact)) > MAX_SCORE_DIFFERENCE:
                continue
            rows.append(dict(model=name, pair=number, scores=[round(score, 6) for score in exact]))
            kept += 1
        print(f"{name}: {kept} of {PAIRS} pairs kept")
    rows[0]["kept"] = len(rows) - 1
    write_jsonl(os.path.join(options.out, "scores.jsonl.gz"), rows)


if __name__ == "__main__":
    main()
