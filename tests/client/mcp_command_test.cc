#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/mcp_tools.h"
#include "tests/client/command_fixture.h"
#include "tests/client/scripted_server.h"

namespace dragoman {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr const char kInitialize[] =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";

std::string CallOf(int id, const std::string& tool, const std::string& arguments,
                   const std::string& meta = "{}") {
  return absl::StrCat(R"({"jsonrpc":"2.0","id":)", id,
                      R"(,"method":"tools/call","params":{"name":")", tool, R"(","arguments":)",
                      arguments, R"(,"_meta":)", meta, "}}");
}

// The messages that the command writes when it reads these lines and the end of its input.
std::vector<McpJson> Talk(const std::string& address, std::vector<std::string> lines) {
  lines.insert(lines.begin(), kInitialize);
  const TemporaryFile input(absl::StrJoin(lines, "\n") + "\n");
  const CommandRun run = RunCommand({"mcp", "--server", address, "--timeout", "20"}, input.fd());
  EXPECT_EQ(run.status, 0) << run.err;
  std::vector<McpJson> messages;
  for (const auto line : absl::StrSplit(run.out, '\n', absl::SkipEmpty())) {
    messages.push_back(McpJson::parse(std::string(line)));
  }
  return messages;
}

// The result of the request with this id.
McpJson ResultOf(const std::vector<McpJson>& messages, int id) {
  for (const McpJson& message : messages) {
    if (message.contains("id") && message["id"] == id) return message.value("result", McpJson());
  }
  ADD_FAILURE() << "no answer to " << id;
  return {};
}

std::string TextOf(const McpJson& result) { return result["content"][0]["text"]; }

void WriteBracketed(const v1::TranslateRequest& request, const ScriptedServer::Write& write) {
  const v1::TranslateResponse response = Bracketed(request);
  for (int i = 0; i < response.translations_size(); ++i) {
    v1::StreamTranslateResponse message;
    message.set_item(i);
    *message.mutable_translation() = response.translations(i);
    write(message);
  }
}

TEST(McpCommand, TranslatesATextOrSeveral) {
  std::vector<v1::TranslateRequest> requests;
  ScriptedServer server(nullptr, [&](const v1::TranslateRequest& request, const auto& write) {
    requests.push_back(request);
    WriteBracketed(request, write);
    return ScriptedReply{};
  });
  auto messages =
      Talk(server.address(),
           {CallOf(1, "translate",
                   R"({"text":"eins","to":"en","from":"de","model":"m","html":true,"glossary":"g",)"
                   R"("terms":{"Hund":"hound"},"do_not_translate":["x"],"alternatives":2})")});
  EXPECT_EQ(TextOf(ResultOf(messages, 1)), "<eins>");
  EXPECT_EQ(ResultOf(messages, 1)["isError"], false);
  EXPECT_EQ(ResultOf(messages, 1)["structuredContent"]["translations"][0]["text"], "<eins>");
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].target_language_code(), "en");
  EXPECT_EQ(requests[0].source_language_code(), "de");
  EXPECT_EQ(requests[0].model(), "m");
  EXPECT_EQ(requests[0].mime_type(), "text/html");
  EXPECT_FALSE(requests[0].return_options().partials());
  EXPECT_EQ(requests[0].glossary_config().glossary(), "g");
  EXPECT_EQ(requests[0].terms(0).target(), "hound");
  EXPECT_THAT(requests[0].do_not_translate(), ElementsAre("x"));
  EXPECT_EQ(requests[0].decoding().num_alternatives(), 2);

  messages =
      Talk(server.address(),
           {CallOf(2, "translate", R"({"texts":["a","b"],"to":null})", R"({"progressToken":5})")});
  const McpJson result = ResultOf(messages, 2);
  EXPECT_EQ(result["content"][0]["text"], "<a>");
  EXPECT_EQ(result["content"][1]["text"], "<b>");
  std::vector<int> progress;
  for (const McpJson& message : messages) {
    if (message.value("method", "") != "notifications/progress") continue;
    EXPECT_EQ(message["params"]["progressToken"], 5);
    EXPECT_EQ(message["params"]["total"], 2);
    progress.push_back(message["params"]["progress"]);
  }
  EXPECT_THAT(progress, ElementsAre(1, 2));
}

