"""Checks that only the texts of documents change.

The script writes every document of make_documents.py twice with document_tool (md and html only once, without
translations):

* without translations: the bytes are the same;
* with each Latin letter of its texts replaced by a Cyrillic one. Another program then reads the document and the
  result: all that it takes for text is replaced, and everything else is equal.
"""

import collections
import csv
import html
import io
import json
import pathlib
import re
import subprocess
import sys
import zipfile

from lxml import etree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from make_documents import office  # noqa: E402

LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩ"
LETTERS = str.maketrans(LATIN, CYRILLIC)
MARKUP = ("md", "html")  # their texts have code, links and attributes, which a replacement would not keep
PACKAGES = ("docx", "xlsx", "pptx", "odt", "ods", "odp", "epub")


def replaced(text):
    return text.translate(LETTERS)


def replaced_html(text):
    """The letters outside of tags and character references."""
    return "".join(
        part if i % 2 else replaced(part) for i, part in enumerate(re.split(r"(<[^>]*>|&[#\w]+;)", text))
    )


class Different(Exception):
    pass


def equal(found, expected, what):
    if found != expected:
        raise Different(f"{what}: found {str(found)[:300]!r}, expected {str(expected)[:300]!r}")


class Tool:
    def __init__(self, path):
        self.path = path

    def texts(self, document, *options):
        return json.loads(self._run([document, *options], b""))

    def write(self, document, output, translations, *options):
        self._run([document, output, *options], json.dumps(translations).encode())

    def _run(self, arguments, given):
        done = subprocess.run(
            [self.path, *map(str, arguments)], input=given, capture_output=True, timeout=60, check=False
        )
        if done.returncode != 0:
            raise Different(done.stderr.decode(errors="replace").strip())
        return done.stdout


# Elements that a translation may lose, and attributes that it may change.
UNMARKED = {"proofErr", "lastRenderedPageBreak", "softHyphen", "noBreakHyphen"}
DESCRIBED = {"title", "descr", "alt", "name", "dirty", "err", "{http://www.w3.org/XML/1998/namespace}space"}


def elements(root):
    """The elements with their attributes. Neighbouring runs of Office Open XML with equal properties are one run."""
    found = []

    def attributes(element):
        return [pair for pair in element.items() if pair[0] not in DESCRIBED]

    def walk(element, run):
        for child in element.iterchildren(etree.Element):
            name = etree.QName(child).localname
            if name in UNMARKED or (name == "s" and not child.items()):
                continue
            if name == "r" and etree.QName(child).namespace.endswith("main"):
                properties = child.find("{*}rPr")
                walk(child, [] if properties is None else elements(properties))
            elif name == "t":
                if child.text and found[-1:] != [("text", run)]:
                    found.append(("text", run))
            elif name != "rPr":
                found.append((child.tag, attributes(child), run))
                walk(child, run)

    found.append((root.tag, attributes(root)))
    walk(root, None)
    return found


def same_elements(name, before, after):
    lenient = etree.XMLParser(recover=True)  # pandoc's books are not always well-formed
    old, new = (elements(etree.fromstring(data, lenient)) for data in (before, after))
    for one, other in zip(old, new):
        equal(other, one, name)
    equal(len(new), len(old), f"elements of {name}")


def same_package(before, after):
    """Members, their order, flags and extra fields are equal; returns the names of those that changed."""
    old, new = zipfile.ZipFile(before), zipfile.ZipFile(after)

    equal(new.namelist(), old.namelist(), "members")
    changed = [name for name in old.namelist() if old.read(name) != new.read(name)]
    for entry in old.infolist():
        other = new.getinfo(entry.filename)
        size_follows = 8 if entry.filename in changed else 0  # the flag of a member whose size follows its data
        equal(other.flag_bits, entry.flag_bits & ~size_follows, f"flags of {entry.filename}")
        for field in ("compress_type", "external_attr", "extra", "date_time"):
            equal(getattr(other, field), getattr(entry, field), f"{field} of {entry.filename}")
    for name in changed:
        same_elements(name, old.read(name), new.read(name))
    return changed


# The following functions read a document with another program. Each returns a list of the document's texts.


def lines_of(path):
    return [" ".join(line.split()) for line in path.read_text(encoding="utf-8-sig").splitlines()]


def cells_of(path):
    text = path.read_text(encoding="utf-8-sig")
    delimiter = re.search("[,;\t]", text).group()
    return [cell for row in csv.reader(io.StringIO(text), delimiter=delimiter) for cell in row]


