#!/usr/bin/env python3
"""google-cloud-translate, unchanged: v3 over gRPC, v3 over REST, v2; argument by argument."""

from harness import ENGLISH, GERMAN, GLOSSARY, AdapterDaemon, check, need, raises, run

need("google.cloud.translate_v3", "requests")
import grpc  # noqa: E402
import requests  # noqa: E402
from google.api_core import exceptions  # noqa: E402
from google.api_core.client_options import ClientOptions  # noqa: E402
from google.auth.credentials import AnonymousCredentials  # noqa: E402
from google.cloud import translate_v2, translate_v3  # noqa: E402
from google.cloud.translate_v3.services.translation_service import transports  # noqa: E402

PARENT = "projects/p/locations/global"
NMT = f"{PARENT}/models/general/nmt"


def over_grpc(server):
    channel = grpc.insecure_channel(server.grpc)
    return translate_v3.TranslationServiceClient(transport=transports.TranslationServiceGrpcTransport(channel=channel))


def over_rest(server):
    transport = transports.TranslationServiceRestTransport(
        credentials=AnonymousCredentials(), host=server.http_address, url_scheme="http"
    )
    return translate_v3.TranslationServiceClient(transport=transport)


def over_v2(server):
    return translate_v2.Client(
        credentials=AnonymousCredentials(), client_options=ClientOptions(api_endpoint=server.url)
    )


BOTH = (over_grpc, over_rest)


def ask(client, text=GERMAN, **fields):
    request = {"contents": [text], "source_language_code": "de", "target_language_code": "en", "parent": PARENT}
    return client.translate_text(request={**request, **fields})


def test_translate_text(server):
    for make in BOTH:
        client = make(server)
        answer = client.translate_text(
            parent=PARENT, contents=[GERMAN, "Die Katze."], target_language_code="en", source_language_code="de"
        )
        texts = [one.translated_text for one in answer.translations]
        check(ENGLISH in texts[0] and "cat" in texts[1], f"translations: {texts}")
        check(not answer.translations[0].model, f"a model that nobody named: {answer}")
        check(not answer.translations[0].detected_language_code, f"a language that was given: {answer}")
        check(len(answer.glossary_translations) == 0, f"glossary translations: {answer}")


def test_mime_type(server):
    for make in BOTH:
        client = make(server)
        html = "<p>Der <b>Hund</b> schläft.</p>"
        check("<b>dog</b>" in ask(client, html).translations[0].translated_text, "none is not HTML")
        check("<b>dog</b>" in ask(client, html, mime_type="text/html").translations[0].translated_text, "not HTML")
        plain = ask(client, "Der Hund < Katze.", mime_type="text/plain").translations[0].translated_text
        check("&lt;" not in plain, f"plain text: {plain}")
        raises(exceptions.InvalidArgument if make is over_grpc else exceptions.BadRequest,
               lambda: ask(client, mime_type="text/pdf"), "mime_type")


def test_model(server):
    for make in BOTH:
        client = make(server)
        for path in (NMT, f"{PARENT}/models/general/base", f"{PARENT}/models/de-en"):
            answer = ask(client, model=path)
            check(answer.translations[0].model == path, f"the model's name: {answer}")
        raises(exceptions.NotFound, lambda: ask(client, model=f"{PARENT}/models/none"), "none")


def test_languages(server):
    for make in BOTH:
        client = make(server)
        check(ENGLISH in ask(client, source_language_code="de-AT").translations[0].translated_text, "a region")
        check(ENGLISH in ask(client, target_language_code="en-US").translations[0].translated_text, "a region")
        bad = exceptions.BadRequest  # of which InvalidArgument is one
        raises(bad, lambda: ask(client, target_language_code="xx"), "xx")
        raises(bad, lambda: ask(client, source_language_code="xx"), "xx")


def test_source_is_detected(server):
    for make in BOTH:
        answer = ask(make(server), source_language_code="")
        check(ENGLISH in answer.translations[0].translated_text, f"no translation: {answer}")
        if server.detects():
            check(answer.translations[0].detected_language_code == "de", f"not detected: {answer}")


def test_glossary(server):
    for make in BOTH:
        client = make(server)
        config = {"glossary": f"{PARENT}/glossaries/animals", "ignore_case": True}
        answer = ask(client, "Der hund schläft.", glossary_config=config)
        found = answer.glossary_translations[0]
        check(GLOSSARY["Hund"] in found.translated_text, f"without the term: {answer}")
        check(found.glossary_config.glossary == config["glossary"], f"the glossary is not echoed: {answer}")
        check(answer.translations[0].translated_text == found.translated_text, f"both differ: {answer}")
        raises(exceptions.NotFound, lambda: ask(client, glossary_config={"glossary": "none"}), "none")
        config["contextual_translation_enabled"] = True
        raises(exceptions.MethodNotImplemented, lambda: ask(client, glossary_config=config), "contextual")


