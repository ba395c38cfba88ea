#!/usr/bin/env python3
"""Writes the parity fixtures: what Hugging Face generate() and MarianTokenizer give for the small models of
tests/data/models and for the bundled model.

    make_fixtures.py [--only MODEL] [--out tests/parity/fixtures]

Every case is searched three times, alone (batch 1): generate() in float32, generate() in float64, and reference_search.py
in float64 without a cache, which also measures the smallest margin of any decision that shaped the result. A case is kept
if the three agree and the margin is at least 1e-4. What is not kept is counted, by reason, in the first line of each
file. See README.md for the format.
"""
import argparse
import collections
import json
import os
import random

import torch

from fixture_file import write_jsonl
from hf_model import FIXTURES, MODELS, Model, compare, nbest_json, prepare, versions
from reference_search import Options
from tokenizer_cases import decode_cases, encode_texts


def option_grid(rng, name, lines):
    """Yields (kind, line number, options). Every combination of beam, penalty and stop rule, each with limits that are
    and that are not hit, with other sentences each; then the rarer options."""
    small = name != "de-en"
    wide = 60 if small else 100
    renormalize = {"tiny-b": lambda: rng.random() < 0.5}.get(name, lambda: False)
    order = []

    def line():
        if not order:
            order.extend(rng.sample(lines, len(lines)))
        return order.pop()

    def options(beam, penalty, stop, limit, **more):
        tight = rng.randint(4, 16) if small else rng.randint(4, 9)
        more = dict(dict(renormalize_logits=renormalize()), **more)
        return Options(num_beams=beam, length_penalty=penalty, early_stopping=stop,
                       max_length=wide if limit == "wide" else tight, **more)

    for beam, repeats in ((1, 9), (4, 7), (12, 7)):
        for penalty in (0.6, 1.0, 1.4):
            for stop in (True, False, "never") if beam > 1 else (False,):
                for limit in ("wide", "tight"):
                    for _ in range(repeats):
                        yield limit, line(), options(beam, penalty, stop, limit)
    for i in range(45):
        beam, penalty, stop = rng.choice((1, 4, 12)), rng.choice((0.6, 1.0, 1.4)), rng.choice((True, False, "never"))
        stop = stop if beam > 1 else False
        limit = "tight" if i % 5 else "wide"
        yield "no forced EOS", line(), options(beam, penalty, stop, limit, forced_eos=False)
    for i in range(36):
        beam, penalty, stop = rng.choice((1, 4, 12)), rng.choice((0.6, 1.0, 1.4)), rng.choice((True, False, "never"))
        stop = stop if beam > 1 else False
        yield "min_length", line(), options(beam, penalty, stop, "wide", min_length=rng.randint(3, 24))


def make_cases(model, german):
    rng = random.Random(f"parity {model.name}")
    limit = 60 if model.name != "de-en" else 24
    lines = [i for i, text in enumerate(german) if text.strip() and len(model.encode(text)) <= limit]
    cases, discarded, tried = [], collections.Counter(), collections.Counter()
    for kind, index, options in option_grid(rng, model.name, lines):
        lang = rng.choice(model.languages) if model.languages else None
        ids = model.encode(german[index], lang)
        tried[kind] += 1
        result, reason = compare(model, ids, options)
        if reason:
            discarded[reason] += 1
            continue
        best = result.nbest[0]
        case = dict(id=f"{model.name}/{len(cases):03d}/line{index + 1}", source=german[index], source_ids=ids)
        if lang:
            case["target_lang"] = lang
        case.update(
            options=options.to_json(), limit_hit=any(len(h.tokens) >= options.max_tokens() for h in result.nbest),
            **nbest_json(result), text=model.tokenizer.decode(best.tokens, skip_special_tokens=True))
        cases.append(case)
    return cases, tried, discarded


