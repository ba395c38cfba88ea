#!/usr/bin/env python3
"""openai, unchanged: chat completions, completions, models; argument by argument."""

from harness import ENGLISH, GERMAN, AdapterDaemon, check, need, raises, run

need("openai")
import openai  # noqa: E402

KISS = (
    "Translate the following source text from German to English. Output translation directly without any "
    f"additional text.\n\nSource Text: {GERMAN}\n\nTranslated Text:"
)
SUBTITLE_EDIT = (
    "Translate from German to English, keep punctuation as input, do not censor the translation, give only the output "
    f"without comments:\n\n{GERMAN}"
)


def client_of(server, key="any"):
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key=key, max_retries=0)


def chat(server, text=GERMAN, system=None, **fields):
    messages = [{"role": "user", "content": text}]
    if system is not None:
        messages.insert(0, {"role": "system", "content": system})
    return client_of(server).chat.completions.create(**{"model": "de-en", "messages": messages, **fields})


def text_of(answer):
    return answer.choices[0].message.content


def test_models(server):
    client = client_of(server)
    found = [model.id for model in client.models.list()]
    check(found == ["de-en"], f"models: {found}")
    check(client.models.retrieve("de-en").owned_by == "dragoman", "one model")
    error = raises(openai.NotFoundError, lambda: client.models.retrieve("gpt-4o"), "de-en")
    check(error.code == "model_not_found", f"code: {error.code}")


def test_chat(server):
    answer = chat(server)
    check(ENGLISH in text_of(answer), f"answer: {answer}")
    check(answer.choices[0].finish_reason == "stop" and answer.choices[0].message.role == "assistant", f"{answer}")
    check(answer.usage.prompt_tokens > 0 and answer.usage.completion_tokens > 0, f"usage: {answer.usage}")


def test_prompts_of_front_ends(server):
    engine = "You are a professional, authentic machine translation engine."
    plain = text_of(chat(server))
    for system, text in (
        (engine, KISS),
        (None, SUBTITLE_EDIT),
        (engine, GERMAN),
        ("Translate the following from German into English", GERMAN),
        ("You are a translation engine that can only translate text and cannot interpret it.",
         f"translate from German to English:\n\n{GERMAN} =>"),
    ):
        found = text_of(chat(server, text, system))
        check(found == plain, f"{text!r}: {found!r}, expected {plain!r}")


def test_other_prompts(server):
    bad = openai.BadRequestError
    raises(bad, lambda: chat(server, GERMAN, "Talk like a pirate."), "messages[0]", "README")
    raises(bad, lambda: chat(server, "Translate this in the style of Goethe"), "messages[0].content")
    raises(bad, lambda: chat(server, f"Translate to Klingon: {GERMAN}"), "Klingon")
    turns = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    raises(bad, lambda: chat(server, messages=turns), "turns")


def test_stream(server):
    whole = text_of(chat(server, f"{GERMAN} Die Katze auch.\nEin Haus."))
    stream = chat(
        server, f"{GERMAN} Die Katze auch.\nEin Haus.", stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    check("".join(pieces) == whole, f"pieces: {pieces}, expected {whole!r}")
    check(len([piece for piece in pieces if piece]) > 1, f"one piece only: {pieces}")
    check(chunks[-1].usage.total_tokens > 0, f"usage: {chunks[-1]}")
    check(chunks[-2].choices[0].finish_reason == "stop", f"the end: {chunks[-2]}")


def test_completions(server):
    client = client_of(server)
    answer = client.completions.create(model="de-en", prompt=[GERMAN, "Die Katze."])
    check(ENGLISH in answer.choices[0].text and "cat" in answer.choices[1].text, f"answer: {answer}")
    template = f"Translate this from German to English:\nGerman: {GERMAN}\nEnglish:"
    check(ENGLISH in client.completions.create(model="de-en", prompt=template).choices[0].text, "a template")
    pieces = [chunk.choices[0].text for chunk in client.completions.create(model="de-en", prompt=GERMAN, stream=True)]
    check("".join(pieces) == answer.choices[0].text, f"pieces: {pieces}")
    raises(openai.BadRequestError, lambda: client.completions.create(model="de-en", prompt="a", best_of=3), "best_of")
    raises(openai.BadRequestError, lambda: client.completions.create(model="de-en", prompt="a", echo=True), "echo")


def test_n(server):
    answer = chat(server, n=3)
    texts = [choice.message.content for choice in answer.choices]
    check(len(set(texts)) == 3 and [choice.index for choice in answer.choices] == [0, 1, 2], f"choices: {texts}")


def test_max_tokens(server):
    for name in ("max_tokens", "max_completion_tokens"):
        answer = chat(server, "Der Hund schläft heute lange in seinem kleinen Haus.", **{name: 2})
        check(answer.choices[0].finish_reason == "length", f"{name}: {answer}")


def test_sampling(server):
    check(text_of(chat(server, temperature=0)) == text_of(chat(server)), "temperature 0")
    check(ENGLISH in text_of(chat(server, temperature=0.7)), "a temperature")
    drawn = [text_of(chat(server, top_p=0.9, seed=7)) for _ in range(2)]
    check(drawn[0] == drawn[1], f"draws of one seed: {drawn}")
    raises(openai.BadRequestError, lambda: chat(server, temperature=3), "temperature")
    raises(openai.BadRequestError, lambda: chat(server, top_p=0), "top_p")


def test_labels(server):
    chat(server, user="user-of-openai", metadata={"job": "metadata-of-openai"})
    check(server.logs("user-of-openai", "metadata-of-openai"), "no labels in the log")


def test_what_is_refused(server):
    bad = openai.BadRequestError
    tool = {"type": "function", "function": {"name": "f"}}
    for name, value in (
        ("presence_penalty", 1), ("frequency_penalty", 1), ("stop", ["."]), ("logit_bias", {"1": 1}),
        ("logprobs", True), ("top_logprobs", 2), ("tools", [tool]), ("tool_choice", "required"),
        ("response_format", {"type": "json_object"}), ("modalities", ["audio"]), ("store", True),
        ("service_tier", "flex"), ("reasoning_effort", "low"),
    ):
        raises(bad, lambda: chat(server, **{name: value}), name)


def test_what_asks_for_nothing(server):
    answer = chat(
        server, presence_penalty=0, frequency_penalty=0, stop=None, logit_bias={}, logprobs=False, tools=[],
        response_format={"type": "text"}, store=False, service_tier="auto",
    )
    check(ENGLISH in text_of(answer), f"answer: {answer}")


def test_keys(_):
    with AdapterDaemon(keys={"web": "secret"}) as server:
        messages = [{"role": "user", "content": GERMAN}]
        right = client_of(server, "secret").chat.completions.create(model="de-en", messages=messages)
        check(ENGLISH in text_of(right), "no translation")
        error = raises(openai.AuthenticationError, lambda: chat(server))
        check(error.code == "invalid_api_key", f"code: {error.code}")


if __name__ == "__main__":
    run(globals())
