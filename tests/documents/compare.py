"""A table of translated documents: dragoman translate, and LibreTranslate's argos-translate-files with the same model.

    compare.py DOCUMENTS DRAGOMAND DRAGOMAN MODEL [COUNT]

DOCUMENTS are those of make_documents.py, in English. MODEL is a folder of a model from English to Portuguese. For COUNT
documents of each format:

* translated: the paragraphs of three words and more that are not the source's, of all that are no program code;
* formatting: the elements for bold, italics, links, images, notes and cells that are still there;
* kept: URLs, options, paths and numbers of the source that the result has.
"""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import types
import urllib.request
import zipfile

from lxml import etree, html

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_documents import code_of  # noqa: E402

FORMATS = ("docx", "odt", "pptx", "odp", "epub", "html", "srt", "txt")
MARKS = {
    "b", "i", "strong", "em", "a", "hyperlink", "hlinkClick", "drawing", "pic", "img", "image", "footnoteReference",
    "noteref", "note", "tc", "td", "table-cell", "sup", "code", "br",
}  # fmt: skip
KEPT = re.compile(r"https?://[^\s\"<>)]+|(?<!\w)--[\w-]+|\b[\w.]*\d[\w.]*\b|\b\w+(?:[/_.]\w+)+\b")


def parts_of(path):
    """The XML or HTML trees of a document that have text."""
    if path.suffix == ".html":
        return [html.fromstring(path.read_bytes())]
    chosen = re.compile(
        r"word/(document|header\d*|footer\d*|footnotes)\.xml|ppt/slides/slide\d+\.xml|content\.xml|.*\.x?html"
    )
    archive = zipfile.ZipFile(path)
    parser = etree.XMLParser(recover=True)
    trees = [etree.fromstring(archive.read(name), parser) for name in archive.namelist() if chosen.fullmatch(name)]
    return [tree for tree in trees if tree is not None]


def paragraphs_of(path):
    if path.suffix in (".srt", ".txt"):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        return [line for line in lines if re.search("[a-z]", line)]
    found = []
    for tree in parts_of(path):
        for element in tree.iter("{*}p", "{*}h", "p", "h1", "h2", "h3", "li", "td", "{*}li", "{*}td", "{*}h1", "{*}h2"):
            text = " ".join("".join(element.itertext()).split())
            if text:
                found.append(text)
    return found


def marks_of(path):
    if path.suffix in (".srt", ".txt"):
        return collections.Counter(re.findall("</?[bi]>", path.read_text(encoding="utf-8-sig")))
    counts = collections.Counter()
    for tree in parts_of(path):
        for element in tree.iter(etree.Element):
            name = etree.QName(element).localname
            if name in MARKS or name == "span":
                counts[name, element.get("class", ""), "".join(v for k, v in element.items() if "style-name" in k)] += 1
    return counts


def share(part, whole):
    total = sum(whole.values())
    return (sum((whole & part).values()), total)


def measure(source, result):
    before, after = paragraphs_of(source), collections.Counter(paragraphs_of(result))
    code = code_of(source)
    long = [
        text for text in before if len(re.findall("[A-Za-z]{2,}", text)) >= 3 and not code.issuperset(text.split())
    ]
    left = sum(min(count, after[text]) for text, count in collections.Counter(long).items())
    old_kept = collections.Counter(KEPT.findall("\n".join(before)))
    new_kept = collections.Counter(KEPT.findall("\n".join(after.elements())))
    return {
        "translated": (len(long) - left, len(long)),
        "formatting": share(marks_of(result), marks_of(source)),
        "kept": share(new_kept, old_kept),
    }


def argos(address):
    """argos-translate-files, with the daemon in place of its engine."""
    from argostranslate.translate import ITranslation
    from argostranslatefiles import argostranslatefiles

    class Translation(ITranslation):
        from_lang = to_lang = types.SimpleNamespace(code="pt")

        def hypotheses(self, text, num_hypotheses=1):
            raise NotImplementedError

        def translate(self, text):
            if not text.strip():
                return text
            body = json.dumps({"contents": [text], "mimeType": "text/plain"}).encode()
            call = urllib.request.Request(f"http://{address}/v1/translate", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(call, timeout=60) as reply:
                return json.load(reply)["translations"][0]["translatedText"]

    def translate(source, result):
        made = argostranslatefiles.translate_file(Translation(), str(source), lambda _self, _path=None: str(result))
        if not made:
            raise RuntimeError("no translation")

    return translate


def main(documents, daemon, client, model, count=20):
    work = pathlib.Path(tempfile.mkdtemp())
    server = subprocess.Popen(
        [daemon, "--model", f"en-pt={model}", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--metrics", "off"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        addresses = dict(re.findall(r"(\w+)=(\S+)", server.stdout.readline()))
        programs = {
            "dragoman": lambda source, result: subprocess.run(
                [client, "translate", "--server", addresses["grpc"], "--from", "en", "--to", "pt", source, "--output", result],
                check=True, capture_output=True,
            ),
            "argos": argos(addresses["http"]),
        }  # fmt: skip
        print("| format | program | documents | translated | formatting | kept | s |\n|---|---|---|---|---|---|---|")
        for kind in FORMATS:
            for program, translate in programs.items():
                sums = collections.defaultdict(lambda: [0, 0])
                seconds, failed, done = 0.0, [], 0
                for source in sorted((documents / kind).iterdir())[:count]:
                    result = work / f"{program}-{source.name}"
                    begun = time.monotonic()
                    try:
                        translate(source, result)
                    except Exception as e:  # a program's own fault is part of the table
                        failed.append(f"{source.name}: {e}"[:160])
                        continue
                    seconds += time.monotonic() - begun
                    done += 1
                    for name, (part, whole) in measure(source, result).items():
                        sums[name][0] += part
                        sums[name][1] += whole
                shares = " | ".join(f"{100 * part / max(whole, 1):.1f} %" for part, whole in sums.values())
                print(f"| {kind} | {program} | {done} | {shares} | {seconds:.1f} |", flush=True)
                for error in failed:
                    print(f"  {program}: {error}", file=sys.stderr)
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(work)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), *sys.argv[2:5], *map(int, sys.argv[5:6]))
