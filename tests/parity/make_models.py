#!/usr/bin/env python3
"""Makes the three small MarianMT models that the parity fixtures are computed with.

    make_models.py [--german tests/data/german.txt] [--out tests/data/models] [--only NAME]

The weights are random, but not small: they are scaled so that attention is sharp, outputs differ from source to source,
lengths spread and the end of the sentence occurs at many different steps. What each model is there for is said in MODELS
and in README.md. Two runs with the same pins write the same bytes.
"""
import argparse
import json
import os
import shutil
import tempfile
from unittest import mock

import sentencepiece as spm
import torch
from safetensors.torch import save_file
from transformers import MarianConfig, MarianMTModel

HERE = os.path.dirname(os.path.abspath(__file__))

# A little English for the target sides; the models translate nothing.
ENGLISH = """The postman comes later than usual today.
Could you close the window in the hall, please?
My aunt bakes two loaves of bread every Friday.
The cat likes to sleep on top of the printer.
After dinner we walk around the lake for a while.
Have you watered the flowers on the balcony yet?
The coffee is still too hot to drink.
Better take a warm jacket with you, it will be cold tonight!
My brother has been learning the violin for three weeks.
Where did you buy this beautiful lamp?
The children are building a hut out of old planks in the garden.
Our neighbour has got a very friendly dog.
The train to Leipzig is about to leave.
How long does it take to get to the station?
I think I have lost my keys.
Nobody knew where the noise was coming from.
The shop opens at 8:30 and closes at 18:00.
That costs 12.50 euros, and together it makes 1,249.99.
"Come down at once!" the mother shouted.
Although it had been raining for hours, the two friends walked on.
When the sun rises, the farmer opens the gate and lets the cows out.
There are days on which everything works, and there are other days.
I would never have thought that one could make something so good from potatoes.
We sat by the river, ate cherries from a bag and counted the boats.
She said quietly that she wanted to go home before it got dark.
Turn right after three hundred metres, then go straight on.
He wrote a long letter, read it twice and threw it away.
Who is going to pay for all of this, and why?
""".splitlines()

# seed and the numbers after it: found by trying some hundreds for lengths that spread and few repetitions (README.md).
MODELS = {
    "tiny-a": dict(
        why="safetensors F32, relu, everything tied, one joint vocabulary in which some pieces are missing",
        d_model=32, heads=(4, 4), layers=(2, 2), ffn=(64, 64), activation="relu", share=True, tie=True,
        vocab=380, seed=23901, logit_std=2.0, attention=3.0, cross=1.5, eos_bias=4.0, scale_embedding=True,
        max_positions=128, renormalize=False, generation_config=True, weights="safetensors", dtype=torch.float32),
    "tiny-b": dict(
        why="pytorch_model.bin (zip) BF16, gelu, two vocabularies (target_vocab.json), untied output layer",
        d_model=48, heads=(3, 6), layers=(1, 3), ffn=(96, 80), activation="gelu", share=False, tie=False,
        vocab=420, seed=68618, logit_std=2.5, attention=4.0, cross=1.0, eos_bias=4.0, scale_embedding=False,
        max_positions=160, renormalize=True, generation_config=True, weights="zip", dtype=torch.bfloat16),
    "tiny-multi": dict(
        why="pytorch_model.bin (legacy stream) F32 with aliased and stored position tensors as in the OPUS-MT files "
            "of 2020, swish, target tags, byte fallback, no generation_config.json",
        d_model=40, heads=(4, 2), layers=(3, 1), ffn=(72, 128), activation="swish", share=True, tie=True,
        vocab=560, seed=33864, logit_std=2.0, attention=4.0, cross=1.0, eos_bias=6.0, scale_embedding=True,
        max_positions=128, renormalize=False, generation_config=False, weights="legacy", dtype=torch.float32,
        languages=("fra", "spa", "por", "ita", "ron"), byte_fallback=True),
}


def train_spm(path, lines, size, byte_fallback=False, model_type="unigram", **more):
    """A SentencePiece model without NFKC tables (they alone would be 240 KB), but with a few rules of its own."""
    ids = dict(unk_id=0, bos_id=1, eos_id=2)
    rules = [("\u00a0", " "), ("\t", " "), ("\ufb01", "fi"), ("\u00ad", ""), ("e\u0301", "\u00e9"), ("a\u0308", "\u00e4"),
             ("o\u0308", "\u00f6"), ("u\u0308", "\u00fc"), ("\u2026", "...")]
    here = os.getcwd()
    path = os.path.abspath(path)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # the names of the files end up in the model: no path may be in them
        try:
            with open("rules.tsv", "w", encoding="utf-8") as f:  # what goes in TAB what comes out, as code points
                for pair in rules:
                    f.write("\t".join(" ".join(f"{ord(c):X}" for c in side) for side in pair) + "\n")
            with open("text", "w", encoding="utf-8") as f:
                f.writelines(line + "\n" for line in lines)
            spm.SentencePieceTrainer.train(
                input="text", model_prefix="m", vocab_size=size, model_type=model_type, character_coverage=0.995,
                byte_fallback=byte_fallback, num_threads=1, normalization_rule_tsv="rules.tsv", minloglevel=2,
                **{**ids, **more})
            shutil.copyfile("m.model", path)
        finally:
            os.chdir(here)


