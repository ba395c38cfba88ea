#!/usr/bin/env python3
"""Converts small models of this repository with CTranslate2's converter, and writes what CTranslate2 finds with them.

    make_ct2_directories.py [--models tests/data/models] [--out tests/parity/fixtures]

tests/data/models/ct2-NAME-TYPE/: what ct2-transformers-converter writes, or ct2-opennmt-py-converter of seeded
checkpoints (opennmt_model.py), and the tokenizer's files beside it, as --copy_files does it.
ct2-directories.jsonl.gz: for each directory the n-best of CTranslate2 in float32 (which makes float32 of quantised
weights too) at beams 1, 2 and 5, one sentence at a time. Discarded are lists with a row of T5 whose name
another has; `gap` is the smallest difference of two
scores of the list. Of the directories in WITH_TEXTS the sources are what transformers' tokenizer makes of texts by the
files in the directory, and beams are 1, 4 and 8. A second run with the same pins writes the same bytes.
"""
import argparse
import collections
import contextlib
import json
import os
import random
import shutil
import tempfile

import ctranslate2
import transformers

import opennmt_model
from fixture_file import write_jsonl
from hf_model import FIXTURES, ROOT, prepare

MARIAN = ("source.spm", "target.spm", "tokenizer_config.json")
FAIRSEQ = ("sentencepiece.bpe.model",)
T5 = ("spiece.model",)
OPENNMT = ("sentencepiece.model",)
JSON = ("tokenizer.json", "tokenizer_config.json")
BART = ("vocab.json", "merges.txt", "tokenizer_config.json")
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
    "ct2-tiny-nllb-json-int8": ("tiny-nllb", "int8", JSON),
    "ct2-tiny-bart-float32": ("tiny-bart", "float32", BART),
    "ct2-tiny-mbart25-int8": ("tiny-mbart25", "int8", FAIRSEQ + ("tokenizer_config.json",)),
}
# By the fixture: its directory, and the languages of the requests.
WITH_TEXTS = {
    "ct2-tiny-nllb-json-int8": ("ct2-tiny-nllb-json-int8", ["deu_Latn", "eng_Latn", "fra_Latn", "zho_Hans"]),
    "ct2-tiny-nllb-legacy": ("ct2-tiny-nllb-json-int8", ["deu_Latn", "eng_Latn", "fra_Latn"]),
    "ct2-tiny-bart-float32": ("ct2-tiny-bart-float32", []),
    "ct2-tiny-mbart25-int8": ("ct2-tiny-mbart25-int8", ["de_DE", "en_XX", "ro_RO", "zh_CN"]),
    "ct2-tiny-nllb-source-bos": ("ct2-tiny-nllb-json-int8", ["deu_Latn", "eng_Latn", "fra_Latn"]),
    "ct2-tiny-mbart25-start": ("ct2-tiny-mbart25-int8", ["de_DE", "en_XX", "ro_RO"]),
}
# What the files of its directory say instead.
CHANGES = {
    "ct2-tiny-nllb-legacy": {"tokenizer_config.json": dict(legacy_behaviour=True)},
    "ct2-tiny-nllb-source-bos": {"config.json": dict(add_source_bos=True)},
    "ct2-tiny-mbart25-start": {"config.json": dict(decoder_start_token="</s>")},
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
                config.update(tokenizer_class=tokenizer_class(copied), normalize_before=True, normalize_embedding=True)
            if config["model_type"] == "bart":
                config.update(normalize_before=False, normalize_embedding=True)
                name_rows(os.path.join(copied, "vocab.json"), config["vocab_size"])
            f.seek(0)
            f.truncate()
            json.dump(config, f)
        if files == JSON:  # which transformers makes of SentencePiece's file when a checkpoint is saved
            transformers.AutoTokenizer.from_pretrained(copied).save_pretrained(copied)
        converter = ctranslate2.converters.TransformersConverter(copied, copy_files=list(files))
        converter.convert(folder, quantization=quantization, force=True)
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o644)


