#!/usr/bin/env python3
"""Writes tests/data/models/tiny-a into a folder, as wide as fused output layers take and with weights of noise.

    wide_model.py DIR

Width 128: Hopper's layer takes multiples of 64, of 128 with products of one byte."""

import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/attack"))
import noise_checkpoint  # noqa: E402

QUANTIZED = ROOT / "tests/data/models/tiny-a"
D, LAYERS, FFN, HEADS = 128, 1, 128, 2


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    shutil.copytree(QUANTIZED, out, ignore=shutil.ignore_patterns("model.safetensors", "config.json"))
    config = json.loads((QUANTIZED / "config.json").read_text())
    config.update(
        d_model=D, encoder_layers=LAYERS, decoder_layers=LAYERS, encoder_ffn_dim=FFN, decoder_ffn_dim=FFN,
        encoder_attention_heads=HEADS, decoder_attention_heads=HEADS,
    )  # fmt: skip
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    shapes = noise_checkpoint.shapes(D, FFN, LAYERS, config["vocab_size"])
    # The last word is <pad>, whose row is zero in real checkpoints.
    noise_checkpoint.write(out, shapes, (1 / D**0.5, 2 / D**0.5), {"model.shared.weight": D})


if __name__ == "__main__":
    main()
