#include "client/mcp_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace dragoman {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char kInitialized[] =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";
constexpr const char kModern[] =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})";

// A server with one tool, whose calls a test answers.
class Mcp {
 public:
  Mcp()
      : protocol(
            {{.name = "say",
              .title = "Say",
              .description = "Says it.",
              .input_schema = {{"type", "object"}},
              .output_schema = {{"type", "object"}}}},
            "1.2.3",
            {.send = [this](const std::string& line) { sent.push_back(McpJson::parse(line)); },
             .start =
                 [this](McpProtocol::CallNumber number, McpCall call) {
                   started.push_back(number);
                   calls.push_back(std::move(call));
                 },
             .cancel = [this](McpProtocol::CallNumber number) { cancelled.push_back(number); }}) {}

  // The answer to the line; null for none.
  McpJson Ask(const std::string& line) {
    const size_t before = sent.size();
    protocol.OnLine(line);
    EXPECT_LE(sent.size(), before + 1) << line;
    return sent.size() == before ? McpJson() : sent.back();
  }
  // The result of a request.
  McpJson Request(const std::string& method, const std::string& params = "{}") {
    const McpJson answer = Ask(absl::StrCat(R"({"jsonrpc":"2.0","id":"q","method":")", method,
                                            R"(","params":)", params, "}"));
    EXPECT_EQ(answer["id"], "q");
    return answer.contains("result") ? answer["result"] : answer["error"];
  }

  std::vector<McpJson> sent;
  std::vector<McpProtocol::CallNumber> started;
  std::vector<McpCall> calls;
  std::vector<McpProtocol::CallNumber> cancelled;
  McpProtocol protocol;
};

TEST(McpProtocol, TheHandshakeTakesTheClientsRevisionElseOffersTheNewest) {
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    Mcp mcp;
    const McpJson result =
        mcp.Request("initialize", absl::StrCat(R"({"protocolVersion":")", version, R"("})"));
    EXPECT_EQ(result["protocolVersion"], version);
    EXPECT_TRUE(result["capabilities"].contains("tools"));
    EXPECT_EQ(result["serverInfo"]["name"], "dragoman");
    EXPECT_EQ(result["serverInfo"]["version"], "1.2.3");
  }
  Mcp mcp;
  EXPECT_EQ(mcp.Request("initialize", R"({"protocolVersion":"1999-01-01"})")["protocolVersion"],
            "2025-11-25");
  EXPECT_EQ(mcp.Request("initialize", R"({"protocolVersion":7})")["code"], -32602);
}

TEST(McpProtocol, RequestsOfTheModernRevisionNeedNoHandshake) {
  Mcp mcp;
  const McpJson discovered = mcp.Request("server/discover", absl::StrCat("{", kModern, "}"));
  EXPECT_THAT(discovered["supportedVersions"].get<std::vector<std::string>>(),
              ElementsAre("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"));
  EXPECT_EQ(discovered["resultType"], "complete");
  const McpJson listed = mcp.Request("tools/list", absl::StrCat("{", kModern, "}"));
  EXPECT_EQ(listed["tools"][0]["name"], "say");
  EXPECT_EQ(listed["resultType"], "complete");
  EXPECT_EQ(listed["cacheScope"], "public");
  EXPECT_GT(listed["ttlMs"], 0);
}

TEST(McpProtocol, ARevisionThatIsNotKnownIsRefusedWithThoseThatAre) {
  Mcp mcp;
  const McpJson error = mcp.Request(
      "tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}})");
  EXPECT_EQ(error["code"], -32022);
  EXPECT_EQ(error["data"]["requested"], "2031-01-01");
  EXPECT_EQ(error["data"]["supported"].size(), 5U);
}

