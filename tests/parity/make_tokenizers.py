#!/usr/bin/env python3
"""What AutoTokenizer makes of noisy texts, slow and fast, by tokenizers that somebody changed: with tokens added to
them, saved again, with tokenizer.json alone, of transformers 5's class, of SentencePiece's other kinds of models. Writes
the directory tests/data/models/tiny-added and fixtures/tokenizers.jsonl.gz.

    make_tokenizers.py      a minute; after make_models.py and make_families.py

Names of special tokens in a text are text to Dragoman. So each text is cut with the special tokens taken out of what the
tokenizer looks for; where a text has none of their names, that must be what it gives as it is. A language's piece that
SentencePiece itself finds becomes <unk>.

Each tokenizer is a model of tests/data/models with other files. The n-best lists are kept by the rules of
make_families.py.
"""
import base64
import collections
import json
import os
import random
import shutil
import tempfile
import unicodedata

import torch
import transformers
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer
from transformers import AutoTokenizer, MarianMTModel, PreTrainedTokenizerFast
from transformers.tokenization_utils import Trie

from fixture_file import write_jsonl
from hf_model import FIXTURES, ROOT, prepare, versions
from make_families import BART_MODELS, MODELS, T5_MODELS, agreed, precisions, t5_search
from make_models import ENGLISH, train_spm, write_json
from make_tokenizer_json import GRAPHEMES, random_texts
from tokenizer_cases import ODD

MODELS_AT = os.path.join(ROOT, "tests/data/models")
NOISE = ["😀", "👩\u200d🚀", "🇩🇪", "\u0001", "\u0007", "\u001c", "\u001f", "\u0085", "\u200b", "\u200d", "\ufeff", "\u00ad", "  ", "   ", "\t", "\n", "\r\n", "\u00a0",
         "\u3000", "中文", "日本", "кот", "שלום", "مرحبا", "한글", "é", "ß", "▁", "▁▁", "<", ">", "</", "…", "ﬁ", "½", "Ⅻ", "\u2028"]
SPECIAL = ["</s>", "<s>", "<pad>", "<unk>", "<mask>", "<extra_id_0>"]
# What a user may add: as add_tokens has it, and with each of the flags.
USER = ["Neuwort", AddedToken("<zeile>", lstrip=True, rstrip=True, normalized=False), AddedToken("ganz", single_word=True, normalized=False),
        AddedToken("der", normalized=False), AddedToken("Straße", single_word=True), "  ", AddedToken("rech", rstrip=True), AddedToken("echts", lstrip=True, normalized=False),
        AddedToken("É", normalized=True), AddedToken("ab cd", normalized=True), "ab"]

# Where two tokens want the same white space the library panics.
USER_FAST = [t for t in USER if str(t).strip()]


def noisy(rng, german, words, count):
    """Lines of german.txt with things put into them, taken apart, and with names of tokens."""
    for _ in range(count):
        text = rng.choice(german)[:60]
        for _ in range(rng.randint(1, 4)):
            at = rng.randint(0, len(text))
            what = rng.choice(NOISE) if rng.random() < 0.6 else rng.choice(words)
            text = text[:at] + rng.choice(["", "", " ", "  "]) + what + rng.choice(["", "", " ", "\t"]) + text[at:]
        if rng.random() < 0.2:
            text = unicodedata.normalize("NFD", text)
        yield text


def texts_of(name, german, words, special):
    rng = random.Random(f"tokenizers {name}")
    texts = ODD + GRAPHEMES + list(random_texts(rng, 60)) + list(noisy(rng, german, words, 140))
    texts += list(noisy(rng, german, words + special, 30))
    texts += words + [f"{a}{b}" for a in words for b in words[:4]] + [f"{a} {b}" for a in words[:4] for b in words] + [f" {a} " for a in words]
    texts += [f"a{w}b {w}, {w}." for w in words]
    return [t for t in dict.fromkeys(texts) if not t.startswith(">>")]


