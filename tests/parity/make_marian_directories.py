#!/usr/bin/env python3
"""Makes small models in Marian's own files, and writes what Marian's engine translates with them.

    make_marian_directories.py [--models tests/data/models] [--out tests/parity/fixtures]

tests/data/models/marian-NAME/: a model, .npz or .bin, and its SentencePiece vocabularies. marian-directories.jsonl.gz:
for each of them texts and Marian's best translation at beams 1 and 4, normalised by length, one sentence at a time;
of 8-bit models computed as 8 bits, and what they give as float32 besides; of a model with a lexical shortlist without and
with it, whose words are those of the one sentence then. The engine is the one of the PyPI package
bergamot 0.4.5, for Python 3.10 (`pip install bergamot==0.4.5 numpy sentencepiece`): its extension module, as the
package itself wants the network. It gives texts and no scores, so nothing is said of a case's margin.
A second run with the same pins writes the same bytes.
"""
import argparse
import importlib.util
import io
import itertools
import json
import os
import shutil
import struct
import sys
import sysconfig
import tempfile
import zipfile

import numpy as np
import sentencepiece

from fixture_file import write_jsonl

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SENTENCES = 60
FACTOR = 3  # of the length of the source, with </s>: the longest output
PIECES = 240
DIM = 32  # where MODELS does not say; a feed-forward layer is twice as wide
HEADS = 4
FLOAT32, INT8 = 0x404, 0x101
INTGEMM8 = 0x4101  # browsermt/marian-dev's; marian-nmt/marian-dev's is 0x10001

# `seed` and `eos` (the bias of </s>) were found by trying some tens for lengths that spread.
MODELS = {
    "marian-npz": dict(why="post-norm, relu, all embeddings one", seed=4, eos=3.0,
                       activation="relu", tied="all", file="model.npz"),
    "marian-pre": dict(why="pre-norm, swish, two vocabularies, output layer tied to the target's embedding", seed=23,
                       eos=3.5, activation="swish", tied="target", pre_norm=True, norm_embedding=True,
                       file="model.npz"),
    "marian-bin": dict(why="binary format, gelu, one vocabulary, an output layer of its own", seed=19, eos=3.5,
                       activation="gelu", tied="source", file="model.bin"),
    "marian-ssru": dict(why="SSRU decoder", seed=10, eos=3.5, activation="relu", tied="all", ssru=True,
                        file="model.npz"),
    "marian-firefox": dict(why="8 bits and SSRU, with a Firefox model's names", dim=64, seed=28, eos=3.5, activation="relu",
                           tied="all", ssru=True, int8=True, file="model.deen.intgemm.alphas.bin",
                           vocabularies=("vocab.deen.spm", "vocab.deen.spm"), shortlist="lex.12.3.deen.s2t.bin"),
}
LAYERS = (1, 2)
FIRST, BEST = 12, 3  # words of a shortlist that are always in, and the most of a source word