TEST(McpProtocol, NothingButAPingComesBeforeTheHandshake) {
  Mcp mcp;
  EXPECT_EQ(mcp.Request("tools/list")["code"], -32600);
  EXPECT_EQ(mcp.Request("tools/call", R"({"name":"say"})")["code"], -32600);
  EXPECT_EQ(mcp.Request("ping"), McpJson::object());
  mcp.Ask(kInitialized);
  EXPECT_EQ(mcp.Request("tools/list")["tools"].size(), 1U);
  EXPECT_THAT(mcp.calls, IsEmpty());
}

TEST(McpProtocol, OlderRevisionsGetNoFieldsOfNewerOnes) {
  Mcp mcp;
  mcp.Request("initialize", R"({"protocolVersion":"2024-11-05"})");
  const McpJson tool = mcp.Request("tools/list")["tools"][0];
  EXPECT_EQ(
      tool,
      McpJson::parse(R"({"name":"say","description":"Says it.","inputSchema":{"type":"object"}})"));
  mcp.Ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say"}})");
  mcp.protocol.Answer(mcp.started.at(0), {.texts = {"a"}, .structured = {{"a", 1}}});
  EXPECT_EQ(mcp.sent.back()["result"],
            McpJson::parse(R"({"content":[{"type":"text","text":"a"}],"isError":false})"));
}

TEST(McpProtocol, ACallIsAnsweredOnceUnderItsId) {
  Mcp mcp;
  mcp.Ask(kInitialized);
  EXPECT_TRUE(mcp.Ask(R"({"jsonrpc":"2.0","id":7,"method":"tools/call",)"
                      R"("params":{"name":"say","arguments":{"a":"b"}}})")
                  .is_null());
  EXPECT_EQ(mcp.calls.at(0).tool, "say");
  EXPECT_EQ(mcp.calls.at(0).arguments, McpJson({{"a", "b"}}));
  mcp.protocol.Answer(mcp.started[0], {.texts = {"x\ny"}, .structured = {{"c", 1}}});
  EXPECT_EQ(mcp.sent.back()["id"], 7);
  EXPECT_EQ(mcp.sent.back()["result"]["content"][0]["text"], "x\ny");
  EXPECT_EQ(mcp.sent.back()["result"]["structuredContent"], McpJson({{"c", 1}}));
  const size_t before = mcp.sent.size();
  mcp.protocol.Answer(mcp.started[0], {.texts = {"again"}});
  EXPECT_EQ(mcp.sent.size(), before);
}

TEST(McpProtocol, ACancelledCallIsNotAnswered) {
  Mcp mcp;
  mcp.Ask(kInitialized);
  mcp.Ask(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"say"}})");
  mcp.Ask(R"({"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"say"}})");
  mcp.Ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}})");
  mcp.Ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"z"}})");
  mcp.Ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})");
  EXPECT_THAT(mcp.cancelled, ElementsAre(mcp.started[0]));
  const size_t before = mcp.sent.size();
  mcp.protocol.Answer(mcp.started[0], {.texts = {"late"}});
  EXPECT_EQ(mcp.sent.size(), before);
  mcp.protocol.Answer(mcp.started[1], {.texts = {"b"}});
  EXPECT_EQ(mcp.sent.back()["id"], "b");
}

TEST(McpProtocol, ProgressGoesToThoseThatGaveAToken) {
  Mcp mcp;
  mcp.Ask(kInitialized);
  mcp.Ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say",)"
          R"("_meta":{"progressToken":"t"}}})");
  mcp.Ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"say"}})");
  const size_t before = mcp.sent.size();
  mcp.protocol.Progress(mcp.started[1], 1, 2);
  EXPECT_EQ(mcp.sent.size(), before);
  mcp.protocol.Progress(mcp.started[0], 1, 2);
  EXPECT_EQ(mcp.sent.back()["method"], "notifications/progress");
  EXPECT_EQ(mcp.sent.back()["params"],
            McpJson::parse(R"({"progressToken":"t","progress":1,"total":2})"));
}

