#!/usr/bin/env python3
"""Makes tiny-fsmt, an FSMT (fairseq's models of WMT 16 and 19), and what generate() and its tokenizer give for it:
fixtures/fsmt.jsonl.gz. Needs sacremoses 0.2.0 beside requirements.txt, in an environment of its own as make_moses.py.

Cases are kept as in make_families.py. generate() is given the whole output at each step, as FSMT's own
prepare_inputs_for_generation did it until it was dropped: transformers 4.57 hands the decoder the last token alone, which
then always has the first position; and without a cache it lets tokens see those after them. A second run with the same
pins writes the same bytes.
"""
import argparse
import collections
import json
import os
import random
import shutil

import sacremoses
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import FSMTConfig, FSMTForConditionalGeneration, FSMTTokenizer
from transformers.models.fsmt.tokenization_fsmt import remove_non_printing_char, replace_unicode_punct

from fixture_file import write_jsonl
from hf_model import FIXTURES, ROOT, versions
from make_families import EOS, PAD, agreed, precisions
from make_models import ENGLISH, write_json
from make_tokenizer_json import GRAPHEMES, random_texts
from tokenizer_cases import ODD

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
MERGES = 420
CASES = 75
LIMIT = dict(max_length=30)
SPEC = dict(d=32, heads=(4, 2), layers=(2, 2), ffn=(64, 48), seed=64, eos_bias=7.0)


def words_of(text, language):
    text = sacremoses.MosesPunctNormalizer(language).normalize(replace_unicode_punct(text))
    return sacremoses.MosesTokenizer(language).tokenize(
        remove_non_printing_char(text), aggressive_dash_splits=True, return_str=False, escape=True)


def merges_of(counts):
    """Byte pair encoding as Sennrich et al. have it; of pairs that are equally frequent the first in the alphabet."""
    words = {tuple(word[:-1]) + (word[-1] + "</w>",): n for word, n in counts.items()}
    merges = []
    while len(merges) < MERGES:
        pairs = collections.Counter()
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append((*best, pairs[best]))
        merged = {}
        for word, n in words.items():
            out = []
            for symbol in word:
                if out and (out[-1], symbol) == best:
                    out[-1] += symbol
                else:
                    out.append(symbol)
            merged[tuple(out)] = n
        words = merged
    return merges


def make(folder, german):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    texts = {"de": german, "en": ENGLISH * 3}
    counts = collections.Counter(word for language, lines in texts.items() for line in lines for word in words_of(line, language))
    merges = merges_of(counts)
    with open(os.path.join(folder, "merges.txt"), "w", encoding="utf-8") as out:
        out.writelines(f"{a} {b} {n}\n" for a, b, n in merges)
    write_json(os.path.join(folder, "tokenizer_config.json"), dict(langs=["de", "en"], model_max_length=96, do_lower_case=False))
    sizes = {}
    for side, language in (("src", "de"), ("tgt", "en")):
        # What the other vocabulary is does not matter here.
        for name in ("vocab-src.json", "vocab-tgt.json"):
            write_json(os.path.join(folder, name), {piece: i for i, piece in enumerate(SPECIAL)} if name.endswith(f"{side}.json")
                       or not os.path.exists(os.path.join(folder, name)) else json.load(open(os.path.join(folder, name))), indent=0)
        tokenizer = FSMTTokenizer.from_pretrained(folder, langs=[language, language])
        pieces = collections.Counter(piece for line in texts[language] for piece in tokenizer._tokenize(line))
        # Rare ones are unknown in a source; what merges make of any word can be written.
        kept = {piece for piece, n in pieces.items() if n > 1}
        if side == "tgt":
            kept |= {letter + end for word in counts for letter in word for end in ("", "</w>")}
            kept |= {a + b for a, b, _ in merges}
        kept = sorted(kept)
        vocabulary = SPECIAL + kept + [f"madeupword{i:04}" for i in range(-(len(kept) + 4) % 8)]
        sizes[side] = len(vocabulary)
        write_json(os.path.join(folder, f"vocab-{side}.json"), {piece: i for i, piece in enumerate(vocabulary)}, indent=0)
    fields = dict(
        architectures=["FSMTForConditionalGeneration"], model_type="fsmt", langs=["de", "en"], src_vocab_size=sizes["src"],
        tgt_vocab_size=sizes["tgt"], d_model=SPEC["d"], encoder_layers=SPEC["layers"][0], decoder_layers=SPEC["layers"][1],
        encoder_attention_heads=SPEC["heads"][0], decoder_attention_heads=SPEC["heads"][1], encoder_ffn_dim=SPEC["ffn"][0],
        decoder_ffn_dim=SPEC["ffn"][1], max_position_embeddings=96, scale_embedding=True, activation_function="relu",
        tie_word_embeddings=False, bos_token_id=0, pad_token_id=PAD, eos_token_id=EOS, decoder_start_token_id=EOS,
        forced_eos_token_id=EOS, is_encoder_decoder=True, length_penalty=1.1, max_length=48, num_beams=4, torch_dtype="float32")
    write_json(os.path.join(folder, "config.json"), fields)
    torch.manual_seed(SPEC["seed"])
    model = FSMTForConditionalGeneration(FSMTConfig(**fields)).eval()
    generator = torch.Generator().manual_seed(SPEC["seed"])

    def normal(shape, std):
        return torch.randn(shape, generator=generator) * std

    with torch.no_grad():
        for name, p in sorted(model.named_parameters()):
            if "embed_positions" in name or "output_projection" in name:
                continue  # computed; the target's embedding
            if "embed_tokens" in name:
                p.copy_(normal(p.shape, 2.0 / SPEC["d"] ** 0.5))
                p[PAD] = 0.0
            elif "layer_norm.weight" in name:
                p.copy_(1 + normal(p.shape, 0.2))
            elif name.endswith("bias"):
                p.copy_(normal(p.shape, 0.3 if "final_layer_norm" in name else 0.1))
            else:
                gain = 3.0 if "q_proj" in name or "k_proj" in name else 1.5 if "encoder_attn" in name else 1.0
                p.copy_(normal(p.shape, gain / p.shape[1] ** 0.5))
        last = model.model.decoder.layers[-1].final_layer_norm.bias
        model.model.decoder.embed_tokens.weight[EOS] += SPEC["eos_bias"] * last / last.square().sum()
    state = {k: v.contiguous() for k, v in model.state_dict().items() if "embed_positions" not in k and "output_projection" not in k}
    path = os.path.join(folder, "model.safetensors")
    save_file(state, path, metadata={"format": "pt"})
    os.chmod(path, 0o644)


