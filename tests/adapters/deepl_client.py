#!/usr/bin/env python3
"""DeepL's official client and deep-translator's, from PyPI, unchanged."""

import pathlib
import tempfile
import threading
import time

from harness import ENGLISH, GERMAN, GLOSSARY, AdapterDaemon, check, need, own_loopback_address, raises, run

need("deepl", "deep_translator")
import deep_translator  # noqa: E402
import deep_translator.exceptions  # noqa: E402
import deepl  # noqa: E402
import requests  # noqa: E402


def client(server, key="any:fx"):
    return deepl.DeepLClient(key, server_url=server.url, send_platform_info=False)


def test_text(server):
    one = client(server).translate_text(GERMAN, source_lang="DE", target_lang="EN-US")
    check(ENGLISH in one.text, f"translated: {one.text}")
    check(one.detected_source_lang == "DE", f"source: {one.detected_source_lang}")
    check(one.billed_characters == len(GERMAN), f"characters: {one.billed_characters}")
    two = client(server).translate_text([GERMAN, "Die Katze schläft."], source_lang="DE", target_lang="EN-GB")
    check(len(two) == 2 and "cat" in two[1].text, f"translated: {two}")


def test_detection(server):
    translate = lambda: client(server).translate_text(GERMAN, target_lang="EN-US")  # noqa: E731
    if server.detects():
        check(translate().detected_source_lang == "DE", "the language was not found")
    else:
        raises(deepl.DeepLException, translate, "auto")


def test_options(server):
    translator = client(server)

    def translate(text=GERMAN, **options):
        return translator.translate_text(text, source_lang="DE", target_lang="EN-US", **options)

    check(ENGLISH in translate(formality="prefer_more").text, "prefer_more")
    raises(deepl.DeepLException, lambda: translate(formality="more"), "formality")
    check(translate(model_type="latency_optimized").model_type_used == "latency_optimized", "model_type")
    for split in deepl.SplitSentences:
        check(ENGLISH in translate(split_sentences=split).text, f"split_sentences {split}")


def test_tags(server):
    translator = client(server)

    def translate(text, **options):
        return translator.translate_text(text, source_lang="DE", target_lang="EN-US", **options).text

    html = translate("<p>Der <b>Hund</b> schläft.</p>", tag_handling="html")
    check(html.startswith("<p>") and "<b>dog</b>" in html, html)
    weblate = translate(
        'Der Hund schläft in <x id="3"></x>.', tag_handling="xml", ignore_tags=["x"], outline_detection=True
    )
    check('<x id="3"></x>' in weblate and ENGLISH in weblate, weblate)
    kept = translate("Der <x>Hund</x> schläft.", tag_handling="xml", ignore_tags="x")
    check("<x>Hund</x>" in kept, kept)
    split = translate(
        "<doc><par>Der Hund schläft.</par><par>Die Katze schläft.</par></doc>",
        tag_handling="xml",
        splitting_tags=["par"],
        non_splitting_tags=["doc"],
        tag_handling_version="v2",
    )
    check(split.startswith("<doc><par>") and split.count("<par>") == 2 and "cat" in split, split)
    raises(deepl.DeepLException, lambda: translate("<a>Hund", tag_handling="xml"), "Tag handling parsing failed")


def test_languages(server):
    sources = client(server).get_source_languages()
    check([one.code for one in sources] == ["DE"] and sources[0].name == "German", f"sources: {sources}")
    targets = {one.code: one for one in client(server).get_target_languages()}
    check(sorted(targets) == ["EN-GB", "EN-US"], f"targets: {sorted(targets)}")
    check(targets["EN-US"].name == "English (American)", targets["EN-US"].name)
    check(not targets["EN-US"].supports_formality, "formality")


def test_usage(server):
    before = client(server).get_usage().character
    client(server).translate_text(GERMAN, source_lang="DE", target_lang="EN-US")
    usage = client(server).get_usage()
    check(usage.character.valid and not usage.any_limit_reached, f"usage: {usage}")
    check(usage.character.count == before.count + len(GERMAN), f"before {before}, after {usage}")


def test_glossaries(server):
    translator = client(server)
    (glossary,) = translator.list_glossaries()
    check(glossary.name == "animals" and glossary.ready, f"glossary: {glossary}")
    check((glossary.source_lang.lower(), glossary.target_lang.lower()) == ("de", "en"), f"glossary: {glossary}")
    check(glossary.entry_count == len(GLOSSARY), f"entries: {glossary.entry_count}")
    check(translator.get_glossary(glossary.glossary_id).glossary_id == glossary.glossary_id, "another glossary")
    check(translator.get_glossary_entries(glossary) == GLOSSARY, "other entries")
    pairs = translator.get_glossary_languages()
    names = [(one.source_lang.lower(), one.target_lang.lower()) for one in pairs]
    check(names == [("de", "en")], f"pairs: {names}")
    text = translator.translate_text_with_glossary(GERMAN, glossary, target_lang="EN-US").text
    check("hound" in text, f"with the glossary: {text}")
    raises(deepl.GlossaryNotFoundException, lambda: translator.get_glossary("none"))
    raises(deepl.DeepLException, lambda: translator.delete_glossary(glossary), "operator")
    raises(
        deepl.DeepLException,
        lambda: translator.create_glossary("new", "DE", "EN", {"a": "b"}),
        "operator",
    )


