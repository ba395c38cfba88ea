#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
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

std::vector<McpJson> MessagesOf(const std::string& output) {
  std::vector<McpJson> messages;
  for (const auto line : absl::StrSplit(output, '\n', absl::SkipEmpty())) {
    messages.push_back(McpJson::parse(std::string(line)));
  }
  return messages;
}

// Runs the command on these lines and the end of its input; returns what it writes.
std::string OutputOf(const std::string& address, const std::vector<std::string>& lines) {
  const TemporaryFile input(absl::StrJoin(lines, "\n") + "\n");
  const CommandRun run = RunCommand({"mcp", "--server", address, "--timeout", "20"}, input.fd());
  EXPECT_EQ(run.status, 0) << run.err;
  return run.out;
}

// The messages that it writes after a handshake for the newest revision that has one.
std::vector<McpJson> Talk(const std::string& address, std::vector<std::string> lines) {
  lines.insert(lines.begin(), kInitialize);
  return MessagesOf(OutputOf(address, lines));
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

// The command on a thread of its own, to which a test writes line by line.
class Conversation {
 public:
  explicit Conversation(const std::string& address) : out_(&written_) {
    EXPECT_EQ(pipe(in_), 0);
    command_ = std::thread([this, address] {
      const Io io{.in_fd = in_[0], .out = out_, .err = err_, .environment = nullptr};
      status_ = RunDragoman(io, {"mcp", "--server", address, "--timeout", "86400"});
    });
    Say(kInitialize);
  }
  ~Conversation() { End(); }

  void Say(const std::string& line) {
    const std::string bytes = line + "\n";
    ASSERT_EQ(write(in_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  // Asks for a ping, and waits for its answer.
  void Ping() {
    Say(absl::StrCat(R"({"jsonrpc":"2.0","id":"ping )", ++pings_, R"(","method":"ping"})"));
    written_.Await(absl::StrCat(R"("id":"ping )", pings_, R"(")"));
  }
  void Cancel(int id) {
    Say(absl::StrCat(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)",
                     R"({"requestId":)", id, "}}"));
  }
  // Ends the input; returns all messages once the command has ended.
  std::vector<McpJson> End() {
    if (!command_.joinable()) return {};
    close(in_[1]);
    command_.join();
    close(in_[0]);
    EXPECT_EQ(status_, 0) << err_.str();
    return MessagesOf(written_.text());
  }

 private:
  // A stream whose lines another thread can wait for.
  class Watched : public std::stringbuf {
   public:
    int sync() override {
      const std::lock_guard<std::mutex> lock(mu_);
      seen_ = str();
      grown_.notify_all();
      return 0;
    }
    void Await(const std::string& text) {
      std::unique_lock<std::mutex> lock(mu_);
      grown_.wait(lock, [&] { return seen_.find(text) != std::string::npos; });
    }
    std::string text() {
      const std::lock_guard<std::mutex> lock(mu_);
      return seen_;
    }

   private:
    std::mutex mu_;
    std::condition_variable grown_;
    std::string seen_;  // guarded by mu_
  };

  int in_[2] = {-1, -1};
  Watched written_;
  std::ostream out_;
  std::ostringstream err_;
  int pings_ = 0;
  int status_ = -1;
  std::thread command_;
};

bool HasAnswer(const std::vector<McpJson>& messages, int id) {
  return std::any_of(messages.begin(), messages.end(), [id](const McpJson& message) {
    return message.contains("id") && message["id"] == id;
  });
}

constexpr std::pair<const char*, const char*> kEveryTool[] = {{"translate", R"({"text":"a"})"},
                                                              {"detect", R"({"text":"a"})"},
                                                              {"languages", "{}"},
                                                              {"glossaries", "{}"}};

TEST(McpCommand, NoToolHoldsUpWhatComesAfterItWhileTheDaemonIsSlow) {
  for (const auto& [tool, arguments] : kEveryTool) {
    ScriptedServer server(nullptr, [](const v1::TranslateRequest& request, const auto& write) {
      WriteBracketed(request, write);
      return ScriptedReply{};
    });
    server.Hold();
    Conversation conversation(server.address());
    conversation.Say(CallOf(1, tool, arguments));
    while (server.waiting() == 0) std::this_thread::yield();
    conversation.Ping();
    conversation.Say(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
    conversation.Ping();
    server.Release();
    const auto messages = conversation.End();
    ASSERT_TRUE(HasAnswer(messages, 1)) << tool;
    EXPECT_EQ(messages.back()["id"], 1) << tool;
    EXPECT_TRUE(HasAnswer(messages, 2)) << tool;
  }
}

TEST(McpCommand, ACancelledCallEndsAtOnceAndIsNotAnswered) {
  for (const auto& [tool, arguments] : kEveryTool) {
    // Nothing comes from the server that the end could wait for.
    ScriptedServer server(nullptr, [](const v1::TranslateRequest&, const auto&) {
      return ScriptedReply{.code = absl::StatusCode::kInternal};
    });
    server.Hold();
    Conversation conversation(server.address());
    conversation.Say(CallOf(1, tool, arguments));
    while (server.waiting() == 0) std::this_thread::yield();
    conversation.Cancel(1);
    while (server.cancelled() == 0) std::this_thread::yield();
    conversation.Ping();
    EXPECT_FALSE(HasAnswer(conversation.End(), 1)) << tool;
  }
}

TEST(McpCommand, ABatchIsAnsweredByOneArrayAfterItsLastCall) {
  ScriptedServer server(nullptr, [](const v1::TranslateRequest& request, const auto& write) {
    WriteBracketed(request, write);
    return ScriptedReply{};
  });
  const auto messages = MessagesOf(
      OutputOf(server.address(), {R"({"jsonrpc":"2.0","id":0,"method":"initialize",)"
                                  R"("params":{"protocolVersion":"2025-03-26"}})",
                                  absl::StrCat("[", CallOf(1, "translate", R"({"text":"a"})"), ",",
                                               CallOf(2, "languages", "{}"),
                                               R"(,{"jsonrpc":"2.0","id":3,"method":"ping"}])")}));
  ASSERT_EQ(messages.size(), 2U);
  ASSERT_TRUE(messages[1].is_array());
  std::vector<int> ids;
  for (const McpJson& answer : messages[1]) ids.push_back(answer["id"]);
  EXPECT_THAT(ids, UnorderedElementsAre(1, 2, 3));
}

TEST(McpCommand, ALineThatIsTooLongIsRefusedAndTheNextOneRead) {
  ScriptedServer server;
  const auto messages = Talk(
      server.address(), {std::string((size_t{16} << 20) + 1, 'x'), CallOf(1, "languages", "{}")});
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[1]["error"]["code"], -32600);
  EXPECT_THAT(messages[1]["error"]["message"].get<std::string>(), HasSubstr("more than 16 MiB"));
  EXPECT_TRUE(messages[1]["id"].is_null());
  EXPECT_THAT(TextOf(ResultOf(messages, 1)), HasSubstr("de to en"));
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
