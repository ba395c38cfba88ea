#!/usr/bin/env python3
"""Makes small models of families besides MarianMT, and what generate() and their tokenizers give for them.

    make_families.py [--models tests/data/models] [--out tests/parity/fixtures]

Weights are random as in make_models.py. Each case is searched by generate() in float32, in float64, and in float64 with
weights changed by up to 1e-6 of themselves; it is kept if all find the same token lists and the scores of float32 and
float64 are at most 2e-5 apart. What is not kept is counted in the first line of families.jsonl.gz. A second run with the
same pins writes the same bytes.
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
from tokenizers import ByteLevelBPETokenizer
from transformers import (BartForConditionalGeneration, BartTokenizer, BartTokenizerFast, M2M100ForConditionalGeneration, M2M100Tokenizer, MBart50Tokenizer,
                          MBartForConditionalGeneration, MBartTokenizer, MT5ForConditionalGeneration,
                          NllbTokenizer, T5ForConditionalGeneration, T5Tokenizer)
from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES

from fixture_file import write_jsonl
from hf_model import FIXTURES, ROOT, prepare, versions
from make_models import ENGLISH, make_vocab, pieces_of, train_spm, write_json
from make_tokenizer_json import GRAPHEMES, random_texts
from make_variants import shaken
from tokenizer_cases import ODD

PIECES = 400
NLLB_LANGUAGES = ["ace_Arab", "ace_Latn", "deu_Latn", "eng_Latn", "fra_Latn", "por_Latn", "srp_Cyrl", "zho_Hans",
                  "zho_Hant"]
# What the tokenizers of BART's kind have at these ids.
BOS, PAD, EOS, UNK = 0, 1, 2, 3
MODELS = {
    "tiny-m2m": dict(model=M2M100ForConditionalGeneration, tokenizer=M2M100Tokenizer, d=32, heads=(4, 4),
                     layers=(2, 2), ffn=(64, 48), seed=26,
                     languages=["de", "en", "fr", "zh"], beams=5, eos_bias=5.0),
    "tiny-nllb": dict(model=M2M100ForConditionalGeneration, tokenizer=NllbTokenizer, d=48, heads=(3, 6),
                      layers=(1, 3), ffn=(96, 80), seed=20,
                      languages=NLLB_LANGUAGES, beams=1, eos_bias=5.0),
    "tiny-mbart": dict(model=MBartForConditionalGeneration, tokenizer=MBart50Tokenizer, d=40, heads=(5, 2),
                       layers=(2, 2), ffn=(64, 80), seed=21, languages=["de_DE", "en_XX", "fr_XX", "zh_CN"], beams=5,
                       eos_bias=5.0),
    # The language is behind the end of the source, and the target's in place of the start token.
    "tiny-mbart25": dict(model=MBartForConditionalGeneration, tokenizer=MBartTokenizer, d=32, heads=(4, 2),
                         layers=(2, 2), ffn=(48, 64), seed=34, languages=["de_DE", "en_XX", "ro_RO", "zh_CN"], beams=5,
                         eos_bias=4.0),
}

# Models above with another tokenizer: what its tokenizer_config.json says instead.
TOKENIZERS = {"tiny-nllb-legacy": ("tiny-nllb", dict(legacy_behaviour=True))}

BART_MODELS = {
    # As fine-tuned BARTs say it: a forced beginning and end, and no n-gram twice.
    "tiny-bart": dict(model=BartForConditionalGeneration, tokenizer=BartTokenizer, d=32, heads=(4, 2), layers=(2, 2),
                      ffn=(48, 64), seed=35, beams=4, eos_bias=4.0),
}

# T5's: what its config.json says besides d_model and layers, and what its text is told by.
T5_MODELS = {
    # v1.0: relu, tied; prompts from config.json.
    "tiny-t5": dict(model=T5ForConditionalGeneration, d=32, heads=4, d_kv=8, ffn=64, layers=(2, 2), seed=30, eos_bias=2.6,
                    ids=dict(pad=0, eos=1, unk=2), extra_ids=100, tied=True,
                    prompts={("en", "de"): "translate English to German: ", ("en", "fr"): "translate English to French: "}),
    # As FLAN-T5 and v1.1: gated, an output layer of its own; rows that nobody names.
    "tiny-flan": dict(model=T5ForConditionalGeneration, d=48, heads=3, d_kv=16, ffn=80, layers=(3, 1), seed=31, eos_bias=2.6,
                      ids=dict(pad=0, eos=1, unk=2), extra_ids=100, unnamed=28, prompts={}),
    # Heads that are together wider than the model, byte pieces, no extra ids.
    "tiny-mt5": dict(model=MT5ForConditionalGeneration, d=24, heads=2, d_kv=32, ffn=56, layers=(2, 2), seed=32, eos_bias=1.2,
                     ids=dict(pad=0, eos=1, unk=2), extra_ids=0, unnamed=12, byte_fallback=True, prompts={}),
    # Pieces for languages; the ids are others.
    "tiny-madlad": dict(model=T5ForConditionalGeneration, d=40, heads=5, d_kv=16, ffn=72, layers=(2, 2), seed=33,
                        eos_bias=2.6, ids=dict(unk=0, bos=1, eos=2), extra_ids=0, buckets=(16, 20),
                        prompts={("", code): f"<2{code}> " for code in ("de", "en", "fr", "zh", "zh_Hant", "sr_Latn")}),
}


def random_weights(model, spec):
    """As in make_models.py. Where there is no bias on the logits the end's embedding points where the last norm's bias
    does."""
    g = torch.Generator().manual_seed(spec["seed"])
    d = spec["d"]

    def normal(shape, std):
        return torch.randn(shape, generator=g) * std

    with torch.no_grad():
        for name, p in sorted(model.named_parameters()):
            if "embed_tokens" in name or "shared" in name:
                p.copy_(normal(p.shape, 2.0 / d**0.5))
            elif "embed_positions" in name:
                p.copy_(normal(p.shape, 0.7))
            elif "layer_norm.weight" in name or "layernorm_embedding.weight" in name:
                p.copy_(1 + normal(p.shape, 0.2))
                if name == "model.decoder.layer_norm.weight":
                    p.mul_(torch.randint(0, 2, p.shape, generator=g) * 2.0 - 1)
            elif name.endswith("bias"):
                p.copy_(normal(p.shape, 0.5 if name == "model.decoder.layer_norm.bias" else 0.1))
            else:
                gain = 3.0 if "q_proj" in name or "k_proj" in name else 1.5 if "encoder_attn" in name else 1.0
                p.copy_(normal(p.shape, gain / p.shape[1] ** 0.5))
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.copy_(normal(model.final_logits_bias.shape, 0.4))
            model.final_logits_bias[0, EOS] = spec["eos_bias"]
        else:
            last = model.model.decoder.layer_norm.bias
            model.model.shared.weight[EOS] += spec["eos_bias"] * last / last.square().sum()
    model.tie_weights()


def write_tokenizer(folder, spec, german):
    path = os.path.join(folder, "sentencepiece.bpe.model")
    train_spm(path, german + ENGLISH, PIECES, model_type="bpe")
    pieces = pieces_of(path)
    config = dict(model_max_length=96, unk_token="<unk>", eos_token="</s>", pad_token="<pad>", bos_token="<s>",
                  tokenizer_class=spec["tokenizer"].__name__)
    if spec["tokenizer"] is M2M100Tokenizer:
        order = [pieces[i] for i in torch.randperm(len(pieces), generator=torch.Generator().manual_seed(1)).tolist()]
        # Four pieces are unknown to the model.
        vocab = {name: i for i, name in enumerate(["<s>", "<pad>", "</s>", "<unk>"] + order[:-4])}
        write_json(os.path.join(folder, "vocab.json"), vocab, indent=0)
        config["language_codes"] = "m2m100"
        # As in the directories of M2M-100: without the list its tokens would stay in decoded texts.
        write_json(os.path.join(folder, "special_tokens_map.json"), dict(
            additional_special_tokens=[f"__{code}__" for code in FAIRSEQ_LANGUAGE_CODES["m2m100"]]))
        size = len(vocab) + 100 + 8
    elif spec["tokenizer"] is MBart50Tokenizer:
        size = PIECES + 1 + 52 + 1  # languages and <mask>
    elif spec["tokenizer"] is BartTokenizer:
        os.remove(path)
        trained = ByteLevelBPETokenizer()
        trained.train_from_iterator(german + ENGLISH, vocab_size=480, min_frequency=2,
                                    special_tokens=["<s>", "<pad>", "</s>", "<unk>"], show_progress=False)
        trained.save_model(folder)
        vocab = trained.get_vocab(with_added_tokens=True)
        vocab["<mask>"] = len(vocab)
        write_json(os.path.join(folder, "vocab.json"), dict(sorted(vocab.items(), key=lambda item: item[1])), indent=0)
        config["mask_token"] = "<mask>"
        size = len(vocab) + 2  # rows that nobody names
    elif spec["tokenizer"] is MBartTokenizer:
        size = PIECES + 1 + 25 + 1
    else:
        added = ["<s>", "<pad>", "</s>", "<unk>"]
        languages = {len(pieces) + 4 + i: code for i, code in enumerate(NLLB_LANGUAGES)}
        content = {**dict(enumerate(added)), **languages, len(pieces) + 4 + len(languages): "<mask>"}
        config.update(mask_token="<mask>", additional_special_tokens=NLLB_LANGUAGES, legacy_behaviour=False,
                      added_tokens_decoder={
                          str(i): dict(content=c, lstrip=c == "<mask>", normalized=False, rstrip=False,
                                       single_word=False, special=True) for i, c in content.items()})
        size = len(pieces) + 4 + len(languages) + 1 + 2  # rows that nobody names
    write_json(os.path.join(folder, "tokenizer_config.json"), config)
    return size


def make(folder, spec, german):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    size = write_tokenizer(folder, spec, german)
    fields = dict(
        architectures=[spec["model"].__name__], model_type=spec["model"].config_class.model_type, vocab_size=size,
        d_model=spec["d"],
        encoder_layers=spec["layers"][0], decoder_layers=spec["layers"][1], encoder_attention_heads=spec["heads"][0],
        decoder_attention_heads=spec["heads"][1], encoder_ffn_dim=spec["ffn"][0], decoder_ffn_dim=spec["ffn"][1],
        max_position_embeddings=96, scale_embedding=True, bos_token_id=BOS,
        activation_function="relu" if spec["model"] is M2M100ForConditionalGeneration else "gelu",
        pad_token_id=PAD, eos_token_id=EOS, decoder_start_token_id=EOS, is_encoder_decoder=True, torch_dtype="float32")
    write_json(os.path.join(folder, "config.json"), fields)
    generation = dict(bos_token_id=BOS, decoder_start_token_id=EOS, eos_token_id=EOS, pad_token_id=PAD, max_length=48,
                      num_beams=spec["beams"], transformers_version="4.57.1")
    if spec["model"] is MBartForConditionalGeneration:
        generation["forced_eos_token_id"] = EOS  # as mBART-50's
    write_json(os.path.join(folder, "generation_config.json"), generation)
    if spec["tokenizer"] is BartTokenizer:
        generation.update(forced_bos_token_id=BOS, forced_eos_token_id=EOS, no_repeat_ngram_size=3, length_penalty=1.5,
                          early_stopping=True)
        fields["normalize_embedding"] = True  # says nothing, as in facebook/bart-large-cnn
        write_json(os.path.join(folder, "config.json"), fields)
        write_json(os.path.join(folder, "generation_config.json"), generation)
    if spec["tokenizer"] is MBartTokenizer:
        # As its config.json; what a request wants has to win.
        del fields["decoder_start_token_id"], generation["decoder_start_token_id"]
        write_json(os.path.join(folder, "config.json"), fields)
        write_json(os.path.join(folder, "generation_config.json"), generation)
    torch.manual_seed(spec["seed"])
    model = spec["model"](spec["model"].config_class(**fields)).eval()
    random_weights(model, spec)
    state = {k: v.contiguous() for k, v in model.state_dict().items() if "embed_tokens" not in k and k != "lm_head.weight"}
    path = os.path.join(folder, "model.safetensors")
    save_file(state, path, metadata={"format": "pt"})
    os.chmod(path, 0o644)


def t5_weights(model, spec):
    """Without a bias anywhere the end comes now and then because all embeddings have something in common, which stays in
    the sum of all layers, and the end's row of the output layer more of it."""
    g = torch.Generator().manual_seed(spec["seed"])
    d, tied = spec["d"], model.config.tie_word_embeddings

    def normal(shape, std):
        return torch.randn(shape, generator=g) * std

    common = normal((d,), 1.0)
    common /= common.norm()
    with torch.no_grad():
        for name, p in sorted(model.named_parameters()):
            if name == "shared.weight":
                p.copy_(normal(p.shape, 2.0) + 1.0 * d**0.5 * common)
            elif name == "lm_head.weight":
                p.copy_(normal(p.shape, 2.0 / d**0.5))
            elif name.endswith("layer_norm.weight"):
                p.copy_(1 + normal(p.shape, 0.2))
                if name == "decoder.final_layer_norm.weight":
                    signs = torch.randint(0, 2, p.shape, generator=g) * 2.0 - 1
                    p.mul_(signs)
            elif "relative_attention_bias" in name:
                p.copy_(normal(p.shape, 2.0))
            else:
                gain = 1.0
                if name.endswith("Attention.q.weight"):
                    gain = 3.0 / spec["d_kv"] ** 0.5
                elif name.endswith("Attention.k.weight"):
                    gain = 3.0
                if name.endswith((".o.weight", ".wo.weight")):
                    gain *= 4.0
                p.copy_(normal(p.shape, gain / p.shape[1] ** 0.5))
        eos = spec["ids"]["eos"]
        if tied:
            model.shared.weight[eos] += spec["eos_bias"] * d**0.5 * common * signs
        else:
            model.lm_head.weight[eos] += spec["eos_bias"] * common * signs
    model.tie_weights()


