#!/usr/bin/env python3
"""Writes fixtures/methods-MODEL.jsonl.gz: what generate() gives with the methods that it shares with Dragoman: n-gram
bans, repetition penalty, minimum length, bad words, a forced prefix (decoder_input_ids), and these together.

    make_methods.py [--only MODEL] [--out tests/parity/fixtures]

Cases are made, compared and discarded as in make_fixtures.py. Each should show its methods: lines are tried until one is
found whose n-best would be another one without any of them, at most TRIES lines; `matters` names the methods of which
this holds. See README.md for the format.
"""
import argparse
import collections
import dataclasses
import os
import random

from fixture_file import write_jsonl
from hf_model import FIXTURES, MAX_TOKEN_DIFFERENCE, MODELS, Model, compare, nbest_json, prepare, versions
from reference_search import Options

BEAMS = (1, 2, 4, 5)
LENGTH = 32  # the usual max_length: penalties below 1 make endless loops
TRIES = 8
OFF = dict(no_repeat_ngram_size=0, repetition_penalty=1.0, min_length=0, bad_words_ids=(), prefix=())


class Maker:
    """The cases of one model."""

    def __init__(self, model, german):
        self.model, self.german = model, german
        self.rng = random.Random(f"methods {model.name}")
        limit = 24 if model.name == "de-en" else 60
        self.lines = [i for i, text in enumerate(german) if text.strip() and len(model.encode(text)) <= limit]
        self.cases, self.tried, self.discarded = [], collections.Counter(), collections.Counter()

    def base(self, beam, **more):
        """The options that every case has."""
        rng = self.rng
        tight = rng.random() < 0.2
        options = dict(num_beams=beam, length_penalty=rng.choice((0.0, 0.6, 1.0, 1.4)),
                       early_stopping=rng.choice((True, False, "never")) if beam > 1 else False,
                       max_length=rng.randint(6, 12) if tight else LENGTH, forced_eos=rng.random() < 0.85,
                       renormalize_logits=rng.random() < 0.5)
        return Options(**dict(options, **more))

    def source(self):
        """(line number, language, ids)"""
        index = self.rng.choice(self.lines)
        lang = self.rng.choice(self.model.languages) if self.model.languages else None
        return index, lang, self.model.encode(self.german[index], lang)

    def found(self, ids, options):
        """The token lists of the n-best: generate() is faster than the reference search."""
        return [tokens for tokens, _, _ in self.model.generate(self.model.f32, ids, options)]

    def spans(self, outputs, count, longest):
        """Pieces of outputs, of 2 to `longest` tokens (1: single tokens)."""
        spans = []
        for tokens in self.rng.choices([t for t in outputs if t] or [[5, 6, 7]], k=count):
            length = min(len(tokens), self.rng.randint(min(2, longest), longest))
            begin = self.rng.randrange(len(tokens) - length + 1)
            spans.append(tokens[begin : begin + length])
        return spans

    def bad_words(self, ids, options, longest):
        """Found in the plain outputs, then in what they become: so that the second ones matter."""
        words = self.spans(self.found(ids, options), self.rng.randint(1, 3), longest)
        again = dataclasses.replace(options, bad_words_ids=words)
        words += self.spans(self.found(ids, again), self.rng.randint(0, 3), longest)
        return sorted({tuple(w) for w in words})

    def prefix(self, ids, options):
        """The beginning of the worst of the n-best, or of another sentence's translation."""
        if self.rng.random() < 0.5:
            tokens = self.found(ids, dataclasses.replace(options, num_beams=5))[-1]
        else:
            tokens = self.found(self.source()[2], dataclasses.replace(options, num_beams=2))[0]
        longest = min(5, options.max_length - 4)
        return tokens[: self.rng.randint(1, longest)] or [self.rng.randrange(2, 40)]

    def token_error(self, ids, options, result):
        """The largest difference of the best hypothesis' token scores in float32."""
        single = self.model.searcher32.search(ids, options).nbest[0].token_scores
        return max((abs(a - b) for a, b in zip(single, result.nbest[0].token_scores)), default=0.0)

    def add(self, kind, make):
        """make(ids) gives the options."""
        best = None
        for _ in range(TRIES):
            index, _, ids = self.source()
            options = make(ids)
            found = self.found(ids, options)
            used = [name for name, off in OFF.items() if getattr(options, name) != off]
            matters = [name for name in used
                       if self.found(ids, dataclasses.replace(options, **{name: OFF[name]})) != found]
            if best is None or len(matters) / len(used) > best[0]:
                best = len(matters) / len(used), index, ids, options, matters
            if matters == used:
                break
        _, index, ids, options, matters = best
        self.tried[kind] += 1
        result, reason = compare(self.model, ids, options)
        if not reason and self.token_error(ids, options, result) > MAX_TOKEN_DIFFERENCE * max(1, options.repetition_penalty):
            reason = "token scores in float32 and float64 differ"
        if reason:
            self.discarded[reason] += 1
            return
        case = dict(id=f"{self.model.name}/{kind}/{len(self.cases):03d}/line{index + 1}", kind=kind, source_ids=ids,
                    matters=matters, options=options.to_json(), **nbest_json(result))
        if options.prefix and options.num_beams > 1 and options.length_penalty != 0:
            case["by_reference_alone"] = True
        self.cases.append(case)

    def make(self):
        rng = self.rng
        for beam in BEAMS:
            for size in (1, 1, 2, 2, 2, 3, 3, 4, 4):
                # What is not made to repeat itself has no n-gram of 3 twice.
                again = 1.0 if size == 1 else 0.7
                self.add("ngram", lambda ids: self.base(beam, no_repeat_ngram_size=size, repetition_penalty=again))
            for penalty in (0.7, 0.7, 0.85, 1.2, 1.2, 1.5, 1.5, 1.8, 1.8):
                self.add("penalty", lambda ids: self.base(beam, repetition_penalty=penalty))
            for _ in range(5):
                self.add("min_length", lambda ids: self.base(beam, min_length=rng.randint(3, 12)))
            for longest in (1, 1, 1, 2, 2, 3, 3, 4, 4):
                def words(ids):
                    options = self.base(beam)
                    return dataclasses.replace(options, bad_words_ids=self.bad_words(ids, options, longest))
                self.add("words", words)
            for penalty in (0.0, 0.0, 0.0, 0.6, 1.0, 1.4):
                def prefix(ids):
                    options = self.base(beam, length_penalty=penalty)
                    return dataclasses.replace(options, prefix=self.prefix(ids, options))
                self.add("prefix", prefix)
            for i in range(18):
                def together(ids):
                    options = self.base(beam, no_repeat_ngram_size=rng.choice((0, 1, 2, 3)),
                                        repetition_penalty=rng.choice((1.0, 0.7, 0.9, 1.3, 1.7)),
                                        min_length=rng.choice((0, 4, 8)))
                    if rng.random() < 0.6:
                        options.bad_words_ids = self.bad_words(ids, options, 3)
                    if i % 3 == 0 or all(getattr(options, name) == off for name, off in OFF.items()):
                        options.length_penalty = 0.0
                        options.prefix = self.prefix(ids, options)
                    return options
                self.add("together", together)
            # The start token is the one that is penalised without having been produced.
            if self.model.name.startswith("tiny"):
                for penalty in (0.7, 0.85, 1.3, 1.8):
                    def start(ids):
                        token = self.found(ids, self.base(1))[0][:1] or [7]
                        return self.base(beam, repetition_penalty=penalty, start_token=token[0])
                    self.add("start_token", start)


