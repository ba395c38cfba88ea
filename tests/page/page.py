#!/usr/bin/env python3
"""The page at / of real daemons, in a headless Chromium.

    tests/page/page.py [--screenshots FOLDER] [CASE...]

Needs the Python packages playwright and axe-playwright-python and Debian's chromium; without them the test is skipped,
and says so. tests/page/run.sh installs the packages. With --screenshots it only writes the pictures of the README.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
import urllib.request

from visit import SCRIPTS, TEXT, visit
from harness import CLIENT, DAEMON, Daemon, MODEL, ROOT, check

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def skip(why):
    print(f"SKIPPED the page in a browser: {why}")
    sys.exit(0)


def base_of(daemon):
    """The page's address."""
    return f"http://{daemon.api_address}/"


# ------------------------------------------------------------------ translating


@case
def translates_as_it_streams(browser, base):
    """Prefixes show before the translation is whole; the address has the languages and no text."""
    lines = (ROOT / "tests/data/german.txt").read_text(encoding="utf-8").splitlines()[:300]
    with visit(browser, base) as v:
        v.open().ready()
        text = v.type("\n".join(lines))
        check(len(text.splitlines()) == len(lines), f"{len(text.splitlines())} lines of {len(lines)}")
        # How many there are is the browser's affair, which shows what has come in each of its frames.
        shown = v.page.evaluate("[...shown].map(step => step.replace(/\\s+/g, ' ').trim().length)")
        check(len(shown) > 2, f"the translation came in {len(shown)} steps")
        first = next(length for length in shown if length > 0)
        check(first < len(text) / 2, f"the first step has {first} of {len(text)} characters")
        check(" sentences · " in v.page.inner_text("#facts"), v.page.inner_text("#facts"))
        v.page.select_option("#target-language", "en")
        check(v.page.url == base + "#de/en", f"the address is {v.page.url}")
        check("demonstration" in v.page.inner_text("#model-notes"), v.page.inner_text("#model-notes"))
        v.check_quiet()


@case
def keeps_the_marks_of_markdown(browser, base):
    with visit(browser, base) as v:
        v.open().ready().open_options()
        v.page.select_option("#format", "text/markdown")
        text = v.type("# Guten **Morgen**!\n\n- Ich bin hier.")
        check(text.startswith("# ") and "**" in text and "\n\n- " in text, text)
        v.check_quiet()


@case
def stops_and_clears(browser, base):
    lines = (ROOT / "tests/data/german.txt").read_text(encoding="utf-8").splitlines()
    with visit(browser, base) as v:
        v.open().ready()
        v.page.fill("#source", "\n".join(lines[:400]))
        v.find("#go", has_text="Stop").click()
        v.find("#go", has_text="Translate").wait_for()
        check(not v.page.is_visible("#alert"), v.page.inner_text("#alert"))
        v.page.click("#clear")
        check(v.page.input_value("#source") == "" and v.page.inner_text("#target") == "", "not all is cleared")
        v.settle()
        check(v.type("Ja.") != "", "nothing is translated any more")
        v.page.click("#copy")
        check(v.page.evaluate("navigator.clipboard.readText()") == v.page.inner_text("#target"), "not what was copied")
        v.check_quiet()


@case
def lists_alternatives_with_scores(browser, base):
    with visit(browser, base) as v:
        v.open().ready().open_options()
        v.page.fill("#nbest", "4")
        first = v.type(TEXT)
        check(v.page.inner_text("#alternatives-title") == "Alternatives for sentence 1 of 2",
              v.page.inner_text("#alternatives-title"))
        scores = [float(text.replace("−", "-")) for text in v.marked("#alternative-list .score")]
        check(len(scores) == 4 and scores == sorted(scores, reverse=True), f"scores: {scores}")
        second = v.page.inner_text("#alternative-list li:nth-child(2) span >> nth=0")
        v.page.click("#alternative-list li:nth-child(2) button")
        changed = v.page.inner_text("#target")
        check(changed.startswith(second) and changed != first, f"{second!r} is not in {changed!r}")
        v.page.click("#target .sentence >> nth=1")
        check("sentence 2 of 2" in v.page.inner_text("#alternatives-title"), "the second sentence is not selected")
        check(v.page.inner_text("#alternative-list") != "", "no alternatives of the second sentence")
        v.page.click("#reset")
        check(v.page.input_value("#nbest") == "1", "options are not reset")
        v.check_quiet()


