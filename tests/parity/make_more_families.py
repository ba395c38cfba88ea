#!/usr/bin/env python3
"""Makes more models as make_families.py does, and what generate() and their tokenizers give for them; and for models of
both scripts what generate() finds with the rules that look at the history or at the source.

    make_more_families.py [--models tests/data/models] [--out tests/parity/fixtures]

tiny-pegasus and tiny-umt5 are families of their own. tiny-a-padded is tiny-a whose embeddings resize_token_embeddings has padded, saved
as the variant fp16. tiny-m2m-pad is tiny-m2m with a <pad> that outputs have. Cases are kept as in make_families.py.
A second run with the same pins writes the same bytes.
"""
import argparse
import collections
import copy
import json
import os
import random
import shutil

import torch
from safetensors.torch import save_file
from transformers import (BartForConditionalGeneration, BartTokenizer, EncoderRepetitionPenaltyLogitsProcessor,
                          M2M100ForConditionalGeneration, M2M100Tokenizer,
                          MarianMTModel, MarianTokenizer, PegasusForConditionalGeneration, PegasusTokenizer,
                          T5ForConditionalGeneration, T5Tokenizer, UMT5ForConditionalGeneration)

from fixture_file import write_jsonl
from hf_model import FIXTURES, ROOT, prepare, versions
from make_families import ENGLISH, agreed, make_t5, precisions, random_weights, t5_cases
from make_models import train_spm, write_json
from make_tokenizer_json import GRAPHEMES, random_texts
from tokenizer_cases import ODD

CASES = 66
LIMIT = dict(max_length=30)  # of every case; with the start token, and with EOS
PEGASUS = dict(d=40, heads=(4, 5), layers=(2, 2), ffn=(64, 56), seed=41, eos_bias=5.0)
# Distances in each layer; tied, though gated.
UMT5 = dict(model=UMT5ForConditionalGeneration, d=36, heads=3, d_kv=16, ffn=64, layers=(3, 2), seed=42, eos_bias=2.6,
            ids=dict(pad=0, eos=1, unk=2), extra_ids=100, unnamed=4, tied=True, feed_forward="gated-gelu", buckets=(16, 40), prompts={})
PADDED_TO = 400
PAD_ROW = dict(seed=7, scale=2.2)  # of tiny-m2m-pad


def as_models(model, tokenizer, folder=None, languages=(), mark=None, **more):
    return dict(model=model, tokenizer=tokenizer, folder=folder, languages=list(languages), mark=mark, **more)


MODELS = {
    "tiny-pegasus": as_models(PegasusForConditionalGeneration, PegasusTokenizer),
    "tiny-a-padded": as_models(MarianMTModel, MarianTokenizer, variant="fp16"),
    "tiny-m2m-pad": as_models(M2M100ForConditionalGeneration, M2M100Tokenizer, languages=["de", "en", "fr", "zh"],
                              mark="get_lang_token"),
}
# The same with these options in turn.
OPTIONS = [
    dict(no_repeat_ngram_size=1), dict(no_repeat_ngram_size=2), dict(encoder_no_repeat_ngram_size=1),
    dict(encoder_no_repeat_ngram_size=2), dict(encoder_no_repeat_ngram_size=3), dict(encoder_repetition_penalty=1.4),
    dict(encoder_repetition_penalty=0.7), dict(encoder_repetition_penalty=1.3, repetition_penalty=1.2),
    dict(encoder_repetition_penalty=0.8, encoder_no_repeat_ngram_size=2, no_repeat_ngram_size=1, repetition_penalty=1.5),
]
RULES = {
    "tiny-a-rules": as_models(MarianMTModel, MarianTokenizer, "tiny-a"),
    "tiny-m2m-rules": as_models(M2M100ForConditionalGeneration, M2M100Tokenizer, "tiny-m2m", ["de", "en", "fr", "zh"],
                                "get_lang_token"),
    "tiny-bart-rules": as_models(BartForConditionalGeneration, BartTokenizer, "tiny-bart"),
    "tiny-pegasus-rules": as_models(PegasusForConditionalGeneration, PegasusTokenizer, "tiny-pegasus"),
    "tiny-t5-rules": as_models(T5ForConditionalGeneration, T5Tokenizer, "tiny-t5", says=dict(legacy=True)),
}


def begin(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)


