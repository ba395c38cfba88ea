"""A checkpoint of OPUS-MT's size, made up: 6 + 6 layers, width 512, 58,101 words, float32. It speaks the
bundled model's pieces, and many that never occur. The weights are noise, large enough that an output
depends on the source; most outputs repeat one token. <pad>, the start token, is zero as in real checkpoints:
CTranslate2 takes that for granted."""

import json
import pathlib

import noise_checkpoint
from harness import MODEL

D, LAYERS, FFN, HEADS, WORDS = 512, 6, 2048, 8, 58_101
EMBEDDING, MATRIX = 1 / D**0.5, 2 / D**0.5  # standard deviations


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

    # <pad>, the last, is zero.
    tensors = noise_checkpoint.shapes(D, FFN, LAYERS, WORDS)
    zeros = {"model.shared.weight": D, "final_logits_bias": 1}
    noise_checkpoint.write(out, tensors, (EMBEDDING, MATRIX), zeros)
    return out
