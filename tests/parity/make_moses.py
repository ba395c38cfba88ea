#!/usr/bin/env python3
"""What sacremoses, called as FSMTTokenizer calls it, makes of texts and of words: fixtures/moses.jsonl.gz. Needs
sacremoses 0.2.0 and transformers of requirements.txt in an environment of their own: where sacremoses is installed,
MarianTokenizer does something else (README.md)."""

import pathlib
import random

import sacremoses
from transformers.models.fsmt.tokenization_fsmt import remove_non_printing_char, replace_unicode_punct

from fixture_file import write_jsonl

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "tests/parity/fixtures/moses.jsonl.gz"
COUNT = 600  # texts of each language, and as many lists of words

CHARACTERS = list(
    " \t\u00a0\u3000.,:;!?'\"`´‘’‚„“”«»–—-()[]{}<>|&%$€¥¿¡/\\#@~^*+=_0123456789abcsStTzZäöüßéñЖжщяё中文のカ한국ा्½²ªº№…"
    "。．，、：；？！（）「」《》【】％～━〈〉∶１２\u200b\u00ad\ufeff\u0301\u0000\u0007\u2028\u0085😀𝟙ǅ◌")
WORDS = [
    "DOTMULTI", "DOT", "MULTI", "z.B.", "No.", "No. 5", "Nr. 3", "Art. 7", "d.h.", "e.g.", "U.S.", "Mr.", "Dr. x", "A.",
    "...", "....", "..", ".'", "'s", "don't", "l'eau", "O'Neil", "'90s", "1990's", "5,000", "3,x", "x,3", ",", "1 000",
    "1\u00a0000", " %", "5 %", "nº\u00a05", "20\u00a0ºC", "http://a.b/c?d=e&f", "a@b.de", "foo-bar", "a-b-c",
    "Müller-Lüdenscheidt", '"Hallo",', '".', '..."  x', '..."<', '.".." a', "«\u00a0oui\u00a0»", "ул.", "т.е.",
    "г. Москва", "им. А. С.", "&amp;", "&lt;", "@-@", "X@-@Y", "<unk>", "</s>", "``", "''", "(a)", "( b ) ."]
SINGLE = ["'", '"', "(", ")", "&apos;", "&quot;", "&#91;", "&amp;lt;", "@-@", "$", "€", "中", "文", "の", "s", "Jones", "'s",
          "'ll", "%", ",", "„", "“", "”", "`", "''", "?!", "한", "국"]


def main():
    lines = (ROOT / "tests/data/german.txt").read_text(encoding="utf-8").splitlines()
    rng = random.Random("moses")

    def text():
        kind = rng.randrange(5)
        if kind == 0:
            return rng.choice(lines)
        if kind == 1:
            characters = list(rng.choice(lines))
            for _ in range(rng.randrange(1, 6)):
                characters.insert(rng.randrange(len(characters) + 1), rng.choice(CHARACTERS))
            return "".join(characters)
        if kind == 2:
            return "".join(rng.choice(CHARACTERS) for _ in range(rng.randrange(1, 40)))
        if kind == 3:
            return rng.choice([" ", "", ", ", ". "]).join(rng.choice(WORDS) for _ in range(rng.randrange(1, 9)))
        return " ".join(rng.choice(WORDS + rng.choice(lines).split()) for _ in range(rng.randrange(1, 15)))

    rows = [{"header": True, "sacremoses": sacremoses.__version__}]
    for language in ("de", "en", "ru"):
        normalizer = sacremoses.MosesPunctNormalizer(language)
        tokenizer = sacremoses.MosesTokenizer(language)
        detokenizer = sacremoses.MosesDetokenizer(language)
        lists = []
        for _ in range(COUNT):
            plain = text()
            clean = remove_non_printing_char(normalizer.normalize(replace_unicode_punct(plain)))
            words = tokenizer.tokenize(clean, aggressive_dash_splits=True, return_str=False, escape=True)
            rows.append({"language": language, "text": plain, "words": words})
            lists.append(words)
        lists += [[word for item in (rng.choice(SINGLE + WORDS) for _ in range(rng.randrange(1, 12))) for word in item.split()]
                  for _ in range(COUNT)]
        for words in rng.sample(lists, COUNT):
            rows.append({"language": language, "joined": detokenizer.detokenize(words), "words": words})
    write_jsonl(OUT, rows)
    print(len(rows) - 1, "rows")


if __name__ == "__main__":
    main()
