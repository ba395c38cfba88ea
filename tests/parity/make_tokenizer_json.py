#!/usr/bin/env python3
"""What the tokenizers library makes of texts, by tokenizer.json files that transformers converts from the SentencePiece
models here. Writes fixtures/tokenizer-json.jsonl.gz: the files, and ids of texts.

Texts have no names of special tokens in them but those of tokens that are not special; special ones are text, as
`encode_special_tokens` makes them, because a server never reads them from a text."""
import copy
import json
import os
import random
import warnings

warnings.filterwarnings("ignore")
import tokenizers
import transformers
from transformers import MBart50Tokenizer, MBartTokenizer, NllbTokenizer, T5Tokenizer
from transformers.convert_slow_tokenizer import convert_slow_tokenizer

from fixture_file import write_jsonl
from hf_model import FIXTURES, ROOT
from tokenizer_cases import ODD

# Where the two normalisers differ, or a grapheme is more than a character.
GRAPHEMES = [
    "e\u0301e\u0301", "ﬁ\u0301n", "ﬁ\u0301\u0302", "한국어", "각 한글", "x\u0301\u0302\u0303\u0304y", "क्षि त्र", "ๆ กำ", "A\u030aA",
    "½\u0301", "㎏\u0301", "\r\n", "a\r\nb", "①\u20dd", "ｶﾞｷﾞ", "が が", "é\u200dé", "ﷺ", "™®", "ΐ ΐ", "🇩🇪🇫🇷", "👩\u200d🚀", "1️⃣2️⃣",
    "\u1100\u1161\u11a8", "ǆ\u0323", "ﬃﬃ", "Å\u0301", "a\u00adb", "\u200b\u200b", "…\u0301", "ſ\u0307", "\u0344", "\u0958", "יִ", "ﬀﬁ\u0301ﬂ",
    "   vorn", "hinten   ", "mit  zwei   drei Leerzeichen", "\u3000\u3000a\u3000\u3000b", "\u2003a\u2003\u2003b\u2003", "a\u2028b", "\x1ca\x1db",
    "a \u00a0 b", "▁▁a▁▁b▁", " ▁ a", "\t\ta", "a\x01\x02b", "\x7f", "a\u200b b",
]


def random_texts(rng, count):
    ranges = [(0x20, 0x7F)] * 4 + [(0xA0, 0x250), (0x300, 0x370), (0x370, 0x530), (0x590, 0x700), (0x900, 0xA00), (0xE00, 0xE60),
              (0x1100, 0x1200), (0x1E00, 0x2000), (0x2000, 0x2150), (0x2150, 0x2500), (0x3000, 0x3400), (0x4E00, 0x4F00),
              (0xAC00, 0xAD00), (0xFB00, 0xFB50), (0xFE70, 0xFF00), (0xFF00, 0xFFF0), (0x1F300, 0x1F700), (0x1D400, 0x1D500)]
    for _ in range(count):
        text = ""
        for _ in range(rng.randint(1, 6)):
            low, high = rng.choice(ranges)
            text += "".join(chr(rng.randrange(low, high)) for _ in range(rng.randint(1, 6)))
            if rng.random() < 0.3:
                text += rng.choice([" ", "  ", "\u0301", "\u0308", "\u200d", "\n", "\u00a0"])
        yield text


def base_files():
    models = os.path.join(ROOT, "tests/data/models")
    made = {
        "tiny-mbart25": MBartTokenizer.from_pretrained(f"{models}/tiny-mbart25"),
        "tiny-mbart": MBart50Tokenizer.from_pretrained(f"{models}/tiny-mbart"),
        "tiny-nllb": NllbTokenizer.from_pretrained(f"{models}/tiny-nllb"),
        "tiny-t5": T5Tokenizer.from_pretrained(f"{models}/tiny-t5", legacy=True),
        "tiny-flan": T5Tokenizer.from_pretrained(f"{models}/tiny-flan", legacy=False),
        "tiny-mt5": T5Tokenizer.from_pretrained(f"{models}/tiny-mt5", legacy=True),
        "tiny-madlad": T5Tokenizer.from_pretrained(f"{models}/tiny-madlad", legacy=True),
        "nfkc": T5Tokenizer(vocab_file=f"{ROOT}/deploy/models/de-en/source.spm", extra_ids=0, legacy=True),
    }
    files = {}
    for name, slow in made.items():
        fast = convert_slow_tokenizer(slow)
        # As PreTrainedTokenizerFast does when it is made from a slow one.
        known = fast.get_vocab(with_added_tokens=True)
        for _, token in sorted(slow.added_tokens_decoder.items()):
            fast.add_tokens([token])
        assert all(fast.token_to_id(t) == i for t, i in known.items())
        files[name] = json.loads(fast.to_str())
    return files


