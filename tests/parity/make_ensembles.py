#!/usr/bin/env python3
"""Makes two models with tiny-a's tokenizer, tiny-a2 and tiny-a3, and writes fixtures/ensembles.jsonl.gz: what the search
finds with the weighted mean of two or three of them.

    make_ensembles.py [--models tests/data/models] [--out tests/parity/fixtures]

The mean is that of fairseq (log of the mean probability) or of Marian (mean of the log-probabilities), by its definition
in float64; penalties and masks act on it. Each case is searched by reference_search.py in float64 and in float32, and kept
if both find the same token lists, scores are at most 2e-5 apart and no decision has a margin under 1e-4. Where the means
are normalised, generate() searches as well, with them in place of a model's logits, in float64: it must find the same, or
the script stops. A second run with the same pins writes the same bytes.
"""
import argparse
import collections
import math
import os
import random
import shutil

import torch
from transformers.modeling_outputs import Seq2SeqLMOutput

from fixture_file import write_jsonl
from hf_model import (FIXTURES, MAX_SCORE_DIFFERENCE, MAX_TOKEN_DIFFERENCE, MIN_GAP, MODELS, ROOT, Model, nbest_json, prepare,
                      versions)
from make_models import MODELS as SPECS
from make_models import make_model, write_configs, write_weights
from reference_search import Hypothesis, Options, Searcher

MEMBERS = {
    "tiny-a2": dict(SPECS["tiny-a"], d_model=24, heads=(3, 2), layers=(1, 3), ffn=(48, 40), activation="gelu", seed=502,
                    logit_std=3.0, eos_bias=0.5, attention=2.0, cross=2.0),
    "tiny-a3": dict(SPECS["tiny-a"], heads=(2, 2), seed=503, logit_std=3.0, eos_bias=0.5, attention=2.0, cross=2.0),
}
# (members, weights as asked for, mean)
ENSEMBLES = [
    (("tiny-a", "tiny-a2"), (1, 1), "probability"),
    (("tiny-a", "tiny-a2", "tiny-a3"), (0.5, 0.3, 0.2), "probability"),
    (("tiny-a", "tiny-a2", "tiny-a3"), (1, 1, 1), "log-probability"),
    (("tiny-a3", "tiny-a"), (3, 1), "log-probability"),
]
FILES = ["source.spm", "target.spm", "vocab.json", "tokenizer_config.json"]


class MeanSearcher(Searcher):
    """The search over several models. What it takes of one, the first has."""

    def __init__(self, models, weights, mean):
        super().__init__(models[0])
        self.members = [Searcher(m) for m in models]
        self.weights = [w / math.fsum(weights) for w in weights]
        self.mean = mean

    def encode(self, ids):
        return [m.encode(ids) for m in self.members]

    def means(self, prefixes, memory, start):
        """[prefixes, vocabulary]"""
        total = None
        for member, weight, states in zip(self.members, self.weights, memory):
            x = torch.log_softmax(member.logits(prefixes, states, start), -1)
            x = weight * (x.exp() if self.mean == "probability" else x)
            total = x if total is None else total + x
        return total.log() if self.mean == "probability" else total

    def log_probs(self, prefixes, memory, options):
        logp = self.means(prefixes, memory, options.start_token)
        self.penalise(logp, prefixes, options)
        logp[:, self.pad] = -math.inf
        self.mask(logp, prefixes, options)
        if options.forced_eos and len(prefixes[0]) + 2 == options.max_length:
            logp[:] = -math.inf
            logp[:, self.eos] = 0
        return torch.log_softmax(logp, -1) if options.renormalize_logits else logp

    def begin(self, memory, options):
        """As Searcher's."""
        tokens, scores = list(options.prefix), []
        never = [self.pad] + [w[0] for w in options.bad_words_ids if len(w) == 1]
        for i, token in enumerate(tokens):
            x = self.means([tokens[:i]], memory, options.start_token)[0]
            if options.renormalize_logits:
                if token not in never:
                    x[never] = -math.inf
                x = torch.log_softmax(x, -1)
            scores.append(float(x[token]))
        return Hypothesis(tokens, False, 0.0, math.fsum(scores), scores)


def generate(model, searcher, ids, options):
    """What generate() of `model`, whose weights are the first member's, finds with the means as its logits."""
    states = searcher.encode(ids)

    def forward(decoder_input_ids=None, encoder_outputs=None, **_):
        rows = decoder_input_ids[:, 1:].tolist()
        logits = searcher.means(rows, states, int(decoder_input_ids[0, 0]))
        return Seq2SeqLMOutput(logits=logits[:, None], encoder_last_hidden_state=encoder_outputs[0])

    model.f64.forward, plain = forward, model.f64.forward
    config = model.f64.generation_config
    try:
        # The cache is the first member's, and nobody fills it.
        model.defaults.use_cache = False
        return model.generate(model.f64, ids, options)
    finally:
        model.f64.forward, model.f64.generation_config = plain, config