def values_of(value):
    if isinstance(value, dict):
        return [text for key in value for text in values_of(value[key])]
    if isinstance(value, list):
        return [text for item in value for text in values_of(item)]
    return [value]


def json_of(path):
    return values_of(json.loads(path.read_text()))


def yaml_of(path):
    from ruamel.yaml import YAML

    return values_of(YAML(typ="safe").load(path.read_text()))


def properties_of(path):
    from translate.storage import properties

    store = properties.propfile(io.BytesIO(path.read_bytes()), personality="java")
    return [unit.source for unit in store.units if unit.name]


def book_of(path):
    import ebooklib
    from ebooklib import epub

    texts = []
    for item in epub.read_epub(str(path)).get_items_of_type(ebooklib.ITEM_DOCUMENT):
        body = etree.fromstring(item.content, etree.XMLParser(recover=True)).find("{*}body")
        for element in body.iter("{*}script", "{*}style", "{*}code", "{*}pre"):
            for part in element.iter():
                part.text = ""
                part.tail = part.tail if part is element else ""
        texts += [" ".join(text.split()) for text in body.itertext() if text.strip()]
    return texts


def sheets_of(path):
    import openpyxl

    return [
        text
        for sheet in openpyxl.load_workbook(path)
        for row in sheet.iter_rows()
        for cell in row
        for text in (str(cell.value or ""), str(cell.comment.text if cell.comment else ""))
        if text and not text.startswith("=")
    ]


def slides_of(path):
    """The paragraphs of an .odp, its notes included."""
    content = etree.fromstring(zipfile.ZipFile(path).read("content.xml"))
    return ["".join(part.itertext()) for part in content.iter("{*}p") if part.getparent().tag.split("}")[1] != "annotation"]


def subtitles_of(path):
    """The times and number of lines of each cue, and the text of all, because words may move to the next cue."""
    import srt
    import webvtt

    if path.suffix == ".srt":
        cues = [(cue.start, cue.end, cue.content) for cue in srt.parse(path.read_text())]
    else:
        cues = [(cue.start, cue.end, cue.raw_text) for cue in webvtt.read(str(path))]
    text = " ".join(content for _, _, content in cues)
    return [(str(start), str(end), len(content.splitlines())) for start, end, content in cues] + [
        re.sub("</?i>", "", html.unescape(" ".join(text.split())))
    ]


def catalogue_of(path):
    import polib

    found = []
    for entry in polib.pofile(str(path)):
        plural = list(entry.msgstr_plural.values()) or [entry.msgstr]
        found.append((entry.msgid, entry.msgid_plural, entry.msgctxt, entry.comment, entry.flags, entry.occurrences, plural))
    return found


def units_of(path):
    from translate.storage import xliff, xliff2

    kind = xliff.xlifffile if path.suffix == ".xliff" else xliff2.Xliff2File
    units = kind.parsefile(str(path)).units
    return [(str(unit.source), str(unit.target or "")) for unit in units if unit.istranslatable()]


READERS = {
    "txt": lines_of, "csv": cells_of, "tsv": cells_of, "json": json_of, "yaml": yaml_of,
    "properties": properties_of, "epub": book_of, "srt": subtitles_of, "vtt": subtitles_of,
}  # fmt: skip
# LibreOffice converts these formats to the one given. The function reads the converted file.
OFFICE = {
    "docx": ("txt:Text (encoded):UTF8", "txt", lines_of), "odt": ("txt:Text (encoded):UTF8", "txt", lines_of),
    "xlsx": ("xlsx", "xlsx", sheets_of), "ods": ("xlsx", "xlsx", sheets_of),
    "pptx": ("odp", "odp", slides_of), "odp": ("odp", "odp", slides_of),
}  # fmt: skip
# LibreOffice adds these texts itself, such as the names of slides and fields.
OWN = re.compile(r"(?i)^(slide \d+|<number>|<date/time>|<footer>|<header>|\d+)$")


CODE = re.compile("(?i)code|verbatim|preformatted|source_?(20_)?text")