def make_t5(folder, spec, german):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    ids = spec["ids"]
    languages = [text.strip() for text in spec["prompts"].values() if text.startswith("<")]
    train_spm(os.path.join(folder, "spiece.model"), german + ENGLISH, PIECES, spec.get("byte_fallback", False),
              pad_id=ids.get("pad", -1), eos_id=ids["eos"], unk_id=ids["unk"], bos_id=ids.get("bos", -1),
              user_defined_symbols=languages)
    size = PIECES + spec["extra_ids"] + spec.get("unnamed", 0)
    pad = "<pad>" if "pad" in ids else "<s>"
    write_json(os.path.join(folder, "tokenizer_config.json"), dict(
        model_max_length=160, unk_token="<unk>", eos_token="</s>", pad_token=pad, extra_ids=spec["extra_ids"],
        tokenizer_class="T5Tokenizer"))
    tied = spec.get("tied", False)
    fields = dict(
        architectures=[spec["model"].__name__], model_type=spec["model"].config_class.model_type, vocab_size=size,
        d_model=spec["d"], d_kv=spec["d_kv"], d_ff=spec["ffn"], num_layers=spec["layers"][0],
        num_decoder_layers=spec["layers"][1], num_heads=spec["heads"], n_positions=160, layer_norm_epsilon=1e-6,
        feed_forward_proj=spec.get("feed_forward", "relu" if tied else "gated-gelu"), tie_word_embeddings=tied,
        pad_token_id=ids.get("pad", 1), eos_token_id=ids["eos"], decoder_start_token_id=0, is_encoder_decoder=True,
        torch_dtype="float32")
    if "buckets" in spec:
        fields.update(relative_attention_num_buckets=spec["buckets"][0], relative_attention_max_distance=spec["buckets"][1])
    if tied:
        fields["task_specific_params"] = {
            f"translation_{source}_to_{target}": dict(early_stopping=True, max_length=48, num_beams=4, prefix=text)
            for (source, target), text in spec["prompts"].items()}
        fields["task_specific_params"]["summarization"] = dict(max_length=200, prefix="summarize: ")
    write_json(os.path.join(folder, "config.json"), fields)
    write_json(os.path.join(folder, "generation_config.json"), dict(
        decoder_start_token_id=0, eos_token_id=ids["eos"], pad_token_id=ids.get("pad", 1), max_length=48, num_beams=4,
        early_stopping=tied, transformers_version="4.57.1"))
    torch.manual_seed(spec["seed"])
    model = spec["model"](spec["model"].config_class(**fields)).eval()
    t5_weights(model, spec)
    state = {k: v.contiguous() for k, v in model.state_dict().items()
             if "embed_tokens" not in k and not (tied and k == "lm_head.weight")}
    path = os.path.join(folder, "model.safetensors")
    save_file(state, path, metadata={"format": "pt"})
    os.chmod(path, 0o644)


