"""Documents that would cost much, or that are no documents: each is refused in little time and memory, with the place of
the fault, and leaves no file."""

import os
import pathlib
import random
import subprocess
import tempfile
import time
import zipfile

from harness import CLIENT, Daemon, Outcome, attack, check

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def word(body, doctype=""):
    return f'{doctype}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'


def paragraph(text):
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def archive(path, *members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)


def archives(folder):
    """Archives, each with a part of the message that refuses it."""
    document = "word/document.xml"
    cells = "".join(f"<c t='inlineStr'><is><t>cell {i}</t></is></c>" for i in range(1_000_000))
    entities = "".join(f"<!ENTITY a{i} '{f'&a{i - 1};' * 10 if i else 'a'}'>" for i in range(12))
    for name, members, message in (
        ("bomb.docx", [(document, word(paragraph("a" * (1 << 29))))], "bytes after decompression"),
        ("paragraph.docx", [(document, word(paragraph("word " * 2_000_000)))], "bytes for one paragraph"),
        ("deep.docx", [(document, word("<w:p>" * 200_000))], "nested more than"),
        ("entities.docx", [(document, word(paragraph("&a11;"), f"<!DOCTYPE x [{entities}]>"))], "is declared"),
        ("files.docx", [(document, word(""))] + [(f"x/{i}", "") for i in range(100_000)], "of 100001 entries"),
        ("cells.xlsx", [("xl/workbook.xml", "<x/>"), ("xl/worksheets/a.xml", f"<x xmlns='{SHEET}'>{cells}</x>")],
         "bytes after decompression"),
    ):  # fmt: skip
        archive(folder / name, *members)
        yield folder / name, message


def files(folder):
    for name, content, message in (
        ("foreign.docx", b"\x89PNG\r\n" + os.urandom(2000), "not a zip archive"),
        ("foreign.srt", b"\xff" + os.urandom(2000), "not UTF-8"),
        ("deep.json", b"[" * 1_000_000, "nested more than"),
        ("deep.yaml", b"- " * 200_000, "nested more than"),
        ("deep.md", b">" * 500_000 + b" text", "bytes for one paragraph"),
        ("long.csv", b"word,word\n" * 1_000_000, "texts"),
    ):
        (folder / name).write_bytes(content)
        yield folder / name, message


def refuse(daemon, path, message=""):
    """Has the document refused, and returns the seconds of processor time that the daemon took."""
    begun = daemon.cpu_seconds()
    output = path.parent / "out" / path.name
    done = subprocess.run(
        [CLIENT, "translate", "--server", daemon.grpc, "--to", "en", path, "--output", output],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    check(done.returncode == 1 and message in done.stderr, f"{path.name}: {done.returncode}, {done.stderr[-300:]}")
    check(not output.exists(), f"{path.name}: a file was left")
    check(daemon.alive(), f"{path.name}: the daemon is dead")
    return daemon.cpu_seconds() - begun


@attack("bombs", issue=57, limit=180)
def bombs():
    with tempfile.TemporaryDirectory() as name, Daemon() as daemon:
        folder = pathlib.Path(name)
        (folder / "out").mkdir()
        costs = {}
        for make in (archives, files):
            for path, message in make(folder):
                costs[path.name] = refuse(daemon, path, message)
        worst = max(costs, key=costs.get)
        check(costs[worst] < 2, f"{worst} took {costs[worst]:.1f} s of processor time")
        bound = daemon.memory_bound()["sum_bytes"]
        check(daemon.peak_rss() < bound, f"{daemon.peak_rss() >> 20} MiB, the bound is {bound >> 20}")
        return Outcome(f"{len(costs)} refused; at most {costs[worst]:.1f} s ({worst}), {daemon.peak_rss() >> 20} MiB",
                       bound=f"2 s, {bound >> 20} MiB")  # fmt: skip


@attack("truncated", issue=57, limit=180)
def truncated():
    """A document that ends anywhere is refused."""
    with tempfile.TemporaryDirectory() as name, Daemon() as daemon:
        folder = pathlib.Path(name)
        (folder / "out").mkdir()
        path = folder / "a.docx"
        archive(path, ("[Content_Types].xml", "<Types/>"), ("word/document.xml", word(paragraph("Guten Morgen!") * 50)))
        whole = path.read_bytes()
        draw = random.Random(1)
        begun = time.monotonic()
        for _ in range(60):
            path.write_bytes(whole[: draw.randrange(len(whole))])
            refuse(daemon, path)
        return Outcome(f"60 cut documents refused in {time.monotonic() - begun:.1f} s", bound="no file is left")
