#!/usr/bin/env python3
"""Writes the fixtures of the profiles of other programs, for the bundled model and tiny-a.

    make_profiles.py [--only ct2|marian] [--out tests/parity/fixtures]

ct2-MODEL.jsonl.gz: what CTranslate2 (float32, converted from the same weights, batch 1) gives for the first 300 sentences
of german.txt at beams 1, 2 and 5, and for some with other options. Nothing is discarded: each case has the smallest margin
of its decisions by reference_search.py in float64, which must give the same wherever that is at least 1e-4.

marian-MODEL.jsonl.gz: what reference_search.py gives by the rules of profile marian. There is no program beside it: cases
are discarded as in make_fixtures.py. See README.md for the format.
"""
import argparse
import collections
import json
import os
import random
import shutil
import tempfile

import ctranslate2

from fixture_file import write_jsonl
from hf_model import FIXTURES, MAX_SCORE_DIFFERENCE, MIN_GAP, MODELS, Model, nbest_json, prepare, versions
from reference_search import Options

NAMES = ("tiny-a", "de-en")
SENTENCES = 300
# CTranslate2's own limit is 256; tiny-a has 128 positions, and some of its outputs never end.
LIMIT = {"tiny-a": 48, "de-en": 256}


def reference_options(ct2):
    """The same search in generate()'s counting. `ct2`: arguments of translate_batch."""
    return Options(
        profile="ct2", num_beams=ct2["beam_size"], length_penalty=ct2.get("length_penalty", 1.0), early_stopping=True,
        max_length=ct2["max_decoding_length"] + 1, min_length=ct2.get("min_decoding_length", 1) + 1, forced_eos=False,
        patience=ct2.get("patience", 1.0), no_repeat_ngram_size=ct2.get("no_repeat_ngram_size", 0),
        repetition_penalty=ct2.get("repetition_penalty", 1.0), bad_words_ids=ct2.get("suppress_sequences", ()))


class CTranslate2:
    """A converted model that speaks in token ids."""

    def __init__(self, model, folder):
        # As a directory that says float32: from one that says float16 the converter takes the table of positions in float16.
        copied, out = os.path.join(folder, "source"), os.path.join(folder, "converted")
        shutil.copytree(model.path, copied)
        with open(os.path.join(copied, "config.json"), "r+", encoding="utf-8") as f:
            config = dict(json.load(f), torch_dtype="float32")
            f.seek(0)
            f.truncate()
            json.dump(config, f)
        ctranslate2.converters.TransformersConverter(copied).convert(out, quantization="float32")
        self.translator = ctranslate2.Translator(out, device="cpu", compute_type="float32", inter_threads=1,
                                                 intra_threads=1)
        self.ids = model.tokenizer.encoder
        self.pieces = {i: piece for piece, i in self.ids.items()}

    def search(self, source_ids, options):
        """[(tokens, score)], best first."""
        options = dict(options)
        if "suppress_sequences" in options:
            options["suppress_sequences"] = [[self.pieces[i] for i in w] for w in options["suppress_sequences"]]
        result = self.translator.translate_batch([[self.pieces[i] for i in source_ids]], return_scores=True,
                                                 **options)[0]
        return [([self.ids[p] for p in h], s) for h, s in zip(result.hypotheses, result.scores)]


def ct2_options(rng, name, program, encoded):
    """Yields (kind, line, options)."""
    limit = dict(max_decoding_length=LIMIT[name])
    for beam in (1, 2, 5):
        for index in range(SENTENCES):
            yield "plain", index, dict(limit, beam_size=beam, num_hypotheses=beam)
    for kind in ("limit", "min", "length_penalty", "patience", "ngram", "repetition", "words"):
        for i in range(18):
            beam = (1, 2, 5)[i % 3]
            index, options = rng.randrange(SENTENCES), dict(limit, beam_size=beam, num_hypotheses=beam)
            if kind == "limit":
                options["max_decoding_length"] = rng.randint(2, 8)
            elif kind == "min":
                options["min_decoding_length"] = rng.randint(4, 16)
            elif kind == "length_penalty":
                options["length_penalty"] = rng.choice((0.4, 0.8, 1.3, 2.0))
            elif kind == "patience":
                options["patience"] = rng.choice((0.5, 1.5, 2.0)) if beam > 1 else 1.0
                if options["patience"] < 1:  # it refuses more than can be finished
                    options["num_hypotheses"] = 1
            elif kind == "words":
                best = [h for h, _ in program.search(encoded[index], options) if h] or [[5, 6]]
                words = []
                for _ in range(3):
                    tokens = rng.choice(best)
                    begin = rng.randrange(len(tokens))
                    words.append(tokens[begin : begin + rng.randint(1, 3)])
                options["suppress_sequences"] = sorted({tuple(w) for w in words})
            if kind in ("ngram", "repetition"):
                options["repetition_penalty"] = rng.choice((0.8, 1.3, 1.7)) if kind == "repetition" else 0.8
            if kind == "ngram":
                options["no_repeat_ngram_size"] = rng.choice((1, 2, 3))
            yield kind, index, options