def precisions(model):
    """In float32, in float64, and that with weights changed a little."""
    double = copy.deepcopy(model).double()
    return [model, double, shaken(double, 1)]


def agreed(models, find, discarded):
    """What `find` gives for the second of `precisions`, where it gives the others the same; else None, and it is counted."""
    single, *others = [find(model) for model in models]
    if any([t for t, _ in o] != [t for t, _ in single] for o in others):
        discarded["token lists differ"] += 1
        return None
    if any(a is not None and abs(a - b) > 2e-5 for (_, a), (_, b) in zip(single, others[0])):
        discarded["scores differ"] += 1
        return None
    return others[0]


def t5_search(model, ids, beams):
    with torch.no_grad():
        out = model.generate(input_ids=torch.tensor([ids]), num_beams=beams, num_return_sequences=beams,
                             return_dict_in_generate=True, output_scores=beams > 1)
    scores = out.sequences_scores.tolist() if beams > 1 else [None]
    eos = model.config.eos_token_id
    found = []
    for row, score in zip(out.sequences.tolist(), scores):
        row = row[1:]
        found.append((row[: row.index(eos)] if eos in row else row, score))
    return found


def t5_cases(name, folder, spec, german, discarded):
    rng = random.Random(f"families {name}")
    tokenizer = T5Tokenizer.from_pretrained(folder, legacy=True)
    models = precisions(spec["model"].from_pretrained(folder, dtype=torch.float32).eval())
    texts = [t for t in german if t.strip()]
    pairs = list(spec["prompts"]) or [("", "")]
    named = PIECES + spec["extra_ids"]
    # To transformers these are text; a server leaves them out, as it does those of other families.
    languages = set(tokenizer.convert_tokens_to_ids([t.strip() for t in spec["prompts"].values() if t.startswith("<")]))
    for number in range(90):
        source, target = rng.choice(pairs)
        text = rng.choice(texts)
        ids = tokenizer(spec["prompts"].get((source, target), "") + text)["input_ids"]
        if len(ids) > 90:
            continue
        beams = (1, 4, 8)[number % 3]
        found = agreed(models, lambda m: t5_search(m, ids, beams), discarded)
        if found is None:
            continue
        row = dict(model=name, source_lang=source, target_lang=target, text=text, source_ids=ids, num_beams=beams,
                   tokens=[t for t, _ in found], scores=[s for _, s in found])
        if all(t < named for t in found[0][0]):
            row["translation"] = tokenizer.decode([t for t in found[0][0] if t not in languages],
                                                  skip_special_tokens=True, clean_up_tokenization_spaces=False)
        yield row
    for text in ODD:
        source, target = rng.choice(pairs)
        ids = tokenizer(spec["prompts"].get((source, target), "") + text)["input_ids"]
        yield dict(model=name, source_lang=source, target_lang=target, text=text, source_ids=ids)