class Model(FSMTForConditionalGeneration):
    """With the whole output as the decoder's input: it takes the position from it, and then the last token."""

    def prepare_inputs_for_generation(self, input_ids, **more):
        return {**super().prepare_inputs_for_generation(input_ids, **more), "decoder_input_ids": input_ids}


def load(folder):
    """Without from_pretrained, which computes no tables for a file that has none."""
    model = Model(FSMTConfig.from_pretrained(folder)).eval()
    missing, unexpected = model.load_state_dict(load_file(os.path.join(folder, "model.safetensors")), strict=False)
    assert not unexpected and all("embed_positions" in name or "output_projection" in name for name in missing)
    assert model.model.decoder.output_projection.weight is model.model.decoder.embed_tokens.weight
    return model


def search(model, ids, beams):
    with torch.no_grad():
        out = model.generate(input_ids=torch.tensor([ids]), num_beams=beams, num_return_sequences=beams,
                             return_dict_in_generate=True, output_scores=beams > 1, **LIMIT)
    scores = out.sequences_scores.tolist() if beams > 1 else [None]
    rows = [row[1:] for row in out.sequences.tolist()]
    return [(row[: row.index(EOS)] if EOS in row else row, score) for row, score in zip(rows, scores)]


def cases_of(folder, german, discarded):
    rng = random.Random("fsmt")
    tokenizer = FSMTTokenizer.from_pretrained(folder)
    models = precisions(load(folder))
    texts = [t for t in german if 0 < len(t.strip()) < 70]
    for number in range(CASES):
        text = rng.choice(texts)
        ids = tokenizer(text)["input_ids"]
        if len(ids) > 40:
            continue
        beams = (1, 4, 8)[number % 3]
        found = agreed(models, lambda m: search(m, ids, beams), discarded)
        if found is None:
            continue
        if any(PAD in tokens for tokens, _ in found):
            discarded["<pad> in an output"] += 1
            continue
        row = dict(model="tiny-fsmt", source_lang="de", target_lang="en", text=text, source_ids=ids, num_beams=beams,
                   options=LIMIT, tokens=[t for t, _ in found], scores=[s for _, s in found])
        row["translation"] = tokenizer.decode(found[0][0], skip_special_tokens=True, clean_up_tokenization_spaces=False).strip()
        yield row
    for text in ODD + GRAPHEMES + list(random_texts(rng, 60)):
        if not any(name in text for name in SPECIAL):
            yield dict(model="tiny-fsmt", source_lang="de", target_lang="en", text=text, source_ids=tokenizer(text)["input_ids"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=os.path.join(ROOT, "tests/data/models"))
    parser.add_argument("--out", default=FIXTURES)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    with open(os.path.join(ROOT, "tests/data/german.txt"), encoding="utf-8") as f:
        german = f.read().split("\n")[:-1]
    folder = os.path.join(arguments.models, "tiny-fsmt")
    make(folder, german)
    discarded = collections.Counter()
    rows = list(cases_of(folder, german, discarded))
    searched = [row for row in rows if "tokens" in row]
    print(sorted(len(row["tokens"][0]) for row in searched))
    header = dict(header=True, models={"tiny-fsmt": "tests/data/models/tiny-fsmt"}, kept=len(rows), searched=len(searched),
                  discarded=dict(discarded), versions=versions(), sacremoses=sacremoses.__version__)
    write_jsonl(os.path.join(arguments.out, "fsmt.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


if __name__ == "__main__":
    main()
