"""Checkpoints of transformers of BART's kind whose weights are noise: a seed's, the same bytes every time.

Matrices are large enough that an output depends on its source. The first numbers of a block of noise are taken over and
over: only `period` of them are drawn, which takes a second for a million."""

import array
import functools
import json
import pathlib
import random
import struct

BIAS = 0.02  # standard deviation
TYPES = {"F32": 4, "BF16": 2}


def shapes(d, ffn, layers, words, final_norms=False):
    """dict(name: shape), as MarianMT and, with `final_norms`, M2M-100 call their tensors."""
    tensors = {"model.shared.weight": [words, d]}
    if not final_norms:
        tensors["final_logits_bias"] = [1, words]

    def linear(name, rows, columns):
        tensors[f"{name}.weight"] = [rows, columns]
        tensors[f"{name}.bias"] = [rows]

    def norm(name):
        tensors[f"{name}.weight"] = [d]
        tensors[f"{name}.bias"] = [d]

    for side, attentions in (("encoder", ["self"]), ("decoder", ["self", "encoder"])):
        for layer in range(layers):
            prefix = f"model.{side}.layers.{layer}."
            for attention in attentions:
                for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    linear(f"{prefix}{attention}_attn.{part}", d, d)
                norm(f"{prefix}{attention}_attn_layer_norm")
            linear(prefix + "fc1", ffn, d)
            linear(prefix + "fc2", d, ffn)
            norm(prefix + "final_layer_norm")
        if final_norms:
            norm(f"model.{side}.layer_norm")
    return tensors


@functools.lru_cache(maxsize=1)
def _normal(period):
    draw = random.Random(1)
    return [draw.gauss(0, 1) for _ in range(period)]


def _noise(scale, period, dtype):
    numbers = array.array("f", (scale * x for x in _normal(period)))
    if dtype == "F32":
        return numbers.tobytes()
    return array.array("H", array.array("H", numbers.tobytes())[1::2]).tobytes()  # the upper half: bfloat16, cut off


def _one(dtype):
    return struct.pack("<f", 1.0)[-TYPES[dtype]:]


def _write_file(path, tensors, scales, zeros, dtype, period, numbers):
    size = TYPES[dtype]
    header, end = {}, 0
    for name, shape in tensors.items():
        begin, end = end, end + size * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    noise = {scale: _noise(scale, period, dtype) for scale in (*scales, BIAS)}
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, entry in header.items():
            left = entry["data_offsets"][1] - entry["data_offsets"][0]
            if name.endswith("norm.weight"):
                file.write(_one(dtype) * (left // size))
                continue
            empty = size * zeros.get(name, 0)
            left -= empty
            shared = name == "model.shared.weight"
            scale = scales[0] if shared else BIAS if name.endswith("bias") else scales[1]
            block = memoryview(noise[scale])[size * (numbers[name] % 1000) :]
            while left > 0:
                file.write(block[:left])
                left -= len(block)
                block = memoryview(noise[scale])
            file.write(bytes(empty))


def write(directory, tensors, scales, zeros, dtype="F32", period=100_003, shards=1):
    """Writes model.safetensors, or as many shards and their index, into `directory`.

    `scales`: standard deviations of embeddings and of matrices; `zeros`: so many of a tensor's last numbers are zero."""
    out = pathlib.Path(directory)
    numbers = {name: number for number, name in enumerate(tensors)}
    if shards == 1:
        return _write_file(out / "model.safetensors", tensors, scales, zeros, dtype, period, numbers)
    names = list(tensors)
    index = {}
    for shard in range(shards):
        part = names[len(names) * shard // shards : len(names) * (shard + 1) // shards]
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        _write_file(out / file, {name: tensors[name] for name in part}, scales, zeros, dtype, period, numbers)
        index.update({name: file for name in part})
    (out / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