TEST(McpCommand, WhatIsWrongIsSaidToTheModel) {
  ScriptedServer server(nullptr, [](const v1::TranslateRequest&, const auto&) {
    return ScriptedReply{.code = absl::StatusCode::kNotFound, .message = "model: found 'x'"};
  });
  const auto error = [&](const std::string& tool, const std::string& arguments) {
    const McpJson result = ResultOf(Talk(server.address(), {CallOf(1, tool, arguments)}), 1);
    EXPECT_EQ(result["isError"], true) << arguments;
    return TextOf(result);
  };
  EXPECT_EQ(error("translate", R"({"text":"a","model":"x"})"), "NOT_FOUND: model: found 'x'");
  EXPECT_THAT(error("translate", "{}"), HasSubstr("found neither text nor texts"));
  EXPECT_THAT(error("translate", R"({"text":"a","texts":["b"]})"),
              HasSubstr("found text and texts"));
  EXPECT_THAT(error("translate", R"({"text":5})"),
              HasSubstr("text: found number, expected a text"));
  EXPECT_THAT(error("translate", R"({"text":"a","lang":"b"})"),
              HasSubstr("found argument 'lang', expected some of alternatives, do_not_translate"));
  EXPECT_THAT(error("translate", R"({"text":"a","alternatives":65})"),
              HasSubstr("alternatives: found number, expected a whole number, 1..64"));
  EXPECT_THAT(error("languages", R"({"form":"de"})"), HasSubstr("found argument 'form'"));
  EXPECT_THAT(error("glossaries", R"({"model":"zz"})"), HasSubstr("model: found 'zz'"));
}

TEST(McpCommand, ATextThatFailsAloneIsNamed) {
  ScriptedServer server(nullptr, [](const v1::TranslateRequest& request, const auto& write) {
    v1::StreamTranslateResponse message;
    message.set_item(1);
    message.mutable_translation()->mutable_error()->set_code(3);
    message.mutable_translation()->mutable_error()->set_message("too long");
    *message.mutable_error() = message.translation().error();
    write(message);
    v1::TranslateRequest first;
    first.add_contents(request.contents(0));
    WriteBracketed(first, write);
    return ScriptedReply{};
  });
  const McpJson result =
      ResultOf(Talk(server.address(), {CallOf(1, "translate", R"({"texts":["a","b"]})")}), 1);
  EXPECT_EQ(result["isError"], false);
  EXPECT_EQ(result["content"][0]["text"], "<a>");
  EXPECT_EQ(result["content"][1]["text"],
            "This text was not translated: INVALID_ARGUMENT: too long");
}

