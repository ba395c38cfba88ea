#!/usr/bin/env python3
"""nvidia-riva-client, unchanged, argument by argument."""

from harness import ENGLISH, GERMAN, AdapterDaemon, check, need, raises, run

need("riva.client")
import grpc  # noqa: E402
import riva.client  # noqa: E402


def client_of(server, **options):
    auth = riva.client.Auth(uri=server.grpc, use_ssl=False, **options)
    return riva.client.NeuralMachineTranslationClient(auth)


def refused(code, call, *texts):
    error = raises(grpc.RpcError, call, *texts)
    check(error.code() == code, f"the code is {error.code()}, expected {code}")


def test_translate(server):
    answer = client_of(server).translate([GERMAN, "Die Katze."], "", "de", "en")
    texts = [one.text for one in answer.translations]
    check(ENGLISH in texts[0] and "cat" in texts[1], f"translations: {texts}")
    check(answer.translations[0].language == "en", f"the language: {answer}")
    later = client_of(server).translate([GERMAN], "", "de", "en", future=True)
    check(ENGLISH in later.result().translations[0].text, "nothing later")


def test_model(server):
    client = client_of(server)
    check(ENGLISH in client.translate([GERMAN], "de-en", "de", "en").translations[0].text, "by name")
    refused(grpc.StatusCode.NOT_FOUND, lambda: client.translate([GERMAN], "none", "de", "en"), "none")


def test_languages(server):
    client = client_of(server)
    bad = grpc.StatusCode.INVALID_ARGUMENT
    refused(bad, lambda: client.translate([GERMAN], "", "", "en"), "source_language")
    refused(bad, lambda: client.translate([GERMAN], "", "de", ""), "target_language")
    refused(bad, lambda: client.translate([GERMAN], "", "de", "xx"), "xx")


def test_dnt_phrases(server):
    phrases = {"Hund": "puppy", "Berlin": ""}
    answer = client_of(server).translate(["Der Hund schläft in Berlin."], "", "de", "en", dnt_phrases_dict=phrases)
    text = answer.translations[0].text
    check("puppy" in text and "Berlin" in text, f"without them: {text}")


def test_max_len_variation(server):
    client = client_of(server)
    text = "Der Hund schläft heute lange in seinem kleinen Haus am Wald."
    whole = client.translate([text], "", "de", "en").translations[0].text
    check(client.translate([text], "", "de", "en", max_len_variation="20").translations[0].text == whole, "with room")
    bad = grpc.StatusCode.INVALID_ARGUMENT
    refused(bad, lambda: client.translate([text], "", "de", "en", max_len_variation="2x"), "max_len_variation")


def test_get_config(server):
    client = client_of(server)
    check(list(client.get_config("").languages["de-en"].src_lang) == ["de"], "of all")
    check(list(client.get_config("de-en").languages["de-en"].tgt_lang) == ["en"], "of one")
    refused(grpc.StatusCode.NOT_FOUND, lambda: client.get_config("none"), "none")


def test_keys(_):
    with AdapterDaemon(keys={"web": "secret"}) as server:
        right = client_of(server, metadata_args=[["authorization", "Bearer secret"]])
        check(ENGLISH in right.translate([GERMAN], "", "de", "en").translations[0].text, "no translation")
        refused(
            grpc.StatusCode.UNAUTHENTICATED, lambda: client_of(server).translate([GERMAN], "", "de", "en"), "API key"
        )


if __name__ == "__main__":
    run(globals())
