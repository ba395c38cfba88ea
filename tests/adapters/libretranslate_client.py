#!/usr/bin/env python3
"""LibreTranslate's clients from PyPI, unchanged, and what Mastodon and Weblate send."""

from harness import ENGLISH, GERMAN, AdapterDaemon, check, need, raises, run

need("libretranslatepy", "deep_translator", "requests")
import deep_translator  # noqa: E402
import deep_translator.exceptions  # noqa: E402
import libretranslatepy  # noqa: E402
import requests  # noqa: E402

import urllib.error  # noqa: E402


def test_libretranslatepy(server):
    api = libretranslatepy.LibreTranslateAPI(server.url)
    check(ENGLISH in api.translate(GERMAN, "de", "en"), "no translation")
    languages = api.languages()
    check({"code": "de", "name": "German", "targets": ["de", "en"]} in languages, f"languages: {languages}")
    if server.detects():
        found = api.detect(GERMAN)
        check(found[0]["language"] == "de" and found[0]["confidence"] > 50, f"detected {found}")
    error = raises(urllib.error.HTTPError, lambda: api.translate(GERMAN, "de", "xx"))
    check(error.code == 400, f"an unknown language is {error.code}")


def test_files(server):
    document = ("a.html", b"<p>Guten <b>Morgen</b>!</p>")
    answer = requests.post(
        server.url + "/translate_file", files={"file": document}, data={"source": "de", "target": "en"}, timeout=60
    )
    check(answer.status_code == 200, f"answer: {answer.text}")
    file = requests.get(answer.json()["translatedFileUrl"], timeout=60)
    check(file.content == b"<p>Good <b>morning</b>.</p>", f"file: {file.content}")


def test_libretranslatepy_with_a_key(_):
    with AdapterDaemon(keys={"web": "secret"}) as server:
        right = libretranslatepy.LibreTranslateAPI(server.url + "/", api_key="secret")
        check(ENGLISH in right.translate(GERMAN, "de", "en"), "no translation")
        check(right.languages(), "no languages")
        wrong = libretranslatepy.LibreTranslateAPI(server.url, api_key="wrong")
        error = raises(urllib.error.HTTPError, lambda: wrong.translate(GERMAN, "de", "en"))
        check(error.code == 403, f"a wrong key is {error.code}")
        error = raises(urllib.error.HTTPError, lambda: wrong.detect(GERMAN))
        check(error.code == 403, f"a wrong key is {error.code}")
        check(wrong.languages(), "languages need no key")  # as in the original


def deep_libre(server, key="any"):
    return deep_translator.LibreTranslator(
        source="de", target="en", api_key=key, use_free_api=False, custom_url=server.url + "/"
    )


def test_deep_translator(server):
    translator = deep_libre(server)
    check(ENGLISH in translator.translate(GERMAN), "no translation")
    batch = translator.translate_batch([GERMAN, "Die Katze schläft."])
    check(ENGLISH in batch[0] and "cat" in batch[1], f"a batch: {batch}")


def test_deep_translator_with_a_key(_):
    with AdapterDaemon(keys={"web": "secret"}) as server:
        check(ENGLISH in deep_libre(server, "secret").translate(GERMAN), "no translation")
        wrong = deep_libre(server, "wrong")
        raises(deep_translator.exceptions.AuthorizationException, lambda: wrong.translate(GERMAN))


def test_mastodon(server):
    """As Mastodon's TranslationService::LibreTranslate asks."""
    as_json = {"Content-Type": "application/json"}
    pairs = requests.get(f"{server.url}/languages", headers=as_json, timeout=30).json()
    check(pairs[0]["code"] and pairs[0]["targets"], f"languages: {pairs}")
    texts = ["<p>Der Hund schläft.</p>", "<p>Die <b>Katze</b> auch.</p>"]
    source = "auto" if server.detects() else "de"
    answer = requests.post(
        f"{server.url}/translate",
        json={"q": texts, "source": source, "target": "en", "format": "html", "api_key": ""},
        timeout=30,
    )
    check(answer.status_code == 200, answer.text)
    body = answer.json()
    check(len(body["translatedText"]) == 2, f"answer: {body}")
    check(body["translatedText"][0].startswith("<p>") and ENGLISH in body["translatedText"][0], f"answer: {body}")
    check("<b>" in body["translatedText"][1], f"answer: {body}")
    if source == "auto":
        languages = [one["language"] for one in body["detectedLanguage"]]
        check(languages == ["de", "de"], f"detected: {languages}")


def test_weblate(server):
    """As Weblate's machinery asks: a list at a time."""
    answer = requests.post(
        f"{server.url}/translate",
        json={"api_key": "", "q": [GERMAN, "Die Katze schläft."], "source": "de", "target": "en"},
        timeout=30,
    )
    check(answer.status_code == 200 and len(answer.json()["translatedText"]) == 2, answer.text)


def test_cross_origin(server):
    """As a page of another site asks, from a browser."""
    for answer in (
        requests.options(f"{server.url}/translate", headers={"Origin": "https://example.org"}, timeout=30),
        requests.post(f"{server.url}/translate", data={"q": ""}, timeout=30),
        requests.get(f"{server.url}/languages", timeout=30),
    ):
        check(answer.headers.get("Access-Control-Allow-Origin") == "*", f"headers: {answer.headers}")


if __name__ == "__main__":
    run(globals())
