"""Makes documents of every format with the programs that people make them with.

The texts are the project's own documents in Markdown. LibreOffice, pandoc, calibre, gettext, the translate toolkit,
ffmpeg and Python's libraries write them as 20 files of each format; each file says in its name who wrote it.
"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = [
    "README.md", "client/README.md", "client/python/README.md", "deploy/README.md", "deploy/SIZING.md",
    "docker/README.md", "engine/README.md", "engine/decode/README.md", "engine/model/README.md",
    "engine/request/README.md", "engine/schedule/README.md", "engine/text/README.md", "kernels/README.md",
    "kernels/search/README.md", "proto/README.md", "server/README.md", "server/SECURITY.md",
    "server/compat/README.md", "server/transport/README.md", ".github/CONTRIBUTING.md",
]  # fmt: skip
COUNT = len(SOURCES)

EXTRA = """

A last paragraph has **bold words in the middle** of a sentence, *one in italics*, `code`, a
[link to a page](https://example.com/page?a=1&b=2 "The title of the link"), and a note.[^1]

> A quotation stands on its own line.
> It has two sentences.

| Name | Meaning | Count |
|:-----|:--------|------:|
| apple | A **red** fruit | 12 |
| pear | A green fruit & more | 3.5 |

1. The first step
2. The second step, with a smaller list:
    * small things
    * smaller things

[^1]: The note says where the number comes from.
"""


def run(*command, **options):
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, timeout=300, check=False, **options
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout


def office(kind, sources, out):
    """Converts files with LibreOffice, all in one start."""
    out.mkdir(parents=True, exist_ok=True)
    profile = out.parent / "profile"
    run("soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--convert-to", kind, "--outdir", out, *sources)


def markdown():
    """A document's name and its first 120 lines, with what every document has at its end."""
    for i, source in enumerate(SOURCES):
        lines = (ROOT / source).read_text().splitlines()[:120]
        if sum(line.startswith("```") for line in lines) % 2:
            lines.append("```")
        yield f"{i:02}", "\n".join(lines) + EXTRA


def sentences(text):
    """The sentences of a document's paragraphs, without Markdown."""
    plain = re.sub(r"```.*?```|`|\*|\[|\]\([^)]*\)|<[^>]*>", "", text, flags=re.S)
    found = []
    for paragraph in re.split(r"\n\s*\n", plain):
        if re.match(r"\s*[#|\-\d>]|    ", paragraph):
            continue
        found += re.split(r"(?<=[.:?!])\s+", " ".join(paragraph.split()))
    return [sentence for sentence in found if len(sentence) > 15][:40]


def cues(found):
    """Cues of at most two lines; a sentence may take several."""
    pieces = []
    for sentence in found:
        words, line = sentence.split(), ""
        lines = []
        for word in words:
            if len(line) + len(word) > 38:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        lines.append(line)
        pieces += ["\n".join(lines[i : i + 2]) for i in range(0, len(lines), 2)]
    return pieces


class Maker:
    def __init__(self, out):
        self.out = out
        self.work = out / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        self.texts = dict(markdown())
        for name, text in self.texts.items():
            (self.work / f"{name}.md").write_text(text)

    def path(self, extension, name, program):
        folder = self.out / extension
        folder.mkdir(exist_ok=True)
        return folder / f"{name}-{program}.{extension}"

    def pandoc(self, name, to, path, *options):
        run("pandoc", "-f", "markdown", "-t", to, "-s", "--metadata", f"title=Document {name}", "-o", path,
            f"--resource-path={ROOT}", *options, self.work / f"{name}.md")  # fmt: skip

    def texts_and_pages(self):
        for i, name in enumerate(self.texts):
            source = self.work / f"{name}.md"
            if i % 2:
                self.pandoc(name, "plain", self.path("txt", name, "pandoc"), "--wrap=auto" if i % 4 == 1 else "--wrap=none")
                self.pandoc(name, "gfm", self.path("md", name, "pandoc-gfm"))
                self.pandoc(name, "html5", self.path("html", name, "pandoc"))
            else:
                shutil.copy(source, self.path("md", name, "by-hand"))
                self.path("txt", name, "by-hand").write_bytes(
                    "\r\n".join(sentences(self.texts[name])).encode("utf-8-sig" if i % 4 else "utf-8")
                )

    def office_texts(self):
        names = list(self.texts)
        for i, name in enumerate(names):
            if i % 2:
                self.pandoc(name, "docx", self.path("docx", name, "pandoc"), "--toc")
                self.pandoc(name, "odt", self.path("odt", name, "pandoc"))
            else:
                self.pandoc(name, "docx", self.work / f"{name}-p.docx")
                self.pandoc(name, "odt", self.work / f"{name}-p.odt")
        made = self.work / "office"
        even = names[::2]
        office("docx", [self.work / f"{name}-p.odt" for name in even], made)
        office("odt", [self.work / f"{name}-p.docx" for name in even], made)
        office("html", [self.work / f"{name}-p.docx" for name in even], made)
        for name in even:
            for extension in ("docx", "odt", "html"):
                shutil.move(made / f"{name}-p.{extension}", self.path(extension, name, "libreoffice"))
        self.word(names[1])

    def word(self, name):
        """A document with parts that pandoc does not write."""
        import docx
        from docx.enum.section import WD_SECTION

        document = docx.Document()
        section = document.sections[0]
        section.header.paragraphs[0].text = "The header of the page"
        section.footer.paragraphs[0].text = "The footer of the page"
        document.core_properties.title = "The title of the report"
        document.add_heading("The report of the year", 0)
        paragraph = document.add_paragraph("The company ")
        paragraph.add_run("sold more").bold = True
        paragraph.add_run(" than in the ")
        paragraph.add_run("year before").italic = True
        paragraph.add_run(".\tAfter a tab.")
        paragraph.add_run().add_break()
        paragraph.add_run("After a break.")
        for sentence in sentences(self.texts[name])[:10]:
            document.add_paragraph(sentence, style="List Bullet")
        table = document.add_table(rows=2, cols=2)
        table.cell(0, 0).text = "The first cell"
        table.cell(1, 1).text = "The last cell"
        document.add_section(WD_SECTION.NEW_PAGE)
        document.add_paragraph("A second section.")
        document.save(self.path("docx", name, "python-docx"))

    def sheets(self):
        import openpyxl
        from openpyxl.comments import Comment

        names = list(self.texts)
        for i, name in enumerate(names):
            rows = [["id", "text", "number"]] + [
                [f"key_{k}", sentence, k * 1.5] for k, sentence in enumerate(sentences(self.texts[name]))
            ]
            extension = "tsv" if i % 2 else "csv"
            with open(self.work / f"{name}.csv", "w", newline="") as file:
                csv.writer(file).writerows(rows)
            for kind, delimiter in (("csv", ",;"[i % 4 == 0]), ("tsv", "\t")):
                with open(self.path(kind, name, "python"), "w", newline="", encoding="utf-8-sig" if i % 3 == 0 else "utf-8") as file:
                    csv.writer(file, delimiter=delimiter, quoting=[csv.QUOTE_MINIMAL, csv.QUOTE_ALL][i % 2]).writerows(rows)
            if i % 2:
                book = openpyxl.Workbook()
                sheet = book.active
                sheet.title = "Prices of the year"
                for row in rows:
                    sheet.append(row)
                sheet["E1"] = "=SUM(C2:C9)"
                sheet["B2"].comment = Comment("A comment on the cell", "An author")
                book.create_sheet("Second").append(["Only one cell"])
                book.save(self.path("xlsx", name, "openpyxl"))
        made = self.work / "sheets"
        office("xlsx", [self.work / f"{name}.csv" for name in names[::2]], made)
        office("ods", [self.work / f"{name}.csv" for name in names[::2]], made)
        office("ods", [self.path("xlsx", name, "openpyxl") for name in names[1::2]], made)
        for i, name in enumerate(names):
            if i % 2 == 0:
                shutil.move(made / f"{name}.xlsx", self.path("xlsx", name, "libreoffice"))
                shutil.move(made / f"{name}.ods", self.path("ods", name, "libreoffice"))
            else:
                shutil.move(made / f"{name}-openpyxl.ods", self.path("ods", name, "libreoffice-xlsx"))

    def slides(self):
        names = list(self.texts)
        for i, name in enumerate(names):
            target = self.path("pptx", name, "pandoc") if i % 2 else self.work / f"{name}-s.pptx"
            self.pandoc(name, "pptx", target)
        made = self.work / "slides"
        office("odp", [self.work / f"{name}-s.pptx" for name in names[::2]], made)
        office("odp", [self.path("pptx", name, "pandoc") for name in names[1::2]], made)
        office("pptx", [made / f"{name}-s.odp" for name in names[::2]], made)
        for i, name in enumerate(names):
            if i % 2 == 0:
                shutil.move(made / f"{name}-s.odp", self.path("odp", name, "libreoffice"))
                shutil.move(made / f"{name}-s.pptx", self.path("pptx", name, "libreoffice"))
            else:
                shutil.move(made / f"{name}-pandoc.odp", self.path("odp", name, "libreoffice-pptx"))
        self.presentation(names[1])

    def presentation(self, name):
        import pptx
        from pptx.chart.data import CategoryChartData
        from pptx.enum.chart import XL_CHART_TYPE
        from pptx.util import Inches

        show = pptx.Presentation()
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = "The title of the slide"
        slide.placeholders[1].text = "The first point\nThe second point"
        slide.notes_slide.notes_text_frame.text = "Notes for the speaker."
        table = slide.shapes.add_table(2, 2, Inches(1), Inches(4), Inches(4), Inches(1)).table
        table.cell(0, 0).text = "A cell of a table"
        data = CategoryChartData()
        data.categories = ["North", "South"]
        data.add_series("Sales", (1, 2))
        slide.shapes.add_chart(XL_CHART_TYPE.PIE, Inches(5), Inches(4), Inches(3), Inches(3), data)
        show.save(self.path("pptx", name, "python-pptx"))

    def books(self):
        for i, name in enumerate(self.texts):
            if i % 2:
                self.pandoc(name, "epub3" if i % 4 == 1 else "epub2", self.path("epub", name, "pandoc"))
            else:
                self.pandoc(name, "html5", self.work / f"{name}.html")
                run("ebook-convert", self.work / f"{name}.html", self.path("epub", name, "calibre"),
                    env={**os.environ, "QTWEBENGINE_CHROMIUM_FLAGS": "--no-sandbox"})  # fmt: skip

    def subtitles(self):
        import pysubs2
        import srt
        from datetime import timedelta

        for i, name in enumerate(self.texts):
            pieces = cues(sentences(self.texts[name]))
            subtitles = [
                srt.Subtitle(k + 1, timedelta(seconds=3 * k), timedelta(seconds=3 * k + 2.5), piece if k % 7 else f"<i>{piece}</i>")
                for k, piece in enumerate(pieces)
            ]  # fmt: skip
            plain = self.work / f"{name}.srt"
            plain.write_text(srt.compose(subtitles))
            if i % 2:
                run("ffmpeg", "-y", "-i", plain, self.path("vtt", name, "ffmpeg"))
                pysubs2.load(str(plain)).save(str(self.path("srt", name, "pysubs2")))
            else:
                import webvtt

                shutil.copy(plain, self.path("srt", name, "srt"))
                webvtt.from_srt(str(plain)).save(str(self.path("vtt", name, "webvtt-py")))

    def catalogues(self):
        """gettext's and the toolkit's formats of messages."""
        from ruamel.yaml import YAML
        from translate.storage import xliff2

        yaml = YAML()
        for i, name in enumerate(self.texts):
            found = sentences(self.texts[name])
            code = self.work / f"{name}.c"
            quoted = [json.dumps(text, ensure_ascii=False) for text in found]
            code.write_text(
                "\n".join(f"/* A note for the translator. */\ngettext({text});" for text in quoted)
                + '\nprintf(gettext("%s has %d messages.\\n"), a, 1);'
                + '\nngettext("%d file was found", "%d files were found", n);'
                + '\npgettext("menu", "Open the file");\n'
            )
            template = self.work / f"{name}.pot"
            run("xgettext", "-c", "--keyword=pgettext:1c,2", "-k_", "--from-code=UTF-8", "-o", template, code)
            catalogue = self.path("po", name, "gettext" if i % 2 else "toolkit")
            if i % 2:
                run("msginit", "--no-translator", "-l", "pt_PT.UTF-8", "-i", template, "-o", catalogue)
            else:
                run("pot2po", template, catalogue)
            run("po2xliff", "--progress=none", catalogue, self.path("xliff", name, "toolkit"))
            store = xliff2.Xliff2File()
            store.sourcelanguage, store.targetlanguage = "en", "pt"
            for text in found:
                store.addunit(store.UnitClass(text))
            self.path("xlf", name, "toolkit-2").write_bytes(bytes(store))
            messages = {"menu": {"open": found[0], "items": found[1:9]}, **{f"message_{k}": text for k, text in enumerate(found)}}
            with open(self.path("json", name, "python"), "w") as file:
                json.dump(messages, file, indent=[None, 2, "\t"][i % 3], ensure_ascii=i % 2 == 0)
            with open(self.path("yaml", name, "ruamel"), "w") as file:
                yaml.width = [4096, 60][i % 2]
                yaml.dump({"pt": messages}, file)
            lines = [f"message.{k}{[' = ', '=', ': '][i % 3]}{text}" for k, text in enumerate(found)]
            source = self.work / f"{name}.properties"
            source.write_text("# The messages of a program\n" + "\n".join(lines) + "\nerror.count=Found {0} of {1}\n")
            run("prop2po", "-P", "--progress=none", source, self.work / f"{name}-p.pot")
            run("msgen", "-o", self.work / f"{name}-p.po", self.work / f"{name}-p.pot")
            run("po2prop", "--progress=none", "-t", source, self.work / f"{name}-p.po", self.path("properties", name, "toolkit"))


def main(out):
    maker = Maker(out)
    for step in (
        maker.texts_and_pages,
        maker.office_texts,
        maker.sheets,
        maker.slides,
        maker.books,
        maker.subtitles,
        maker.catalogues,
    ):
        step()
        print(f"made: {step.__name__}", flush=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