@case
def shows_which_words_belong_together(browser, base):
    with visit(browser, base) as v:
        v.open().ready()
        v.type(TEXT)
        v.find("#target .word", has_text="station").hover()
        check(v.marked("#mirror .partner") == ["Bahnhof"], f"of station: {v.marked('#mirror .partner')}")
        check(v.marked("#target .on:not(.sentence)") == ["station"], "the word itself is not marked")
        box = v.find("#mirror .word", has_text="Wetter").bounding_box()
        v.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        check("weather" in v.marked("#target .partner"), f"of Wetter: {v.marked('#target .partner')}")
        colours = v.page.evaluate("""[...document.querySelectorAll('#target .partner, #mirror .on.word')]
            .map(node => getComputedStyle(node).backgroundColor)""")
        check(len(set(colours)) == 2 and "rgba(0, 0, 0, 0)" not in colours, f"colours: {colours}")
        # By the keyboard, and for a screen reader.
        v.page.mouse.move(0, 0)
        v.page.focus("#target")
        v.page.keyboard.press("ArrowRight")
        v.page.keyboard.press("ArrowRight")
        check(v.marked("#target .on:not(.sentence)") == ["weather"], "the second word is not marked")
        check(v.page.inner_text("#said") == "weather: Wetter", v.page.inner_text("#said"))
        v.page.focus("#source")
        v.page.keyboard.press("Control+End")
        v.page.keyboard.press("ArrowLeft")
        v.page.keyboard.press("ArrowLeft")
        check(v.marked("#target .partner") == ["station"], f"at the caret: {v.marked('#target .partner')}")
        v.check_quiet()


@case
def obeys_phrases_and_terms(browser, base):
    with visit(browser, base) as v:
        v.open().ready().open_options()
        text = "Das Wetter ist heute schön."
        plain = v.type(text)
        # In float32 it is beautiful, in int8 nice.
        word = next((word for word in ("beautiful", "nice") if word in plain), None)
        check(word is not None, plain)
        v.page.fill("#forbidden", word)
        without = v.translation()
        check(word not in without, without)
        v.page.fill("#forbidden", "")
        v.page.fill("#required", "lovely")
        check("lovely" in v.translation(), v.page.inner_text("#target"))
        v.page.fill("#required", "")
        v.page.fill("#keep", "Wetter")
        check("Wetter" in v.translation(), v.page.inner_text("#target"))
        check("1 set" in v.page.inner_text("#options summary"), v.page.inner_text("#options summary"))
        v.page.fill("#keep", "")
        v.translation()
        v.page.click("#add-term")
        v.page.keyboard.type("Wetter")
        v.page.keyboard.press("Tab")
        v.page.keyboard.type("climate")
        check("climate" in v.translation(), v.page.inner_text("#target"))
        v.page.click("#terms button")
        v.translation()
        v.page.select_option("#glossary", "weather")
        check("sunshine" in v.translation(), v.page.inner_text("#target"))
        v.check_quiet()


@case
def shows_html_and_runs_none_of_it(browser, base):
    with visit(browser, base) as v:
        v.open().ready().open_options()
        v.page.select_option("#format", "text/html")
        v.page.fill("#source", "<p>Das <b>Wetter</b> ist heute schön.</p>" + "".join(SCRIPTS))
        v.translation()
        frame = v.page.frame_locator("#preview")
        bold = frame.locator("b").inner_text()
        check("weather" in bold and "today" not in bold, f"the tag is around {bold!r}")
        v.page.click("#tab-markup")
        markup = v.page.inner_text("#target")
        check(f"<b>{bold}</b>" in markup and "onerror" in markup, markup)
        # The browser says what its policy and the sandbox keep from running.
        v.check_quiet(expected=("Content Security Policy", "sandboxed", "javascript:"))
        check(not [r for r in v.requests if r.url.endswith("/x")], "the preview loaded a picture")