def count(cases):
    """{option: {value: kept cases}}; early_stopping counts beams above 1 only."""
    table = {}
    for case in cases:
        for key, value in dict(case["options"], limit_hit=case["limit_hit"]).items():
            if key == "max_length" or (key == "early_stopping" and case["options"]["num_beams"] == 1):
                continue
            if key == "min_length":
                value = "set" if value else "0"
            row = table.setdefault(key, {})
            row[str(value)] = row.get(str(value), 0) + 1
    return table


def write_cases(out, model, german):
    cases, tried, discarded = make_cases(model, german)
    d = model.defaults
    defaults = dict(num_beams=d.num_beams, length_penalty=d.length_penalty, early_stopping=d.early_stopping,
                    max_length=d.max_length, min_length=d.min_length, forced_eos=d.forced_eos_token_id is not None,
                    renormalize_logits=bool(d.renormalize_logits), bad_words_ids=d.bad_words_ids)
    header = dict(header=True, model=model.name, directory=MODELS[model.name], tried=sum(tried.values()), kept=len(cases),
                  tried_by_kind=dict(tried), discarded=dict(discarded), kept_by_option=count(cases),
                  generation_defaults=defaults, versions=versions())
    write_jsonl(os.path.join(out, f"{model.name}.jsonl.gz"), [header] + cases)
    lengths = sorted(len(c["nbest"][0]["tokens"]) for c in cases)
    quartiles = [lengths[int(i * (len(lengths) - 1) / 4)] for i in range(5)]
    print(json.dumps(dict(header, lengths=quartiles), ensure_ascii=False), flush=True)


def write_logits(out, model, german):
    """Values to compare when tokens differ: the encoder's first row and the first greedy steps, in float64."""
    rows = []
    for index in (0, 12, 300):
        lang = model.languages[0] if model.languages else None
        ids = model.encode(german[index], lang)
        memory = model.searcher.encode(ids)
        tokens, steps = [], []
        for _ in range(3):
            logits = model.searcher.logits([tokens], memory)[0]
            logp = torch.log_softmax(logits, -1)
            top = logits.topk(8)
            steps.append([dict(id=i, logit=v, log_softmax=float(logp[i]))
                          for i, v in zip(top.indices.tolist(), top.values.tolist())])
            logits[model.searcher.pad] = -torch.inf
            tokens = tokens + [int(logits.argmax())]
        rows.append(dict(source=german[index], source_ids=ids, encoder_row0=memory[0, 0, :8].tolist(),
                         greedy_tokens=tokens, steps=steps))
        if lang:
            rows[-1]["target_lang"] = lang
    with open(os.path.join(out, f"{model.name}.logits.json"), "w", encoding="utf-8") as f:
        json.dump(dict(model=model.name, directory=MODELS[model.name], versions=versions(), sources=rows), f,
                  ensure_ascii=False, indent=1)
        f.write("\n")


def write_tokenizer(out, german):
    rows = [dict(header=True, versions=versions(), models=MODELS)]
    for name in MODELS:
        model = Model(name)
        for lang, text in encode_texts(model, german):
            rows.append(dict(model=name, text=text, ids=model.encode(text, lang)))
            if lang:
                rows[-1]["target_lang"] = lang
        for ids in decode_cases(model, german):
            text = model.tokenizer.decode(ids, skip_special_tokens=True)
            rows.append(dict(model=name, decode=ids, text=text))
    write_jsonl(os.path.join(out, "tokenizer.jsonl.gz"), rows, separators=None)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", default=FIXTURES)
    p.add_argument("--only", choices=list(MODELS) + ["tokenizer"], help="one model's cases, or tokenizer.jsonl.gz")
    a = p.parse_args()
    german = prepare()
    os.makedirs(a.out, exist_ok=True)
    for name in MODELS:
        if a.only in (None, name):
            model = Model(name)
            write_logits(a.out, model, german)
            write_cases(a.out, model, german)
    if a.only in (None, "tokenizer"):
        write_tokenizer(a.out, german)


if __name__ == "__main__":
    main()