class Slow:
    """A slow tokenizer that reads no special tokens from a text."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        special = set(tokenizer.all_special_tokens) | {t.content for t in tokenizer._added_tokens_decoder.values() if t.special}
        self.special = {t for t in special if t}
        self.plain = [t.content for t in tokenizer._added_tokens_decoder.values() if t.content not in self.special]

    def ids(self, text, special_too=False):
        t = self.tokenizer
        whole, encoder = t.tokens_trie, t._added_tokens_encoder
        if not special_too:
            t.tokens_trie = Trie()
            for token in self.plain:
                t.tokens_trie.add(token)
            t._added_tokens_encoder = {k: v for k, v in encoder.items() if k in self.plain}
        try:
            tokens = t.tokenize(text)
            t._added_tokens_encoder = {**t._added_tokens_encoder, t.unk_token: encoder[t.unk_token]}
            return t.convert_tokens_to_ids(tokens)
        finally:
            t.tokens_trie, t._added_tokens_encoder = whole, encoder


class Fast:
    """A fast one. Its model has special tokens among its pieces; they get texts there that no text has."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.special = {t.content for t in tokenizer.added_tokens_decoder.values() if t.special} | set(tokenizer.all_special_tokens)
        self.whole = Tokenizer.from_str(tokenizer._tokenizer.to_str())
        self.whole.encode_special_tokens = False
        file = json.loads(tokenizer._tokenizer.to_str())
        file["post_processor"] = None
        vocab = file["model"]["vocab"]
        hidden = {t: f"\U0010fffd{i}\U0010fffd" for i, t in enumerate(sorted(self.special))}
        if isinstance(vocab, list):
            file["model"]["vocab"] = [[hidden.get(p, p), s] for p, s in vocab]
        else:
            file["model"]["vocab"] = {hidden.get(p, p): i for p, i in vocab.items()}
            file["model"]["unk_token"] = hidden.get(file["model"]["unk_token"], file["model"]["unk_token"])
        # They keep their places: a token inside of their names is not found.
        size = max(t["id"] for t in file["added_tokens"]) + len(vocab)
        for token in file["added_tokens"]:
            if token["content"] in hidden:
                token["id"] = size = size + 1
        file["added_tokens"].sort(key=lambda t: t["id"])
        self.texts = Tokenizer.from_str(json.dumps(file))
        self.texts.encode_special_tokens = True

        self.named = {h: t for t, h in hidden.items()}

    def ids(self, text, special_too=False):
        try:
            if special_too:
                return self.whole.encode(text, add_special_tokens=False).ids
            found = [self.texts.id_to_token(i) for i in self.texts.encode(text, add_special_tokens=False).ids]
            return [self.whole.token_to_id(self.named.get(t, t)) for t in found]
        except BaseException as error:  # a panic is no Exception
            if "AddedVocabulary bad split" not in str(error):
                raise
            return None  # two tokens want the same white space


def marian_model(german):
    """tiny-a with four more rows, as resize_token_embeddings makes room for added tokens."""
    base, folder = os.path.join(MODELS_AT, "tiny-a"), os.path.join(MODELS_AT, "tiny-added")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base, folder)
    torch.manual_seed(29)
    model = MarianMTModel.from_pretrained(base, dtype=torch.float32)
    size = model.config.vocab_size
    added = 4
    model.resize_token_embeddings(size + added, mean_resizing=False)
    with torch.no_grad():
        rows = model.model.shared.weight[size:]
        rows.copy_(torch.randn(rows.shape, generator=torch.Generator().manual_seed(29)) * model.model.shared.weight[:size].std())
        model.final_logits_bias[0, size:] = model.final_logits_bias[0, :size].mean()
    state = {k: v.contiguous() for k, v in model.state_dict().items()
             if k not in ("lm_head.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight")
             and "embed_positions" not in k}
    save_file(state, os.path.join(folder, "model.safetensors"), metadata={"format": "pt"})
    os.chmod(os.path.join(folder, "model.safetensors"), 0o644)
    config = json.load(open(os.path.join(folder, "config.json")))
    config["vocab_size"] = config["decoder_vocab_size"] = size + added
    write_json(os.path.join(folder, "config.json"), config)
    tokenizer = AutoTokenizer.from_pretrained(base)
    tokenizer.add_tokens(["Neuwort", AddedToken("<zeile>", lstrip=True, rstrip=True, normalized=False), AddedToken("ganz", single_word=True)])
    tokenizer.add_special_tokens({"additional_special_tokens": ["<trenner>"]})
    assert len(tokenizer) == size + added
    tokenizer.save_pretrained(folder)
    return folder