def search(model, ids, target, beams):
    with torch.no_grad():
        out = model.generate(input_ids=torch.tensor([ids]), **target, num_beams=beams,
                             num_return_sequences=beams, return_dict_in_generate=True, output_scores=beams > 1)
    scores = out.sequences_scores.tolist() if beams > 1 else [None]
    found = []
    for row, score in zip(out.sequences.tolist(), scores):
        row = row[1:]
        found.append((row[: row.index(EOS)] if EOS in row else [t for t in row if t != PAD], score))
    return found


def cases_of(name, folder, spec, german, discarded):
    rng = random.Random(f"families {name}")
    tokenizer = spec["tokenizer"].from_pretrained(folder, **spec.get("says", {}))
    models = precisions(spec["model"].from_pretrained(folder, dtype=torch.float32).eval())
    texts = [t for t in german if t.strip()]
    for number in range(90):
        source, target = rng.sample(spec["languages"], 2)
        tokenizer.src_lang = source
        text = rng.choice(texts)
        ids = tokenizer(text)["input_ids"]
        if len(ids) > 60:
            continue
        token = tokenizer.get_lang_token(target) if name == "tiny-m2m" else target
        first = tokenizer.convert_tokens_to_ids(token)
        is_start = spec["tokenizer"] is MBartTokenizer
        told = dict(decoder_start_token_id=first) if is_start else dict(forced_bos_token_id=first)
        beams = (1, 4, 8)[number % 3]
        found = agreed(models, lambda m: search(m, ids, told, beams), discarded)
        if found is None:
            continue
        yield dict(model=name, source_lang=source, target_lang=target, text=text, source_ids=ids,
                   **{"start_token" if is_start else "first_token": first}, num_beams=beams, tokens=[t for t, _ in found], scores=[s for _, s in found],
                   translation=tokenizer.decode(found[0][0], skip_special_tokens=True))
    # Texts alone. transformers takes names of special tokens for the tokens; a server must not.
    for text in ODD:
        source = rng.choice(spec["languages"])
        tokenizer.src_lang = source
        yield dict(model=name, source_lang=source, text=text, source_ids=tokenizer(text)["input_ids"])


