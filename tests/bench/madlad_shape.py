#!/usr/bin/env python3
"""A directory of MADLAD-400's kind with noise for weights and a vocabulary of the real size, 256,000 words.

    madlad_shape.py OUT [--width 1024] [--ffn 8192] [--layers 32] [--heads 16] [--dtype F32|BF16] [--shards N]

The defaults are MADLAD-400-3B-MT's: 2.9 billion parameters, 5.9 GB in BF16. The tokenizer is that of
tests/data/models/tiny-madlad; behind its pieces come others that no text has. Weights as noise_checkpoint.py makes them:
the same bytes every time, most outputs repeat a token. Needs Python's standard library alone.
"""
import argparse
import json
import os
import shutil
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/attack"))
import noise_checkpoint  # noqa: E402

TINY = os.path.join(ROOT, "tests/data/models/tiny-madlad")
WORDS, KEYS, PERIOD = 256_000, 128, 1_000_003


def read_json(name):
    with open(os.path.join(TINY, name), encoding="utf-8") as f:
        return json.load(f)


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, indent=1)


def shapes(width, ffn, layers, heads):
    """dict(name: shape) as T5ForConditionalGeneration calls its tensors."""
    inner = heads * KEYS
    tensors = {"shared.weight": [WORDS, width], "lm_head.weight": [WORDS, width]}
    for side, attentions in (("encoder", ["SelfAttention"]), ("decoder", ["SelfAttention", "EncDecAttention"])):
        for block in range(layers):
            for number, attention in enumerate(attentions):
                prefix = f"{side}.block.{block}.layer.{number}."
                for part in "qkv":
                    tensors[f"{prefix}{attention}.{part}.weight"] = [inner, width]
                tensors[f"{prefix}{attention}.o.weight"] = [width, inner]
                if block == 0 and number == 0:
                    tensors[f"{prefix}{attention}.relative_attention_bias.weight"] = [32, heads]
                tensors[f"{prefix}layer_norm.weight"] = [width]
            prefix = f"{side}.block.{block}.layer.{len(attentions)}."
            tensors[f"{prefix}DenseReluDense.wi_0.weight"] = [ffn, width]
            tensors[f"{prefix}DenseReluDense.wi_1.weight"] = [ffn, width]
            tensors[f"{prefix}DenseReluDense.wo.weight"] = [width, ffn]
            tensors[f"{prefix}layer_norm.weight"] = [width]
        tensors[f"{side}.final_layer_norm.weight"] = [width]
    return tensors


def write_spm(path, known):
    shutil.copyfile(os.path.join(TINY, "spiece.model"), path)
    with open(path, "ab") as f:  # messages of protobuf may be put one behind the other
        for number in range(known, WORDS):
            piece = f"\u2581~{number}".encode()
            entry = b"\x0a" + bytes([len(piece)]) + piece + b"\x15" + struct.pack("<f", -100.0)
            f.write(b"\x0a" + bytes([len(entry)]) + entry)


def make(folder, width=1024, ffn=8192, layers=32, heads=16, dtype="BF16", shards=1):
    os.makedirs(folder, exist_ok=True)
    config = read_json("config.json")
    write_spm(os.path.join(folder, "spiece.model"), config["vocab_size"])
    config.update(vocab_size=WORDS, d_model=width, d_kv=KEYS, d_ff=ffn, num_layers=layers, num_decoder_layers=layers,
                  num_heads=heads, n_positions=512, relative_attention_num_buckets=32, relative_attention_max_distance=128,
                  torch_dtype="float32" if dtype == "F32" else "bfloat16")
    write_json(os.path.join(folder, "config.json"), config)
    write_json(os.path.join(folder, "generation_config.json"), {**read_json("generation_config.json"), "max_length": 256})
    write_json(os.path.join(folder, "tokenizer_config.json"), {**read_json("tokenizer_config.json"), "model_max_length": 512})
    # T5 does not divide scores of attention by the root of their width: the weights of queries are as much smaller.
    scales = (1.0, 1 / (2 * width**0.5))
    noise_checkpoint.write(folder, shapes(width, ffn, layers, heads), scales, {}, dtype, PERIOD, shards)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--ffn", type=int, default=8192)
    parser.add_argument("--layers", type=int, default=32, help="of the encoder, and of the decoder")
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--dtype", choices=sorted(noise_checkpoint.TYPES), default="BF16")
    parser.add_argument("--shards", type=int, default=1)
    a = parser.parse_args()
    make(os.path.normpath(a.out), a.width, a.ffn, a.layers, a.heads, a.dtype, a.shards)


if __name__ == "__main__":
    main()