def test_documents(server):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "a.html")
        source.write_text("<p>Guten <b>Morgen</b>!</p>")
        target = pathlib.Path(folder, "b.html")
        status = client(server).translate_document_from_filepath(
            source, target, source_lang="DE", target_lang="EN-US"
        )
        check(status.done and status.billed_characters > 0, f"status: {status}")
        check(target.read_text() == "<p>Good <b>morning</b>.</p>", f"document: {target.read_text()}")
        broken = pathlib.Path(folder, "a.docx")
        broken.write_text("no archive")
        raises(
            deepl.DocumentTranslationException,
            lambda: client(server).translate_document_from_filepath(
                broken, pathlib.Path(folder, "b.docx"), target_lang="EN-US"
            ),
            "zip archive",
        )


def test_keys(_):
    with AdapterDaemon(keys={"web": "secret"}) as server:
        check(client(server, "secret").get_usage().character.valid, "no usage")
        text = client(server, "secret").translate_text(GERMAN, source_lang="DE", target_lang="EN-US").text
        check(ENGLISH in text, f"translated: {text}")
        wrong = client(server, "wrong")
        raises(deepl.AuthorizationException, wrong.get_usage)
        raises(
            deepl.AuthorizationException,
            lambda: wrong.translate_text(GERMAN, source_lang="DE", target_lang="EN-US"),
        )


def test_old_keys(_):
    """As older clients send a key: in the body. Each key has its own usage."""
    with AdapterDaemon(keys={"web": "secret", "other": "hidden"}) as server:
        form = {"auth_key": "secret", "text": GERMAN, "source_lang": "DE", "target_lang": "EN"}
        for body in ({"data": form}, {"json": {**form, "text": [GERMAN]}}):
            answer = requests.post(f"{server.url}/v2/translate", timeout=60, **body)
            check(answer.status_code == 200 and ENGLISH in answer.text, answer.text)
        usage = requests.post(f"{server.url}/v2/translate", params={"auth_key": "secret"}, data={"text": "a"}, timeout=60)
        check(usage.status_code == 403 and "auth_key in the query" in usage.json()["message"], usage.text)
        check(client(server, "secret").get_usage().character.count == 2 * len(GERMAN), "usage of the key")
        check(client(server, "hidden").get_usage().character.count == 0, "usage of the other key")


def deep(server, key="any"):
    # It has no argument for another server.
    translator = deep_translator.DeeplTranslator(api_key=key, source="de", target="en", use_free_api=True)
    translator._base_url = f"{server.url}/v2/"
    return translator


def test_deep_translator(server):
    check(ENGLISH in deep(server).translate(GERMAN), "no translation")


def test_deep_translator_sends_its_key_in_the_query(_):
    """Which is not accepted, and the answer says so."""
    with AdapterDaemon(keys={"web": "secret"}) as server:
        raises(deep_translator.exceptions.AuthorizationException, lambda: deep(server, "secret").translate(GERMAN))


def test_a_drain_is_not_noticed(_):
    """The client tries again, and finds the next daemon at the address of the one before."""
    texts, errors = [], []
    stop = threading.Event()

    def work(translator):
        while not stop.is_set():
            try:
                texts.append(translator.translate_text(GERMAN, source_lang="DE", target_lang="EN-US").text)
            except Exception as error:  # any at all would be noticed
                errors.append(error)
                return

    with AdapterDaemon("--lame-duck-seconds", 1, "--http", own_loopback_address() + ":0") as first:
        address = first.http_address
        worker = threading.Thread(target=work, args=[client(first)])
        worker.start()
        try:
            while not texts and not errors:
                time.sleep(0.01)
            first.stop()
            before = len(texts)
            with AdapterDaemon("--http", address) as second:
                check(second.http_address == address, f"another address: {second.http_address}")
                end = time.monotonic() + 60
                while len(texts) < before + 3 and not errors and time.monotonic() < end:
                    time.sleep(0.01)
                stop.set()
                worker.join()
        finally:
            stop.set()
            worker.join()
    check(not errors, f"the client noticed: {errors}")
    check(len(texts) >= before + 3 and all(ENGLISH in text for text in texts), f"{len(texts)} translations")


def test_overload_is_not_noticed(_):
    """429 is tried again by the client until there is room."""
    with AdapterDaemon("--max-queue-segments", 4) as server:
        texts, errors = [], []

        def work():
            try:
                found = client(server).translate_text([GERMAN] * 4, source_lang="DE", target_lang="EN-US")
                texts.extend(one.text for one in found)
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    check(not errors and len(texts) == 24, f"{len(texts)} translations, {errors}")


if __name__ == "__main__":
    run(globals(), glossary=GLOSSARY)