@case
def keeps_scripts_in_texts_and_names_as_text(browser, base):
    with visit(browser, base) as v:
        def models(route):
            answer = route.fetch()
            listed = answer.json()
            listed["models"].append({**listed["models"][0], "name": SCRIPTS[0], "family": SCRIPTS[1],
                                     "glossaries": list(SCRIPTS)})
            route.fulfill(response=answer, json=listed)

        v.page.route("**/v1/info/models", models)
        v.open("#" + SCRIPTS[0]).ready().open_options()
        names = v.page.eval_on_selector_all("#model option", "all => all.map(option => option.textContent)")
        check(SCRIPTS[0] in names, f"models: {names}")
        names = v.page.eval_on_selector_all("#glossary option", "all => all.map(option => option.textContent)")
        check("<img src=y onerror=window.injected=1>" in names, f"glossaries: {names}")
        v.page.fill("#keep", "\n".join(SCRIPTS))
        v.page.fill("#nbest", "3")
        for text in (*SCRIPTS, SCRIPTS[0] + " ist schön."):
            v.type(text)
            v.page.focus("#target")
            v.page.keyboard.press("ArrowRight")
        check("onerror" in v.page.inner_text("#target"), v.page.inner_text("#target"))
        v.page.click("#code summary")
        check("onerror" in v.page.inner_text("#snippet"), v.page.inner_text("#snippet"))
        # An error that quotes what was sent.
        v.page.route("**/v1/translate:stream", lambda route: route.fulfill(status=400, json={"error": {
            "code": 400, "message": SCRIPTS[0], "details": [{"fieldViolations": [
                {"field": SCRIPTS[1], "description": SCRIPTS[2]}, {"field": "", "description": SCRIPTS[4]}]}]}}))
        v.page.click("#go")
        v.notice("onload")
        check(v.page.evaluate("document.querySelectorAll('#alert img, #alert svg, #alert iframe, #alert script').length")
              == 0, "an error became markup")
        v.check_quiet(expected=("400",))


# ------------------------------------------------------------------ detection


def second_model(folder):
    """A copy of the bundled model that says that it reads French."""
    copy = pathlib.Path(folder) / "fr-en"
    shutil.copytree(MODEL, copy)
    config = copy / "tokenizer_config.json"
    config.write_text(json.dumps({**json.loads(config.read_text(encoding="utf-8")), "source_lang": "fr"}), encoding="utf-8")
    return copy


@contextlib.contextmanager
def detecting():
    """A daemon that translates from German and from French, and detects which it is; None where the build cannot."""
    with tempfile.TemporaryDirectory() as folder:
        with Daemon("--model", f"de-en={MODEL}", "--model", f"fr-en={second_model(folder)}", "--language-model",
                    ROOT / "deploy/models/lid.176/lid.176.ftz", *PAGE_FLAGS, model=None) as daemon:
            yield daemon


def detects():
    version = subprocess.run([DAEMON, "--version", "--verbose"], capture_output=True, text=True, check=True).stdout
    return re.search(r"^detection +none", version, re.MULTILINE) is None


@case
def shows_the_language_that_is_detected(browser, _base):
    if not detects():
        print("SKIPPED detection on the page: this build detects no languages")
        return
    with detecting() as daemon, visit(browser, base_of(daemon)) as v:
        v.open("#auto/en").ready()
        chosen = "#source-language option:checked"
        check(v.page.input_value("#source-language") == "auto", "the languages are not detected")
        check(v.page.inner_text(chosen) == "Detect language", v.page.inner_text(chosen))
        german = v.type(TEXT)
        check("station" in german, german)
        check(v.page.inner_text(chosen) == "German (detected)", v.page.inner_text(chosen))
        check("de-en" in v.page.inner_text("#facts"), v.page.inner_text("#facts"))
        # Words belong together as in a text whose language is given.
        v.find("#target .word", has_text="station").hover()
        check(v.marked("#mirror .partner") == ["Bahnhof"], f"of station: {v.marked('#mirror .partner')}")
        v.type("Je n'ai malheureusement pas le temps aujourd'hui.")
        check(v.page.inner_text(chosen) == "French (detected)", v.page.inner_text(chosen))
        check("fr-en" in v.page.inner_text("#facts"), v.page.inner_text("#facts"))
        # In the target language already.
        english = "Where is the nearest railway station, please?"
        check(v.type(english) == english, v.page.inner_text("#target"))
        check("already" in v.page.inner_text("#facts"), v.page.inner_text("#facts"))
        # In none that is served: an error that lists those that are, and no translation.
        v.page.fill("#source", "К сожалению, у меня сегодня совсем нет времени.")
        text = v.notice("was recognised in this text")
        check("French" in text and "German" in text and "into English" in text, text)
        check(v.page.inner_text("#target") == "", v.page.inner_text("#target"))
        check(v.page.inner_text(chosen) == "Detect language", v.page.inner_text(chosen))
        # Without letters there is nothing to say.
        check(v.type("12:30 🎉") == "12:30 🎉", v.page.inner_text("#target"))
        check(not v.page.is_visible("#alert"), v.page.inner_text("#alert"))
        # No model translates into German, so the languages do not change places.
        v.type(TEXT)
        check(not v.page.is_enabled("#swap"), "swap is offered")
        # Markup is not looked at.
        v.open_options()
        v.page.select_option("#format", "text/html")
        v.page.fill("#source", "<p lang=en title='the weather'>Das <b>Wetter</b> ist heute schön.</p>")
        v.translation()
        check(v.page.inner_text(chosen) == "German (detected)", v.page.inner_text(chosen))
        v.check_quiet(expected=("Content Security Policy", "sandboxed"))


