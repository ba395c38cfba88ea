#!/usr/bin/env python3
"""Writes fixtures/sampling-MODEL.jsonl.gz: the distributions that generate() would sample from, and whole draws from them
with the numbers of Philox 4x32-10.

    make_sampling.py [--only MODEL] [--out tests/parity/fixtures]

The distributions come from generate()'s own list of processors and warpers, applied to logits in float64. generate()'s
random numbers are torch's, so draws are made here, by the rule of SEARCH.md a.8: key = seed, counter = (ordinal,
alternative, position, 0), u = the first word's upper 24 bits, and the first id by descending probability whose cumulative
sum exceeds u. Discarded, and counted: what has a margin below 1e-4 (u to a border of the drawn id, the border of top_k in
log-probability, of top_p in probability), and samples that come out otherwise in float32. See README.md for the format.
"""
import argparse
import base64
import collections
import copy
import math
import os
import random

import numpy
import torch

from fixture_file import write_jsonl
from hf_model import FIXTURES, MAX_TOKEN_DIFFERENCE, MIN_GAP, MODELS, Model, prepare, versions

MASK = 0xFFFFFFFF
SHOWN = 120  # ids of a distribution that are written at most, best first
DRAWS = 64  # of each distribution
SEED_STEP = 0x9E3779B97F4A7C15
OPTIONS = dict(temperature=1.0, top_k=0, top_p=1.0, repetition_penalty=1.0, no_repeat_ngram_size=0, bad_words_ids=(),
               min_length=0)


