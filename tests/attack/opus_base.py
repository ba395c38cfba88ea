"""A checkpoint of OPUS-MT's size, made up: 6 + 6 layers, width 512, 58,101 words, float32. It speaks the
bundled model's pieces, and many that never occur. The weights are noise, large enough that an output
depends on the source; most outputs repeat one token. <pad>, the start token, is zero as in real checkpoints:
CTranslate2 takes that for granted."""

import array
import json
import pathlib
import random
import struct

from harness import MODEL

D, LAYERS, FFN, HEADS, WORDS = 512, 6, 2048, 8, 58_101
EMBEDDING, MATRIX, BIAS = 1 / D**0.5, 2 / D**0.5, 0.02  # standard deviations


def _tensors():
    tensors = {"model.shared.weight": [WORDS, D], "final_logits_bias": [1, WORDS]}

    def linear(name, rows, columns):
        tensors[f"{name}.weight"] = [rows, columns]
        tensors[f"{name}.bias"] = [rows]

    def norm(name):
        tensors[f"{name}.weight"] = [D]
        tensors[f"{name}.bias"] = [D]

    for side, attentions in (("encoder", ["self"]), ("decoder", ["self", "encoder"])):
        for layer in range(LAYERS):
            prefix = f"model.{side}.layers.{layer}."
            for attention in attentions:
                for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    linear(f"{prefix}{attention}_attn.{part}", D, D)
                norm(f"{prefix}{attention}_attn_layer_norm")
            linear(prefix + "fc1", FFN, D)
            linear(prefix + "fc2", D, FFN)
            norm(prefix + "final_layer_norm")
    return tensors


def _write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False))


def make(directory):
    """Writes it into `directory`: 296 MB."""
    out = pathlib.Path(directory)
    config = json.loads((MODEL / "config.json").read_text())
    generation = json.loads((MODEL / "generation_config.json").read_text())
    pieces = json.loads((MODEL / "vocab.json").read_text())
    pad = config["pad_token_id"]
    by_id = {number: piece for piece, number in pieces.items()}
    names = [by_id[i] for i in range(len(by_id)) if i != pad]
    names += [f"\u2581~{i}" for i in range(WORDS - 1 - len(names))] + [by_id[pad]]
    _write_json(out / "vocab.json", {name: i for i, name in enumerate(names)})
    for fields in (config, generation):
        fields.update(pad_token_id=WORDS - 1, decoder_start_token_id=WORDS - 1)
    generation["bad_words_ids"] = [[WORDS - 1]]
    config.update(
        vocab_size=WORDS, decoder_vocab_size=WORDS, d_model=D, torch_dtype="float32",
        encoder_layers=LAYERS, decoder_layers=LAYERS, encoder_ffn_dim=FFN, decoder_ffn_dim=FFN,
        encoder_attention_heads=HEADS, decoder_attention_heads=HEADS,
    )  # fmt: skip
    _write_json(out / "config.json", config)
    _write_json(out / "generation_config.json", generation)
    for name in ("source.spm", "target.spm", "tokenizer_config.json"):
        (out / name).write_bytes((MODEL / name).read_bytes())

    draw = random.Random(1)
    normal = [draw.gauss(0, 1) for _ in range(100_003)]
    noise = {
        scale: array.array("f", (scale * x for x in normal)).tobytes()
        for scale in (EMBEDDING, MATRIX, BIAS)
    }
    header = {}
    end = 0
    for name, shape in _tensors().items():
        begin, end = end, end + 4 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(out / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for number, (name, entry) in enumerate(header.items()):
            left = entry["data_offsets"][1] - entry["data_offsets"][0]
            if name.endswith("norm.weight"):
                file.write(array.array("f", [1.0]).tobytes() * (left // 4))
                continue
            shared = name == "model.shared.weight"
            zeros = 4 * D if shared else 4 if name == "final_logits_bias" else 0  # <pad>, the last
            left -= zeros
            scale = EMBEDDING if shared else BIAS if name.endswith("bias") else MATRIX
            block = noise[scale][4 * (number % 1000) :]
            while left > 0:
                file.write(block[:left])
                left -= len(block)
                block = noise[scale]
            file.write(bytes(zeros))
    return out