def save(model, path):
    state = {k: v.contiguous() for k, v in model.state_dict().items() if "embed_tokens" not in k and k != "lm_head.weight"}
    save_file(state, path, metadata={"format": "pt"})
    os.chmod(path, 0o644)


def make_pegasus(folder, german):
    begin(folder)
    train_spm(os.path.join(folder, "spiece.model"), german + ENGLISH, 400, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    write_json(os.path.join(folder, "tokenizer_config.json"), dict(model_max_length=96, tokenizer_class="PegasusTokenizer"))
    spec = PEGASUS
    fields = dict(
        architectures=["PegasusForConditionalGeneration"], model_type="pegasus", vocab_size=400 + 103, d_model=spec["d"],
        encoder_layers=spec["layers"][0], decoder_layers=spec["layers"][1], encoder_attention_heads=spec["heads"][0],
        decoder_attention_heads=spec["heads"][1], encoder_ffn_dim=spec["ffn"][0], decoder_ffn_dim=spec["ffn"][1],
        max_position_embeddings=96, scale_embedding=True, activation_function="relu", normalize_before=True,
        normalize_embedding=False, static_position_embeddings=True, add_final_layer_norm=True, bos_token_id=0,
        pad_token_id=0, eos_token_id=1, forced_eos_token_id=1, is_encoder_decoder=True, torch_dtype="float32")
    write_json(os.path.join(folder, "config.json"), fields)
    write_json(os.path.join(folder, "generation_config.json"), dict(
        bos_token_id=0, decoder_start_token_id=0, eos_token_id=1, pad_token_id=0, forced_eos_token_id=1, max_length=48,
        num_beams=4, length_penalty=0.8, transformers_version="4.57.1"))
    torch.manual_seed(spec["seed"])
    model = PegasusForConditionalGeneration(PegasusForConditionalGeneration.config_class(**fields)).eval()
    positions = [p.detach().clone() for n, p in model.named_parameters() if "embed_positions" in n]
    random_weights(model, spec)
    with torch.no_grad():
        for (_, p), kept in zip([(n, p) for n, p in model.named_parameters() if "embed_positions" in n], positions):
            p.copy_(kept)  # they are computed
        model.final_logits_bias[0, 2] = 0.0  # where random_weights has the end of other families
        model.final_logits_bias[0, 1] = spec["eos_bias"]
        model.final_logits_bias[0, :105] -= torch.where(torch.arange(105) == 1, 0.0, 30.0)  # no text
        model.final_logits_bias[0, 105] -= 30.0
    save(model, os.path.join(folder, "model.safetensors"))


def make_padded(folder, base):
    begin(folder)
    for name in ("source.spm", "target.spm", "vocab.json", "tokenizer_config.json"):
        shutil.copyfile(os.path.join(base, name), os.path.join(folder, name))
    torch.manual_seed(5)
    model = MarianMTModel.from_pretrained(base, dtype=torch.float32).eval()
    model.resize_token_embeddings(PADDED_TO)
    with torch.no_grad():  # now and then one of the new rows comes
        model.model.shared.weight[380:] = torch.randn(PADDED_TO - 380, model.config.d_model) * 0.5
        model.final_logits_bias[0, 380:] = 0.5
    model.half().save_pretrained(folder, variant="fp16")
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o644)


def make_pad(folder, base):
    begin(folder)
    for name in os.listdir(base):
        shutil.copyfile(os.path.join(base, name), os.path.join(folder, name))
    model = M2M100ForConditionalGeneration.from_pretrained(base, dtype=torch.float32).eval()
    generator = torch.Generator().manual_seed(PAD_ROW["seed"])
    with torch.no_grad():
        d = model.config.d_model
        model.model.shared.weight[1] = torch.randn(d, generator=generator) * PAD_ROW["scale"] / d**0.5
    save(model, os.path.join(folder, "model.safetensors"))


def search(model, ids, told, beams):
    """As in make_families.py, but <pad> may be part of an output: behind its end alone it is none. With several beams
    generate() gives its processor of encoder_repetition_penalty the source once, and the first beam alone is penalised;
    here it has the source for each beam."""
    told = dict(told)
    source = torch.tensor([ids])
    if beams > 1 and "encoder_repetition_penalty" in told:
        penalty = told.pop("encoder_repetition_penalty")
        told["logits_processor"] = [EncoderRepetitionPenaltyLogitsProcessor(penalty, source.repeat(beams, 1))]
    with torch.no_grad():
        out = model.generate(input_ids=source, **told, num_beams=beams, num_return_sequences=beams,
                             return_dict_in_generate=True, output_scores=beams > 1)
    scores = out.sequences_scores.tolist() if beams > 1 else [None]
    eos, found = model.config.eos_token_id, []
    for row, score in zip(out.sequences.tolist(), scores):
        row = row[1:]
        found.append((row[: row.index(eos)] if eos in row else row, score))
    return found