def test_transliteration(server):
    for make in BOTH:
        client = make(server)
        off = ask(client, transliteration_config={"enable_transliteration": False})
        check(ENGLISH in off.translations[0].translated_text, "off is refused")
        raises(
            exceptions.MethodNotImplemented,
            lambda: ask(client, transliteration_config={"enable_transliteration": True}),
            "transliteration",
        )


def test_labels(server):
    for make in BOTH:
        ask(make(server), labels={"team": make.__name__})
        check(server.logs(make.__name__), "the label is not in the log")


def test_limits(server):
    for make in BOTH:
        client = make(server)
        raises(exceptions.BadRequest, lambda: ask(client, contents=["x"] * 1025), "1025")
        raises(exceptions.BadRequest, lambda: ask(client, "ä" * 30001), "30001")
        raises(exceptions.BadRequest, lambda: ask(client, contents=[]), "contents")


def test_translate_document(server):
    subtitles = b"1\n00:00:01,000 --> 00:00:02,000\n" + GERMAN.encode() + b"\n"
    for make in BOTH:
        client = make(server)

        def document(content=subtitles, mime_type="application/x-subrip", **fields):
            return client.translate_document(
                request={
                    "parent": PARENT,
                    "source_language_code": "de",
                    "target_language_code": "en",
                    "document_input_config": {"content": content, "mime_type": mime_type},
                    **fields,
                }
            )

        answer = document(model=NMT, document_output_config={"mime_type": "application/x-subrip"})
        found = answer.document_translation
        times, text = found.byte_stream_outputs[0].decode().split("000\n")
        check(times == "1\n00:00:01,000 --> 00:00:02," and ENGLISH in text, f"document: {answer}")
        check(found.mime_type == "application/x-subrip" and answer.model == NMT, f"document: {answer}")
        terms = document(glossary_config={"glossary": f"{PARENT}/glossaries/animals"}).glossary_document_translation
        check(GLOSSARY["Hund"] in terms.byte_stream_outputs[0].decode(), f"without the term: {terms}")
        raises(exceptions.BadRequest, lambda: document(mime_type="application/pdf"), "mime_type", "application/x-subrip")
        raises(exceptions.BadRequest, lambda: document(b"no times"), "00:00:01,000")
        raises(exceptions.BadRequest, lambda: document(document_output_config={"mime_type": "text/html"}), "mime_type")
        raises(exceptions.MethodNotImplemented, lambda: document(is_translate_native_pdf_only=True), "native_pdf")
        raises(
            exceptions.MethodNotImplemented,
            lambda: document(document_input_config={"gcs_source": {"input_uri": "gs://a/b"}, "mime_type": "text/html"}),
            "gcs_source",
        )


def test_get_supported_languages(server):
    for make in BOTH:
        client = make(server)
        plain = client.get_supported_languages(parent=PARENT).languages
        check([one.language_code for one in plain] == ["de", "en"], f"languages: {plain}")
        check(not plain[0].display_name, f"a name that nobody asked for: {plain}")
        check(plain[0].support_source and not plain[0].support_target, f"directions: {plain}")
        named = client.get_supported_languages(parent=PARENT, display_language_code="de").languages
        check(named[1].display_name == "Englisch", f"names: {named}")
        check(client.get_supported_languages(parent=PARENT, model=NMT).languages, "by model")
        raises(exceptions.NotFound, lambda: client.get_supported_languages(parent=PARENT, model="none"), "none")


def test_glossaries(server):
    for make in BOTH:
        client = make(server)
        found = list(client.list_glossaries(parent=PARENT))
        check([one.name for one in found] == [f"{PARENT}/glossaries/animals"], f"glossaries: {found}")
        check(found[0].language_pair.source_language_code == "de", f"its languages: {found}")
        check(found[0].entry_count == len(GLOSSARY), f"its entries: {found}")
        check(list(client.list_glossaries(request={"parent": PARENT, "page_size": 1})) == found, "by pages")
        raises(
            exceptions.MethodNotImplemented,
            lambda: client.list_glossaries(request={"parent": PARENT, "filter": "src=de"}),
            "filter",
        )
        check(client.get_glossary(name=found[0].name) == found[0], "one alone")
        raises(exceptions.NotFound, lambda: client.get_glossary(name=f"{PARENT}/glossaries/none"), "none")


