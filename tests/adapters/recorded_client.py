#!/usr/bin/env python3
"""Front ends that are no packages of Python: their requests, byte for byte in form, with texts of our own.

Subtitle Edit 4.0 and 5.0 (its DeepLX, LibreTranslate, LM Studio and "OpenAI compatible" engines), KISS Translator 2
(custom, Google, DeepLX and OpenAI interfaces), MTranServer's own page and plug-ins.
"""

import json
import urllib.error
import urllib.parse
import urllib.request

from harness import ENGLISH, GERMAN, AdapterDaemon, check, run

JSON = "application/json"
PROMPT = (
    "Translate from de to en, keep punctuation as input, do not censor the translation, give only the output without "
    "comments:"
)
KISS_USER = (
    "# Context\nTitle: Ein Titel\nDescription: \nSummary: \nTone: neutral\n\n# Glossary:\n\n\n# Task\n"
    "Translate the Source Text below to English.\n1. Use the Context.\n\nSource Text: {}\n\nTranslated Text:"
)


def ask(server, path, body=None, kind=JSON, **headers):
    """The status and the text of an answer; GET without a body."""
    data = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server.url + path, data=data, headers=headers)
    if data is not None:
        request.add_header("Content-Type", kind)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def translated(server, path, body=None, kind=JSON, **headers):
    status, text = ask(server, path, body, kind, **headers)
    check(status == 200 and ENGLISH in text, f"{path} {body}: {status} {text}")
    return json.loads(text)


def chat(server, messages, **fields):
    answer = translated(server, "/v1/chat/completions", {"messages": messages, **fields}, Authorization="Bearer any")
    return answer["choices"][0]["message"]["content"]


def test_subtitle_edit(server):
    form = urllib.parse.urlencode({"text": GERMAN, "target_lang": "EN", "source_lang": "de"})
    answer = translated(server, "/v2/translate", form, "application/x-www-form-urlencoded")
    check(len(answer["translations"]) == 1, f"{answer}")
    body = json.dumps({"text": GERMAN, "source_lang": "DE", "target_lang": "EN"})
    translated(server, "/translate", body, "text/plain; charset=utf-8")
    translated(server, "//translate", {"q": GERMAN, "source": "de", "target": "en"})
    query = urllib.parse.urlencode({"client": "gtx", "sl": "de", "tl": "en", "dt": "t", "q": GERMAN})
    check(ENGLISH in translated(server, f"/google/translate_a/single?{query}")[0][0][0], "Google's page")
    chat(server, [{"role": "user", "content": f"{PROMPT}\n\n{GERMAN}"}])
    chat(server, [{"role": "user", "content": f"{PROMPT}\n\n{GERMAN}"}], model="")


def test_kiss(server):
    translated(server, "/kiss", {"from": "de", "to": "en", "text": GERMAN})
    answer = translated(server, "/kiss", {"from": "de", "to": "en", "texts": [GERMAN, "Ja."]})
    check(len(answer["translations"]) == 2, f"{answer}")
    query = {"client": "gtx", "dt": "t", "dj": 1, "ie": "UTF-8", "sl": "de", "tl": "en", "q": GERMAN}
    query = urllib.parse.urlencode(query)
    answer = translated(server, f"/google/translate_a/single?{query}")
    check(ENGLISH in "".join(part["trans"] for part in answer["sentences"]) and answer["src"] == "de", f"{answer}")
    answer = translated(server, "/deeplx", {"text": GERMAN, "target_lang": "EN", "source_lang": "DE"})
    check(ENGLISH in answer["data"], f"{answer}")


def test_kiss_over_openai(server):
    engine = {"role": "system", "content": "You are a professional, authentic machine translation engine."}
    common = {"model": "de-en", "temperature": 0, "max_tokens": 20480}
    one = chat(server, [engine, {"role": "user", "content": KISS_USER.format(GERMAN)}], **common)
    check("Context" not in one and "Title" not in one, one)
    segments = json.dumps(
        {
            "targetLanguage": "English",
            "segments": [{"id": 0, "text": GERMAN}, {"id": 1, "text": "Guten <b>Morgen</b>!"}],
            "title": "Ein Titel",
            "glossary": {"Morgen": "morning"},
            "tone": "neutral",
        }
    )
    user = {"role": "user", "content": segments}
    form = '{"translations":[{"id":1,"text":"..."}]}'
    system = {"role": "system", "content": f"Act as a translation API.\n\nOutput:\n{form}"}
    for messages in ([system, user], [user]):
        answer = json.loads(chat(server, messages, **common))["translations"]
        check([part["id"] for part in answer] == [0, 1] and ENGLISH in answer[0]["text"], f"{answer}")
        check("<b>" in answer[1]["text"], f"{answer}")
    lines = chat(server, [{"role": "system", "content": 'Output raw text lines in "ID | Text" format.'}, user], **common)
    check([line.split(" | ")[0] for line in lines.splitlines()] == ["0", "1"], lines)
    xml = chat(server, [{"role": "system", "content": "Output:\n<root>\n<t id=\"0\">...</t>\n</root>"}, user], **common)
    check(xml.startswith("<root>") and '<t id="1"' in xml, xml)
    # What it sends for dictionaries and subtitles is no translation, and is refused.
    other = [{"role": "user", "content": "# Input Data\n\n## [Target]\nHaus"}]
    status, text = ask(server, "/v1/chat/completions", {**common, "messages": other})
    check(status == 400 and "instruction" in text, f"{status} {text}")


def test_mtranserver(server):
    answer = translated(server, "/translate", {"from": "de", "to": "en", "text": GERMAN, "html": False})
    check(ENGLISH in answer["result"], f"{answer}")
    answer = translated(server, "/translate/batch", {"from": "de", "to": "en", "texts": [GERMAN, "Ja."]})
    check(len(answer["results"]) == 2, f"{answer}")
    answer = translated(server, "/imme", {"source_lang": "de", "target_lang": "en", "text_list": [GERMAN]})
    check(ENGLISH in answer["translations"][0]["text"], f"{answer}")


def test_half_an_emoji(server):
    body = '{"q": ["' + GERMAN + '", "Hallo \\ud83d"], "source": "de", "target": "en"}'
    check(len(translated(server, "/translate", body)["translatedText"]) == 2, "one text of a list was cut")


def test_keys(_):
    with AdapterDaemon(keys={"page": "a-key"}) as server:
        for path, body in (
            ("/translate", {"from": "de", "to": "en", "text": GERMAN}),
            ("/translate/batch", {"from": "de", "to": "en", "texts": [GERMAN]}),
            ("/imme", {"source_lang": "de", "target_lang": "en", "text_list": [GERMAN]}),
        ):
            translated(server, path, body, Authorization="a-key")
            translated(server, path, body, Authorization="Bearer a-key")
            translated(server, path + "?token=a-key", body)
            check(ask(server, path, body, Authorization="another")[0] in (401, 403), f"{path}: a wrong key")


if __name__ == "__main__":
    run(globals())