def load(spec, folder):
    variant = {} if "variant" not in spec else dict(variant=spec["variant"])
    model = spec["model"].from_pretrained(folder, dtype=torch.float32, **variant).eval()
    return spec["tokenizer"].from_pretrained(folder, **spec.get("says", {})), model


def cases_of(name, spec, folder, german, options, discarded):
    rng = random.Random(f"more families {name}")
    tokenizer, model = load(spec, folder)
    models = precisions(model)
    texts = [t for t in german if 0 < len(t.strip()) < 70]
    for number in range(CASES):
        row, told = dict(model=name, source_lang=""), {}
        if spec["languages"]:
            source, target = rng.sample(spec["languages"], 2)
            tokenizer.src_lang = source
            token = getattr(tokenizer, spec["mark"])(target)
            first = tokenizer.convert_tokens_to_ids(token)
            told = dict(forced_bos_token_id=first)
            row.update(source_lang=source, target_lang=target, first_token=first)
        text = rng.choice(texts)
        ids = tokenizer(text)["input_ids"]
        if len(ids) > 40:
            continue
        beams = (1, 4, 8)[number % 3]
        asked = {**LIMIT, **(options[number // 3 % len(options)] if options else {})}
        found = agreed(models, lambda m: search(m, ids, {**told, **asked}, beams), discarded)
        if found is None:
            continue
        row.update(text=text, source_ids=ids, num_beams=beams, options=asked, tokens=[t for t, _ in found], scores=[s for _, s in found])
        row["translation"] = tokenizer.decode(found[0][0], skip_special_tokens=True, clean_up_tokenization_spaces=False).strip()
        yield row
    if options:
        return
    for text in ODD + GRAPHEMES + list(random_texts(rng, 60)):
        source = rng.choice(spec["languages"]) if spec["languages"] else ""
        if source:
            tokenizer.src_lang = source
        yield dict(model=name, source_lang=source, text=text, source_ids=tokenizer(text)["input_ids"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=os.path.join(ROOT, "tests/data/models"))
    parser.add_argument("--out", default=FIXTURES)
    arguments = parser.parse_args()
    german = prepare()

    def folder_of(name):
        return os.path.join(arguments.models, name)

    make_pegasus(folder_of("tiny-pegasus"), german)
    make_t5(folder_of("tiny-umt5"), UMT5, german)
    make_padded(folder_of("tiny-a-padded"), folder_of("tiny-a"))
    make_pad(folder_of("tiny-m2m-pad"), folder_of("tiny-m2m"))
    rows, discarded = [], collections.Counter()
    for name, spec in {**MODELS, **RULES}.items():
        options = OPTIONS if name in RULES else []
        found = list(cases_of(name, spec, folder_of(spec["folder"] or name), german, options, discarded))
        print(name, len(found), sorted(len(row["tokens"][0]) for row in found if "tokens" in row)[::12], flush=True)
        rows += found
    found = list(t5_cases("tiny-umt5", folder_of("tiny-umt5"), UMT5, german, discarded))
    print("tiny-umt5", len(found), sorted(len(row["tokens"][0]) for row in found if "tokens" in row)[::6], flush=True)
    rows += found
    models = {"tiny-umt5": "tests/data/models/tiny-umt5"}
    models |= {name: f"tests/data/models/{spec['folder'] or name}" for name, spec in {**MODELS, **RULES}.items()}
    searched = [row for row in rows if "tokens" in row]
    padded = sum(any(t >= 380 for t in row["tokens"][0]) for row in searched if row["model"] == "tiny-a-padded")
    pads = sum(any(1 in tokens[:-1] for tokens in row["tokens"]) for row in searched if row["model"] == "tiny-m2m-pad")
    by_model = collections.Counter(row["model"] for row in searched)
    header = dict(header=True, models=models, kept=len(rows), searched=dict(by_model), discarded=dict(discarded),
                  outputs_with_padded_rows=padded, lists_with_pad_inside=pads, versions=versions())
    write_jsonl(os.path.join(arguments.out, "more-families.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


if __name__ == "__main__":
    main()
