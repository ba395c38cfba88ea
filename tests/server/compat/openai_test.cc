#include "server/compat/openai.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/call/request_error.h"
#include "server/compat/adapters.h"
#include "server/compat/openai_models.h"
#include "server/compat/openai_prompts.h"
#include "tests/server/api/adapter_fixture.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Filled(std::string_view pattern) {
  return absl::StrReplaceAll(
      std::string(pattern),
      {{"{from}", "German"}, {"{to}", "English"}, {"{text}", "Ein Haus,\nzwei: \"Hunde\"."}});
}

TEST(OpenAiPrompts, EveryTemplateIsRead) {
  for (const PromptTemplate& row : PromptTemplates()) {
    std::vector<ChatMessage> messages;
    if (!row.system.empty()) messages.push_back({"system", Filled(row.system)});
    messages.push_back({"user", Filled(row.user)});
    const auto prompt = ReadChat(messages);
    ASSERT_TRUE(prompt.ok()) << row.user << ": " << prompt.status();
    EXPECT_EQ(prompt->text, "Ein Haus,\nzwei: \"Hunde\".") << row.user;
    EXPECT_EQ(prompt->to, "English") << row.user;
    const std::string whole = absl::StrCat(std::string(row.system), std::string(row.user));
    EXPECT_EQ(prompt->from, (whole.find("{from}") != std::string::npos) ? "German" : "")
        << row.user;
  }
}

TEST(OpenAiPrompts, CaseAndWhiteSpaceDoNotMatter) {
  for (const char* content : {"translate to english:Haus", "Translate  to \"English\":\n\nHaus\n",
                              "TRANSLATE TO [en]: Haus"}) {
    const auto prompt = ReadChat({{"user", content}});
    ASSERT_TRUE(prompt.ok()) << content;
    EXPECT_EQ(prompt->text, "Haus") << content;
  }
}