def tokenizer_class(folder):
    with open(os.path.join(folder, "tokenizer_config.json"), encoding="utf-8") as f:
        return json.load(f)["tokenizer_class"]


def name_rows(path, size):
    """Every row of a BART has a name in published directories, and has to have one for the converter."""
    with open(path, "r+", encoding="utf-8") as f:
        vocabulary = json.load(f)
        vocabulary.update({f"madeupword{i:04d}": i for i in range(len(vocabulary), size)})
        f.seek(0)
        f.truncate()
        json.dump(vocabulary, f, ensure_ascii=False)


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
        # The end after a prefix is refused to all beams (README.md, "Differences that stay").
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


@contextlib.contextmanager
def changed(folder, changes):
    """A copy of the directory with the changes."""
    with tempfile.TemporaryDirectory() as scratch:
        copied = os.path.join(scratch, os.path.basename(folder))
        shutil.copytree(folder, copied)
        for file, fields in changes.items():
            with open(os.path.join(copied, file), "r+", encoding="utf-8") as f:
                content = dict(json.load(f), **fields)
                f.seek(0)
                f.truncate()
                json.dump(content, f)
        yield copied


def text_cases(fixture, folder, german):
    """As cases_of, but from texts."""
    languages = WITH_TEXTS[fixture][1]
    rng = random.Random(f"ct2 directories {fixture}")
    pieces = read_vocabularies(folder)[1]
    ids = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32", inter_threads=1, intra_threads=1)
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        config = json.load(f)
    starts_with_prefix = config["decoder_start_token"] is None
    begin = [ids[config["bos_token"]]] if config["add_source_bos"] else []
    for index, text in enumerate(german[:SENTENCES]):
        beam = (1, 4, 8)[index % 3]
        row = dict(model=fixture, id=f"{fixture}/{index}", text=text, beam=beam)
        options = {}
        if languages:
            tokenizer.src_lang, target = rng.sample(languages, 2)
            row.update(source_lang=tokenizer.src_lang, target_lang=target)
            options = dict(target_prefix=[[target]])
            row["start_token" if starts_with_prefix else "first_token"] = ids[target]
            if not starts_with_prefix:
                options["min_decoding_length"] = 2  # as in cases_of
        source_ids = tokenizer(text)["input_ids"]
        source = tokenizer.convert_ids_to_tokens(source_ids)
        found = translator.translate_batch([source], beam_size=beam, num_hypotheses=beam, return_scores=True,
                                           max_decoding_length=LIMIT, **options)[0]
        gap = min([a - b for a, b in zip(found.scores, found.scores[1:])], default=1.0)
        best = [ids[p] for p in found.hypotheses[0]]
        yield dict(row, source_ids=begin + source_ids, gap=float(f"{gap:.3g}"),
                   translation=tokenizer.decode(best, skip_special_tokens=True, clean_up_tokenization_spaces=False).strip(),
                   nbest=[dict(tokens=[ids[p] for p in h], score=round(s, 6)) for h, s in zip(found.hypotheses, found.scores)])


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
        if directory not in WITH_TEXTS:
            rows += cases_of(directory, folder, german, ambiguous)
    models = {d: f"tests/data/models/{d}" for d in DIRECTORIES}
    for fixture, (directory, _) in WITH_TEXTS.items():
        models[fixture] = models[directory]
        with changed(os.path.join(arguments.models, directory), CHANGES.get(fixture, {})) as folder:
            rows += text_cases(fixture, folder, german)
    for row in rows:
        close[row["model"]] += row["gap"] < MIN_GAP
    header = dict(header=True, models=models, changes=CHANGES, kept=len(rows),
                  close=dict(close), ambiguous=dict(ambiguous), versions=dict(ctranslate2=ctranslate2.__version__))
    write_jsonl(os.path.join(arguments.out, "ct2-directories.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


if __name__ == "__main__":
    main()