def test_detect_language(server):
    for make in BOTH:
        client = make(server)
        call = lambda: client.detect_language(parent=PARENT, content=GERMAN, mime_type="text/plain")  # noqa: E731
        if not server.detects():
            raises(exceptions.MethodNotImplemented, call, "etect")
            continue
        found = call().languages
        check(found[0].language_code == "de" and found[0].confidence > 0.5, f"detected: {found}")
        raises(
            exceptions.MethodNotImplemented,
            lambda: client.detect_language(request={"parent": PARENT, "content": GERMAN, "model": "mine"}),
            "model",
        )


def test_other_methods(server):
    for make in BOTH:
        client = make(server)
        raises(
            exceptions.MethodNotImplemented,
            lambda: client.romanize_text(request={"parent": PARENT, "contents": ["x"]}),
            "omanizeText",
        )
        raises(
            exceptions.MethodNotImplemented,
            lambda: client.create_glossary(parent=PARENT, glossary={"name": f"{PARENT}/glossaries/x"}),
            "lossar",
        )


def test_keys(_):
    with AdapterDaemon(keys={"web": "secret"}) as server:
        metadata = [("authorization", "Bearer secret")]
        answer = over_grpc(server).translate_text(
            parent=PARENT, contents=[GERMAN], target_language_code="en", source_language_code="de", metadata=metadata
        )
        check(ENGLISH in answer.translations[0].translated_text, "no translation")
        raises(exceptions.Unauthenticated, lambda: ask(over_grpc(server)))
        url = f"{server.url}/v3/{PARENT}:translateText"
        body = {"contents": [GERMAN], "sourceLanguageCode": "de", "targetLanguageCode": "en"}
        for options in ({"headers": {"X-Goog-Api-Key": "secret"}}, {"params": {"key": "secret"}}):
            check(requests.post(url, json=body, timeout=30, **options).status_code == 200, f"{options}")
        check(requests.post(url, json=body, timeout=30).status_code == 401, "without a key")


def test_v2_translate(server):
    client = over_v2(server)
    one = client.translate(GERMAN, target_language="en", source_language="de", format_="text")
    check(ENGLISH in one["translatedText"] and one["input"] == GERMAN, f"answer: {one}")
    check("detectedSourceLanguage" not in one, f"a language that was given: {one}")
    several = client.translate([GERMAN, "Die <b>Katze</b>."], target_language="en", source_language="de")
    check("<b>cat</b>" in several[1]["translatedText"], f"none is not HTML: {several}")
    named = client.translate(GERMAN, target_language="en", source_language="de", model="nmt")
    check(named["model"] == "nmt", f"the model: {named}")
    raises(exceptions.BadRequest, lambda: client.translate(GERMAN, target_language="xx", source_language="de"), "xx")
    raises(
        exceptions.MethodNotImplemented,
        lambda: client.translate(GERMAN, target_language="en", customization_ids="mine"),
        "cid",
    )
    found = client.translate(GERMAN, target_language="en", format_="text")
    if server.detects():
        check(found["detectedSourceLanguage"] == "de", f"not detected: {found}")


def test_v2_languages(server):
    client = over_v2(server)
    found = client.get_languages(target_language="de")
    check({"language": "en", "name": "Englisch"} in found, f"languages: {found}")


def test_v2_detect(server):
    client = over_v2(server)
    if not server.detects():
        raises(exceptions.MethodNotImplemented, lambda: client.detect_language(GERMAN), "detect")
        return
    found = client.detect_language([GERMAN, "12"])
    check(found[0]["language"] == "de" and found[0]["confidence"] > 0.5, f"detected: {found}")
    check(found[1]["language"] == "und", f"detected in nothing: {found}")


def test_v2_forms(server):
    """As plug-ins ask that know no client library."""
    url = f"{server.url}/language/translate/v2"
    fields = {"key": "any", "q": [GERMAN, "Die Katze."], "source": "de", "target": "en", "format": "text"}
    for answer in (requests.post(url, data=fields, timeout=30), requests.get(url, params=fields, timeout=30)):
        texts = [one["translatedText"] for one in answer.json()["data"]["translations"]]
        check(ENGLISH in texts[0] and "cat" in texts[1], f"answer: {texts}")


if __name__ == "__main__":
    run(globals(), glossary=GLOSSARY)