def pieces_of(path):
    sp = spm.SentencePieceProcessor(model_file=path)
    return [sp.id_to_piece(i) for i in range(sp.get_piece_size()) if sp.id_to_piece(i) not in ("<unk>", "<s>", "</s>")]


def make_vocab(pieces, size, generator, extra=()):
    """Ids as in OPUS-MT: </s> 0, <unk> 1, pieces in an order that is not SentencePiece's, <pad> last."""
    order = [pieces[i] for i in torch.randperm(len(pieces), generator=generator).tolist()]
    names = ["</s>", "<unk>"] + list(extra) + order
    names = names[: size - 1]
    names += [f"unused{i}" for i in range(size - 1 - len(names))] + ["<pad>"]
    return {name: i for i, name in enumerate(names)}


def random_weights(model, spec):
    """Fills the model. Matrices are scaled by their inputs; queries and keys by spec['attention'] more,
    what comes from the source by spec['cross'] more; the output layer gives logits of standard deviation spec['logit_std']. The last layer norm has random signs: without them a
    tied output layer would mostly repeat the last token."""
    g = torch.Generator().manual_seed(spec["seed"])
    d = spec["d_model"]
    pad = model.config.pad_token_id

    def normal(shape, std):
        return torch.randn(shape, generator=g) * std

    last = f"decoder.layers.{spec['layers'][1] - 1}.final_layer_norm.weight"
    with torch.no_grad():
        for name, p in sorted(model.named_parameters()):
            if "embed_positions" in name:
                continue
            if "embed_tokens" in name or "shared" in name or name == "lm_head.weight":
                scaled = spec["scale_embedding"] or name == "lm_head.weight"
                p.copy_(normal(p.shape, spec["logit_std"] / d**0.5 if scaled else 1.0))
                p[pad].zero_()
            elif "layer_norm.weight" in name:
                p.copy_(1 + normal(p.shape, 0.2))
                if name.endswith(last):
                    p.mul_(torch.randint(0, 2, p.shape, generator=g) * 2.0 - 1)
            elif name.endswith("bias"):
                p.copy_(normal(p.shape, 0.1))
            else:
                gain = spec["attention"] if "q_proj" in name or "k_proj" in name else 1.0
                if "encoder_attn.v_proj" in name or "encoder_attn.out_proj" in name:
                    gain = spec["cross"]
                p.copy_(normal(p.shape, gain / p.shape[1] ** 0.5))
        bias = normal(model.final_logits_bias.shape, 0.4)
        bias[0, 0] = spec["eos_bias"]
        bias[0, pad] = 0
        model.final_logits_bias.copy_(bias)


def make_config(spec):
    v = spec["vocab"]
    return MarianConfig(
        vocab_size=v, decoder_vocab_size=v, d_model=spec["d_model"], encoder_layers=spec["layers"][0],
        decoder_layers=spec["layers"][1], encoder_attention_heads=spec["heads"][0],
        decoder_attention_heads=spec["heads"][1], encoder_ffn_dim=spec["ffn"][0], decoder_ffn_dim=spec["ffn"][1],
        activation_function=spec["activation"], scale_embedding=spec["scale_embedding"],
        share_encoder_decoder_embeddings=spec["share"], tie_word_embeddings=spec["tie"],
        max_position_embeddings=spec["max_positions"], bos_token_id=0, eos_token_id=0, pad_token_id=v - 1,
        decoder_start_token_id=v - 1, forced_eos_token_id=0, static_position_embeddings=True,
        normalize_before=False, normalize_embedding=False, add_final_layer_norm=False, dropout=0.1)


def make_model(spec):
    torch.manual_seed(spec["seed"])
    model = MarianMTModel(make_config(spec)).eval()
    random_weights(model, spec)
    model.tie_weights()
    return model


def write_json(path, value, indent=2):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, ensure_ascii=False, indent=indent)
        f.write("\n")


