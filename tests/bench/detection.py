#!/usr/bin/env python3
"""How often languages are detected right, and how fast: dragoman, CLD2 (pycld2) and langdetect on the same lines.

    tests/bench/detection.py pairs --server ADDR [--client PATH] [--lines N] PAIRS.tsv
    tests/bench/detection.py mixed [--daemon PATH] [--client PATH] [--lines N] CORPUS

PAIRS.tsv has German TAB English, as Tatoeba's pairs. The server serves a model from German to English, with
--language-model, so that it looks for these two. The others answer among all their languages: each is shown as it is,
and with what it ranks lower (CLD2: hints and three guesses; langdetect: all its guesses) limited to the two.

CORPUS is the folder data of PyPI's chatterbot-corpus: lines of dialogues in many languages. A list of N lines of each
language, shuffled, goes to a daemon that serves ten of them (SERVED below; its models are made for that) and to the
others; a line in another language should be unknown. "all guesses": the best guess of a served language counts, and
not the best of all.

Each line is detected by itself. Wall time is that of the program that asks; processor time is dragomand's own, or that
of this process, which asks CLD2 and langdetect. Needs pycld2 and langdetect from PyPI.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import time

import langdetect
import pycld2

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVED = {"dutch": "nl", "english": "en", "french": "fr", "german": "de", "italian": "it", "portuguese": "pt",
          "russian": "ru", "spanish": "es", "turkish": "tr", "chinese": "zh"}
OTHERS = {"bengali": "bn", "hebrew": "he", "hindi": "hi", "indonesian": "id", "japanese": "ja", "korean": "ko",
          "marathi": "mr", "oriya": "or", "persian": "fa", "swedish": "sv", "tamil": "ta", "ukrainian": "uk"}


class Found:
    """What a program found of each line ("un": unknown), and what that took in seconds a list."""

    def __init__(self, languages, wall, processor):
        self.languages, self.wall, self.processor = languages, wall, processor


def dragoman(client, server, lines, processor=lambda: 0.0):
    begin, begin_processor = time.perf_counter(), processor()
    out = subprocess.run([client, "detect", "--server", server], input="\n".join(lines) + "\n", text=True,
                         capture_output=True, check=True).stdout.splitlines()
    found = [line.split("\t")[0] for line in out]
    return Found(["un" if code == "und" else code for code in found], time.perf_counter() - begin,
                 processor() - begin_processor)


def in_process(guesses_of, lines, wanted, all_guesses):
    """`guesses_of` a line, best first, "" for none. Without `all_guesses` the best counts alone."""
    begin, begin_processor = time.perf_counter(), time.process_time()
    found = []
    for line in lines:
        guesses = [{"iw": "he"}.get(guess, guess).split("-")[0] for guess in guesses_of(line)]
        kept = guesses if all_guesses else guesses[:1]
        found.append(next((guess for guess in kept if guess in wanted), "un"))
    return Found(found, time.perf_counter() - begin, time.process_time() - begin_processor)


def cld2(all_guesses):
    def guesses(line):
        # It refuses a few characters that others have for controls.
        line = "".join(c for c in line if c.isprintable())
        return [guess[1] for guess in pycld2.detect(line, bestEffort=all_guesses)[2]]

    return guesses


def langdetect_guesses(line):
    try:
        return [guess.lang for guess in langdetect.detect_langs(line)]
    except langdetect.lang_detect_exception.LangDetectException:
        return []


def programs(client, server, lines, wanted, processor=lambda: 0.0):
    """(name, Found) of each, one after the other."""
    langdetect.DetectorFactory.seed = 0
    yield "dragoman detect, over gRPC", dragoman(client, server, lines, processor)
    yield "CLD2", in_process(cld2(False), lines, wanted, False)
    yield "CLD2, all guesses", in_process(cld2(True), lines, wanted, True)
    yield "langdetect", in_process(langdetect_guesses, lines, wanted, False)
    yield "langdetect, all guesses", in_process(langdetect_guesses, lines, wanted, True)


def percent(count, of):
    return f"{100 * count / of:.1f} %" if of else "-"


# ------------------------------------------------------------------ pairs


def run_pairs(arguments):
    german, english = [], []
    for line in open(arguments.input, encoding="utf-8"):
        columns = line.rstrip("\n").split("\t")
        german.append(columns[0])
        english.append(columns[1])
    draw = random.Random(1)

    def sample(keep):
        items = []
        for language, texts in (("de", german), ("en", english)):
            kept = sorted({text for text in texts if keep(text)})
            items += [(language, text) for text in draw.sample(kept, min(len(kept), arguments.lines // 2))]
        draw.shuffle(items)
        return items

    print("| lines | program | right | wrong | unknown | us a line |")
    print("|---|---|---|---|---|---|")
    for name, keep in (("all lengths", lambda text: True), ("at most 20 characters", lambda text: len(text) <= 20)):
        items = sample(keep)
        lines = [text for _, text in items]
        for program, found in programs(arguments.client, arguments.server, lines, ("de", "en")):
            assert len(found.languages) == len(items), program
            right = sum(language == answer for (language, _), answer in zip(items, found.languages))
            unknown = found.languages.count("un")
            shares = [percent(count, len(items)) for count in (right, len(items) - right - unknown, unknown)]
            print(f"| {len(items)}, {name} | {program} | " + " | ".join(shares) +
                  f" | {1e6 * found.wall / len(items):.0f} |", flush=True)


# ------------------------------------------------------------------ mixed


LATIN = {"nl", "en", "fr", "de", "it", "pt", "es", "tr", "id", "sv"}


def lines_of(folder, code):
    """The utterances of a language: '- - TEXT' and '  - TEXT' below "conversations:". Those in Latin letters of a
    language with another script are English, and left out."""
    found = set()
    for file in sorted(folder.glob("*.yml")):
        body = file.read_text(encoding="utf-8").partition("conversations:")[2]
        for text in re.findall(r"^(?:- | *)- +(.+)$", body, re.MULTILINE):
            text = text.removeprefix("- ").strip().strip("'\"").strip()
            if any(c.isalpha() and (code in LATIN or ord(c) > 0x24F) for c in text):
                found.add(" ".join(text.split()))
    return sorted(found)


def serve(daemon, folder):
    """A daemon whose models, small ones with weights of chance, translate from each of SERVED into English."""
    command = [daemon, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--http", "off", "--cpu-workers", "1", "--kv-memory-mb",
               "64",
               "--language-model", str(ROOT / "deploy/models/lid.176/lid.176.ftz")]
    for code in SERVED.values():
        if code == "en":
            continue
        copy = folder / code
        shutil.copytree(ROOT / "tests/data/models/tiny-a", copy)
        config = copy / "tokenizer_config.json"
        settings = {**json.loads(config.read_text(encoding="utf-8")), "source_lang": code, "target_lang": "en"}
        config.write_text(json.dumps(settings), encoding="utf-8")
        command += ["--model", f"{code}-en={copy}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = process.stdout.readline()
    if "grpc=" not in line:
        process.kill()
        raise SystemExit(f"the daemon did not start: {' '.join(command)}")
    return process, line.split("grpc=")[1].split()[0]


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_mixed(arguments):
    corpus = pathlib.Path(arguments.input)
    draw = random.Random(1)
    items = []
    for folder, code in {**SERVED, **OTHERS}.items():
        texts = lines_of(corpus / folder, code)
        items += [(code, text) for text in draw.sample(texts, min(len(texts), arguments.lines))]
    draw.shuffle(items)
    lines = [text for _, text in items]
    served = set(SERVED.values())
    groups = (
        ("served", [i for i, (code, _) in enumerate(items) if code in served]),
        ("served, at most 20 characters", [i for i, (code, text) in enumerate(items) if code in served and len(text) <= 20]),
        ("others", [i for i, (code, _) in enumerate(items) if code not in served]),
        ("others in Latin script", [i for i, (code, _) in enumerate(items) if code in ("id", "sv")]),
    )
    print("Lines: " + ", ".join(f"{len(group)} {name}" for name, group in groups) + f"; load {os.getloadavg()[0]:.1f}\n")
    print("| program | served: right | wrong | unknown | short: right | others: unknown | Latin script: unknown "
          "| us a line | of processor |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        process, server = serve(arguments.daemon, pathlib.Path(folder))
        try:
            dragoman(arguments.client, server, lines[:100])  # the first call finds tables that are made once
            for program, found in programs(arguments.client, server, lines, served,
                                           lambda: processor_seconds(process.pid)):
                assert len(found.languages) == len(items), program
                answers = found.languages

                def right(group):
                    return percent(sum(items[i][0] == answers[i] for i in group), len(group))

                def unknown(group):
                    return percent(sum(answers[i] == "un" for i in group), len(group))

                group = groups[0][1]
                wrong = sum(answers[i] not in ("un", items[i][0]) for i in group)
                cells = [right(group), percent(wrong, len(group)), unknown(group), right(groups[1][1]),
                         unknown(groups[2][1]), unknown(groups[3][1]), f"{1e6 * found.wall / len(items):.0f}",
                         f"{1e6 * found.processor / len(items):.0f}"]
                print(f"| {program} | " + " | ".join(cells) + " |", flush=True)
        finally:
            process.terminate()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pairs", "mixed"))
    parser.add_argument("--server", help="of pairs")
    parser.add_argument("--daemon", default=str(ROOT / "build/release/server/dragomand"), help="of mixed")
    parser.add_argument("--client", default=str(ROOT / "build/release/client/dragoman"))
    parser.add_argument("--lines", type=int, help="pairs: in all (3000); mixed: of each language (100)")
    parser.add_argument("input")
    arguments = parser.parse_args()
    if arguments.what == "pairs" and arguments.server is None:
        parser.error("pairs needs --server")
    arguments.lines = arguments.lines or (3000 if arguments.what == "pairs" else 100)
    (run_pairs if arguments.what == "pairs" else run_mixed)(arguments)


if __name__ == "__main__":
    main()