# ------------------------------------------------------------------ errors


@case
def says_what_is_wrong(browser, base):
    with visit(browser, base) as v:
        v.open().ready().open_options()
        v.page.fill("#beam", "99")
        v.page.fill("#source", "Ja.")
        text = v.notice("beam_size")
        check("expected" in text, text)
        v.page.fill("#beam", "")
        v.translation()
        check(not v.page.is_visible("#alert"), "the error stays")
        v.page.fill("#source", "a" * 30_001)
        check("30,000" in v.notice("30,001"), v.page.inner_text("#alert"))
        v.check_quiet(expected=("400",))


@case
def waits_for_a_busy_server_in_sight(browser, base):
    with visit(browser, base) as v:
        v.open().ready()
        refusals = [429, 503]

        def busy(route):
            if not refusals:
                return route.continue_()
            return route.fulfill(status=refusals.pop(0), headers={"Retry-After": "2"},
                                 json={"error": {"code": 429, "message": "the queue is full"}})

        v.page.route("**/v1/translate:stream", busy)
        v.page.fill("#source", "Ja.")
        text = v.notice(r"busy\. Next try in \d s \(1 of 5\)")
        v.notice(r"\(2 of 5\)")
        v.find("#alert button").click()
        v.find("#facts", has_text="sentence").wait_for()
        check(not v.page.is_visible("#alert"), text)
        # One that stays busy is not asked for ever.
        refusals += [429] * 5
        v.page.click("#go")
        for n in range(1, 5):
            v.notice(rf"\({n} of 5\)")
            v.find("#alert button").click()
        check("the queue is full" in v.notice("busy: "), v.page.inner_text("#alert"))
        v.find("#alert button", has_text="Try now").click()
        v.find("#facts", has_text="sentence").wait_for()
        v.check_quiet(expected=("429", "503"))


@case
def notices_an_answer_that_breaks_off(browser, base):
    with visit(browser, base) as v:
        v.open().ready()
        v.page.route("**/v1/translate:stream", lambda route: route.fulfill(
            content_type="text/event-stream", body='event: segment\ndata: {"item":0,"segment":0,"sourceBegin":"0",'
            '"sourceEnd":"3","text":"Ye","final":false}\n\n'))
        v.page.fill("#source", "Ja.")
        v.notice(r"\(1 of 5\)")
        v.page.unroute("**/v1/translate:stream")
        v.find("#alert button").click()
        v.find("#facts", has_text="sentence").wait_for()
        v.check_quiet()


@case
def notices_a_server_that_is_gone(browser, _base):
    with Daemon(*PAGE_FLAGS) as daemon, visit(browser, base_of(daemon)) as v:
        v.open().ready()
        v.type("Ja.")
        daemon.kill()
        v.page.fill("#source", "Nein.")
        v.notice(r"does not answer\. Next try in \d s \(1 of 5\)")
        v.check_quiet(expected=("ERR_CONNECTION",))


@case
def asks_for_a_key_where_one_is_needed(browser, _base):
    with tempfile.TemporaryDirectory() as folder:
        key, client, _ = subprocess.run([CLIENT, "key", "web"], capture_output=True, text=True, check=True).stdout.splitlines()
        file = pathlib.Path(folder) / "keys.json"
        file.write_text(f'{{"clients": [{client}]}}', encoding="utf-8")
        with Daemon("--api-keys", file, *PAGE_FLAGS) as daemon, visit(browser, base_of(daemon)) as v:
            v.open()
            v.find("#key-form:not([hidden])").wait_for()
            v.page.fill("#key", "wrong")
            v.page.keyboard.press("Enter")
            v.notice("key")
            v.page.fill("#key", key)
            v.page.keyboard.press("Enter")
            v.ready()
            check(v.type("Ja.") != "", "nothing is translated with a key")
            v.page.click("#code summary")
            code = v.page.inner_text("#snippet")
            check("DRAGOMAN_API_KEY" in code and key not in v.page.content(), "the key is on the page")
            check(key not in v.page.url and not any(key in r.url for r in v.requests), "the key is in an address")
            # It lives as long as the tab.
            v.page.reload()
            v.ready()
            v.check_quiet(expected=("401",))


