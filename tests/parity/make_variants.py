#!/usr/bin/env python3
"""Writes fixtures/variants.jsonl.gz: what generate() gives for tiny-a with other settings in its files, those that change
the search or the network (several ends of sentence, suppressed and forced tokens, lengths, activations) and those that
change nothing (fields that Marian ignores, float64 weights, shards).

    make_variants.py [--out tests/parity/fixtures]

Nothing is given to generate() but the source: all settings come from the files. A case is kept if float32, float64, and
float64 with weights changed by up to 1e-6 of themselves find the same token lists, and scores of float32 and
float64 are at most 2e-5 apart; others are counted in the first line.
"""
import argparse
import collections
import copy
import itertools
import json
import os
import shutil
import tempfile

import torch
from transformers import MarianMTModel, MarianTokenizer

from fixture_file import write_jsonl
from hf_model import FIXTURES, MODELS, ROOT, prepare, versions

BASE = os.path.join(ROOT, MODELS["tiny-a"])
ACTIVATIONS = ["gelu", "gelu_10", "gelu_fast", "gelu_new", "gelu_python", "gelu_pytorch_tanh", "gelu_python_tanh",
               "gelu_accurate", "laplace", "leaky_relu", "linear", "mish", "quick_gelu", "relu2", "relu6", "sigmoid",
               "silu", "tanh"]
SOURCES = 4


def read(name):
    with open(os.path.join(BASE, name), encoding="utf-8") as f:
        return json.load(f)


def variants(common, first):
    """(name, changes of config.json, changes of generation_config.json or None: old style, weights). A change to None
    takes the field away. `common`: tokens by how many outputs of the base have them; `first`: frequent first tokens."""
    for style in ("generation", "config"):
        for forced in (0, None):
            for name, lengths in (("absent", {}), ("19", dict(max_length=19)), ("20", dict(max_length=20)),
                                  ("21", dict(max_length=21)), ("new 19", dict(max_new_tokens=19)),
                                  ("new 20", dict(max_new_tokens=20))):
                fields = dict(dict(max_length=None), forced_eos_token_id=forced, num_beams=3, **lengths)
                if style == "generation":
                    yield f"length {name}, forced {forced}", {}, fields, "whole"
                else:
                    yield f"length {name}, forced {forced}, old style", fields, None, "whole"
    c = common
    for beams in (1, 4):
        for name, fields in (
                ("two ends", dict(eos_token_id=[0, c[1]])),
                ("three ends", dict(eos_token_id=[c[2], 0, c[4]])),
                ("five ends", dict(eos_token_id=[0] + c[:4])),
                ("two ends and a minimum", dict(eos_token_id=[0, c[1]], min_length=9)),
                ("two ends, none forced", dict(eos_token_id=[0, c[3]], forced_eos_token_id=None, max_length=12)),
                ("two ends, early", dict(eos_token_id=[0, c[2]], early_stopping=True, length_penalty=0.6)),
                ("two ends, never", dict(eos_token_id=[0, c[2]], early_stopping="never", length_penalty=1.4)),
                ("two ends renormalised", dict(eos_token_id=[0, c[2]], renormalize_logits=True)),
                ("an end among bans", dict(eos_token_id=[0, c[1]], bad_words_ids=[[379], [c[1]], [c[0], c[2]]])),
                ("two ends, penalised", dict(eos_token_id=[0, c[1]], repetition_penalty=1.3, no_repeat_ngram_size=2)),
                ("suppressed", dict(suppress_tokens=c[:6])),
                ("suppressed, renormalised", dict(suppress_tokens=c[:6], renormalize_logits=True)),
                ("suppressed at the beginning", dict(begin_suppress_tokens=[0] + first[:5])),
                ("forced beginning", dict(forced_bos_token_id=c[3])),
                ("forced beginning, another penalty", dict(forced_bos_token_id=c[5], length_penalty=1.6, max_length=12)),
                ("forced beginning, renormalised", dict(forced_bos_token_id=c[5], renormalize_logits=True)),
                ("forced and suppressed beginning", dict(forced_bos_token_id=c[3], begin_suppress_tokens=c[:8])),
                ("forced beginning among bans", dict(forced_bos_token_id=c[3], bad_words_ids=[[379], [c[3]]])),
                ("forced beginning, penalised", dict(forced_bos_token_id=c[3], repetition_penalty=1.4))):
            yield f"{name}, beam {beams}", {}, dict(fields, num_beams=beams), "whole"
    for activation in ACTIVATIONS:
        yield f"activation {activation}", dict(activation_function=activation), dict(num_beams=2), "whole"
    ignored = dict(normalize_before=True, normalize_embedding=True, static_position_embeddings=False,
                   add_final_layer_norm=True, do_blenderbot_90_layernorm=True, force_bos_token_to_be_generated=True)
    yield "ignored fields", ignored, dict(num_beams=2), "whole"
    yield "float64", {}, dict(num_beams=2), "float64"
    yield "shards", {}, dict(num_beams=2), "shards"


