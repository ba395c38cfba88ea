#!/usr/bin/env python3
"""Writes models in the layout of CTranslate2's own test model, aren-transliteration, and what CTranslate2 finds with
them.

    make_transliteration.py [--models tests/data/models] [--out tests/parity/fixtures]

tests/data/models/ct2-aren-NAME/: a model.bin of an old version, source_vocabulary.txt and target_vocabulary.txt, and
nothing else, as in the directories v1 and v2 of CTranslate2's test data. A token is a character, the files have no
<unk>, and a text is tokens with spaces between them. The weights are seeded.
ct2-transliteration.jsonl.gz: for each directory the n-best of CTranslate2 in float32 at beams 1, 4 and 8, one text at a
time. A second run with the same pins writes the same bytes.
"""
import argparse
import json
import os
import random
import shutil
import struct
import tempfile

import ctranslate2
import numpy
import torch

import opennmt_model
from fixture_file import write_jsonl
from hf_model import FIXTURES, ROOT

ARABIC = list("ابتثجحخدذرزسشصضطظعغفقكلمنهويآأإئءؤةىپچژگ")
LATIN = list("abcdefghijklmnopqrstuvwxyz'-")
SPECIAL = ["<blank>", "<s>", "</s>"]
MODEL = dict(d=32, layers=(2, 2), ffn=48, activation="relu", shared=False, logit_std=2.0, attention=3.0, cross=1.5,
             eos_bias=3.0, positions=4)
# version of the container, name and revision of the specification, heads that the name stands for, type of the weights
DIRECTORIES = {
    "ct2-aren-v1": (1, None, 1, 8, "float32"),
    "ct2-aren-v1-i16": (1, None, 1, 8, "int16"),
    "ct2-aren-base": (2, "TransformerBase", 2, 8, "float32"),
    "ct2-aren-base-i8": (2, "TransformerBase", 2, 8, "int8"),
    "ct2-aren-big-i16": (2, "TransformerBig", 2, 16, "int16"),
}
SEED = 13  # found by trying some, for lengths that spread and few repetitions
CASES = 72
LIMIT = 48
GLOBAL_INT16_SCALE = 1000.0  # CTranslate2's, of int16 weights without a scale


def variables_of(heads):
    """By their names in TransformerSpec, as CTranslate2's converter stacks the matrices."""
    spec = dict(MODEL, heads=heads, seed=SEED)
    source, target = SPECIAL + ARABIC + ["<unk>"], SPECIAL + LATIN + ["<unk>"]
    checkpoint = opennmt_model.checkpoint(spec, source, target)
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "model.pt")
        torch.save(checkpoint, path)
        folder = os.path.join(scratch, "converted")
        ctranslate2.converters.OpenNMTPyConverter(path, unsafe_deserialization=True).convert(folder)
        variables, aliases = read_model(os.path.join(folder, "model.bin"))
    for alias, name in aliases:
        variables[alias] = variables[name]
    # Weights only: the attributes have the values that the old specifications stand for, and positions are computed.
    found = {}
    for name, value in variables.items():
        if value.ndim > 0 and "position_encodings" not in name:
            found[name.replace("embeddings_0", "embeddings")] = value
    return found


def read_model(path):
    """The variables and aliases of version 6."""
    types = {0: "float32", 1: "int8", 2: "int16", 3: "int32", 4: "float16"}
    with open(path, "rb") as f:
        def number(form):
            return struct.unpack(form, f.read(struct.calcsize(form)))[0]

        def text():
            return f.read(number("H"))[:-1].decode()

        assert number("I") == 6 and text() == "TransformerSpec"
        number("I")
        variables = {}
        for _ in range(number("I")):
            name = text()
            shape = [number("I") for _ in range(number("B"))]
            kind = types[number("B")]
            variables[name] = numpy.frombuffer(f.read(number("I")), kind).reshape(shape)
        return variables, [(text(), text()) for _ in range(number("I"))]


def first_name(name):
    """The name in revision 1, which is OpenNMT-tf's; CTranslate2 turns it back (map_v1_variable_name)."""
    kind = name.rsplit("/", 1)[1]
    name = name.replace("embeddings/weight", "w_embs").replace("projection", "dense")
    if "layer_norm" in name:
        name = name.replace("layer_norm", "LayerNorm")
    if kind == "weight":
        name = name.replace("/weight", "/kernel")
    for i in (2, 1):
        name = name.replace(f"linear_{i}", f"conv1d_{i}")
    name = name.replace("linear_0", "conv1d")
    if name.startswith("encoder"):
        name = name.replace("self_attention", "multi_head")
    else:
        name = name.replace("self_attention", "masked_multi_head").replace("/attention", "/multi_head")
    return f"transformer/{name}:0"