def bart_cases(name, folder, spec, german, discarded):
    rng = random.Random(f"families {name}")
    slow, fast = BartTokenizer.from_pretrained(folder), BartTokenizerFast.from_pretrained(folder)
    models = precisions(spec["model"].from_pretrained(folder, dtype=torch.float32).eval())
    texts = [t for t in german if t.strip()]
    for number in range(90):
        text = rng.choice(texts)
        ids = fast(text)["input_ids"]
        if len(ids) > 90:
            continue
        beams = (1, 4, 8)[number % 3]
        found = agreed(models, lambda m: search(m, ids, {}, beams), discarded)
        if found is None:
            continue
        row = dict(model=name, source_lang="", text=text, source_ids=ids, num_beams=beams, tokens=[t for t, _ in found],
                   scores=[s for _, s in found])
        if all(t < len(slow) for t in found[0][0]):
            row["translation"] = slow.decode(found[0][0], skip_special_tokens=True).strip()
        yield row
    contractions = ["I'm he's we've they'll I'd don't you're 's 'S 'x ''s", "a 's", "it 'll'll", "O'Neil's '", "a\u00a0's"]
    spaces = ["a  b", "a   b", " a", "  a", "a ", "a  ", "a \n b", "a\n\nb", "a\n b", "\n a", " \n", "a\u00a0 b", "a \u00a0b", "\u3000a \u3000 b",
              "a\x1cb", "a \x1f b", "1 2  3", "½ ² ٣ Ⅻ 〇", "x1y2", "_a _1 -b", "a\u0301 b\u0301c", "a \u0301", "कि 12कि", "“a”‘b’…", "\x85a\x85 b"]
    for text in ODD + contractions + spaces + GRAPHEMES + rng.sample(texts, 20) + list(random_texts(rng, 300)):
        ids = fast(text)["input_ids"]
        if ids != slow(text)["input_ids"]:
            discarded["texts that BartTokenizer and BartTokenizerFast cut differently"] += 1
            continue
        yield dict(model=name, source_lang="", text=text, source_ids=ids)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=os.path.join(ROOT, "tests/data/models"))
    parser.add_argument("--out", default=FIXTURES)
    arguments = parser.parse_args()
    german = prepare()
    rows, discarded = [], collections.Counter()
    for name, spec in MODELS.items():
        folder = os.path.join(arguments.models, name)
        make(folder, spec, german)
        rows += cases_of(name, folder, spec, german, discarded)
    for name, spec in BART_MODELS.items():
        folder = os.path.join(arguments.models, name)
        make(folder, spec, german)
        rows += bart_cases(name, folder, spec, german, discarded)
    for name, spec in T5_MODELS.items():
        folder = os.path.join(arguments.models, name)
        make_t5(folder, spec, german)
        rows += t5_cases(name, folder, spec, german, discarded)
    models = {name: f"tests/data/models/{name}" for name in [*MODELS, *BART_MODELS, *T5_MODELS]}
    for name, (base, says) in TOKENIZERS.items():
        models[name] = models[base]
        rows += cases_of(name, os.path.join(arguments.models, base), dict(MODELS[base], says=says), german, discarded)
    searched = [row for row in rows if "tokens" in row]
    header = dict(header=True, models=models, changes={name: {"tokenizer_config.json": says} for name, (_, says) in TOKENIZERS.items()}, kept=len(rows),
                  searched=len(searched), discarded=dict(discarded), versions=versions())
    write_jsonl(os.path.join(arguments.out, "families.jsonl.gz"), [header] + rows)
    lengths = sorted(len(row["tokens"][0]) for row in searched)
    print(json.dumps(dict(header, lengths=lengths[:: max(1, len(lengths) // 10)])))


if __name__ == "__main__":
    main()