def write_configs(folder, spec):
    v = spec["vocab"]
    config = make_config(spec).to_dict()
    keep = """activation_dropout activation_function add_final_layer_norm attention_dropout bos_token_id d_model
        decoder_attention_heads decoder_ffn_dim decoder_layers decoder_start_token_id decoder_vocab_size dropout
        encoder_attention_heads encoder_ffn_dim encoder_layers eos_token_id init_std is_encoder_decoder
        max_position_embeddings model_type normalize_before normalize_embedding pad_token_id scale_embedding
        share_encoder_decoder_embeddings static_position_embeddings tie_word_embeddings use_cache vocab_size""".split()
    out = {k: config[k] for k in keep if k in config}
    out.update(architectures=["MarianMTModel"], tie_word_embeddings=spec["tie"],
               torch_dtype=str(spec["dtype"]).removeprefix("torch."), static_position_embeddings=True,
               normalize_before=False, normalize_embedding=False, add_final_layer_norm=False)
    generation = dict(bad_words_ids=[[v - 1]], bos_token_id=0, decoder_start_token_id=v - 1, eos_token_id=0,
                      forced_eos_token_id=0, max_length=spec["max_positions"] // 2, num_beams=6, pad_token_id=v - 1)
    if spec["renormalize"]:
        generation["renormalize_logits"] = True
    if spec["generation_config"]:
        generation["transformers_version"] = "4.57.1"
        write_json(os.path.join(folder, "generation_config.json"), generation)
    else:
        out.update(generation)
    write_json(os.path.join(folder, "config.json"), out)


def write_tokenizer(folder, spec, german):
    g = torch.Generator().manual_seed(spec["seed"])
    source, target = os.path.join(folder, "source.spm"), os.path.join(folder, "target.spm")
    tokenizer = dict(source_lang="de", target_lang="en", unk_token="<unk>", eos_token="</s>", pad_token="<pad>",
                     model_max_length=spec["max_positions"], separate_vocabs=not spec["share"])
    if spec["share"]:
        tags = [f">>{code}<<" for code in spec.get("languages", ())]
        train_spm(source, german + ENGLISH, spec["vocab"] + 6 - len(tags), spec.get("byte_fallback", False))
        shutil.copyfile(source, target)
        # Six pieces too many: those that fall off the end are unknown to the model.
        vocab = make_vocab(pieces_of(source), spec["vocab"], g, tags)
        write_json(os.path.join(folder, "vocab.json"), vocab, indent=0)
        if tags:
            tokenizer.update(source_lang="deu", target_lang="mul")
    else:
        train_spm(source, german, 400)
        train_spm(target, ENGLISH, 400, model_type="bpe")
        write_json(os.path.join(folder, "vocab.json"), make_vocab(pieces_of(source), spec["vocab"], g), indent=0)
        write_json(os.path.join(folder, "target_vocab.json"), make_vocab(pieces_of(target), spec["vocab"], g), indent=0)
    write_json(os.path.join(folder, "tokenizer_config.json"), tokenizer)


def storage_numbers():
    """For torch.save, in place of str(): its legacy stream names and orders storages by the text of their addresses,
    which no two runs share. These are numbers in order of appearance."""
    numbers = {}

    class Number(str):
        def __new__(cls, address):
            return f"{numbers.setdefault(address, len(numbers)):04d}"

    return Number


def write_weights(folder, spec, model):
    state = {k: v.detach().to(spec["dtype"]) for k, v in model.state_dict().items()}
    positions = [k for k in state if "embed_positions" in k]
    if spec["weights"] == "legacy":
        # One storage for all names of the shared matrix, as torch.save keeps it.
        for name in ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"):
            state[name] = state["model.shared.weight"]
    else:
        for name in positions:
            del state[name]
    if spec["weights"] == "safetensors":
        for name in ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"):
            del state[name]
        path = os.path.join(folder, "model.safetensors")
        save_file({k: v.contiguous() for k, v in state.items()}, path, metadata={"format": "pt"})
        os.chmod(path, 0o644)
    elif spec["weights"] == "zip":
        torch.save(state, os.path.join(folder, "pytorch_model.bin"))
    else:
        with open(os.path.join(folder, "pytorch_model.bin"), "wb") as f, \
                mock.patch.object(torch.serialization, "str", storage_numbers(), create=True):
            torch.save(state, f, _use_new_zipfile_serialization=False)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--german", default=os.path.join(HERE, "../data/german.txt"))
    p.add_argument("--out", default=os.path.join(HERE, "../data/models"))
    p.add_argument("--only", help="one model")
    a = p.parse_args()
    with open(a.german, encoding="utf-8") as f:
        german = f.read().splitlines()
    for name, spec in MODELS.items():
        if a.only in (None, name):
            folder = os.path.join(a.out, name)
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            write_configs(folder, spec)
            write_tokenizer(folder, spec, german)
            write_weights(folder, spec, make_model(spec))
            print(name, sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder)), "bytes")


if __name__ == "__main__":
    main()