def compare(model, double, single, ids, options):
    """(None, reason) if the case is discarded, else (reference result, None)."""
    result = double.search(ids, options)
    found = [(h.tokens, h.by_eos) for h in result.nbest]
    if double.mean == "probability" and not options.prefix and (options.num_beams > 1 or options.repetition_penalty == 1):
        theirs = generate(model, double, ids, options)
        # generate() sums in float32.
        scores = [abs(h.score - s) / max(1, abs(h.score)) for h, (_, _, s) in zip(result.nbest, theirs) if s is not None]
        if result.gap >= MIN_GAP and (found != [(t, e) for t, e, _ in theirs] or max(scores, default=0) > 1e-6):
            raise SystemExit(f"generate() differs on {ids} with {options}:\n{result.nbest}\n{theirs}")
    if result.gap < MIN_GAP:
        return None, f"margin below {MIN_GAP:g}: {result.gap_kind}"
    in32 = single.search(ids, options).nbest
    if found != [(h.tokens, h.by_eos) for h in in32]:
        return None, "float32 and float64 differ"
    terms = [max(1, len(h.token_scores)) if options.length_penalty == 0 else 1 for h in result.nbest]
    if max(abs(h.score - s.score) / n for h, s, n in zip(result.nbest, in32, terms)) > MAX_SCORE_DIFFERENCE:
        return None, "scores in float32 and float64 differ"
    best = zip(result.nbest[0].token_scores, in32[0].token_scores)
    if max(abs(a - b) for a, b in best) > MAX_TOKEN_DIFFERENCE * max(1, options.repetition_penalty):
        return None, "token scores in float32 and float64 differ"
    return result, None


def option_grid(rng, found):
    """(kind, options of a source, by a function of its ids)"""

    def base(beam, **more):
        tight = rng.random() < 0.25
        options = dict(num_beams=beam, length_penalty=rng.choice((0.0, 0.6, 1.0, 1.4)),
                       early_stopping=rng.choice((True, False, "never")) if beam > 1 else False,
                       max_length=rng.randint(5, 12) if tight else 40, forced_eos=rng.random() < 0.8,
                       renormalize_logits=rng.random() < 0.4)
        return Options(**{**options, **more})

    for beam in (1, 4, 8):
        for _ in range(12):
            yield "plain", lambda ids, beam=beam: base(beam)
        for size in (1, 2, 3):
            yield "ngram", lambda ids, beam=beam, size=size: base(beam, no_repeat_ngram_size=size)
        for penalty in (0.8, 1.3, 1.6):
            yield "penalty", lambda ids, beam=beam, penalty=penalty: base(beam, repetition_penalty=penalty)
        for _ in range(3):
            yield "min_length", lambda ids, beam=beam: base(beam, min_length=rng.randint(3, 12))
        for _ in range(4):
            # What would be the best begins otherwise; or does not have its first two tokens in a row.
            yield "words", lambda ids, beam=beam: base(beam, bad_words_ids=[found(ids)[: rng.randint(1, 2)]])
            yield "prefix", lambda ids, beam=beam: base(beam, length_penalty=0.0, max_length=40,
                                                        prefix=[rng.randrange(2, 370)] + found(ids)[: rng.randint(0, 3)])


def make_cases(number, models, german, discarded):
    names, weights, mean = ENSEMBLES[number]
    members = [models[n] for n in names]
    double = MeanSearcher([m.f64 for m in members], weights, mean)
    single = MeanSearcher([m.f32 for m in members], weights, mean)
    rng = random.Random(f"ensembles {number}")
    lines = [i for i, text in enumerate(german) if text.strip() and len(members[0].encode(text)) <= 40]

    def found(ids):
        options = Options(num_beams=4, length_penalty=1.0, early_stopping=True, max_length=20)
        return double.search(ids, options).nbest[0].tokens or [5]

    cases, tried = [], 0
    for kind, make in option_grid(rng, found):
        index = rng.choice(lines)
        ids = members[0].encode(german[index])
        options = make(ids)
        tried += 1
        result, reason = compare(members[0], double, single, ids, options)
        if reason:
            discarded[reason] += 1
            continue
        cases.append(dict(id=f"{'+'.join(names)}/{mean}/{kind}/{len(cases):03d}/line{index + 1}", ensemble=number, kind=kind,
                          source_ids=ids, options=options.to_json(), **nbest_json(result)))
    return cases, tried


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--models", default=os.path.join(ROOT, "tests/data/models"))
    p.add_argument("--out", default=FIXTURES)
    a = p.parse_args()
    german = prepare()
    for name, spec in MEMBERS.items():
        folder = os.path.join(a.models, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for file in FILES:
            shutil.copyfile(os.path.join(a.models, "tiny-a", file), os.path.join(folder, file))
        write_configs(folder, spec)
        write_weights(folder, spec, make_model(spec))
        MODELS[name] = folder
    models = {name: Model(name) for name in ["tiny-a", *MEMBERS]}
    cases, tried, discarded = [], 0, collections.Counter()
    for number in range(len(ENSEMBLES)):
        made, count = make_cases(number, models, german, discarded)
        cases, tried = cases + made, tried + count
    header = dict(header=True, tried=tried, kept=len(cases), discarded=dict(discarded),
                  ensembles=[dict(members=[f"tests/data/models/{n}" for n in names], weights=weights, mean=mean)
                             for names, weights, mean in ENSEMBLES],
                  kept_by_kind=dict(collections.Counter(c["kind"] for c in cases)), versions=versions())
    write_jsonl(os.path.join(a.out, "ensembles.jsonl.gz"), [header] + cases)
    lengths = sorted(len(c["nbest"][0]["tokens"]) for c in cases)
    print(header, lengths)


if __name__ == "__main__":
    main()