TEST(OpenAiPrompts, WhiteSpaceBesideALanguageIsNoPartOfItsName) {
  const std::string space(10'000, ' ');
  const auto prompt = ReadChat({{"user", absl::StrCat("Translate from ", space, "German", space,
                                                      "to English :", space, "Haus", space)}});
  ASSERT_TRUE(prompt.ok());
  EXPECT_EQ(prompt->from, "German");
  EXPECT_EQ(prompt->to, "English");
  EXPECT_EQ(prompt->text, "Haus");
}

TEST(OpenAiPrompts, ATextAloneIsOne) {
  EXPECT_EQ(ReadChat({{"user", " Das Haus. "}})->text, " Das Haus. ");
  for (const std::string_view system : PlainSystemMessages()) {
    const auto prompt = ReadChat({{"system", std::string(system)}, {"user", "Haus"}});
    ASSERT_TRUE(prompt.ok()) << system;
    EXPECT_EQ(prompt->text, "Haus");
  }
  EXPECT_EQ(ReadChat({{"system", ""}, {"user", "Haus"}})->text, "Haus");
  EXPECT_EQ(ReadCompletionPrompt("Haus")->text, "Haus");
}

TEST(OpenAiPrompts, AnythingElseIsRefusedAndSaysSo) {
  const std::vector<std::pair<std::vector<ChatMessage>, const char*>> wrong = {
      {{}, "messages: found none"},
      {{{"system", "You are a helpful assistant."}}, "no user's message"},
      {{{"system", "Talk like a pirate."}, {"user", "Haus"}},
       "messages[0]: found a system message"},
      {{{"user", "Translate this poem in the style of Goethe"}}, "messages[0].content: found an"},
      {{{"user", "a"}, {"assistant", "b"}, {"user", "c"}}, "found 3 turns"},
      {{{"user", "a"}, {"user", "b"}}, "messages[0]: found the role 'user'"},
      {{{"tool", "a"}}, "the role 'tool'"},
      {{{"user", "a"}, {"assistant", "b"}}, "the role 'user', expected assistant"}};
  for (const auto& [messages, says] : wrong) {
    const absl::Status status = ReadChat(messages).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << says;
    EXPECT_THAT(std::string(status.message()), HasSubstr(says));
  }
}

// The prompts of KISS Translator's version 2.
constexpr char kKissSystem[] = "You are a professional, authentic machine translation engine.";
constexpr char kKissUser[] =
    "# Context\nTitle: Source Text: a page\nDescription: \nSummary: # a summary\nTone: formal\n\n"
    "# Glossary:\n- Hund: hound\n- React: \n\n"
    "# Task\nTranslate the Source Text below to English.\n1. Use the Context to ensure accuracy.\n"
    "2. Adapt the wording to match the specified Tone.\n3. If a Source Text term exactly matches a "
    "Glossary entry, output ONLY that entry's value.\n4. Output ONLY the translated text.\n\n"
    "Source Text: Der Hund.\nEr schläft.\n\nTranslated Text:";

TEST(OpenAiPrompts, HeadingsBeforeATextAreContext) {
  const auto prompt = ExpectOk(ReadChat({{"system", kKissSystem}, {"user", kKissUser}}));
  EXPECT_EQ(prompt->text, "Der Hund.\nEr schläft.");
  EXPECT_EQ(prompt->to, "English");
  EXPECT_THAT(prompt->terms, ElementsAre(std::pair<std::string, std::string>("Hund", "hound"),
                                         std::pair<std::string, std::string>("React", "")));
  EXPECT_TRUE(ReadChat({{"user", kKissUser}}).ok());
  for (const char* other :
       {"# Context\nTitle: a\n\n# Task\nSummarise the page.\n\nSource Text: b\n\nTranslated Text:",
        "# Context\nTitle: a\n\n# Task\nTranslate the Source Text below to English.",
        "# Task\nSay hello.", "# Input Data\n\n## [Target]\nHaus", "Act as a poet. Haus"}) {
    const absl::Status status = ReadChat({{"user", other}}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << other;
  }
  EXPECT_EQ(ReadChat({{"user", "# Kontext\nEin Haus."}})->text, "# Kontext\nEin Haus.");
}

TEST(OpenAiPrompts, SegmentsAreSeveralTexts) {
  constexpr char kSegments[] =
      R"({"targetLanguage": "English", "title": "a page", "segments": [{"id": 0, "text": "Eins"},)"
      R"( {"id": "b", "text": "<b>Zwei</b>"}], "glossary": {"Hund": "hound"}, "tone": "formal"})";
  const auto prompt = ExpectOk(ReadChat({{"user", kSegments}}));
  ASSERT_TRUE(prompt->batch.has_value());
  EXPECT_EQ(prompt->to, "English");
  EXPECT_THAT(prompt->batch->texts, ElementsAre("Eins", "<b>Zwei</b>"));
  EXPECT_TRUE(prompt->batch->html);
  EXPECT_EQ(prompt->terms.size(), 1U);

  v1::TranslateResponse answer;
  answer.add_translations()->set_translated_text("One & a\nhalf");
  answer.add_translations()->set_translated_text("<b>Two</b>");
  answer.mutable_translations(0)->set_detected_language_code("de");
  const auto answered = [&](const char* system) {
    const auto read = ReadChat({{"system", system}, {"user", kSegments}});
    return read.ok() ? WriteSegmentBatch(*read->batch, answer)
                     : std::string(read.status().message());
  };
  EXPECT_EQ(json::parse(answered("Act as a translation API.\n{\"translations\":[]}")),
            json::parse(R"({"translations": [
                {"id": 0, "text": "One & a\nhalf", "sourceLanguage": "de"},
                {"id": "b", "text": "<b>Two</b>"}]})"));
  EXPECT_EQ(answered("Output XML.\n<root>\n<t id=\"0\">...</t>\n</root>"),
            "<root>\n<t id=\"0\" sourceLanguage=\"de\">One & a\nhalf</t>\n"
            "<t id=\"b\" sourceLanguage=\"\"><b>Two</b></t>\n</root>");
  EXPECT_EQ(answered("Output raw text lines in \"ID | Text\" format."),
            "0 | One & a<br>half\nb | <b>Two</b>\n");
  EXPECT_THAT(answered("Talk like a pirate."), HasSubstr("messages[0]: found a system message"));
}

TEST(OpenAiPrompts, OtherJsonIsNoText) {
  for (const char* data : {R"({"a": 1})", R"(["Eins", "Zwei"])", R"([{"id": 1}])",
                           R"({"segments": []})", R"({"segments": [{"text": "a"}]})",
                           R"({"segments": "a"})", R"({"segments": [{"id": 1, "text": 2}]})"}) {
    EXPECT_EQ(ReadChat({{"user", data}}).status().code(), absl::StatusCode::kInvalidArgument)
        << data;
    EXPECT_EQ(ReadCompletionPrompt(data).status().code(), absl::StatusCode::kInvalidArgument)
        << data;
  }
  for (const char* text : {"[Musik]", "[1]", "{0} ist da", "{", "[]"}) {
    EXPECT_EQ(ReadChat({{"user", text}})->text, text);
  }
}

TEST(OpenAiPrompts, EarlierTurnsMayStandBeforeATextOfItsOwn) {
  std::string system;
  for (const PromptTemplate& row : PromptTemplates()) {
    if (row.front_end == "LLPlayer") system = Filled(row.system);
  }
  const auto prompt = ExpectOk(
      ReadChat({{"system", system}, {"user", "Eins."}, {"assistant", "One."}, {"user", "Zwei."}}));
  EXPECT_EQ(prompt->text, "Zwei.");
  EXPECT_EQ(prompt->from, "German");
}

class OpenAiTest : public AdapterFixture {
 protected:
  void Start() {
    Serve();
    adapters_ = std::make_unique<Adapters>(AdapterContext{.calls = &context_});
    handler_ = std::make_unique<AdapterHandler>(&context_, nullptr, adapters_->routes());
  }

  static json Chat(const std::string& text) {
    return {{"model", "de-en"}, {"messages", {{{"role", "user"}, {"content", text}}}}};
  }
  std::shared_ptr<FakeExchange> Begin(const json& body, const char* path = "/v1/chat/completions") {
    return Send(handler_.get(), Post(path, body.dump()));
  }
  json Ask(const json& body, int status = 200, const char* path = "/v1/chat/completions") {
    const HttpResponse answer = Begin(body, path)->Wait();
    EXPECT_EQ(answer.status, status) << answer.body;
    return json::parse(answer.body, nullptr, false);
  }
  // Returns the data of the events in an answer.
  static std::vector<json> Events(const HttpResponse& answer) {
    std::vector<json> events;
    std::string_view rest = answer.body;
    while (!rest.empty()) {
      const size_t end = rest.find("\n\n");
      EXPECT_TRUE(rest.starts_with("data: ") && end != std::string_view::npos);
      if (end == std::string_view::npos) break;
      const std::string_view data = rest.substr(6, end - 6);
      events.push_back(data == "[DONE]" ? json("DONE") : json::parse(data));
      rest.remove_prefix(end + 2);
    }
    return events;
  }

  std::unique_ptr<Adapters> adapters_;
  std::unique_ptr<AdapterHandler> handler_;
};

TEST_F(OpenAiTest, ListsAModelForEachPair) {
  engine_.mutable_info()->pairs = {{"de", "en"}, {"en", "de"}, {"", "fr"}};
  Start();
  const json list = json::parse(Send(handler_.get(), Get("/v1/models"))->Wait().body);
  EXPECT_EQ(list["object"], "list");
  std::vector<std::string> ids;
  for (const json& model : list["data"]) ids.push_back(model["id"]);
  EXPECT_THAT(ids, ElementsAre("de-en/de/en", "de-en/en/de", "de-en/auto/fr"));
  const json one = json::parse(Send(handler_.get(), Get("/v1/models/de-en/en/de"))->Wait().body);
  EXPECT_EQ(one["id"], "de-en/en/de");
  EXPECT_EQ(one["object"], "model");
  const HttpResponse none = Send(handler_.get(), Get("/v1/models/gpt-4o"))->Wait();
  EXPECT_EQ(none.status, 404);
  EXPECT_EQ(json::parse(none.body)["error"]["code"], "model_not_found");
  EXPECT_THAT(none.body, HasSubstr("de-en/en/de"));
}

TEST_F(OpenAiTest, AnswersAChat) {
  Start();
  const json answer = Ask(Chat("Translate from German to English: Haus"));
  EXPECT_EQ(answer["object"], "chat.completion");
  EXPECT_EQ(answer["model"], "de-en");
  EXPECT_EQ(answer["choices"][0]["message"]["role"], "assistant");
  EXPECT_EQ(answer["choices"][0]["message"]["content"], "[Haus]");
  EXPECT_EQ(answer["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(answer["usage"]["total_tokens"], 3);
  EXPECT_TRUE(answer["id"].get<std::string>().starts_with("chatcmpl-"));
  json parts = Chat("");
  parts["messages"][0]["content"] = {{{"type", "text"}, {"text", "Ha"}},
                                     {{"type", "text"}, {"text", "us"}}};
  EXPECT_EQ(Ask(parts)["choices"][0]["message"]["content"], "[Haus]");
  ExpectMetric(R"(dragoman_rpcs_total{api="openai",code="OK",method="Translate"} 2)");
}

TEST_F(OpenAiTest, AnswersCompletions) {
  Start();
  const json body = {{"model", "de-en"}, {"prompt", {"eins", "zwei"}}};
  const json answer = Ask(body, 200, "/v1/completions");
  EXPECT_EQ(answer["object"], "text_completion");
  EXPECT_EQ(answer["choices"][1]["text"], "[zwei]");
  EXPECT_EQ(answer["choices"][1]["index"], 1);
}

// Too many prompts are refused before any is read: comparing 100,000 prompts with every template
// would take long.
TEST_F(OpenAiTest, PromptsAreCountedBeforeTheyAreRead) {
  Start();
  const std::vector<std::string> prompts(1025, "Translate this poem in the style of Goethe");
  const json body = {{"model", "de-en"}, {"prompt", prompts}};
  EXPECT_EQ(Ask(body, 400, "/v1/completions")["error"]["message"],
            "prompt: found 1025 texts, expected at most 1024");
}

TEST_F(OpenAiTest, ParametersAreMapped) {
  Start();
  engine_.HoldJobs();
  json body = Chat("Haus");
  body.update({{"n", 2},
               {"max_completion_tokens", 7},
               {"temperature", 0.5},
               {"top_p", 0.9},
               {"seed", 3},
               {"user", "me"},
               {"presence_penalty", 0},
               {"stop", nullptr},
               {"response_format", {{"type", "text"}}},
               {"store", false}});
  const auto exchange = Begin(body);
  const FakeEngine::Held held = engine_.WaitHeld();
  EXPECT_EQ(held.job.decoding.num_alternatives, 2);
  EXPECT_EQ(held.job.decoding.max_output_tokens, 7);
  EXPECT_EQ(held.job.decoding.temperature, 0.5F);
  ASSERT_TRUE(held.job.decoding.sampling.has_value());
  EXPECT_EQ(held.job.decoding.sampling->top_p, 0.9F);
  EXPECT_EQ(held.job.decoding.sampling->seed, 3U);
  EXPECT_EQ(held.job.target_language, "en");
  engine_.Play(
      held, [&](engine::TranslationSink* sink) { sink->OnItem(FakeEngine::Answer(held.job, 0)); });
  engine_.Finish(held.id, absl::OkStatus());
  const json answer = json::parse(exchange->Wait().body);
  ASSERT_EQ(answer["choices"].size(), 2U);
  EXPECT_EQ(answer["choices"][1]["message"]["content"], "[Haus]!");
  EXPECT_EQ(answer["choices"][1]["index"], 1);
}

TEST_F(OpenAiTest, TheOnlyModelNeedsNoName) {
  Start();
  for (const json& model : {json(), json("")}) {
    json body = Chat("Haus");
    body["model"] = model;
    const json answer = Ask(body);
    EXPECT_EQ(answer["choices"][0]["message"]["content"], "[Haus]");
    EXPECT_EQ(answer["model"], "de-en");
    body.erase("model");
    EXPECT_EQ(Ask(body)["model"], "de-en");
  }
  FakeEngine other;
  other.mutable_info()->name = "fr-en";
  ASSERT_TRUE(models_.Put(Borrowed(&other)).ok());
  json body = Chat("Haus");
  body.erase("model");
  EXPECT_THAT(Ask(body, 404)["error"]["message"].get<std::string>(),
              HasSubstr("expected one of de-en, fr-en"));
  models_.Remove("fr-en");
  EXPECT_TRUE(models_.WaitEnded(std::chrono::seconds(30)));
}

TEST_F(OpenAiTest, SegmentsAreAnsweredInOneChoice) {
  Start();
  json body = Chat(R"({"targetLanguage": "English", "segments": [{"id": 4, "text": "Eins"},)"
                   R"( {"id": 5, "text": "Zwei"}], "glossary": {"Hund": "hound", "React": ""}})");
  const json answer = Ask(body);
  ASSERT_EQ(answer["choices"].size(), 1U);
  EXPECT_EQ(json::parse(answer["choices"][0]["message"]["content"].get<std::string>()),
            json::parse(R"({"translations": [{"id": 4, "text": "[Eins]"},)"
                        R"( {"id": 5, "text": "[Zwei]"}]})"));
  body["stream"] = true;
  EXPECT_EQ(Ask(body, 400)["error"]["param"], "stream");
  body["stream"] = false;
  body["n"] = 2;
  EXPECT_EQ(Ask(body, 400)["error"]["param"], "n");
}

TEST_F(OpenAiTest, WhatIsNotHereIsRefusedByName) {
  Start();
  const std::vector<std::pair<json, const char*>> wrong = {
      {{{"logprobs", true}}, "logprobs"},
      {{{"stop", {"\n"}}}, "stop"},
      {{{"presence_penalty", 1}}, "presence_penalty"},
      {{{"tools", {{{"type", "function"}}}}}, "tools"},
      {{{"response_format", {{"type", "json_object"}}}}, "response_format"},
      {{{"colour", "red"}}, "colour"},
      {{{"temperature", 3}}, "temperature"},
      {{{"top_p", 0}}, "top_p"},
      {{{"n", 0}}, "n"},
      {{{"n", 2}, {"stream", true}}, "n"},
      {{{"max_tokens", 0}}, "max_tokens"},
      {{{"stream_options", {{"colour", true}}}}, "colour"},
      {{{"messages", "Haus"}}, "messages"},
      {{{"model", 1}}, "model"}};
  for (const auto& [fields, name] : wrong) {
    json body = Chat("Haus");
    body.update(fields);
    const json error = Ask(body, 400)["error"];
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr(name));
    EXPECT_EQ(error["type"], "invalid_request_error");
  }
  json body = Chat("Translate to Klingon: Haus");
  EXPECT_THAT(Ask(body, 400)["error"]["message"].get<std::string>(), HasSubstr("'Klingon'"));
  body = Chat("Haus");
  body["model"] = "gpt-4o";
  EXPECT_EQ(Ask(body, 404)["error"]["code"], "model_not_found");
  EXPECT_EQ(engine_.submitted(), 0U);
}

TEST_F(OpenAiTest, TypesThatAPageOfAnotherSiteMaySendAreRefused) {
  Start();
  for (const char* path : {"/v1/chat/completions", "/v1/completions"}) {
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded", ""}) {
      const auto exchange = Send(handler_.get(), Post(path, Chat("Haus").dump(), type));
      EXPECT_EQ(exchange->Wait().status, 400) << type;
      EXPECT_THAT(exchange->Wait().body, HasSubstr("expected application/json"));
    }
  }
  EXPECT_EQ(engine_.submitted(), 0U);
}

TEST_F(OpenAiTest, StreamsWhileItDecodes) {
  Start();
  engine_.HoldJobs();
  json body = Chat("Eins. Zwei.\n Drei.");
  body.update({{"stream", true}, {"stream_options", {{"include_usage", true}}}});
  const auto exchange = Begin(body);
  const FakeEngine::Held held = engine_.WaitHeld();
  EXPECT_TRUE(held.job.returns.partials);
  const auto segment = [&](int number, int64_t begin, int64_t end, const char* text, bool final) {
    engine_.Play(held, [&](engine::TranslationSink* sink) {
      engine::SegmentUpdate update;
      update.segment = number;
      update.source = {begin, end};
      update.text = text;
      update.final = final;
      sink->OnSegment(std::move(update));
    });
  };
  segment(1, 6, 11, "Two.", true);  // waits for the first
  segment(0, 0, 5, "On", false);
  exchange->WaitPiece(0);
  segment(0, 0, 5, "One.", true);
  segment(2, 13, 18, "Three.", true);
  exchange->WaitPiece(2);
  engine_.Play(held, [&](engine::TranslationSink* sink) {
    engine::ItemResult result = FakeEngine::Answer(held.job, 0);
    result.hypotheses[0].text = "One. Two.\n Three.";
    sink->OnItem(std::move(result));
  });
  engine_.Finish(held.id, absl::OkStatus());
  const HttpResponse answer = exchange->Wait();
  EXPECT_EQ(answer.content_type, "text/event-stream; charset=utf-8");
  const std::vector<json> events = Events(answer);
  std::string text;
  for (const json& event : events) {
    if (!event.is_object() || event["choices"].empty()) continue;
    text += event["choices"][0]["delta"].value("content", "");
  }
  EXPECT_EQ(text, "One. Two.\n Three.");
  EXPECT_EQ(events[0]["choices"][0]["delta"]["role"], "assistant");
  EXPECT_EQ(events[0]["choices"][0]["delta"]["content"], "On");
  EXPECT_EQ(events[0]["object"], "chat.completion.chunk");
  ASSERT_GE(events.size(), 4U);
  EXPECT_EQ(events[events.size() - 3]["choices"][0]["finish_reason"], "stop");
  EXPECT_GT(events[events.size() - 2]["usage"]["total_tokens"], 0);
  EXPECT_EQ(events.back(), "DONE");
}

TEST_F(OpenAiTest, AStreamThatFailsSaysSo) {
  Start();
  engine_.HoldJobs();
  json body = Chat("Eins.");
  body["stream"] = true;
  const auto exchange = Begin(body);
  const FakeEngine::Held held = engine_.WaitHeld();
  engine_.Play(held, [&](engine::TranslationSink* sink) {
    engine::SegmentUpdate update;
    update.source = {0, 5};
    update.text = "One.";
    update.final = true;
    sink->OnSegment(std::move(update));
  });
  exchange->WaitPiece(0);
  engine_.Finish(held.id, absl::InternalError("broken"));
  const std::vector<json> events = Events(exchange->Wait());
  EXPECT_EQ(events.back()["error"]["type"], "server_error");
}

TEST_F(OpenAiTest, AStreamOfWhichOnePromptFailsCountsAsFailed) {
  Start();
  engine_.FailItem(1, absl::InvalidArgumentError("contents[1]: too long"));
  const json body = {{"model", "de-en"}, {"prompt", {"eins", "zwei"}}, {"stream", true}};
  const auto exchange = Send(handler_.get(), Post("/v1/completions", body.dump()));
  const std::vector<json> events = Events(exchange->Wait());
  ASSERT_FALSE(events.empty());
  EXPECT_THAT(events.back()["error"]["message"].get<std::string>(), HasSubstr("too long"));
  ExpectMetric(
      R"(dragoman_rpcs_total{api="openai",code="INVALID_ARGUMENT",method="StreamTranslate"} 1)");
}

TEST_F(OpenAiTest, PathsThatItDoesNotHaveAreItsErrors) {
  Start();
  const HttpResponse answer =
      Send(handler_.get(), Post("/v1/embeddings", R"({"model": "de-en", "input": "a"})"))->Wait();
  EXPECT_EQ(answer.status, 404);
  const json error = json::parse(answer.body)["error"];
  EXPECT_EQ(error["type"], "invalid_request_error");
  EXPECT_EQ(error["code"], nullptr);
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("'/v1/embeddings'"));
}

TEST_F(OpenAiTest, OverloadIsTheirsToo) {
  Start();
  engine_.RefuseNext({.status = absl::ResourceExhaustedError("the queue is full"),
                      .reason = engine::RejectReason::kQueueFull,
                      .retry_after = kNanosPerSecond});
  const HttpResponse answer = Begin(Chat("Haus"))->Wait();
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(HeaderOf(answer, "Retry-After"), "1");
  EXPECT_EQ(json::parse(answer.body)["error"]["type"], "rate_limit_exceeded");
}

}  // namespace
}  // namespace dragoman::server