TEXT_FILES = ["tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "tokenizer.json", "vocab.json", "merges.txt"]
BINARY_FILES = ["spiece.model", "sentencepiece.bpe.model"]


def files_of(folder, base):
    """What is other than in the base; null is gone."""
    files = {}
    for name in TEXT_FILES + BINARY_FILES:
        old, new = os.path.join(MODELS_AT, base, name), os.path.join(folder, name)
        before = open(old, "rb").read() if os.path.exists(old) else None
        after = open(new, "rb").read() if os.path.exists(new) else None
        if before == after:
            continue
        if after is None:
            files[name] = None
        elif name in BINARY_FILES:
            files[name] = dict(base64=base64.b64encode(after).decode())
        elif name.endswith(".json"):
            files[name] = dict(json=json.loads(after))
        else:
            files[name] = dict(text=after.decode())
    return files


def changed(folder, **says):
    path = os.path.join(folder, "tokenizer_config.json")
    config = json.load(open(path))
    config.update(says)
    write_json(path, {k: v for k, v in config.items() if v is not None})


def resaved(base, into, add=(), special=(), fast=False, only_json=False, drop=(), **says):
    """A base's tokenizer with more tokens, as save_pretrained leaves it."""
    shutil.copytree(os.path.join(MODELS_AT, base), into)
    changed(into, **says)
    tokenizer = AutoTokenizer.from_pretrained(into, use_fast=False)
    if add:
        tokenizer.add_tokens(list(add))
    if special:
        tokenizer.add_special_tokens({"additional_special_tokens": list(special)}, replace_additional_special_tokens=False)
    for name in TEXT_FILES:
        if name not in ("vocab.json", "merges.txt") and os.path.exists(os.path.join(into, name)):
            os.remove(os.path.join(into, name))
    tokenizer.save_pretrained(into)
    if fast:
        saved = AutoTokenizer.from_pretrained(into, use_fast=True)
        assert saved.is_fast
        saved.save_pretrained(into)
    if only_json:
        for name in ["spiece.model", "sentencepiece.bpe.model", "vocab.json", "merges.txt", "added_tokens.json", "special_tokens_map.json"]:
            if os.path.exists(os.path.join(into, name)):
                os.remove(os.path.join(into, name))
        if base.startswith(("tiny-t5", "tiny-flan", "tiny-madlad")):
            changed(into, add_prefix_space=None)  # with it the class wants spiece.model
    for name in drop:
        os.remove(os.path.join(into, name))


def backend(into, **says):
    """As transformers 5 saves a tokenizer: tokenizer.json, and a class that says nothing of the family."""
    config = json.load(open(os.path.join(into, "tokenizer_config.json")))
    kept = {k: v for k, v in config.items() if k.endswith("_token") or k == "model_max_length"}
    kept = {k: v["content"] if isinstance(v, dict) else v for k, v in kept.items()}
    kept.update(backend="tokenizers", is_local=True, tokenizer_class="TokenizersBackend", **says)
    write_json(os.path.join(into, "tokenizer_config.json"), kept)


def load_backend(into):
    """Its tokens in transformers 4: the same file, with the special tokens that the configuration names."""
    config = json.load(open(os.path.join(into, "tokenizer_config.json")))
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=os.path.join(into, "tokenizer.json"),
                                        **{k: v for k, v in config.items() if k.endswith("_token")})
    if config.get("extra_special_tokens"):
        tokenizer.add_special_tokens({"additional_special_tokens": config["extra_special_tokens"]})
    return tokenizer


def other_spm(into, kind, base="tiny-flan"):
    shutil.copytree(os.path.join(MODELS_AT, base), into)
    german = prepare()
    path = os.path.join(into, "spiece.model")
    os.remove(path)
    pieces = dict(char=120, word=300)[kind]
    train_spm(path, german + ENGLISH, pieces, pad_id=0, eos_id=1, unk_id=2, bos_id=-1, model_type=kind, user_defined_symbols=["ung", "<br>"] if kind == "char" else [])
    changed(into, extra_ids=0)


