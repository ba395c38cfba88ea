#!/usr/bin/env python3
"""A model of the shape of OPUS-MT base with random weights, made from the bundled one: for costs, never for translations.

    make_big_model.py DIRECTORY [--vocabulary 54688] [--seed 1]

6 + 6 layers, d 512, ffn 2048, 8 heads; the tokenizer is the bundled one, and what its vocabulary lacks are words that no text
has. The same seed gives the same file, some 150 MB of float16. Python's standard library only.
"""
import argparse
import json
import os
import random
import shutil
import struct

BUNDLED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/models/de-en")
D, FFN, LAYERS, HEADS = 512, 2048, 6, 8


def tensors(vocabulary):
    """name -> (shape, standard deviation; None: ones)"""
    found = {"model.shared.weight": ((vocabulary, D), 0.04), "final_logits_bias": ((1, vocabulary), 0.0)}
    for side, blocks in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "encoder_attn"])):
        for layer in range(LAYERS):
            base = f"model.{side}.layers.{layer}."
            for block in blocks:
                for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    found[f"{base}{block}.{part}.weight"] = ((D, D), 0.04)
                    found[f"{base}{block}.{part}.bias"] = ((D,), 0.0)
            for name, (rows, columns) in (("fc1", (FFN, D)), ("fc2", (D, FFN))):
                found[f"{base}{name}.weight"] = ((rows, columns), 0.03)
                found[f"{base}{name}.bias"] = ((rows,), 0.0)
            for norm in [f"{block}_layer_norm" for block in blocks] + ["final_layer_norm"]:
                found[f"{base}{norm}.weight"] = ((D,), None)
                found[f"{base}{norm}.bias"] = ((D,), 0.0)
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("directory")
    p.add_argument("--vocabulary", type=int, default=54688)
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    os.makedirs(o.directory, exist_ok=True)
    for name in ("source.spm", "target.spm", "tokenizer_config.json"):
        shutil.copy(os.path.join(BUNDLED, name), o.directory)

    def change(name, values):
        with open(os.path.join(BUNDLED, name), encoding="utf-8") as f:
            content = json.load(f)
        content.update(values)
        with open(os.path.join(o.directory, name), "w", encoding="utf-8") as f:
            json.dump(content, f, ensure_ascii=False)

    pad = o.vocabulary - 1
    ids = {"pad_token_id": pad, "decoder_start_token_id": pad}
    change("config.json", {
        **ids, "vocab_size": o.vocabulary, "decoder_vocab_size": o.vocabulary, "d_model": D,
        "encoder_layers": LAYERS, "decoder_layers": LAYERS, "encoder_ffn_dim": FFN, "decoder_ffn_dim": FFN,
        "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS})
    change("generation_config.json", {**ids, "bad_words_ids": [[pad]]})
    with open(os.path.join(BUNDLED, "vocab.json"), encoding="utf-8") as f:
        pieces = [piece for piece in json.load(f) if piece != "<pad>"]
    pieces += [f"▁w{i}" for i in range(pad - len(pieces))] + ["<pad>"]
    with open(os.path.join(o.directory, "vocab.json"), "w", encoding="utf-8") as f:
        json.dump({piece: i for i, piece in enumerate(pieces)}, f, ensure_ascii=False)

    # Numbers are drawn once and read from changing places: drawing 75 million takes minutes.
    rng = random.Random(o.seed)
    drawn = [rng.gauss(0, 1) for _ in range(1 << 20)]

    def halves(deviation):
        return struct.pack(f"<{len(drawn)}e", *(x * deviation for x in drawn))

    noise = {deviation: halves(deviation) for deviation in (0.03, 0.04)}
    header, at, plan = {}, 0, []
    for name, (shape, deviation) in tensors(o.vocabulary).items():
        count = 1
        for n in shape:
            count *= n
        header[name] = {"dtype": "F16", "shape": list(shape), "data_offsets": [at, at + 2 * count]}
        at += 2 * count
        plan.append((count, deviation))
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(o.directory, "model.safetensors"), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for count, deviation in plan:
            if deviation is None:
                f.write(struct.pack("<e", 1.0) * count)
            elif deviation == 0:
                f.write(bytes(2 * count))
            else:
                while count > 0:
                    begin = rng.randrange(len(drawn))
                    part = noise[deviation][2 * begin:2 * (begin + count)]
                    f.write(part)
                    count -= len(part) // 2
    print(f"{o.directory}: {at // 1_000_000} MB of weights, vocabulary {o.vocabulary}")


if __name__ == "__main__":
    main()