def variants(files):
    """name -> (file that it is like, changes as of RFC 7396)."""
    metaspace = files["nfkc"]["pre_tokenizer"]
    charsmap = files["nfkc"]["normalizer"]["normalizers"][0]
    old_space = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "str_rep": "▁"}
    pieces = {piece: i for i, (piece, _) in enumerate(files["tiny-t5"]["model"]["vocab"])}
    added = []
    for token in ["Ha", "Hal", "o W", "ß", "  ", "中"]:
        added.append(dict(id=pieces.setdefault(token, len(pieces)), content=token, single_word=False, lstrip=False, rstrip=False,
                          normalized=False, special=False))
    first = dict(type="Metaspace", replacement="▁", prepend_scheme="first", split=True)
    return {
        # As files of 2020 to 2022.
        "nfkc-old": ("nfkc", {"normalizer": {**charsmap, "normalizers": None},
                              "pre_tokenizer": {**dict.fromkeys(metaspace), "type": "Sequence",
                                                "pretokenizers": [{"type": "WhitespaceSplit"}, old_space]}}),
        "nfkc-alone": ("nfkc", {"normalizer": {**charsmap, "normalizers": None}}),
        "t5-first-split": ("tiny-t5", {"pre_tokenizer": {**dict.fromkeys(metaspace), "type": "Sequence",
                                                         "pretokenizers": [{"type": "WhitespaceSplit"}, first]}}),
        "t5-never": ("tiny-t5", {"pre_tokenizer": {"prepend_scheme": "never"}, "decoder": {"prepend_scheme": "never"}}),
        "t5-unsplit": ("tiny-t5", {"pre_tokenizer": {"split": False}}),
        "t5-steps": ("tiny-t5", {"normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Strip", "strip_left": True, "strip_right": False},
            {"type": "Replace", "pattern": {"String": "ss"}, "content": "ß"},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]}}),
        "t5-plain": ("tiny-t5", {"normalizer": None}),
        "t5-added": ("tiny-t5", {"added_tokens": files["tiny-t5"]["added_tokens"] + added}),
        "t5-added-first": ("tiny-t5", {"added_tokens": files["tiny-t5"]["added_tokens"] + added, "pre_tokenizer": first}),
        "mt5-bytes": ("tiny-mt5", {"model": {"byte_fallback": True}}),
        "nllb-unfused": ("tiny-nllb", {"model": {"fuse_unk": False}}),
        "nllb-no-unknown": ("tiny-nllb", {"model": {"unk_token": None}}),
    }


def merged(target, changes):
    """RFC 7396."""
    if not isinstance(changes, dict):
        return changes
    out = copy.deepcopy(target) if isinstance(target, dict) else {}
    for key, value in changes.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merged(out.get(key), value)
    return out


def main():
    transformers.logging.set_verbosity_error()
    german = open(os.path.join(ROOT, "tests/data/german.txt"), encoding="utf-8").read().split("\n")[:-1]
    files = base_files()
    rows = [dict(tokenizer=name, json=file) for name, file in files.items()]
    whole = dict(files)
    for name, (like, changes) in variants(files).items():
        rows.append(dict(tokenizer=name, like=like, changes=changes))
        whole[name] = merged(files[like], changes)
    kept = len(rows)
    for name, file in whole.items():
        rng = random.Random(f"tokenizer.json {name}")
        library = tokenizers.Tokenizer.from_str(json.dumps(file))
        library.encode_special_tokens = True
        texts = ODD + GRAPHEMES + ["Hallo Welt, Halo Hal Ha", "xHalloyHal oW o  W", "Ha", " Ha ", "Weiß中中 Haß", "Großes Haßlo Welt"]
        texts += rng.sample(german, 30) + list(random_texts(rng, 120))
        if name == "tiny-madlad":
            texts += ["<2de> Das ist gut.", "a<2fr>b <2zz>", "<2zh_Hant>中<2zh>"]
        for text in texts:
            rows.append(dict(tokenizer=name, text=text, ids=library.encode(text, add_special_tokens=False).ids))
    header = dict(header=True, kept=len(rows), tokenizers=kept,
                  versions=dict(tokenizers=tokenizers.__version__, transformers=transformers.__version__))
    write_jsonl(os.path.join(FIXTURES, "tokenizer-json.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


if __name__ == "__main__":
    main()