def tokenizers(at):
    """(name, base, kind, words of texts, folder)."""
    def folder(name):
        return os.path.join(at, name)

    tags = [p.strip() for p in T5_MODELS["tiny-madlad"]["prompts"].values()]
    made = []

    def add(name, base, kind, words, **how):
        resaved(base, folder(name), **how)
        made.append((name, base, kind, words))

    words = [str(w) for w in USER]
    of_fast = [str(w) for w in USER_FAST]
    add("madlad-resaved", "tiny-madlad", "slow", ["Haus"], special=tags, legacy=True)
    add("madlad-resaved-new", "tiny-madlad", "slow", ["Haus"], special=tags, legacy=False)
    add("madlad-resaved-fast", "tiny-madlad", "fast", ["Haus"], special=tags, legacy=True, fast=True)
    add("madlad-resaved-new-fast", "tiny-madlad", "fast", ["Haus"], special=tags, legacy=False, fast=True)
    add("madlad-user", "tiny-madlad", "slow", ["de", "er", "<2de>"], add=[AddedToken("de", normalized=False), AddedToken("er")], legacy=True)
    add("flan-new", "tiny-flan", "slow", ["Haus", "<unk>"], legacy=False)
    add("flan-new-fast", "tiny-flan", "fast", ["Haus"], legacy=False, fast=True, only_json=True)
    add("flan-added", "tiny-flan", "slow", words, add=USER, special=["<trenner>"], legacy=True)
    add("flan-added-new", "tiny-flan", "slow", words, add=USER, special=["<trenner>"], legacy=False)
    add("flan-added-fast", "tiny-flan", "fast", of_fast, add=USER_FAST, special=["<trenner>"], legacy=True, fast=True)
    add("flan-added-new-fast", "tiny-flan", "fast", of_fast, add=USER_FAST, special=["<trenner>"], legacy=False, fast=True, only_json=True)
    # As before transformers 4.34: added_tokens.json alone says what was added.
    add("flan-older", "tiny-flan", "slow", ["Neuwort", "ganz"], add=["Neuwort", "ganz"], legacy=True)
    changed(folder("flan-older"), added_tokens_decoder=None, additional_special_tokens=None, extra_ids=100)
    add("nllb-added", "tiny-nllb", "slow", ["Neuwort", "<zeile>"], add=USER[:2])
    add("nllb-added-fast", "tiny-nllb", "fast", ["Neuwort", "<zeile>"], add=USER[:2], fast=True)
    add("m2m-added", "tiny-m2m", "slow", ["Neuwort", "<zeile>", "ganz"], add=USER[:3])
    add("bart-added", "tiny-bart", "slow", ["Neuwort", "<zeile>"], add=USER[:2])
    add("bart-json", "tiny-bart", "fast", ["Haus"], fast=True, only_json=True)
    add("bart-added-fast", "tiny-bart", "fast", ["Neuwort", "<zeile>"], add=USER[:2], fast=True)
    add("bart-space", "tiny-bart", "slow", ["Neuwort", "<zeile>"], add=USER[:2], add_prefix_space=True)
    add("bart-space-fast", "tiny-bart", "fast", ["Neuwort", "<zeile>"], add=USER[:2], add_prefix_space=True, fast=True)
    for name, base, says in [("t5-backend", "tiny-t5", {}), ("bart-backend", "tiny-bart", {}), ("nllb-backend", "tiny-nllb", {}),
                             ("mbart-backend", "tiny-mbart", {}), ("mbart25-backend", "tiny-mbart25", {}),
                             ("madlad-backend", "tiny-madlad", dict(extra_special_tokens=tags))]:
        add(name, base, "fast", ["Haus"], fast=True, only_json=True)
        backend(folder(name), **says)
    for kind in ("char", "word"):
        other_spm(folder(f"t5-{kind}"), kind)
        made.append((f"t5-{kind}", "tiny-flan", "slow", ["ung", "Haus", "<br>"]))
    return made