def load_engine():
    """bergamot's extension module, without the package around it."""
    for folder in (sysconfig.get_path("platlib"), sysconfig.get_path("purelib")):
        path = os.path.join(folder, "bergamot", "_bergamot" + sysconfig.get_config_var("EXT_SUFFIX"))
        if os.path.exists(path):
            spec = importlib.util.spec_from_file_location("_bergamot", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    sys.exit("there is no bergamot: pip install bergamot==0.4.5, with Python 3.10")


def train_spm(path, lines, size):
    """Ids as Marian wants them: </s> 0, <unk> 1."""
    path = os.path.abspath(path)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # the names of the files end up in the model
        try:
            with open("text", "w", encoding="utf-8") as f:
                f.writelines(line + "\n" for line in lines)
            sentencepiece.SentencePieceTrainer.train(
                input="text", model_prefix="m", vocab_size=size, character_coverage=0.995, unk_id=1, eos_id=0,
                bos_id=-1, num_threads=1, minloglevel=2, normalization_rule_name="identity")
            shutil.copyfile("m.model", path)
        finally:
            os.chdir(here)


def parameters(spec):
    """Random, but not small, as make_models.py has them: attention is sharp and outputs differ."""
    rng = np.random.default_rng(spec["seed"])
    found = {}
    dim = spec.get("dim", DIM)

    def normal(shape, std):
        return (rng.standard_normal(shape) * std).astype(np.float32)

    def norm(name, pre=spec.get("pre_norm", False)):
        suffix = "_pre" if pre else ""
        found[f"{name}_ln_scale{suffix}"] = (1 + normal((1, dim), 0.2)).astype(np.float32)
        found[f"{name}_ln_bias{suffix}"] = normal((1, dim), 0.1)

    def attention(name, cross):
        for part in "qkvo":
            gain = 3.0 if part in "qk" else cross
            found[f"{name}_W{part}"] = normal((dim, dim), gain / dim**0.5)
            found[f"{name}_b{part}"] = normal((1, dim), 0.1)
        if spec.get("pre_norm") and name.endswith("_self"):
            # This engine takes keys and values from before the norm, newer ones from behind it.
            for part in "kv":
                found[f"{name}_W{part}"] *= 0
        norm(name + "_Wo")

    def feed_forward(name):
        for number, rows, columns in (("1", dim, 2 * dim), ("2", 2 * dim, dim)):
            found[f"{name}_W{number}"] = normal((rows, columns), rows**-0.5)
            found[f"{name}_b{number}"] = normal((1, columns), 0.1)
        norm(name + "_ffn")

    tied = spec["tied"]
    for name in ("Wemb",) if tied in ("all", "source") else ("encoder_Wemb", "decoder_Wemb"):
        found[name] = normal((PIECES, dim), 2.0 / dim**0.5)
    if tied == "source":
        found["decoder_ff_logit_out_Wt"] = normal((PIECES, dim), 2.0 / dim**0.5)
    for stage, layers in zip(("encoder", "decoder"), LAYERS):
        if spec.get("norm_embedding"):
            norm(f"{stage}_emb", pre=True)
        for layer in range(1, layers + 1):
            name = f"{stage}_l{layer}"
            if stage == "decoder" and spec.get("ssru"):
                found[f"{name}_rnn_W"] = normal((dim, dim), dim**-0.5)
                found[f"{name}_rnn_Wf"] = normal((dim, dim), dim**-0.5)
                found[f"{name}_rnn_bf"] = normal((1, dim), 0.1)
                norm(f"{name}_rnn_ffn")
            else:
                attention(f"{name}_self", 1.0)
            if stage == "decoder":
                attention(f"{name}_context", 1.5)
            feed_forward(f"{name}_ffn")
        if spec.get("pre_norm"):
            norm(f"{stage}_top", pre=False)
    # Random signs: without them a tied output layer would mostly repeat the last token.
    last = "decoder_top_ln_scale" if spec.get("pre_norm") else f"decoder_l{LAYERS[1]}_ffn_ffn_ln_scale"
    found[last] *= (rng.integers(0, 2, (1, dim)) * 2 - 1).astype(np.float32)
    bias = normal((1, PIECES), 0.4)
    bias[0, 0] = spec["eos"]
    found["decoder_ff_logit_out_b"] = bias
    return found


def options(spec):
    """What Marian writes as special:model.yml."""
    pre, tied, ssru = spec.get("pre_norm", False), spec["tied"], spec.get("ssru", False)
    yes = {True: "true", False: "false"}
    found = {
        "dec-cell": "ssru" if ssru else "gru", "dec-cell-base-depth": 2, "dec-cell-high-depth": 1,
        "dec-depth": LAYERS[1], "dim-emb": spec.get("dim", DIM), "dim-rnn": 1024, "dim-vocabs": f"\n  - {PIECES}\n  - {PIECES}",
        "enc-cell": "gru", "enc-cell-depth": 1, "enc-depth": LAYERS[0], "enc-type": "bidirectional",
        "input-types": "\n  []", "layer-normalization": "false", "lemma-dim-emb": 0, "right-left": "false",
        "skip": "false", "tied-embeddings": yes[tied == "target"], "tied-embeddings-all": yes[tied == "all"],
        "tied-embeddings-src": yes[tied == "source"], "transformer-aan-activation": "swish",
        "transformer-decoder-autoreg": "rnn" if ssru else "self-attention", "transformer-dim-ffn": 2 * spec.get("dim", DIM),
        "transformer-ffn-activation": spec["activation"], "transformer-ffn-depth": 2,
        "transformer-guided-alignment-layer": "last", "transformer-heads": HEADS,
        "transformer-no-projection": "false", "transformer-postprocess": "da" if pre else "dan",
        "transformer-postprocess-emb": "nd" if spec.get("norm_embedding") else "d",
        "transformer-postprocess-top": "n" if pre else '""', "transformer-preprocess": "n" if pre else '""',
        "transformer-tied-layers": "\n  []", "transformer-train-position-embeddings": "false", "type": "transformer",
        "ulr": "false", "version": f"v1.{10 if pre else 9}.0 0000000 2021-03-31 19:11:04 +0100"}
    return "".join(f"{k}:{v}\n" if str(v).startswith("\n") else f"{k}: {v}\n" for k, v in sorted(found.items()))


def with_options(tensors, text):
    return dict(tensors, **{"special:model.yml": np.frombuffer(text.encode() + b"\0", dtype=np.int8)})


def write_npz(path, tensors):
    """As np.savez, but with the same time in every run."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in tensors.items():
            array = io.BytesIO()
            np.lib.format.write_array(array, value)
            archive.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), array.getvalue())


def quantised(name, value):
    """The bytes and the float32 that they stand for."""
    scale = np.float32(127) / np.abs(value).max()
    integers = np.clip(np.rint(value * scale), -127, 127).astype(np.int8)
    stored = integers if "Wemb" in name else np.ascontiguousarray(integers.T)
    return stored.tobytes() + struct.pack("<f", scale), (integers * (np.float32(1) / scale)).astype(np.float32)


def is_product(name):
    return "_W" in name[-3:] or name.endswith("Wemb")


def write_bin(path, tensors, int8=False):
    def padded(size):
        return (size + 255) // 256 * 256

    items = []
    for name, value in tensors.items():
        if int8 and is_product(name):
            items.append((name, INTGEMM8, value.shape, quantised(name, value)[0]))
        else:
            items.append((name, INT8 if value.dtype == np.int8 else FLOAT32, value.shape, value.tobytes()))
    out = bytearray(struct.pack("<QQ", 1, len(items)))
    for name, kind, shape, data in items:
        out += struct.pack("<QQQQ", len(name) + 1, kind, len(shape), padded(len(data)))
    for name, _, _, _ in items:
        out += name.encode() + b"\0"
    for _, _, shape, _ in items:
        out += struct.pack(f"<{len(shape)}i", *shape)
    offset = padded(len(out) + 8) - len(out) - 8
    out += struct.pack("<Q", offset) + b"\0" * offset
    for _, _, _, data in items:
        out += data + b"\0" * (padded(len(data)) - len(data))
    with open(path, "wb") as f:
        f.write(out)


def write_shortlist(path, pieces, first, best, seed=7):
    """Random lists of 0 to `best` words for each word of the source, as marian-conv writes them."""
    rng = np.random.default_rng(seed)
    lists = [np.sort(rng.choice(pieces, rng.integers(0, best + 1), replace=False)).astype("<u4") for _ in range(pieces)]
    offsets = np.cumsum([0] + [len(words) for words in lists]).astype("<u8")
    behind = struct.pack("<QQQQ", first, best, len(offsets), offsets[-1]) + offsets.tobytes() + b"".join(
        words.tobytes() for words in lists)
    checksum = 0
    for (number,) in struct.iter_unpack("<Q", behind[:len(behind) // 8 * 8]):
        checksum ^= (number + 0x9E3779B9 + (checksum << 6) + (checksum >> 2)) % 2**64
        checksum %= 2**64
    with open(path, "wb") as f:
        f.write(struct.pack("<QQ", 0xF11A48D5013417F5, checksum) + behind)


class Engine:
    """Of a process there may be one."""

    def __init__(self):
        self.module = load_engine()
        settings = self.module.ServiceConfig()
        settings.numWorkers, settings.cacheSize = 1, 0
        self.service = self.module.Service(settings)

    def load(self, model, vocabularies, beam, precision="float32", shortlist=None):
        config = "".join(f"{key}: {value}\n" for key, value in {
            "models": f"\n  - {model}", "vocabs": "".join(f"\n  - {path}" for path in vocabularies),
            "beam-size": beam, "normalize": 1.0, "word-penalty": 0, "max-length-break": 128, "mini-batch-words": 16384,
            "workspace": 128, "max-length-factor": FACTOR, "skip-cost": "false", "cpu-threads": 0, "quiet": "true",
            "quiet-translation": "true", "gemm-precision": precision, "alignment": "soft"}.items())
        if shortlist:
            config += f"shortlist:\n  - {shortlist}\n  - true\ncheck-bytearray: true\n"  # checksum and ids
        return self.service.modelFromConfig(config)

    def translate(self, model, text):
        """The text and how many tokens it has, with </s>; None where the text was split in two."""
        lines = self.module.VectorString([text])
        target = self.service.translate(model, lines, self.module.ResponseOptions())[0].target
        return (target.text.strip(), target.numWords(0)) if target.numSentences() == 1 else (None, 0)


def texts():
    """Lines that Marian does not split in two."""
    with open(os.path.join(ROOT, "tests/data/german.txt"), encoding="utf-8") as f:
        german = f.read().split("\n")[:-1]
    return [line for line in german if 10 < len(line) < 100][:SENTENCES]


def write_directory(folder, spec, german):
    os.makedirs(folder)
    vocabularies = spec.get("vocabularies", ("vocab.spm", "vocab.spm"))
    if spec["tied"] == "target":
        vocabularies = ("srcvocab.spm", "trgvocab.spm")
    for name, lines in zip(vocabularies, (german, german[::2])):
        if not os.path.exists(os.path.join(folder, name)):
            train_spm(os.path.join(folder, name), lines, PIECES)
    tensors, text = parameters(spec), options(spec)
    path = os.path.join(folder, spec["file"])
    if path.endswith(".npz"):
        write_npz(path, with_options(tensors, text))
    else:
        write_bin(path, with_options(tensors, text), spec.get("int8", False))
    if "shortlist" in spec:
        write_shortlist(os.path.join(folder, spec["shortlist"]), PIECES, FIRST, BEST)
    return path, [os.path.join(folder, name) for name in vocabularies]


def cases_of(name, spec, path, vocabularies, engine):
    precisions = {"expected": "float32"}
    with tempfile.TemporaryDirectory() as scratch:
        plain = path
        if spec.get("int8"):
            # What the 8 bits stand for, as float32.
            precisions = {"expected": "float32", "expected_int8": "int8shift"}
            plain = os.path.join(scratch, "model.bin")
            write_bin(plain, with_options({n: quantised(n, v)[1] if is_product(n) else v
                                           for n, v in parameters(spec).items()}, options(spec)))
        shortlists = [None]
        if "shortlist" in spec:
            shortlists.append(os.path.join(os.path.dirname(path), spec["shortlist"]))
        for beam, shortlist in itertools.product((1, 4), shortlists):
            models = {key: engine.load(plain if precision == "float32" else path, vocabularies, beam, precision, shortlist)
                      for key, precision in precisions.items()}
            for index, text in enumerate(texts()):
                found = {key: engine.translate(model, text) for key, model in models.items()}
                if any(translated is None for translated, _ in found.values()):
                    continue
                yield dict(model=name, id=f"{name}/{beam}/{'shortlist/' if shortlist else ''}{index}", text=text, beam=beam,
                           **(dict(shortlist=True) if shortlist else {}),
                           **{key: translated for key, (translated, _) in found.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=os.path.join(ROOT, "tests/data/models"))
    parser.add_argument("--out", default=os.path.join(HERE, "fixtures"))
    arguments = parser.parse_args()
    with open(os.path.join(ROOT, "tests/data/german.txt"), encoding="utf-8") as f:
        german = f.read().split("\n")[:-1]
    engine, rows = Engine(), []
    for name, spec in MODELS.items():
        folder = os.path.join(arguments.models, name)
        shutil.rmtree(folder, ignore_errors=True)
        path, vocabularies = write_directory(folder, spec, german)
        rows += cases_of(name, spec, path, vocabularies, engine)
    header = dict(header=True, models={name: f"tests/data/models/{name}" for name in MODELS}, kept=len(rows),
                  max_length_factor=FACTOR, versions=dict(bergamot="0.4.5"))
    write_jsonl(os.path.join(arguments.out, "marian-directories.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


if __name__ == "__main__":
    main()