TEST(McpProtocol, WhatIsNoMessageIsAnErrorOfJsonRpc) {
  Mcp mcp;
  mcp.Ask(kInitialized);
  EXPECT_EQ(mcp.Ask("{")["error"]["code"], -32700);
  EXPECT_TRUE(mcp.Ask("{")["id"].is_null());
  EXPECT_EQ(mcp.Ask("\"\xff\"")["error"]["code"], -32700);
  for (const char* line :
       {"1", "null", R"("ping")", "{}", "[]", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])",
        R"({"id":1,"method":"ping"})", R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":1,"method":5})", R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":[1],"method":"ping"})"}) {
    EXPECT_EQ(mcp.Ask(line)["error"]["code"], -32600) << line;
  }
  EXPECT_EQ(mcp.Ask(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})")["error"]["code"],
            -32602);
  EXPECT_EQ(mcp.Request("resources/list")["code"], -32601);
  EXPECT_THAT(mcp.Request("resources/list")["message"].get<std::string>(),
              HasSubstr("found method \"resources/list\", expected initialize"));
  EXPECT_TRUE(mcp.Ask("").is_null());
  EXPECT_TRUE(mcp.Ask(" \r").is_null());
  // The client answers something, or says what does not matter here.
  EXPECT_TRUE(mcp.Ask(R"({"jsonrpc":"2.0","id":1,"result":{}})").is_null());
  EXPECT_TRUE(mcp.Ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").is_null());
  EXPECT_TRUE(mcp.Ask(R"({"jsonrpc":"2.0","method":"notifications/x","params":3})").is_null());
}

TEST(McpProtocol, DeepBracketsAreRefusedBeforeTheyAreParsed) {
  Mcp mcp;
  EXPECT_EQ(mcp.Ask(std::string(1'000'000, '['))["error"]["code"], -32600);
  EXPECT_EQ(mcp.Ask(absl::StrCat(R"({"a":")", std::string(1000, '['), R"(","jsonrpc":"2.0",)",
                                 R"("id":1,"method":"ping"})"))["result"],
            McpJson::object());
}

TEST(McpProtocol, OnlyOneRevisionHasBatches) {
  Mcp mcp;
  mcp.Request("initialize", R"({"protocolVersion":"2025-03-26"})");
  const McpJson answers = mcp.Ask(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"},3])");
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0], McpJson::parse(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  EXPECT_EQ(answers[1]["id"], 2);
  EXPECT_EQ(answers[2]["error"]["code"], -32600);
  EXPECT_TRUE(answers[2]["id"].is_null());
  for (const char* version : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
    Mcp other;
    other.Request("initialize", absl::StrCat(R"({"protocolVersion":")", version, R"("})"));
    const McpJson refused = other.Ask(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])");
    EXPECT_EQ(refused["error"]["code"], -32600) << version;
    EXPECT_TRUE(refused["id"].is_null());
  }
}

// A server that has agreed on the revision with batches.
class Batch : public testing::Test {
 protected:
  static std::string Call(int id) {
    return absl::StrCat(R"({"jsonrpc":"2.0","id":)", id,
                        R"(,"method":"tools/call","params":{"name":"say"}})");
  }

  Batch() { mcp.Request("initialize", R"({"protocolVersion":"2025-03-26"})"); }

  Mcp mcp;
};

TEST_F(Batch, IsAnsweredTogetherOnceItsLastCallIs) {
  EXPECT_TRUE(
      mcp.Ask(absl::StrCat("[", Call(1), R"(,{"jsonrpc":"2.0","id":2,"method":"ping"},)", Call(3),
                           R"(,{"jsonrpc":"2.0","method":"notifications/initialized"}])"))
          .is_null());
  const size_t before = mcp.sent.size();
  mcp.protocol.Answer(mcp.started.at(1), {.texts = {"three"}});
  // Others go their own way meanwhile.
  EXPECT_EQ(mcp.Ask(R"({"jsonrpc":"2.0","id":9,"method":"ping"})")["id"], 9);
  EXPECT_EQ(mcp.sent.size(), before + 1);
  mcp.protocol.Answer(mcp.started.at(0), {.texts = {"one"}});
  ASSERT_EQ(mcp.sent.size(), before + 2);
  std::vector<int> ids;
  for (const McpJson& answer : mcp.sent.back()) ids.push_back(answer["id"]);
  EXPECT_THAT(ids, ElementsAre(2, 3, 1));
}