def main():
    transformers.logging.set_verbosity_error()
    german = [t for t in prepare() if t.strip()]
    rows, discarded, tried = [], collections.Counter(), 0
    marian_model(german)
    specs = {**MODELS, **BART_MODELS, **T5_MODELS}
    with tempfile.TemporaryDirectory() as at:
        made = tokenizers(at) + [("marian-added", "tiny-added", "slow", ["Neuwort", "<zeile>", "ganz"])]
        for name, base, kind, words in made:
            into = os.path.join(MODELS_AT, base) if base == "tiny-added" else os.path.join(at, name)
            if name.endswith("-backend"):
                tokenizer = load_backend(into)
            else:
                tokenizer = AutoTokenizer.from_pretrained(into, use_fast=kind == "fast")
                assert tokenizer.is_fast == (kind == "fast"), name
            cut = (Fast if kind == "fast" else Slow)(tokenizer)
            spec = specs.get(base, {})
            prompts = spec.get("prompts", {})
            source, target = "", ""
            if base.startswith(("tiny-nllb", "tiny-mbart", "tiny-m2m")):
                source, target = spec["languages"][:2]
            prompt = ""
            if prompts:
                (source, target), prompt = list(prompts.items())[0]
            tags = {t.strip() for t in prompts.values() if t.startswith("<2")}
            names = [n for n in cut.special | tags | set(SPECIAL) if n]
            unk = tokenizer.unk_token_id
            never = set(tokenizer.convert_tokens_to_ids(sorted(cut.special | tags)))
            eos = tokenizer.eos_token_id

            def around(ids):
                if base.startswith(("tiny-nllb", "tiny-mbart", "tiny-m2m")):
                    code = f"__{source}__" if base == "tiny-m2m" else source
                    tag = tokenizer.convert_tokens_to_ids(code)
                    return ids + [eos, tag] if base == "tiny-mbart25" else [tag] + ids + [eos]
                if base == "tiny-bart":
                    return [tokenizer.bos_token_id] + ids + [eos]
                return ids + [eos]

            row = dict(tokenizer=name, base=base, kind=kind, source_lang=source, target_lang=target, files={} if base == "tiny-added" else files_of(into, base),
                       cases=[], decoded=[])
            tried += 1
            texts = texts_of(name, german, words, [n for n in SPECIAL])
            plain = 0
            for text in texts:
                has_names = any(n in text for n in names)
                if prompt:
                    # The tag is a prompt's: it is read, and what follows it is a text without names.
                    if has_names:
                        continue
                    # A server takes white space off the beginning of what it cuts.
                    text = text.strip()
                    ids = cut.ids(prompt + text, special_too=True)
                    plain += 1
                elif cut.ids(text) is None:
                    discarded["texts that the library does not cut"] += 1
                    continue
                else:
                    ids = [unk if i in never else i for i in cut.ids(text)]
                    if not has_names:
                        plain += 1
                        assert ids == cut.ids(text, special_too=True), (name, text)
                row["cases"].append([text, around(ids)])
            assert plain > 200, (name, plain)
            rng = random.Random(f"decode {name}")
            vocab = {t: i for t, i in tokenizer.get_vocab().items() if i not in never and i not in (unk, eos) and not t.startswith(("<0x", "<2", "<extra"))}
            added = [vocab[w] for w in words if w in vocab]
            for _ in range(40):
                ids = [rng.choice(added) if added and rng.random() < 0.3 else rng.choice(list(vocab.values())) for _ in range(rng.randint(1, 9))]
                text = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
                row["decoded"].append([ids, text.strip()])
            rows.append(row)
            row["searched"] = []
            if name in SEARCHED:
                row["searched"] = list(search_cases(name, base, into, spec, cut, around, prompt, target, german, tokenizer, discarded, words))
            print(name, len(row["cases"]), len(row["searched"]), flush=True)
    header = dict(header=True, tried=tried, kept=len(rows), texts=sum(len(r["cases"]) for r in rows), discarded=dict(discarded), versions=versions())
    write_jsonl(os.path.join(FIXTURES, "tokenizers.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


# One or more of each kind that was refused, or cut otherwise, before.
SEARCHED = ["madlad-resaved", "madlad-resaved-fast", "flan-added", "flan-added-fast", "flan-new", "marian-added", "bart-json", "bart-added", "mbart-backend",
            "t5-backend", "t5-char", "t5-word"]


def output_of(tokens, eos, pad):
    return tokens[: tokens.index(eos)] if eos in tokens else [t for t in tokens if t != pad]


def search_cases(name, base, into, spec, cut, around, prompt, target, german, tokenizer, discarded, words):
    rng = random.Random(f"search {name}")
    at = os.path.join(MODELS_AT, base)
    kind = spec.get("model", MarianMTModel)
    models = precisions(kind.from_pretrained(at, dtype=torch.float32).eval())
    told = {}
    if base == "tiny-mbart":
        told = dict(forced_bos_token_id=tokenizer.convert_tokens_to_ids(target))
    texts = [t for t in noisy(rng, german, words, 200) if not any(n in t for n in cut.special if n)]
    for number in range(16):
        text = texts[number].strip()
        ids = around(cut.ids(prompt + text, special_too=True))
        if len(ids) > 90:
            continue
        beams = (1, 4, 8)[number % 3]

        def find(model):
            if base.startswith(("tiny-t5", "tiny-flan", "tiny-madlad")):
                return t5_search(model, ids, beams)
            with torch.no_grad():
                out = model.generate(input_ids=torch.tensor([ids]), **told, num_beams=beams, num_return_sequences=beams,
                                     return_dict_in_generate=True, output_scores=beams > 1)
            scores = out.sequences_scores.tolist() if beams > 1 else [None]
            eos, pad = model.config.eos_token_id, model.config.pad_token_id
            return [(output_of(r[1:], eos, pad), s) for r, s in zip(out.sequences.tolist(), scores)]

        found = agreed(models, find, discarded)
        if found is None:
            continue
        case = dict(text=text, source_ids=ids, num_beams=beams, tokens=[t for t, _ in found], scores=[s for _, s in found])
        if told:
            case["first_token"] = told["forced_bos_token_id"]
        yield case


if __name__ == "__main__":
    main()