def count(cases):
    """{option: {value: kept cases}}"""
    table = {}
    for case in cases:
        for key in ("num_beams", "renormalize_logits", "early_stopping", "no_repeat_ngram_size", "repetition_penalty"):
            if key in case["options"]:
                row = table.setdefault(key, {})
                value = str(case["options"][key])
                row[value] = row.get(value, 0) + 1
    return table


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", default=FIXTURES)
    p.add_argument("--only", choices=list(MODELS), help="one model's cases")
    a = p.parse_args()
    german = prepare()
    for name in MODELS:
        if a.only not in (None, name):
            continue
        maker = Maker(Model(name), german)
        maker.make()
        kept = collections.Counter(c["kind"] for c in maker.cases)
        matters = collections.Counter(method for c in maker.cases for method in c["matters"])
        header = dict(header=True, model=name, directory=MODELS[name], tried=sum(maker.tried.values()),
                      kept=len(maker.cases), tried_by_kind=dict(maker.tried), kept_by_kind=dict(kept),
                      matters=dict(matters), discarded=dict(maker.discarded), kept_by_option=count(maker.cases),
                      versions=versions())
        write_jsonl(os.path.join(a.out, f"methods-{name}.jsonl.gz"), [header] + maker.cases)
        print(header, flush=True)


if __name__ == "__main__":
    main()
