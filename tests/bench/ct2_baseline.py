#!/usr/bin/env python3
"""Measures CTranslate2, text to text in float32, on a Hugging Face MarianMT directory: the number that Dragoman's
throughput is compared with.

    ct2_baseline.py --input FILE [--model deploy/models/de-en] [--repeat 3] [--settings 1x1:32 2x1:64 ...]
    ct2_baseline.py --input FILE --translate OUT [--settings 1x2:32]

The directory is converted with CTranslate2's own converter into a temporary folder. FILE has one sentence a line; it is
sorted by its number of source tokens before it is batched. A setting is INTERxINTRA:BATCH (inter_threads, intra_threads,
max_batch_size); without --settings all of 1x1, 1x2, 2x1 by 16, 32, 64, 128 are tried. Timed is everything from lines of
text to lines of text: SentencePiece with the model's source.spm and target.spm (by the same number of threads), the
search (beam 4, length_penalty 1, patience 1) and the sorting. One JSON object a setting, the median of the repeats, then
the best one. Needs ctranslate2, transformers, torch, sentencepiece (pins: tests/parity/requirements.txt).
"""
import argparse
import concurrent.futures
import json
import os
import statistics
import sys
import tempfile
import time

import ctranslate2
import sentencepiece

import machine

HERE = os.path.dirname(os.path.abspath(__file__))
SWEEP = [f"{threads}:{batch}" for threads in ("1x1", "1x2", "2x1") for batch in (16, 32, 64, 128)]
LINES_PER_TASK = 256  # of one SentencePiece call


class Tokenizer:
    """SentencePiece on both sides by `threads` threads. Pieces that vocab.json lacks become <unk>, as in the engine."""

    def __init__(self, model, threads):
        self.source = sentencepiece.SentencePieceProcessor(model_file=os.path.join(model, "source.spm"))
        self.target = sentencepiece.SentencePieceProcessor(model_file=os.path.join(model, "target.spm"))
        with open(os.path.join(model, "vocab.json"), encoding="utf-8") as f:
            self.vocab = set(json.load(f))
        self.pool = concurrent.futures.ThreadPoolExecutor(threads)

    def encode_chunk(self, lines):
        # The converted model appends nothing: </s> is the caller's.
        return [[p if p in self.vocab else "<unk>" for p in pieces] + ["</s>"]
                for pieces in self.source.encode(lines, out_type=str, num_threads=1)]

    def decode_chunk(self, rows):
        return self.target.decode([[p for p in row if p not in ("</s>", "<unk>")] for row in rows], num_threads=1)

    def run(self, function, items):
        chunks = [items[i : i + LINES_PER_TASK] for i in range(0, len(items), LINES_PER_TASK)]
        return [row for part in self.pool.map(function, chunks) for row in part]


class Baseline:
    """One converted model in one setting."""

    def __init__(self, model, converted, setting, beam):
        threads, batch = setting.split(":")
        self.setting, self.batch, self.beam = setting, int(batch), beam
        self.inter, self.intra = (int(n) for n in threads.split("x"))
        self.tokenizer = Tokenizer(model, self.inter * self.intra)
        self.translator = ctranslate2.Translator(converted, device="cpu", compute_type="float32",
                                                 inter_threads=self.inter, intra_threads=self.intra)

    def translate(self, lines):
        """(translations in the order of `lines`, source tokens, target tokens), EOS not counted on either side."""
        rows = self.tokenizer.run(self.tokenizer.encode_chunk, lines)
        order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
        results = self.translator.translate_batch(
            [rows[i] for i in order], max_batch_size=self.batch, batch_type="examples", beam_size=self.beam,
            length_penalty=1, patience=1, num_hypotheses=1)
        pieces = [None] * len(rows)
        for i, result in zip(order, results):
            pieces[i] = result.hypotheses[0]
        texts = self.tokenizer.run(self.tokenizer.decode_chunk, pieces)
        return texts, sum(len(r) - 1 for r in rows), sum(sum(p != "</s>" for p in row) for row in pieces)

    def measure(self, lines, repeat):
        self.translate(lines[: min(len(lines), 4 * self.batch)])  # first use allocates
        seconds = []
        for _ in range(repeat):
            began = time.perf_counter()
            _, source, target = self.translate(lines)
            seconds.append(time.perf_counter() - began)
        middle = statistics.median(seconds)
        return dict(setting=self.setting, inter_threads=self.inter, intra_threads=self.intra, max_batch_size=self.batch,
                    sentences=len(lines), source_tokens=source, target_tokens=target, seconds=round(middle, 3),
                    seconds_min=round(min(seconds), 3), seconds_max=round(max(seconds), 3),
                    sentences_per_s=round(len(lines) / middle, 1), source_tokens_per_s=round(source / middle, 1),
                    target_tokens_per_s=round(target / middle, 1))


def convert(model, folder):
    out = os.path.join(folder, "converted")
    ctranslate2.converters.TransformersConverter(model).convert(out, quantization="float32")
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--input", required=True, help="source sentences, one a line")
    p.add_argument("--model", default=os.path.join(HERE, "../../deploy/models/de-en"))
    p.add_argument("--repeat", type=int, default=3, help="measurements of each setting; the median is shown")
    p.add_argument("--settings", nargs="+", default=SWEEP, metavar="INTERxINTRA:BATCH")
    p.add_argument("--beam", type=int, default=4)
    p.add_argument("--translate", metavar="OUT", help="write the translations with the first setting, measure nothing")
    a = p.parse_args()
    with open(a.input, encoding="utf-8", newline="\n") as f:
        lines = [line.rstrip("\n") for line in f]
    if not lines:
        sys.exit(f"{a.input} is empty")
    with tempfile.TemporaryDirectory() as folder:
        converted = convert(a.model, folder)
        if a.translate:
            texts, _, _ = Baseline(a.model, converted, a.settings[0], a.beam).translate(lines)
            with open(a.translate, "w", encoding="utf-8") as f:
                f.writelines(text + "\n" for text in texts)
            return
        best = None
        for setting in a.settings:
            row = Baseline(a.model, converted, setting, a.beam).measure(lines, a.repeat)
            print(json.dumps(row), flush=True)
            if best is None or row["sentences_per_s"] > best["sentences_per_s"]:
                best = row
        print(json.dumps(dict(best=best, ctranslate2=ctranslate2.__version__, machine=machine.describe())), flush=True)


if __name__ == "__main__":
    main()