# ------------------------------------------------------------------ code


@case
def code_says_the_same(browser, base):
    """The snippets, run: curl and Python as they stand, grpcurl's message by REST, which takes the proto's names."""
    text = "Das ist Peters \"Haus\" & 'Garten' $HOME `id` \\ 🎉."
    with visit(browser, base) as v:
        v.open().ready().open_options()
        v.page.fill("#required", "garden")
        v.page.fill("#beam", "6")
        v.page.fill("#source", text)
        expected = v.translation()
        v.page.click("#code summary")
        curl = v.page.inner_text("#snippet")
        answer = json.loads(subprocess.run(["bash", "-c", curl], capture_output=True, check=True).stdout)
        check(answer["translations"][0]["translatedText"] == expected, f"curl: {answer}, the page: {expected}")
        v.page.click("#code-tabs [data-kind=python]")
        python = v.page.inner_text("#snippet")
        answer = subprocess.run([sys.executable, "-c", python], capture_output=True, text=True, check=True).stdout
        check(answer.strip() == expected, f"Python: {answer}")
        v.page.click("#code-tabs [data-kind=grpcurl]")
        words = shlex.split(v.page.inner_text("#snippet").replace("\\\n", " "))
        check(words[0] == "grpcurl" and words[-1] == "dragoman.v1.TranslationService/Translate", f"{words}")
        body = words[words.index("-d") + 1]
        check("required_phrases" in body, body)
        request = urllib.request.Request(base + "v1/translate", body.encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            check(json.load(reply)["translations"][0]["translatedText"] == expected, "grpcurl")
        v.page.click("#copy-code")
        check(v.page.evaluate("navigator.clipboard.readText()").startswith("grpcurl"), "the code is not copied")
        v.check_quiet()


@case
def an_answer_of_another_source_is_faint(browser, base):
    """While the server is gone, what stands there is no answer to what was typed."""
    with visit(browser, base) as v:
        v.open().ready()
        check("station" in v.type(TEXT), v.page.inner_text("#target"))
        colour = "getComputedStyle(document.getElementById('target')).color"
        ink = v.page.evaluate(colour)
        v.page.route("**/v1/translate:stream", lambda route: route.abort())
        v.page.fill("#source", "Nein.")
        v.notice("does not answer")
        check(v.page.inner_text("#target") == "" or v.page.evaluate(colour) != ink, "the old answer is in full black")
        v.page.unroute("**/v1/translate:stream")
        v.find("#alert button").click()
        v.find("#facts", has_text="sentence").wait_for()
        check(v.page.evaluate(colour) == ink, "the new answer is faint")


@case
def says_known_errors_in_its_language(browser, base):
    with visit(browser, base, locale="de-DE") as v:
        v.open().ready()
        error = {"code": 403, "message": "model: found 'x', which client 'y' may not use"}
        v.page.route("**/v1/translate:stream", lambda route: route.fulfill(status=403, json={"error": error}))
        v.page.fill("#source", "Ja.")
        check("gilt nicht für das Modell" in v.notice("API-Schlüssel"), v.page.inner_text("#alert"))


@case
def the_code_has_the_port_of_grpc(browser, base):
    with detecting() as daemon, visit(browser, base_of(daemon)) as v:
        v.open().ready()
        v.page.click("#code summary")
        v.page.click("#code-tabs [data-kind=grpcurl]")
        v.find("#snippet", has_text=daemon.grpc.rsplit(":", 1)[1]).wait_for()
        v.page.click("#code-tabs [data-kind=javascript]")
        text = v.page.inner_text("#snippet")
        check(text.startswith("const answer = await fetch(") and base_of(daemon) in text, text)
        # What is shown runs: here, in the page's own scripts.
        v.page.fill("#source", "Wo ist der Bahnhof?")
        text = v.page.inner_text("#snippet")
        said = []
        v.page.on("console", lambda message: said.append(message.text))
        v.page.evaluate(f"(async () => {{ {text} }})()")
        check(any("station" in line for line in said), f"{said}: {text}")


@case
def a_phone_shows_the_translation_of_a_long_text(browser, base):
    with visit(browser, base, width=390, height=844) as v:
        v.open().ready()
        v.type("\n".join([TEXT] * 40))
        v.page.evaluate("scrollTo(0, 0)")
        for selector in ("#target", "#copy"):
            box = v.find(selector).bounding_box()
            top, bottom = box["y"], box["y"] + min(box["height"], 44)
            check(0 <= top and bottom <= 844, f"{selector} is at {top:.0f} to {bottom:.0f}, expected it on the screen")


@case
def what_a_finger_touches_has_44_pixels(browser, base):
    with visit(browser, base, width=390, height=844) as v:
        v.open().ready().open_options()
        v.page.click("#code summary")
        v.page.click("#add-term")
        v.type(TEXT)
        give(v, ("a.txt", TEXT.encode()))
        v.find("#document-list .primary").wait_for()
        small = v.page.evaluate("""
            [...document.querySelectorAll('button, select, summary, input:not([type=checkbox]), .check, a')]
            .filter(node => node.checkVisibility())
            .map(node => [node.id || node.textContent.trim(), node.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.height < 44 || box.width < 44))
            .map(([name, box]) => `${name}: ${Math.round(box.width)} x ${Math.round(box.height)}`)""")
        check(not small, f"too small: {small}")


# ------------------------------------------------------------------ documents

SUBTITLES = """1
00:00:01,000 --> 00:00:03,000
Guten Morgen! Wo ist

2
00:00:03,100 --> 00:00:05,000
der nächste Bahnhof?
"""


def give(v, *documents):
    """Chooses files, as the dialog of the browser does."""
    v.page.set_input_files("#files", [{"name": name, "mimeType": "", "buffer": content} for name, content in documents])


@case
def translates_documents(browser, base):
    with visit(browser, base) as v:
        v.open("#de/en").ready()
        give(v, ("film.srt", SUBTITLES.encode()), ("photo.png", b"\x89PNG"))
        row = v.find("#document-list li", has_text="film.srt")
        row.get_by_text("Translated", exact=True).wait_for()
        with v.page.expect_download() as downloading:
            row.get_by_text("Download").click()
        check(downloading.value.suggested_filename == "film.en.srt", downloading.value.suggested_filename)
        lines = pathlib.Path(downloading.value.path()).read_text().splitlines()
        kept = [line for line in SUBTITLES.splitlines() if "-->" in line or line.isdigit()]
        check([line for line in lines if "-->" in line or line.isdigit()] == kept, f"{lines}")
        check("morning" in lines[2] and "station" in lines[6], f"{lines}")

        row.get_by_text("Compare").click()
        first = v.find("#compare-rows tr", has_text="Guten Morgen").inner_text()
        check("morning" in first, first)
        check(v.marked("#compare-rows .same td:first-child")[1].endswith("00:00:03,000"), "equal lines are not marked")
        v.page.keyboard.press("Escape")
        check(not v.page.is_visible("#compare"), "the comparison does not close")

        other = v.find("#document-list li", has_text="photo.png")
        other.get_by_text("cannot be translated").wait_for()
        row.get_by_label("Remove film.srt").click()
        check(v.marked("#document-list .name") == ["photo.png"], f"{v.marked('#document-list .name')}")
        check([r.method for r in v.requests].count("DELETE") == 1, "the server was not asked to delete the document")
        v.check_quiet(expected=["400"])


@case
def takes_documents_that_are_dropped(browser, base):
    with visit(browser, base) as v:
        v.open("#de/en").ready()
        v.page.evaluate("""text => {
            const data = new DataTransfer();
            data.items.add(new File([text], 'brief.txt'));
            for (const kind of ['dragover', 'drop']) {
                document.body.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
            }
        }""", "Guten Morgen!")
        v.find("#document-list li", has_text="brief.txt").get_by_text("Translated", exact=True).wait_for()
        v.check_quiet()


@case
def waits_with_a_document_for_a_busy_server(browser, base):
    with visit(browser, base) as v:
        v.open("#de/en").ready()
        answers = iter([503])

        def busy(route):
            status = next(answers, None)
            if status is None:
                return route.continue_()
            return route.fulfill(status=status, headers={"Retry-After": "1"}, json={"error": {"message": "no room"}})

        v.page.route("**/v1/jobs", busy)
        give(v, ("a.txt", "Guten Morgen!".encode()))
        v.find("#document-list li", has_text="busy").wait_for()
        v.find("#document-list li").get_by_text("Translated", exact=True).wait_for()
        v.check_quiet(expected=["503"])


@case
def documents_need_a_server_with_jobs(browser, _base):
    with Daemon(*PAGE_FLAGS, "--jobs-mb", 0) as daemon, visit(browser, base_of(daemon)) as v:
        v.open().ready()
        check(not v.page.is_visible("#documents"), "documents are offered")
        v.check_quiet()


# ------------------------------------------------------------------ looks


@case
def has_nothing_that_axe_objects_to(browser, base):
    from axe_playwright_python.sync_playwright import Axe
    for scheme, width, locale in (("light", 1180, "en-US"), ("dark", 1180, "de-DE"), ("dark", 360, "en-GB"),
                                  ("light", 360, "de-AT")):
        with visit(browser, base, scheme=scheme, width=width, locale=locale) as v:
            v.open().ready()
            reports = [Axe().run(v.page)]
            v.open_options()
            v.page.click("#code summary")
            v.page.click("#add-term")
            v.page.fill("#nbest", "3")
            v.type(TEXT)
            v.find("#target .word >> nth=1").hover()
            reports.append(Axe().run(v.page))
            give(v, ("a.txt", TEXT.encode()), ("photo.png", b"x"))
            v.find("#document-list .failed").wait_for()
            v.find("#document-list .primary").wait_for()
            reports.append(Axe().run(v.page))
            v.page.click("#document-list .buttons button >> nth=1")
            v.find("#compare").wait_for()
            reports.append(Axe().run(v.page))
            v.page.click("#compare-close")
            v.page.fill("#beam", "99")
            v.notice("beam_size")
            v.page.evaluate("document.getElementById('key-form').hidden = false")
            reports.append(Axe().run(v.page))
            for report in reports:
                found = [f"{one['id']}: {[node['html'] for node in one['nodes']]}"
                         for one in report.response["violations"]]
                check(not found, f"{scheme}, {width} wide: {found}")
                check(len(report.response["passes"]) > 15, f"axe looked at {len(report.response['passes'])} rules only")


@case
def follows_system_language_and_width(browser, base):
    def brightness(v, property_name):
        colour = v.page.evaluate(f"getComputedStyle(document.body).{property_name}")
        return sum(int(part) for part in re.findall(r"\d+", colour)[:3])

    for scheme, locale, word in (("light", "en-US", "Translate"), ("dark", "de-CH", "Übersetzen"),
                                 ("dark", "fr-FR", "Translate")):
        with visit(browser, base, scheme=scheme, locale=locale, width=360, height=740) as v:
            v.open().ready().open_options()
            v.page.click("#code summary")
            check(v.page.inner_text("#go") == word, f"{locale}: {v.page.inner_text('#go')}")
            is_light = brightness(v, "backgroundColor") > brightness(v, "color")
            check(is_light == (scheme == "light"), f"{scheme}: the page is {'light' if is_light else 'dark'}")
            v.page.fill("#nbest", "3")
            v.type(TEXT + " " + "Donaudampfschifffahrtsgesellschaftskapitän" * 3)
            width = v.page.evaluate("document.documentElement.scrollWidth")
            check(width <= 360, f"the page is {width} wide on a phone of 360")
            # The switch wins over the browser, and is remembered.
            v.page.select_option("#ui-language", "de")
            check(v.page.inner_text("#go") == "Übersetzen", v.page.inner_text("#go"))
            v.page.reload()
            v.ready()
            check(v.page.evaluate("document.documentElement.lang") == "de", "the language is forgotten")
            v.check_quiet()


@case
def works_by_keyboard_alone(browser, base):
    with visit(browser, base) as v:
        v.open().ready()
        check(v.page.evaluate("document.activeElement.id") == "source", "the text field has no focus at first")
        v.page.keyboard.type("Guten Morgen!")
        v.page.keyboard.press("Control+Enter")
        check(v.translation() != "", "nothing is translated")
        reached = []
        for _ in range(40):
            v.page.keyboard.press("Tab")
            reached.append(v.page.evaluate("document.activeElement.id || document.activeElement.tagName"))
            if reached[-1] in ("SUMMARY", "A") and "options" not in reached:
                v.page.keyboard.press("Enter") if reached[-1] == "SUMMARY" else None
            if reached[-1] == "A":
                break
        for name in ("clear", "go", "target", "copy", "choose", "model", "beam", "nbest", "format", "align", "required",
                     "glossary", "add-term", "reset", "copy-code", "A"):
            check(name in reached, f"{name} is not reached by the keyboard: {reached}")
        v.check_quiet()


@case
def docs_shows_the_api_and_tries_it(browser, base):
    """/docs has every path of the description, asks nobody else, and sends a request that is answered."""
    with urllib.request.urlopen(base + "v1/openapi.json") as answer:
        paths = json.load(answer)["paths"]
    with visit(browser, base) as v:
        v.page.goto(base + "docs")
        for path in paths:
            v.page.locator(".section-endpoint-head .path, .endpoint-head .path", has_text=path).first.wait_for()
        v.page.locator(".endpoint-head", has_text="/v1/languages").click()
        with v.page.expect_response("**/v1/languages*") as answered:
            v.page.get_by_role("button", name="TRY").click()
        check("languages" in answered.value.json(), answered.value.text())
        v.check_quiet()


@case
def is_not_there_when_turned_off(_browser, _base):
    with Daemon(*PAGE_FLAGS, "--page", "off") as daemon:
        for path, status in (("", 404), ("page/main.js", 404), ("v1/info", 200)):
            try:
                with urllib.request.urlopen(base_of(daemon) + path) as answer:
                    found = answer.status
            except urllib.error.HTTPError as error:
                found = error.code
            check(found == status, f"/{path}: {found}, expected {status}")


# ------------------------------------------------------------------ the run

PAGE_FLAGS = ("--http", "127.0.0.1:0", "--cpu-workers", 1)


def take_screenshots(browser, base, folder):
    text = ("Das Wetter ist heute schön, aber gestern hat es den ganzen Tag geregnet. Kannst du mir sagen, wo der "
            "Bahnhof ist?\nEr hat das Buch gelesen, das ich ihm gegeben habe.")
    for name, scheme, width, height, locale in (("page", "light", 1180, 756, "en-US"), ("dark", "dark", 1180, 700, "de-DE"),
                                                ("phone", "light", 375, 812, "en-US"),
                                                ("phone-dark", "dark", 375, 812, "de-DE")):
        with visit(browser, base, scheme=scheme, width=width, height=height, locale=locale) as v:
            v.open("#auto/en").ready().open_options()
            v.page.fill("#nbest", "4")
            if name == "page":
                v.page.click("#options summary")
            v.type(text)
            v.find("#target .word", has_text="today").hover()
            v.page.screenshot(path=f"{folder}/{name}.png", full_page=name != "page")


def run(playwright, arguments):
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    failed = []
    with tempfile.TemporaryDirectory() as glossaries:
        pathlib.Path(glossaries, "weather.tsv").write_text("Wetter\tsunshine\n", encoding="utf-8")
        pathlib.Path(glossaries, "<img src=y onerror=window.injected=1>.tsv").write_text("a\tb\n", encoding="utf-8")
        with Daemon(*PAGE_FLAGS, "--glossary-dir", glossaries) as daemon:
            if arguments.screenshots:
                with detecting() as detector:
                    take_screenshots(browser, base_of(detector), arguments.screenshots)
                return []
            for name in arguments.cases or CASES:
                try:
                    CASES[name](browser, base_of(daemon))
                    print(f"passed: {name}", flush=True)
                except Exception as error:  # one case's trouble is not the next one's
                    failed.append(name)
                    where = [f"{step.name}:{step.lineno}" for step in traceback.extract_tb(error.__traceback__)
                             if step.filename == __file__]
                    print(f"FAILED: {name}: {error} (at {', '.join(where[1:])})", flush=True)
    browser.close()
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshots", help="a folder; writes pictures of the page and ends")
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}")
    arguments = parser.parse_args()
    unknown = set(arguments.cases) - set(CASES)
    if unknown:
        parser.error(f"found {sorted(unknown)}, expected some of {sorted(CASES)}")
    try:
        import axe_playwright_python  # noqa: F401
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        skip(f"no Python package {error.name}")
    if shutil.which("chromium") is None:
        skip("no chromium")
    with sync_playwright() as playwright:
        failed = run(playwright, arguments)
    print(f"FAILED: {len(failed)} of the page's cases" if failed else "passed: the page")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