def philox(counter, seed):
    """Salmon et al. 2011."""
    c, key = list(counter), [seed & MASK, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ key[0], b & MASK, (a >> 32) ^ c[3] ^ key[1], a & MASK]
        key = [(key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK]
    return c


# The vectors of Random123.
assert philox([0] * 4, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], 0x299F31D0A4093822) == [
    0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


def unit(ordinal, alternative, position, seed):
    return (philox([ordinal, alternative, position, 0], seed)[0] >> 8) / 2**24


class Sampler:
    """generate()'s processors and warpers for one set of options."""

    def __init__(self, model, options, max_length=None, forced_eos=False):
        config = copy.deepcopy(model.defaults)
        for name, value in options.items():
            setattr(config, name, value)
        config.bad_words_ids = model.defaults.bad_words_ids + [list(w) for w in options["bad_words_ids"]]
        config.num_beams, config.do_sample, config.renormalize_logits = 1, True, False
        config.forced_eos_token_id = config.eos_token_id if forced_eos else None
        config.max_length = max_length or 10**6
        model.f64._prepare_special_tokens(config, True, device="cpu")
        self.processors = model.f64._get_logits_processor(config, 1, torch.tensor([[0]]), device="cpu", logits_processor=[])
        self.options = options

    def distribution(self, history, logits):
        """(ids by descending probability, their probabilities, smallest margin of the filters). `history` begins with the
        start token."""
        ids, gap = torch.tensor([history]), math.inf
        x = logits[None].clone()
        for processor in self.processors:
            name = type(processor).__name__
            if name == "TopKLogitsWarper":
                ordered = x[0].sort(descending=True).values
                k = self.options["top_k"]
                if k < len(ordered) and ordered[k] > -math.inf:
                    gap = min(gap, float(ordered[k - 1] - ordered[k]))
            if name == "TopPLogitsWarper":
                sums = torch.softmax(x[0], -1).sort(descending=True).values.cumsum(0)
                gap = min(gap, float((sums[:-1] - self.options["top_p"]).abs().min()))
            x = processor(ids, x)
        probabilities = torch.softmax(x[0], -1)
        values, order = probabilities.sort(descending=True, stable=True)
        kept = int((values > 0).sum())
        return order[:kept].tolist(), values[:kept].numpy(), gap


def draw(ids, probabilities, u):
    """(id, distance of u from the nearest border of its part)"""
    sums = numpy.cumsum(probabilities)
    place = min(int(numpy.searchsorted(sums, u, side="right")), len(ids) - 1)
    below = sums[place - 1] if place else -math.inf  # u is never below 0
    above = sums[place] if place + 1 < len(ids) else math.inf
    return ids[place], min(u - below, above - u)


def settings(rng):
    """The filters, alone and in pairs; then with what changes the scores before them."""
    for temperature in (1.0, 0.7, 1.6):
        for top_k, top_p in ((0, 1.0), (1, 1.0), (8, 1.0), (50, 1.0), (0, 0.3), (0, 0.9), (20, 0.8)):
            yield dict(OPTIONS, temperature=temperature, top_k=top_k, top_p=top_p)
    for _ in range(7):
        yield dict(OPTIONS, temperature=rng.choice((0.8, 1.0, 1.3)), top_k=rng.choice((0, 12)), top_p=rng.choice((0.7, 0.95)),
                   repetition_penalty=rng.choice((0.6, 1.5)), no_repeat_ngram_size=rng.choice((0, 1, 2)),
                   min_length=rng.choice((0, 12)), bad_words_ids="some")


def distributions(model, german, rng):
    """Rows of kind "logits", each followed by its "distribution"s."""
    rows, discarded = [], collections.Counter()
    short = 60 if model.name != "de-en" else 24
    lines = [i for i, text in enumerate(german) if len(model.encode(text)) <= short]
    for place in range(2 if model.name == "de-en" else 4):
        index = rng.choice(lines)
        lang = model.languages[0] if model.languages else None
        ids = model.encode(german[index], lang)
        memory = model.searcher32.encode(ids)
        # A history that repeats itself, so that penalties and bans have something to act on.
        history = []
        for _ in range(2 + 3 * place):
            row = model.searcher32.logits([history], memory)[0]
            row[[model.searcher32.pad, model.searcher32.eos]] = -math.inf
            history = history + [rng.choice(row.topk(3).indices.tolist() + history[-1:])]
        logits = model.searcher32.logits([history], memory)[0]
        rows.append(dict(kind="logits", id=f"{model.name}/{place}/line{index + 1}", history=history,
                         logits=base64.b64encode(logits.numpy().astype("<f4").tobytes()).decode()))
        best = [i for i in logits.topk(6).indices.tolist() if i not in (model.searcher.eos, model.searcher.pad)]
        for options in settings(rng):
            if options["bad_words_ids"] == "some":
                options["bad_words_ids"] = [[best[1]], history[-1:] + [best[0]], [history[-1], best[2], best[3]]]
            found, probabilities, gap = Sampler(model, options).distribution([model.searcher.start] + history, logits.double())
            if gap < MIN_GAP:
                discarded["distribution: margin of a filter"] += 1
                continue
            seed, ordinal, alternative = rng.getrandbits(64), rng.randrange(8), rng.randrange(4)
            tokens = []
            for i in range(DRAWS):
                u = unit(ordinal, alternative, len(history), (seed + i * SEED_STEP) % 2**64)
                token, margin = draw(found, probabilities, u)
                if margin < MIN_GAP:
                    discarded["draw: margin of u"] += 1
                tokens.append(token if margin >= MIN_GAP else -1)
            rows.append(dict(kind="distribution", options={k: v for k, v in options.items() if v != OPTIONS[k]},
                             count=len(found), ids=found[:SHOWN], probabilities=[float(f"{p:.7g}") for p in
                                                                                 probabilities[:SHOWN]],
                             seed=seed, ordinal=ordinal, alternative=alternative, tokens=tokens))
    return rows, discarded


def sample(model, searcher, ids, options, case, alternative):
    """(tokens, ended by EOS, model's log-probs, smallest margin)"""
    sampler = Sampler(model, options, case["max_length"], case["forced_eos"])
    memory = searcher.encode(ids)
    tokens, scores, gap = [], [], math.inf
    while True:
        logits = searcher.logits([tokens], memory)[0].double()
        history = [searcher.start] + tokens
        found, probabilities, margin = sampler.distribution(history, logits)
        forced = case["forced_eos"] and len(history) == case["max_length"] - 1
        if forced:
            token, scores = searcher.eos, scores + [0.0]
        else:
            token, distance = draw(found, probabilities, unit(case["ordinal"], alternative, len(tokens), case["seed"]))
            gap = min(gap, margin, distance)
            scores = scores + [float(torch.log_softmax(logits, -1)[token])]
        if token == searcher.eos:
            return tokens, True, scores, gap
        tokens = tokens + [token]
        if len(tokens) + 1 == case["max_length"]:
            return tokens, False, scores, gap


def decodes(model, german, rng):
    rows, discarded, tried = [], collections.Counter(), 0
    short = 60 if model.name != "de-en" else 24
    lines = [i for i, text in enumerate(german) if len(model.encode(text)) <= short]
    for i in range(90):
        index, lang = rng.choice(lines), rng.choice(model.languages) if model.languages else None
        ids = model.encode(german[index], lang)
        options = dict(OPTIONS, temperature=rng.choice((0.5, 0.8, 1.0, 1.3)), top_k=rng.choice((0, 4, 10, 30)),
                       top_p=rng.choice((1.0, 0.6, 0.9)))
        if i % 3 == 0:
            options.update(repetition_penalty=rng.choice((0.7, 1.4)), no_repeat_ngram_size=rng.choice((0, 1, 2, 3)),
                           min_length=rng.choice((0, 5)))
        case = dict(kind="decode", id=f"{model.name}/decode/{i:03d}/line{index + 1}", source_ids=ids,
                    options={k: v for k, v in options.items() if v != OPTIONS[k]}, max_length=rng.choice((6, 12, 24)),
                    forced_eos=rng.random() < 0.7, seed=rng.getrandbits(64), ordinal=rng.choice((0, 0, 1, 7, 300)))
        samples = []
        for alternative in range(rng.choice((1, 2, 4))):
            tried += 1
            tokens, by_eos, scores, gap = sample(model, model.searcher, ids, options, case, alternative)
            reason = None
            if gap < MIN_GAP:
                reason = "sample: margin"
            else:
                single, _, single_scores, _ = sample(model, model.searcher32, ids, options, case, alternative)
                if single != tokens:
                    reason = "sample: float32 and float64 differ"
                elif max(abs(a - b) for a, b in zip(scores, single_scores)) > MAX_TOKEN_DIFFERENCE:
                    reason = "sample: token scores in float32 and float64 differ"
            if reason:
                discarded[reason] += 1
                samples.append(None)  # the others keep their numbers
            else:
                samples.append(dict(tokens=tokens, finished_by_eos=by_eos, token_scores=[round(s, 5) for s in scores]))
        if any(samples):
            rows.append(dict(case, samples=samples))
    return rows, discarded, tried


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", default=FIXTURES)
    p.add_argument("--only", choices=list(MODELS), help="one model's rows")
    a = p.parse_args()
    german = prepare()
    for name in MODELS:
        if a.only not in (None, name):
            continue
        model, rng = Model(name), random.Random(f"sampling {name}")
        rows, discarded = distributions(model, german, rng)
        more, discarded_too, tried = decodes(model, german, rng)
        rows += more
        header = dict(header=True, model=name, directory=MODELS[name], kept=len(rows),
                      distributions=sum(r["kind"] == "distribution" for r in rows),
                      draws=sum(t >= 0 for r in rows if r["kind"] == "distribution" for t in r["tokens"]),
                      samples_tried=tried, samples=sum(s is not None for r in more for s in r["samples"]),
                      discarded=dict(discarded + discarded_too), versions=versions())
        write_jsonl(os.path.join(a.out, f"sampling-{name}.jsonl.gz"), [header] + rows)
        print(header, flush=True)


if __name__ == "__main__":
    main()
