"""Checkpoints in OpenNMT-py's layout with seeded weights, as CTranslate2's converter reads them: OpenNMT-py itself is
not needed."""
import argparse
import math
import os
import tempfile

import ctranslate2
import sentencepiece
import torch

SPECIAL = ["<unk>", "<blank>", "<s>", "</s>"]
LANGUAGE = "__por__"  # of the target's own vocabulary, where there is one
# seed and the numbers after it: found by trying some, for lengths that spread and few repetitions.
MODELS = {
    "onmt": dict(why="as Argos packages have them: one vocabulary and one matrix for everything, relu", d=32, heads=4,
                 layers=(2, 2), ffn=64, activation="relu", shared=True, seed=3, logit_std=2.0, attention=3.0,
                 cross=1.5, eos_bias=3.0, positions=300),
    "onmt-apart": dict(why="two vocabularies, the source's without <s> and </s> as OpenNMT-py 2 wrote it, gelu", d=48,
                       heads=3, layers=(1, 2), ffn=80, activation="gelu", shared=False, seed=5, logit_std=2.0,
                       attention=3.0, cross=1.5, eos_bias=3.0, positions=300),
}


def pieces_of(spm):
    cutter = sentencepiece.SentencePieceProcessor(model_file=spm)
    return [p for p in map(cutter.id_to_piece, range(cutter.get_piece_size())) if p not in SPECIAL]


def positions(rows, d):
    """OpenNMT-py's table: sines at even places, cosines at odd ones."""
    angles = torch.arange(rows)[:, None] * torch.exp(torch.arange(0, d, 2) * -(math.log(10000.0) / d))
    table = torch.zeros(rows, 1, d)
    table[:, 0, 0::2] = torch.sin(angles)
    table[:, 0, 1::2] = torch.cos(angles)
    return table


def checkpoint(spec, source, target):
    """What torch.save has of a model. Scaled as make_models.py scales."""
    g = torch.Generator().manual_seed(spec["seed"])
    d, model = spec["d"], {}

    def normal(shape, std):
        return torch.randn(shape, generator=g) * std

    def linear(name, out, rows, scale=1.0):
        model[f"{name}.weight"] = normal((out, rows), scale / rows**0.5)
        model[f"{name}.bias"] = normal((out,), 0.1)

    def norm(name, signs=False):
        gain = 1 + normal((d,), 0.2)
        model[f"{name}.weight"] = gain * (torch.randint(0, 2, (d,), generator=g) * 2.0 - 1) if signs else gain
        model[f"{name}.bias"] = normal((d,), 0.1)

    def attention(name, scale, cross=1.0):
        for part, factor in (("query", scale), ("keys", scale), ("values", cross)):
            linear(f"{name}.linear_{part}", d, d, factor**0.5 if part != "values" else factor)
        linear(f"{name}.final_linear", d, d, cross)

    def stage(name, pieces, layers, layer_name, cross):
        embedding = normal((len(pieces), d), spec["logit_std"] / d**0.5)
        model[f"{name}.embeddings.make_embedding.emb_luts.0.weight"] = embedding
        model[f"{name}.embeddings.make_embedding.pe.pe"] = positions(spec["positions"], d)
        for i in range(layers):
            at = f"{name}.{layer_name}.{i}"
            attention(f"{at}.self_attn", spec["attention"])
            if cross:
                attention(f"{at}.context_attn", spec["attention"], spec["cross"])
                norm(f"{at}.layer_norm_1")
                norm(f"{at}.layer_norm_2")
            else:
                norm(f"{at}.layer_norm")
            norm(f"{at}.feed_forward.layer_norm")
            linear(f"{at}.feed_forward.w_1", spec["ffn"], d)
            linear(f"{at}.feed_forward.w_2", d, spec["ffn"])
        norm(f"{name}.layer_norm", signs=cross)
        return embedding

    of_source = stage("encoder", source, spec["layers"][0], "transformer", False)
    of_target = stage("decoder", target, spec["layers"][1], "transformer_layers", True)
    if spec["shared"]:
        of_target = model["decoder.embeddings.make_embedding.emb_luts.0.weight"] = of_source
    bias = normal((len(target),), 0.5)
    bias[target.index("</s>")] += spec["eos_bias"]
    bias[[target.index(piece) for piece in ("<unk>", "<blank>", "<s>", LANGUAGE) if piece in target]] -= 10.0
    output = of_target if spec["shared"] else normal((len(target), d), spec["logit_std"] / d**0.5)
    options = argparse.Namespace(
        encoder_type="transformer", decoder_type="transformer", position_encoding=True, max_relative_positions=0,
        self_attn_type="scaled-dot", pos_ffn_activation_fn=spec["activation"], feat_merge="concat", heads=spec["heads"],
        enc_layers=spec["layers"][0], dec_layers=spec["layers"][1], lambda_align=0, decoder_start_token="<s>")
    return dict(vocab=dict(src=source, tgt=target), opt=options, model=model,
                generator={"weight": output, "bias": bias})


def convert(name, spm, folder, quantization):
    """A directory of CTranslate2's, without a tokenizer."""
    spec = MODELS[name]
    pieces = pieces_of(spm)
    source = (SPECIAL if spec["shared"] else SPECIAL[:2]) + pieces
    target = source if spec["shared"] else SPECIAL + [LANGUAGE] + pieces[::-1]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "model.pt")
        torch.save(checkpoint(spec, source, target), path)
        converter = ctranslate2.converters.OpenNMTPyConverter(path, unsafe_deserialization=True)
        converter.convert(folder, quantization=quantization, force=True)
    for file in os.listdir(folder):
        os.chmod(os.path.join(folder, file), 0o644)