def merge(fields, changes):
    merged = dict(fields)
    for key, value in changes.items():
        if value is None and key != "forced_eos_token_id":
            merged.pop(key, None)
        else:
            merged[key] = value
    return merged


def write(directory, config, generation):
    for name in os.listdir(BASE):
        if name not in ("config.json", "generation_config.json"):
            shutil.copy(os.path.join(BASE, name), directory)
    fields = read("config.json")
    base = read("generation_config.json")
    if generation is None:  # what generation_config.json says is in config.json
        fields.update({k: base[k] for k in ("bad_words_ids", "forced_eos_token_id", "max_length", "num_beams")})
    else:
        with open(os.path.join(directory, "generation_config.json"), "w", encoding="utf-8") as f:
            json.dump(merge(base, generation), f)
    with open(os.path.join(directory, "config.json"), "w", encoding="utf-8") as f:
        json.dump(merge(fields, config), f)


def search(model, ids):
    """[(tokens without the start, score)], best first. EOS 0 is cut off, another end is not."""
    beams = model.generation_config.num_beams
    with torch.no_grad():
        out = model.generate(input_ids=torch.tensor([ids]), num_return_sequences=beams, return_dict_in_generate=True,
                             output_scores=beams > 1)
    scores = out.sequences_scores.tolist() if beams > 1 else [None]
    found = []
    for row, score in zip(out.sequences.tolist(), scores):
        row = row[1:]
        while row and row[-1] == model.generation_config.pad_token_id:
            row.pop()
        by_eos = bool(row) and row[-1] == 0
        found.append((row[:-1] if by_eos else row, score))
    return found


def shaken(model, seed):
    other = copy.deepcopy(model)
    torch.manual_seed(seed)
    for parameter in other.parameters():
        parameter.data *= 1 + (torch.rand_like(parameter) * 2 - 1) * 1e-6
    other.generation_config = copy.deepcopy(model.generation_config)
    return other


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=FIXTURES)
    arguments = parser.parse_args()
    german = prepare()
    tokenizer = MarianTokenizer.from_pretrained(BASE)
    base = MarianMTModel.from_pretrained(BASE).eval()
    sources = [t for t in german if t.strip() and len(tokenizer(t)["input_ids"]) <= 40]
    outputs = [search(base, tokenizer(t)["input_ids"])[0][0] for t in sources[:16]]
    common = [t for t, _ in collections.Counter(itertools.chain(*map(set, outputs))).most_common(12)]
    first = [t for t, _ in collections.Counter(o[0] for o in outputs if o).most_common(12)]

    rows, discarded, tried, at = [], collections.Counter(), 0, 0
    for name, config, generation, weights in variants(common, first):
        with tempfile.TemporaryDirectory() as directory:
            write(directory, config, generation)
            model = MarianMTModel.from_pretrained(directory).eval()
        double = copy.deepcopy(model).double()
        models = [double, shaken(double, 1)]
        rows.append(dict(variant=name, config=config, generation=generation, weights=weights,
                         num_beams=model.generation_config.num_beams, cases=[]))
        for _ in range(SOURCES):
            text = sources[at % len(sources)]
            at += 1
            tried += 1
            ids = tokenizer(text)["input_ids"]
            single = search(model, ids)
            others = [search(m, ids) for m in models]
            if any([t for t, _ in o] != [t for t, _ in single] for o in others):
                discarded["token lists differ"] += 1
                continue
            if any(a is not None and abs(a - b) > 2e-5 for (_, a), (_, b) in zip(single, others[0])):
                discarded["scores differ"] += 1
                continue
            rows[-1]["cases"].append(dict(source_ids=ids, tokens=[t for t, _ in others[0]],
                                          scores=[s for _, s in others[0]]))
    header = dict(header=True, directory=MODELS["tiny-a"], tried=tried, kept=len(rows),
                  cases=sum(len(r["cases"]) for r in rows), discarded=dict(discarded), versions=versions())
    write_jsonl(os.path.join(arguments.out, "variants.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


if __name__ == "__main__":
    main()