def quantized(name, value, kind):
    """Pairs of a name and an array; as the converters of then did it, int16 without a scale."""
    if kind == "float32" or not name.endswith("weight"):
        return [(name, value)]
    if kind == "int16":
        return [(name, numpy.clip(value * GLOBAL_INT16_SCALE, -32768, 32767).astype("int16"))]
    scale = (127.0 / numpy.abs(value).max(axis=1)).astype("float32")
    return [(name, (value * scale[:, None]).astype("int8")), (f"{name}_scale", scale)]


def write_model(path, version, spec, revision, variables):
    """Before version 4: an item's size in place of its type, and no aliases before 3."""
    def text(value):
        return struct.pack("H", len(value.encode()) + 1) + value.encode() + b"\0"

    with open(path, "wb") as f:
        f.write(struct.pack("I", version))
        if version >= 2:
            f.write(text(spec) + struct.pack("I", revision))
        f.write(struct.pack("I", len(variables)))
        for name, value in variables:
            f.write(text(name) + struct.pack("B", value.ndim) + struct.pack(f"{value.ndim}I", *value.shape))
            f.write(struct.pack("=BI", value.itemsize, value.size) + numpy.ascontiguousarray(value).tobytes())


def write_directory(folder, version, spec, revision, heads, kind):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    variables = []
    for name, value in sorted(variables_of(heads).items()):
        for stored, array in quantized(name, value, kind):
            variables.append((first_name(stored) if revision == 1 else stored, array))
    write_model(os.path.join(folder, "model.bin"), version, spec, revision, variables)
    for side, letters in (("source", ARABIC), ("target", LATIN)):
        with open(os.path.join(folder, f"{side}_vocabulary.txt"), "w", encoding="utf-8") as f:
            f.writelines(f"{piece}\n" for piece in SPECIAL + letters)


def texts():
    rng = random.Random("transliteration")
    yield "آ ت ز م و ن"  # of CTranslate2's tests
    for index in range(CASES - 1):
        letters = rng.choices(ARABIC, k=rng.randint(1, 14))
        if index % 9 == 0:  # a letter that is not in the vocabulary
            letters[rng.randrange(len(letters))] = "ڤ"
        yield " ".join(letters)


def cases_of(directory, folder):
    ids = [{p: i for i, p in enumerate(SPECIAL + letters + ["<unk>"])} for letters in (ARABIC, LATIN)]
    translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32", inter_threads=1, intra_threads=1)
    for index, text in enumerate(texts()):
        beam = (1, 4, 8)[index % 3]
        source = text.split()
        found = translator.translate_batch([source], beam_size=beam, num_hypotheses=beam, return_scores=True,
                                           max_decoding_length=LIMIT)[0]
        gap = min([a - b for a, b in zip(found.scores, found.scores[1:])], default=1.0)
        shown = [p for p in found.hypotheses[0] if p not in SPECIAL + ["<unk>"]]
        yield dict(model=directory, id=f"{directory}/{index}", text=text, beam=beam,
                   source_ids=[ids[0].get(p, ids[0]["<unk>"]) for p in source], gap=float(f"{gap:.3g}"),
                   translation=" ".join(shown),
                   nbest=[dict(tokens=[ids[1][p] for p in h], score=round(s, 6))
                          for h, s in zip(found.hypotheses, found.scores)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=os.path.join(ROOT, "tests/data/models"))
    parser.add_argument("--out", default=FIXTURES)
    arguments = parser.parse_args()
    rows = []
    for directory, spec in DIRECTORIES.items():
        folder = os.path.join(arguments.models, directory)
        write_directory(folder, *spec)
        rows += cases_of(directory, folder)
    lengths = sorted(len(row["nbest"][0]["tokens"]) for row in rows)
    header = dict(header=True, models={d: f"tests/data/models/{d}" for d in DIRECTORIES}, kept=len(rows),
                  ended=sum(n < LIMIT for n in lengths), median=lengths[len(lengths) // 2],
                  close=sum(row["gap"] < 1e-4 for row in rows), versions=dict(ctranslate2=ctranslate2.__version__))
    write_jsonl(os.path.join(arguments.out, "ct2-transliteration.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


if __name__ == "__main__":
    main()
