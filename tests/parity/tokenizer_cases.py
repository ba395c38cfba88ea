"""Texts and token lists of tokenizer.jsonl.gz. Texts that contain the names of special tokens (</s>, <unk>, <pad>) are
left out: MarianTokenizer takes them for the tokens themselves, which a server must not."""
import random

TEXTS = 150
LISTS = 100

ODD = [
    "", " ", "   ", "\t", "\n", "a", " a", "a ", "  a  b  ", "a\tb\nc", "Hallo\r\nWelt", "\u00a0Hallo\u00a0", "\u3000breit\u3000",
    "Ein Wort\u200bmit Nullbreite", "\ufeffBOM am Anfang", "Soft\u00adhyphen", "e\u0301 ist é", "ﬁnden und ﬂiegen",
    "Ｖｏｌｌｅ　Ｂｒｅｉｔｅ", "①②③ Ⅻ ½ ²", "ｶﾀｶﾅ", "한국어", "مرحبا بالعالم", "日本語とドイツ語", "😀", "😀😀😀", "a😀b", "👨‍👩‍👧‍👦 Familie", "❤️ und ❤",
    "🇩🇪", "x\u0308\u0301\u0323", "...", "…", "!!!???", "''\"\"", "„“‚‘»«", "<b>fett</b>", "a_b", "▁", "▁Hallo ▁Welt", "a▁b", "\u0007Glocke",
    "\ufffd", "Straße STRASSE straße", "ÄÖÜẞ", "0123456789", "1.234,56 €", "3. Mai 2024", "http://a.b/c?d=e&f=g", "C:\\Pfad\\Datei",
    "Wort" * 40, "ä" * 50, "a b " * 30, "中" * 20, ">>", "<<", ">> kein Kürzel", "x >>fra<< y", "&lt;&amp;", "\\n", "%s %d {0}", "Zeile 1\n\nZeile 3",
    "İstanbul ıüşğ", "Ǆ ǅ ǆ", "ﬀ ﬃ ﬄ", "㎏ ℃ №", "Å Å Å", "𝔉𝔯𝔞𝔨𝔱𝔲𝔯", "\u2028Trenner\u2029", "a\u0000b".replace("\u0000", "\u0001"),
]
# Lines of german.txt that are odd in themselves are taken first.
FIRST = 30


def encode_texts(model, german):
    rng = random.Random(f"encode {model.name}")
    odd = [t for t in german if any(ord(c) > 0x2000 or c in "\t\u00a0\u00ad\u0301\u0308" for c in t)]
    texts = ODD + rng.sample(odd, min(FIRST, len(odd)))
    texts += rng.sample([t for t in german if t not in texts], TEXTS - len(texts))
    for text in texts:
        yield (rng.choice(model.languages) if model.languages else None), text


def decode_cases(model, german):
    """Own encodings of target text, pieces at random, special tokens in all places, repeated blanks, single pieces."""
    rng = random.Random(f"decode {model.name}")
    size = model.f32.config.decoder_vocab_size
    pad, eos, unk = size - 1, 0, 1
    ids_of = model.tokenizer.target_encoder if model.tokenizer.separate_vocabs else model.tokenizer.encoder
    blank = ids_of.get("▁", unk)
    cases = [[], [eos], [pad], [unk], [pad, eos], [unk, unk], [blank], [blank, blank], [blank, eos], [2], [3], [eos, 2, 3, eos],
             [pad, 5, 6, eos, pad, pad], [5, unk, 6], [unk, 5, 6], [5, 6, unk], [5, blank, 6], [5, blank, blank, 6], [blank, 5, 6],
             [5, 6, blank]]
    texts = rng.sample([t for t in german if 3 < len(t) < 80], 40) + ["  zwei  Leerzeichen  ", "1.234,56 €", "😀 a", "„Ja“, sagte er."]
    for text in texts:
        cases.append(model.tokenizer(text_target=text)["input_ids"])
    byte_ids = sorted(i for piece, i in ids_of.items() if piece.startswith("<0x"))
    if byte_ids:  # whole, broken and lone byte pieces
        for data in ("é".encode(), "中".encode(), "😀".encode(), "😀".encode()[:3], b"\x80", b"A", b"a\xffb", b"\xe4\xb8", b"\xc3", b"\xe2\x82\xac"):
            cases.append([5] + [ids_of[f"<0x{b:02X}>"] for b in data] + [6, eos])
    while len(cases) < LISTS:
        n = rng.randint(1, 14)
        cases.append([rng.choice([rng.randrange(2, size - 1), rng.randrange(2, size - 1), rng.randrange(2, size - 1), blank, unk])
                      for _ in range(n)] + [eos] * rng.randint(0, 1))
    return cases[:LISTS]
