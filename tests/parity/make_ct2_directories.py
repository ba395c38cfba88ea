#!/usr/bin/env python3
"""Converts small models of this repository with CTranslate2's converter, and writes what CTranslate2 finds with them.

    make_ct2_directories.py [--models tests/data/models] [--out tests/parity/fixtures]

tests/data/models/ct2-NAME-TYPE/: what ct2-transformers-converter writes, and the tokenizer's files beside it.
ct2-directories.jsonl.gz: for each directory the n-best of CTranslate2 in float32 (which makes float32 of quantised
weights too) at beams 1, 2 and 5, one sentence at a time. Nothing is discarded; `gap` is the smallest difference of two
scores of the list. A second run with the same pins writes the same bytes.
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
from hf_model import FIXTURES, ROOT, prepare

MARIAN = ("source.spm", "target.spm", "tokenizer_config.json")
# The types of CTranslate2's files: those of tiny-a are one model.
DIRECTORIES = {
    "ct2-tiny-a-float32": ("tiny-a", "float32", MARIAN),
    "ct2-tiny-a-int8": ("tiny-a", "int8", MARIAN),
    "ct2-tiny-a-int16": ("tiny-a", "int16", MARIAN),
    "ct2-tiny-a-float16": ("tiny-a", "float16", MARIAN),
    "ct2-tiny-a-bfloat16": ("tiny-a", "bfloat16", MARIAN),
    "ct2-tiny-a-int8_float16": ("tiny-a", "int8_float16", MARIAN),
    "ct2-tiny-multi-int8": ("tiny-multi", "int8", MARIAN),
    "ct2-tiny-m2m-float32": ("tiny-m2m", "float32", ("sentencepiece.bpe.model",)),
}
SENTENCES = 60
LIMIT = 48
MIN_GAP = 1e-4


def convert(source, folder, quantization, files):
    """As a directory that says float32: from another the converter takes the table of positions in that type."""
    with tempfile.TemporaryDirectory() as scratch:
        copied = os.path.join(scratch, "source")
        shutil.copytree(source, copied)
        with open(os.path.join(copied, "config.json"), "r+", encoding="utf-8") as f:
            config = dict(json.load(f), torch_dtype="float32")
            f.seek(0)
            f.truncate()
            json.dump(config, f)
        converter = ctranslate2.converters.TransformersConverter(copied, copy_files=list(files))
        converter.convert(folder, quantization=quantization, force=True)
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o644)


def sources(name, vocabulary, german, rng):
    """Token lists: pieces of the vocabulary, as a tokenizer would write them."""
    import sentencepiece

    folder = os.path.join(ROOT, "tests/data/models", name)
    spm = "source.spm" if os.path.exists(os.path.join(folder, "source.spm")) else "sentencepiece.bpe.model"
    cutter = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, spm))
    known = set(vocabulary)
    tags = [piece for piece in vocabulary if piece.startswith(">>") and piece.endswith("<<")]
    for text in german[:SENTENCES]:
        pieces = [p if p in known else "<unk>" for p in cutter.encode(text, out_type=str)]
        tag = [rng.choice(tags)] if tags else ["__de__"] if name == "tiny-m2m" else []
        yield tag + pieces + ["</s>"]


def cases_of(directory, folder, german):
    name = DIRECTORIES[directory][0]
    rng = random.Random(f"ct2 directories {name}")  # the same sources for every type
    with open(os.path.join(folder, "shared_vocabulary.json"), encoding="utf-8") as f:
        vocabulary = json.load(f)
    ids = {piece: i for i, piece in enumerate(vocabulary)}
    translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32", inter_threads=1, intra_threads=1)
    for index, source in enumerate(sources(name, vocabulary, german, rng)):
        beam = (1, 2, 5)[index % 3]
        prefix = dict(target_prefix=[["__en__"]]) if name == "tiny-m2m" else {}
        found = translator.translate_batch([source], beam_size=beam, num_hypotheses=beam, return_scores=True,
                                           max_decoding_length=LIMIT, **prefix)[0]
        scores = found.scores
        gap = min([a - b for a, b in zip(scores, scores[1:])], default=1.0)
        yield dict(model=directory, id=f"{directory}/{index}", source_ids=[ids[p] for p in source], beam=beam,
                   first_token=ids["__en__"] if prefix else None, gap=float(f"{gap:.3g}"),
                   nbest=[dict(tokens=[ids[p] for p in h], score=round(s, 6)) for h, s in zip(found.hypotheses, scores)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=os.path.join(ROOT, "tests/data/models"))
    parser.add_argument("--out", default=FIXTURES)
    arguments = parser.parse_args()
    german = prepare()
    rows, close = [], collections.Counter()
    for directory, (name, quantization, files) in DIRECTORIES.items():
        folder = os.path.join(arguments.models, directory)
        shutil.rmtree(folder, ignore_errors=True)
        convert(os.path.join(ROOT, "tests/data/models", name), folder, quantization, files)
        for row in cases_of(directory, folder, german):
            close[directory] += row["gap"] < MIN_GAP
            rows.append(row)
    header = dict(header=True, models={d: f"tests/data/models/{d}" for d in DIRECTORIES}, kept=len(rows),
                  close=dict(close), versions=dict(ctranslate2=ctranslate2.__version__))
    write_jsonl(os.path.join(arguments.out, "ct2-directories.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


if __name__ == "__main__":
    main()