def code_of(path):
    """The words in styles for program code, which stay."""
    words = set()
    if path.suffix not in (".docx", ".odt"):
        return words
    archive = zipfile.ZipFile(path)
    for name in archive.namelist():
        if not re.fullmatch(r"word/\w+\.xml|(content|styles)\.xml", name):
            continue
        root = etree.fromstring(archive.read(name))

        def style_of(element):
            return "".join(value for key, value in element.items() if re.search("(?i)val$|style-name$", key))

        own = {
            value
            for style in root.iter("{*}style")
            if CODE.search("".join(v for k, v in style.items() if k.endswith("parent-style-name")))
            for key, value in style.items()
            if key.endswith("}name")
        }
        for element in root.iter("{*}pStyle", "{*}rStyle", "{*}p", "{*}span"):
            if CODE.search(style_of(element)) or style_of(element) in own:
                holder = element if element.tag.endswith(("}p", "}span")) else element.getparent().getparent()
                words.update(" ".join(holder.itertext()).split())
    return words


def check_texts(before, after, code=()):
    """Each text of `after` is that of `before` with its letters replaced, apart from program code."""
    equal(len(after), len(before), "number of texts")
    for old, new in zip(before, after):
        if not isinstance(old, str):
            equal(new, old, "value")
        elif new != replaced(old) and not OWN.match(old):
            equal(len(new.split()), len(old.split()), f"words of {old!r}")
            for one, other in zip(old.split(), new.split()):
                has_code = any(word in one for word in code)
                if other != replaced(one) and not (has_code and all(n in (o, replaced(o)) for o, n in zip(one, other))):
                    raise Different(f"text: found {other!r}, expected {replaced(one)!r} in {old!r}")


def check_catalogue(before, after):
    for old, new in zip(before, after, strict=True):
        equal(new[:4] + new[5:6], old[:4] + old[5:6], "message")
        for text in new[6]:
            if text not in (replaced(old[0]), replaced(old[1])):
                raise Different(f"message {old[0]!r}: {new[6]!r}")


def check_units(before, after):
    for old, new in zip(before, after, strict=True):
        equal(new[0], old[0], "source")
        equal(new[1], replaced(old[0]), "target")


def check(tool, path, results):
    """Writes the two documents, and checks what needs no other program. Returns the translated one."""
    kind = path.suffix[1:]
    texts = tool.texts(path)
    if not texts:
        raise Different("no texts")
    same = results / f"{path.stem}.same.{kind}"
    tool.write(path, same, [None] * len(texts))
    if same.read_bytes() != path.read_bytes():
        raise Different("not the same bytes without translations")
    same.unlink()
    if kind in MARKUP:
        return None
    result = results / path.name
    tool.write(
        path,
        result,
        [replaced_html(text["text"]) if text["format"] == "text/html" else replaced(text["text"]) for text in texts],
        "target=pt",
    )
    if kind in PACKAGES:
        same_package(path, result)
    if kind == "po":
        check_catalogue(catalogue_of(path), catalogue_of(result))
    elif kind in ("xliff", "xlf"):
        check_units(units_of(path), units_of(result))
    elif kind in READERS:
        check_texts(READERS[kind](path), READERS[kind](result))
    return result


def check_office(kind, pairs, results):
    """Opens documents and results with LibreOffice and compares what it reads. Yields a finding for each pair."""
    form, extension, reader = OFFICE[kind]
    folders = [results / "before", results / "after"]
    for side in (0, 1):
        office(form, [pair[side] for pair in pairs], folders[side])
    for path, _ in pairs:
        name = f"{path.stem}.{extension}"
        try:
            check_texts(reader(folders[0] / name), reader(folders[1] / name), code_of(path))
            yield path, None
        except (Different, OSError) as e:
            yield path, e


def main(documents, tool_path):
    tool = Tool(tool_path)
    counts = collections.Counter()
    failed = 0
    for folder in sorted(documents.iterdir()):
        kind = folder.name
        if kind in ("work", "results", "complete"):
            continue
        results = documents / "results" / kind
        results.mkdir(parents=True, exist_ok=True)
        pairs = []
        findings = []
        for path in sorted(folder.iterdir()):
            counts[kind] += 1
            try:
                result = check(tool, path, results)
                pairs.append((path, result))
                if kind not in OFFICE:
                    findings.append((path, None))
            except (Different, etree.XMLSyntaxError, ValueError) as e:
                findings.append((path, e))
        if pairs and kind in OFFICE:
            findings += check_office(kind, pairs, results)
        for path, error in findings:
            if error is not None:
                failed += 1
                print(f"{path.relative_to(documents)}: {error}")
    print("documents: " + ", ".join(f"{kind} {counts[kind]}" for kind in sorted(counts)))
    few = [kind for kind in counts if counts[kind] < 20]
    if few:
        print(f"fewer than 20 documents: {few}")
    print(f"{sum(counts.values()) - failed} passed, {failed} failed")
    return 1 if failed or few else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