TEST_F(Batch, DoesNotWaitForACancelledCall) {
  mcp.Ask(absl::StrCat("[", Call(1), ",", Call(2), "]"));
  mcp.protocol.Answer(mcp.started.at(0), {.texts = {"one"}});
  const McpJson answers =
      mcp.Ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["id"], 1);
}

TEST_F(Batch, WithoutAnAnswerHasNone) {
  EXPECT_TRUE(mcp.Ask(R"([{"jsonrpc":"2.0","method":"notifications/initialized"},)"
                      R"({"jsonrpc":"2.0","id":1,"result":{}}])")
                  .is_null());
  mcp.Ask(absl::StrCat("[", Call(1), "]"));
  EXPECT_TRUE(
      mcp.Ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})")
          .is_null());
}

TEST_F(Batch, EmptyOrTooLongIsOneError) {
  EXPECT_EQ(mcp.Ask("[]")["error"]["code"], -32600);
  std::string many = "[1";
  for (size_t i = 0; i < McpProtocol::kMaxBatch; ++i) many += ",1";
  const McpJson refused = mcp.Ask(many + "]");
  EXPECT_EQ(refused["error"]["code"], -32600);
  EXPECT_EQ(refused["error"]["message"], "found an array of 1025 messages, expected at most 1024");
}

TEST_F(Batch, HasNoHandshake) {
  const McpJson answers = mcp.Ask(
      R"([{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}])");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["error"]["code"], -32600);
  EXPECT_EQ(mcp.Ask("[1]").size(), 1U);  // the revision is the same
}

TEST_F(Batch, ThatIsNotJsonIsOneError) {
  const McpJson refused =
      mcp.Ask(R"([{"jsonrpc":"2.0","method":"ping","id":1},{"jsonrpc":"2.0","method"])");
  EXPECT_EQ(refused["error"]["code"], -32700);
  EXPECT_TRUE(refused["id"].is_null());
}

TEST(McpProtocol, CallsThatCannotBeginAreAnswered) {
  Mcp mcp;
  mcp.Ask(kInitialized);
  const McpJson unknown = mcp.Request("tools/call", R"({"name":"sing"})");
  EXPECT_EQ(unknown["code"], -32602);
  EXPECT_EQ(unknown["message"], "name: found \"sing\", expected one of say");
  EXPECT_EQ(mcp.Request("tools/call")["code"], -32602);
  EXPECT_EQ(mcp.Request("tools/call", R"({"name":"say","arguments":[]})")["code"], -32602);
  EXPECT_EQ(mcp.Request("tools/list", R"({"cursor":"x"})")["code"], -32602);
  EXPECT_THAT(mcp.calls, IsEmpty());

  const auto call = [&mcp](int id) {
    return mcp.Ask(absl::StrCat(R"({"jsonrpc":"2.0","id":)", id,
                                R"(,"method":"tools/call","params":{"name":"say"}})"));
  };
  for (int id = 0; id < static_cast<int>(McpProtocol::kMaxCalls); ++id) call(id);
  EXPECT_EQ(call(0)["error"]["code"], -32600);  // the same id again
  EXPECT_EQ(call(1000)["result"]["isError"], true);
  EXPECT_EQ(mcp.calls.size(), McpProtocol::kMaxCalls);
  mcp.protocol.Answer(mcp.started[0], {.texts = {"a"}});
  EXPECT_TRUE(call(1000).is_null());
}

}  // namespace
}  // namespace dragoman