def ct2_cases(model, german, folder):
    rng = random.Random(f"ct2 {model.name}")
    program = CTranslate2(model, folder)
    encoded = [model.encode(text) for text in german[:SENTENCES]]
    cases, close, differing, worst = [], 0, 0, 0.0
    for kind, index, options in ct2_options(rng, model.name, program, encoded):
        result = model.searcher.search(encoded[index], reference_options(options))
        found = program.search(encoded[index], options)
        nbest = result.nbest[: options["num_hypotheses"]]
        same = [h.tokens for h in nbest] == [tokens for tokens, _ in found]
        close += result.gap < MIN_GAP
        differing += not same
        if not same and result.gap >= MIN_GAP:
            raise SystemExit(f"{model.name}: CTranslate2 differs from the reference search on {encoded[index]} with "
                             f"{options}, margin {result.gap:g} ({result.gap_kind}):\n{found}\n{result.nbest}")
        if same:
            worst = max([worst] + [abs(h.score - s) for h, (_, s) in zip(nbest, found)])
        cases.append(dict(id=f"{model.name}/{kind}/{len(cases):04d}/line{index + 1}", kind=kind,
                          source_ids=encoded[index], options=options, gap=float(f"{result.gap:.3g}"),
                          gap_kind=result.gap_kind, nbest=[dict(tokens=t, score=round(s, 6)) for t, s in found]))
        if not same:
            cases[-1]["reference_differs"] = True
    return cases, dict(close=close, reference_differs=differing, largest_score_difference=float(f"{worst:.3g}"))


def marian_cases(model, german):
    rng = random.Random(f"marian {model.name}")
    short = 60 if model.name == "tiny-a" else 24
    lines = [i for i, text in enumerate(german) if len(model.encode(text)) <= short]
    cases, discarded = [], collections.Counter()
    for i in range(120):
        index = rng.choice(lines)
        ids = model.encode(german[index])
        beam = (1, 2, 4, 12)[i % 4]
        limit = rng.randint(3, 9) if i % 3 == 0 else 3 * (len(ids) - 1)
        options = dict(beam_size=beam, max_output_tokens=min(limit, 40), length_penalty=rng.choice((0.0, 0.0, 0.6, 1.0)),
                       min_output_tokens=rng.choice((0, 0, 0, 4)))
        options["min_output_tokens"] = min(options["min_output_tokens"], options["max_output_tokens"])
        search = Options(profile="marian", num_beams=beam, length_penalty=options["length_penalty"], early_stopping=True,
                         max_length=options["max_output_tokens"] + 1, min_length=options["min_output_tokens"] + 1,
                         forced_eos=False)
        result, single = model.searcher.search(ids, search), model.searcher32.search(ids, search)
        terms = max(1, len(result.nbest[0].token_scores)) if search.length_penalty == 0 else 1
        if result.gap < MIN_GAP:
            discarded[f"margin below {MIN_GAP:g}: {result.gap_kind}"] += 1
        elif [h.tokens for h in result.nbest] != [h.tokens for h in single.nbest]:
            discarded["float32 and float64 differ"] += 1
        elif max(abs(a.score - b.score) for a, b in zip(result.nbest, single.nbest)) / terms > MAX_SCORE_DIFFERENCE:
            discarded["scores in float32 and float64 differ"] += 1
        else:
            # What the profile sets is left unset where that is what is wanted.
            asked = {k: v for k, v in options.items() if (k, v) not in (("beam_size", 12), ("length_penalty", 0.0))}
            cases.append(dict(id=f"{model.name}/marian/{len(cases):03d}/line{index + 1}", source_ids=ids, options=asked,
                              **nbest_json(result)))
    return cases, dict(tried=120, discarded=dict(discarded))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", default=FIXTURES)
    p.add_argument("--only", choices=("ct2", "marian"))
    a = p.parse_args()
    german = prepare()
    for name in NAMES:
        model = Model(name)
        for profile in ("ct2", "marian"):
            if a.only not in (None, profile):
                continue
            if profile == "ct2":
                with tempfile.TemporaryDirectory() as folder:
                    cases, facts = ct2_cases(model, german, folder)
                facts["versions"] = dict(versions(), ctranslate2=ctranslate2.__version__)
            else:
                cases, facts = marian_cases(model, german)
                facts["versions"] = versions()
            header = dict(header=True, model=name, directory=MODELS[name], kept=len(cases), **facts)
            write_jsonl(os.path.join(a.out, f"{profile}-{name}.jsonl.gz"), [header] + cases)
            print(header, flush=True)


if __name__ == "__main__":
    main()
