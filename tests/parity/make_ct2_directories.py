#!/usr/bin/env python3
"""Converts small models of this repository with CTranslate2's converter, and writes what CTranslate2 finds with them.

    make_ct2_directories.py [--models tests/data/models] [--out tests/parity/fixtures]

tests/data/models/ct2-NAME-TYPE/: what ct2-transformers-converter writes, or ct2-opennmt-py-converter of seeded
checkpoints (opennmt_model.py), and the tokenizer's files beside it.
ct2-directories.jsonl.gz: for each directory the n-best of CTranslate2 in float32 (which makes float32 of quantised
weights too) at beams 1, 2 and 5, one sentence at a time. Discarded are lists with a row of T5 whose name
another has; `gap` is the smallest difference of two
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

import opennmt_model
from fixture_file import write_jsonl
from hf_model import FIXTURES, ROOT, prepare

MARIAN = ("source.spm", "target.spm", "tokenizer_config.json")
FAIRSEQ = ("sentencepiece.bpe.model",)
T5 = ("spiece.model",)
OPENNMT = ("sentencepiece.model",)
# The types of CTranslate2's files: those of tiny-a are one model.
DIRECTORIES = {
    "ct2-tiny-a-float32": ("tiny-a", "float32", MARIAN),
    "ct2-tiny-a-int8": ("tiny-a", "int8", MARIAN),
    "ct2-tiny-a-int16": ("tiny-a", "int16", MARIAN),
    "ct2-tiny-a-float16": ("tiny-a", "float16", MARIAN),
    "ct2-tiny-a-bfloat16": ("tiny-a", "bfloat16", MARIAN),
    "ct2-tiny-a-int8_float16": ("tiny-a", "int8_float16", MARIAN),
    "ct2-tiny-multi-int8": ("tiny-multi", "int8", MARIAN),
    "ct2-tiny-m2m-float32": ("tiny-m2m", "float32", FAIRSEQ),
    "ct2-tiny-nllb-int8": ("tiny-nllb", "int8", FAIRSEQ),
    "ct2-tiny-mbart-int8": ("tiny-mbart", "int8", FAIRSEQ),
    "ct2-tiny-t5-float32": ("tiny-t5", "float32", T5),
    "ct2-tiny-flan-int8": ("tiny-flan", "int8", T5),
    "ct2-tiny-mt5-bfloat16": ("tiny-mt5", "bfloat16", T5),
    "ct2-tiny-madlad-int8": ("tiny-madlad", "int8", T5),
    "ct2-onmt-float32": ("onmt", "float32", OPENNMT),
    "ct2-onmt-apart-int8": ("onmt-apart", "int8", OPENNMT),
}
# By the checkpoint: the languages of a source and of its translation, as pieces; what a source begins with.
MARKS = {"tiny-m2m": ("__de__", "__en__"), "tiny-nllb": ("deu_Latn", "eng_Latn"), "tiny-mbart": ("de_DE", "en_XX")}
PROMPTS = {"tiny-t5": "translate English to German: ", "tiny-madlad": "<2en> "}
SENTENCES = 60
MORE = {"tiny-flan": 120}  # of which many have a row without a piece
OPENNMT_SPM = os.path.join(ROOT, "tests/data/models/tiny-a/source.spm")
LIMIT = 48
MIN_GAP = 1e-4


def convert(source, folder, quantization, files):
    """As a directory that says float32: from another the converter takes the table of positions in that type."""
    with tempfile.TemporaryDirectory() as scratch:
        copied = os.path.join(scratch, "source")
        shutil.copytree(source, copied)
        with open(os.path.join(copied, "config.json"), "r+", encoding="utf-8") as f:
            config = dict(json.load(f), torch_dtype="float32")
            if config["model_type"] == "mbart":  # as published directories have it; the converter asks for these
                config.update(tokenizer_class="MBart50Tokenizer", normalize_before=True, normalize_embedding=True)
            f.seek(0)
            f.truncate()
            json.dump(config, f)
        converter = ctranslate2.converters.TransformersConverter(copied, copy_files=list(files))
        converter.convert(folder, quantization=quantization, force=True)
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o644)


def read_vocabularies(folder):
    """Of the source and of the target."""
    names = ("shared_vocabulary.json",) * 2
    if not os.path.exists(os.path.join(folder, names[0])):
        names = ("source_vocabulary.json", "target_vocabulary.json")
    found = []
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            found.append(json.load(f))
    return found


def sources(name, spm, vocabulary, german, rng):
    """Token lists: pieces of the vocabulary, as a tokenizer would write them."""
    import sentencepiece

    cutter = sentencepiece.SentencePieceProcessor(model_file=spm)
    known = set(vocabulary)
    tags = [piece for piece in vocabulary if piece.startswith(">>") and piece.endswith("<<")]
    for text in german[:MORE.get(name, SENTENCES)]:
        pieces = cutter.encode(PROMPTS.get(name, "") + text, out_type=str)
        pieces = [p if p in known else "<unk>" for p in pieces]
        tag = [rng.choice(tags)] if tags else [MARKS[name][0]] if name in MARKS else []
        end = [] if name in opennmt_model.MODELS else ["</s>"]
        yield tag + pieces + end


def cases_of(directory, folder, german, ambiguous):
    name, _, files = DIRECTORIES[directory]
    rng = random.Random(f"ct2 directories {name}")  # the same sources for every type
    source_pieces, target_pieces = read_vocabularies(folder)
    # Rows that T5's tokenizer has no piece for are called as pieces that there are: which one it was nobody knows.
    source_ids = {piece: i for i, piece in reversed(list(enumerate(source_pieces)))}
    target_ids = {piece: i for i, piece in reversed(list(enumerate(target_pieces)))}
    translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32", inter_threads=1, intra_threads=1)
    spm = os.path.join(folder, files[0])
    for index, source in enumerate(sources(name, spm, source_pieces, german, rng)):
        beam = (1, 2, 5)[index % 3]
        # Behind a prefix CTranslate2 refuses the end to all but the best beam (README.md, "ct2"): so it is refused to all.
        prefix = dict(target_prefix=[[MARKS[name][1]]], min_decoding_length=2) if name in MARKS else {}
        found = translator.translate_batch([source], beam_size=beam, num_hypotheses=beam, return_scores=True,
                                           max_decoding_length=LIMIT, **prefix)[0]
        scores = found.scores
        gap = min([a - b for a, b in zip(scores, scores[1:])], default=1.0)
        double = {target_ids[p] for p, n in collections.Counter(target_pieces).items() if n > 1}
        if any(target_ids[p] in double for h in found.hypotheses for p in h):
            ambiguous[directory] += 1
            continue
        yield dict(model=directory, id=f"{directory}/{index}", source_ids=[source_ids[p] for p in source], beam=beam,
                   first_token=target_ids[MARKS[name][1]] if prefix else None, gap=float(f"{gap:.3g}"),
                   nbest=[dict(tokens=[target_ids[p] for p in h], score=round(s, 6))
                          for h, s in zip(found.hypotheses, scores)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=os.path.join(ROOT, "tests/data/models"))
    parser.add_argument("--out", default=FIXTURES)
    arguments = parser.parse_args()
    german = prepare()
    rows, close, ambiguous = [], collections.Counter(), collections.Counter()
    for directory, (name, quantization, files) in DIRECTORIES.items():
        folder = os.path.join(arguments.models, directory)
        shutil.rmtree(folder, ignore_errors=True)
        if name in opennmt_model.MODELS:
            opennmt_model.convert(name, OPENNMT_SPM, folder, None if quantization == "float32" else quantization)
            shutil.copyfile(OPENNMT_SPM, os.path.join(folder, OPENNMT[0]))
        else:
            convert(os.path.join(ROOT, "tests/data/models", name), folder, quantization, files)
        for row in cases_of(directory, folder, german, ambiguous):
            close[directory] += row["gap"] < MIN_GAP
            rows.append(row)
    header = dict(header=True, models={d: f"tests/data/models/{d}" for d in DIRECTORIES}, kept=len(rows),
                  close=dict(close), ambiguous=dict(ambiguous), versions=dict(ctranslate2=ctranslate2.__version__))
    write_jsonl(os.path.join(arguments.out, "ct2-directories.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


if __name__ == "__main__":
    main()