TEST(McpCommand, APingIsAnsweredWhileATranslationIsUnderWay) {
  std::atomic<bool> answered{false};
  ScriptedServer server(nullptr, [&](const v1::TranslateRequest& request, const auto& write) {
    while (!answered) std::this_thread::yield();
    WriteBracketed(request, write);
    return ScriptedReply{};
  });
  int in[2];
  ASSERT_EQ(pipe(in), 0);
  // A stream whose lines a test sees as they come.
  class Watch : public std::stringbuf {
   public:
    explicit Watch(std::atomic<bool>* seen) : seen_(seen) {}
    int sync() override {
      if (str().find(R"("id":9)") != std::string::npos) *seen_ = true;
      return 0;
    }
    std::atomic<bool>* seen_;
  } buffer(&answered);
  std::ostream out(&buffer);
  std::ostringstream err;
  const Io io{.in_fd = in[0], .out = out, .err = err, .environment = nullptr};
  const std::string lines =
      absl::StrCat(kInitialize, "\n", CallOf(1, "translate", R"({"text":"a"})"), "\n",
                   R"({"jsonrpc":"2.0","id":9,"method":"ping"})", "\n");
  ASSERT_EQ(write(in[1], lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  close(in[1]);
  EXPECT_EQ(RunDragoman(io, {"mcp", "--server", server.address()}), 0) << err.str();
  close(in[0]);
  const std::string text = buffer.str();
  EXPECT_LT(text.find(R"("id":9)"), text.find(R"("id":1,)")) << text;
}

TEST(McpCommand, ACancelledTranslationEndsAtItsNextMessageAndIsNotAnswered) {
  std::atomic<int> written{0};
  ScriptedServer server(nullptr, [&](const v1::TranslateRequest& request, const auto& write) {
    v1::StreamTranslateResponse partial;
    partial.set_text("x");
    // Far more than a cancelled call lasts.
    for (; written < 1'000'000'000; ++written) {
      write(partial);
      if (request.contents(0) == "short") break;
      if (written > 100'000) return ScriptedReply{.code = absl::StatusCode::kInternal};
    }
    WriteBracketed(request, write);
    return ScriptedReply{};
  });
  const auto messages =
      Talk(server.address(),
           {CallOf(1, "translate", R"({"text":"long"})"),
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
            CallOf(2, "translate", R"({"text":"short"})")});
  EXPECT_EQ(TextOf(ResultOf(messages, 2)), "<short>");
  for (const McpJson& message : messages) EXPECT_NE(message.value("id", McpJson()), 1);
}

TEST(McpCommand, LanguagesAndGlossariesAreThoseOfTheServer) {
  ScriptedServer server;
  const auto messages = Talk(
      server.address(), {CallOf(1, "languages", "{}"), CallOf(2, "languages", R"({"to":"zz"})"),
                         CallOf(3, "glossaries", "{}"), CallOf(4, "detect", R"({"text":"a"})")});
  EXPECT_THAT(TextOf(ResultOf(messages, 1)), HasSubstr("de to en"));
  EXPECT_EQ(TextOf(ResultOf(messages, 2)), "There is no such pair of languages.");
  EXPECT_TRUE(ResultOf(messages, 3)["structuredContent"]["glossaries"].is_array());
  EXPECT_EQ(ResultOf(messages, 4)["isError"], true);
}

TEST(McpTools, AThousandPairsAreCutAndCounted) {
  v1::ListLanguagesResponse response;
  for (int i = 0; i < 300; ++i) {
    v1::LanguagePair* pair = response.add_pairs();
    pair->set_source_language_code("de");
    pair->set_target_language_code(absl::StrCat("x", i));
  }
  McpResult result = McpLanguagesResult(response, {});
  EXPECT_EQ(result.structured["pairs"].size(), 200U);
  EXPECT_EQ(result.structured["pair_count"], 300U);
  EXPECT_THAT(result.texts.at(0), HasSubstr("and 100 more pairs"));
  result = McpLanguagesResult(response, {.model = "", .from = "de", .to = "x299"});
  EXPECT_EQ(result.texts.at(0), "de to x299");
}

TEST(McpTools, LanguagesOfTextsComeBestFirst) {
  const auto request = McpDetectRequest(McpJson::parse(R"({"texts":["Guten Tag","12"]})"));
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->contents_size(), 2);
  EXPECT_FALSE(McpDetectRequest(McpJson::parse(R"({"text":"a","from":"de"})")).ok());
  v1::DetectLanguageResponse response;
  v1::DetectedLanguage* found = response.add_detections()->add_languages();
  found->set_language_code("de");
  found->set_confidence(0.75F);
  response.add_detections();
  const McpResult result = McpDetectResult(response);
  EXPECT_EQ(result.texts, (std::vector<std::string>{"de", "unknown"}));
  EXPECT_EQ(result.structured["detections"],
            McpJson::parse(R"([{"languages":[{"language":"de","confidence":0.75}]},
                               {"languages":[]}])"));
}

TEST(McpTools, GlossariesHaveTheirModels) {
  v1::ListModelsResponse response;
  for (const char* name : {"a", "b"}) {
    v1::Model* model = response.add_models();
    model->set_name(name);
    model->add_glossaries(absl::StrCat("terms-", name));
  }
  EXPECT_EQ(McpGlossariesResult(response, "").texts.at(0), "terms-a (model a)\nterms-b (model b)");
  EXPECT_EQ(McpGlossariesResult(response, "b").texts.at(0), "terms-b (model b)");
  EXPECT_TRUE(McpGlossariesResult(response, "c").is_error);
}

// A schema allows what is read, and nothing else.
TEST(McpTools, SchemasNameWhatIsRead) {
  for (const McpTool& tool : McpTools()) {
    std::vector<std::string> names;
    for (const auto& [name, schema] : tool.input_schema["properties"].items()) {
      EXPECT_TRUE(schema.contains("description")) << name;
      names.push_back(name);
    }
    EXPECT_EQ(tool.input_schema["additionalProperties"], false);
    if (tool.name == "languages") {
      EXPECT_THAT(names, UnorderedElementsAre("from", "to", "model"));
    }
    if (tool.name != "translate") continue;
    const absl::Status wrong = McpTranslateRequest({{"text", "a"}, {"zzz", 1}}).status();
    for (const std::string& name : names) EXPECT_THAT(wrong.message(), HasSubstr(name));
  }
}

}  // namespace
}  // namespace dragoman
