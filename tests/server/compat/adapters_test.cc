// Tests all adapters together. No matter which part of the server refuses a request, the answer has
// the form of the dialect that owns the path.
#include "server/compat/adapters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/api/adapter_fixture.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// A translation in a dialect.
struct Dialect {
  const char* api;
  const char* path;
  const char* body;
  const char* message;  // JSON pointer to the message of an error
  // JSON pointer to the HTTP status in an error; nullptr: there is none.
  const char* code = nullptr;
  int unauthenticated = 401;
  int denied = 403;
};

const std::vector<Dialect>& Dialects() {
  static const auto* const dialects = new std::vector<Dialect>{
      {"libretranslate", "/translate", R"({"q": "a", "source": "de", "target": "en"})", "/error",
       nullptr, 403},
      {"mtranserver", "/translate", R"({"text": "a", "from": "de", "to": "en"})", "/error"},
      {"mtranserver", "/translate/batch", R"({"texts": ["a"], "from": "de", "to": "en"})",
       "/error"},
      {"curator", "/translate", R"({"texts": ["a"], "src_lang": "de", "tgt_lang": "en"})",
       "/error"},
      {"deepl", "/v2/translate", R"({"text": ["a"], "source_lang": "DE", "target_lang": "EN"})",
       "/message", nullptr, 403},
      {"google_v2", "/language/translate/v2", R"({"q": "a", "source": "de", "target": "en"})",
       "/error/errors/0/message", "/error/code"},
      {"google_v3", "/v3/projects/p:translateText",
       R"({"contents": ["a"], "sourceLanguageCode": "de", "targetLanguageCode": "en"})",
       "/error/message", "/error/code"},
      {"openai", "/v1/completions", R"({"model": "de-en", "prompt": "a"})", "/error/message",
       nullptr, 401, 404},
      {"plugins", "/imme", R"({"text_list": ["a"], "source_lang": "de", "target_lang": "en"})",
       "/error"},
      {"plugins", "/deeplx", R"({"text": "a", "source_lang": "DE", "target_lang": "EN"})",
       "/message", "/code"},
      {"dragoman", "/v1/translate", R"({"contents": ["a"]})", "/error/message", "/error/code"}};
  return *dialects;
}

class AdaptersTest : public AdapterFixture {
 protected:
  AdaptersTest() {
    engine_.mutable_info()->pairs = {{"de", "en"}};
    Serve();
    context_.limits = {8, 200};
  }

  void ExpectError(const Dialect& dialect, const HttpResponse& answer, int status,
                   const std::string& message) const {
    EXPECT_EQ(answer.status, status) << dialect.path << ": " << answer.body;
    const json body = json::parse(answer.body, nullptr, false);
    ASSERT_TRUE(body.is_object()) << dialect.path << ": " << answer.body;
    const json::json_pointer where(dialect.message);
    ASSERT_TRUE(body.contains(where)) << dialect.path << ": " << answer.body;
    EXPECT_THAT(body[where].get<std::string>(), HasSubstr(message)) << dialect.path;
    if (dialect.code != nullptr) {
      EXPECT_EQ(body[json::json_pointer(dialect.code)], status) << dialect.path;
    }
  }
  void ExpectCounted(const Dialect& dialect, const char* code, const char* method) const {
    EXPECT_THAT(metrics_.Scrape(),
                HasSubstr(std::string(R"(dragoman_rpcs_total{api=")") + dialect.api +
                          R"(",code=")" + code + R"(",method=")" + method + R"("})"))
        << dialect.path;
  }

  const Adapters adapters_{AdapterContext{.calls = &context_}};
  AdapterHandler handler_{&context_, nullptr, adapters_.routes()};
};

TEST_F(AdaptersTest, EveryDialectTranslates) {
  for (const Dialect& dialect : Dialects()) {
    const HttpResponse answer = Send(&handler_, Post(dialect.path, dialect.body))->Wait();
    EXPECT_EQ(answer.status, 200) << dialect.path << ": " << answer.body;
    EXPECT_THAT(answer.body, HasSubstr("[a]")) << dialect.path;
    ExpectCounted(dialect, "OK", "Translate");
  }
}

TEST_F(AdaptersTest, OverloadIs429WithAHint) {
  for (const Dialect& dialect : Dialects()) {
    engine_.RefuseNext({.status = absl::ResourceExhaustedError("the queue is full"),
                        .reason = engine::RejectReason::kQueueFull,
                        .retry_after = 7 * kNanosPerSecond});
    const HttpResponse answer = Send(&handler_, Post(dialect.path, dialect.body))->Wait();
    ExpectError(dialect, answer, 429, "the queue is full");
    EXPECT_EQ(HeaderOf(answer, "Retry-After"), "7") << dialect.path;
    ExpectCounted(dialect, "RESOURCE_EXHAUSTED", "Translate");
  }
}

TEST_F(AdaptersTest, DrainingIs503WithAHint) {
  const std::atomic<bool> draining{true};
  context_.draining = &draining;
  for (const Dialect& dialect : Dialects()) {
    const HttpResponse answer = Send(&handler_, Post(dialect.path, dialect.body))->Wait();
    ExpectError(dialect, answer, 503, "the server is draining");
    EXPECT_EQ(HeaderOf(answer, "Retry-After"), "1") << dialect.path;
    ExpectCounted(dialect, "UNAVAILABLE", "Translate");
  }
}

TEST_F(AdaptersTest, KeysThatAreMissingUnknownOrNotForTheModelAreTheDialectsErrors) {
  const TempDirectory directory;
  const std::string path = directory.Write(
      "keys.json", absl::StrCat(R"({"clients": [{"name": "web", "models": ["other"], "keys": [")",
                                HashOfKey("dgm_secret"), R"("]}]})"));
  const auto keys = ExpectOk(ApiKeys::Open(path));
  AdapterHandler handler(&context_, keys->get(), adapters_.routes());
  for (const Dialect& dialect : Dialects()) {
    HttpRequest request = Post(dialect.path, dialect.body);
    ExpectError(dialect, Send(&handler, request)->Wait(), dialect.unauthenticated,
                "found no API key");
    ExpectCounted(dialect, "UNAUTHENTICATED", "Translate");
    request.headers.emplace_back("authorization", "Bearer dgm_wrong");
    ExpectError(dialect, Send(&handler, request)->Wait(), dialect.unauthenticated, "key");
    request.headers.back().second = "Bearer dgm_secret";
    ExpectError(dialect, Send(&handler, request)->Wait(), dialect.denied, "may use");
    ExpectCounted(dialect, dialect.denied == 404 ? "NOT_FOUND" : "PERMISSION_DENIED", "Translate");
  }
}

TEST_F(AdaptersTest, WhatHttpRefusesAndPathsBelowHaveTheFormOfTheirAdapter) {
  for (Dialect dialect : Dialects()) {
    // The body is not read, so its fields cannot tell which dialect of the path it is.
    const bool is_shared = std::string(dialect.path) == "/translate";
    if (is_shared) dialect.api = "libretranslate";
    HttpRequest head = Post(dialect.path, "");
    ExpectError(dialect, handler_.Refused(head, {413, "found 9 bytes, expected at most 8"}), 413,
                "found 9 bytes, expected at most 8");
    ExpectCounted(dialect, "INVALID_ARGUMENT", "unknown");
    ExpectError(dialect, handler_.Refused(head, {408, "too slow"}), 408, "too slow");
    ExpectError(dialect, handler_.Refused(head, {500, "the server has lost this request"}), 500,
                "the server has lost this request");
    ExpectCounted(dialect, "INTERNAL", "unknown");
    const HttpResponse full = handler_.Refused(head, {503, "too much"});
    ExpectError(dialect, full, 503, "too much");
    EXPECT_EQ(HeaderOf(full, "Retry-After"), "1");

    HttpRequest other = Get(dialect.path);
    other.method = "PATCH";
    const HttpResponse wrong = Send(&handler_, other)->Wait();
    ExpectError(dialect, wrong, 405, "found 'PATCH' for this path, expected");
    EXPECT_THAT(HeaderOf(wrong, "Allow"), HasSubstr("POST"));
  }
  const auto below = [&](const char* path, const Dialect& dialect) {
    ExpectError(dialect, Send(&handler_, Get(path))->Wait(), 404, std::string("'") + path + "'");
    ExpectCounted(dialect, "NOT_FOUND", "unknown");
  };
  below("/translate/nothing", {"libretranslate", "", "", "/error"});
  below("/v2/nothing", {"deepl", "", "", "/message"});
  below("/v2/translate/nothing", {"deepl", "", "", "/message"});
  below("/language/translate/v3", {"google_v2", "", "", "/error/errors/0/message", "/error/code"});
  below("/v1/embeddings", {"openai", "", "", "/error/message"});
  below("/v1/translation", {"dragoman", "", "", "/error/message", "/error/code"});
  below("/nothing", {"dragoman", "", "", "/error/message", "/error/code"});
}

// A request without a key in its headers is refused before its body is read, unless its dialect
// allows the key in the body. A wrong key in the headers is always refused.
TEST_F(AdaptersTest, ABodyIsReadOnlyWhereTheKeyIsKnownOrMayBeInIt) {
  const TempDirectory directory;
  const std::string path = directory.Write(
      "keys.json", absl::StrCat(R"({"clients": [{"name": "web", "models": ["*"], "keys": [")",
                                HashOfKey("dgm_right"), R"("]}]})"));
  const auto keys = ExpectOk(ApiKeys::Open(path));
  AdapterHandler handler(&context_, keys->get(), adapters_.routes());
  const std::set<std::string> in_bodies = {"/translate", "/v2/translate"};
  for (const Dialect& dialect : Dialects()) {
    HttpRequest head = Post(dialect.path, "");
    const HttpAdmission none = handler.Admit(head);
    EXPECT_FALSE(none.client.has_key) << dialect.path;
    EXPECT_EQ(none.client.name, "ipv4:192.0.2.7") << dialect.path;
    EXPECT_EQ(none.refusal.has_value(), !in_bodies.contains(dialect.path)) << dialect.path;
    if (none.refusal.has_value())
      ExpectError(dialect, *none.refusal, dialect.unauthenticated, "key");

    head.headers.emplace_back("authorization", "Bearer wrong");
    const HttpAdmission wrong = handler.Admit(head);
    ASSERT_TRUE(wrong.refusal.has_value()) << dialect.path;
    // The headers do not tell the dialects of this path apart, so the answer is LibreTranslate's.
    const bool is_shared = std::string_view(dialect.path) == "/translate";
    ExpectError(dialect, *wrong.refusal, is_shared ? 403 : dialect.unauthenticated, "");

    head.headers.back().second = "Bearer dgm_right";
    const HttpAdmission right = handler.Admit(head);
    EXPECT_FALSE(right.refusal.has_value()) << dialect.path;
    EXPECT_TRUE(right.client.has_key) << dialect.path;
    EXPECT_NE(right.client.name, none.client.name) << dialect.path;
  }
  EXPECT_FALSE(handler_.Admit(Post("/v1/translate", "")).refusal.has_value()) << "no keys needed";
  HttpRequest form = Post("/language/translate/v2", "", "application/x-www-form-urlencoded");
  EXPECT_FALSE(handler.Admit(form).refusal.has_value());
}

TEST_F(AdaptersTest, PagesOfNamedSitesMayReadEveryAnswer) {
  AdapterHandler handler(&context_, nullptr, adapters_.routes(), {"https://a.example"});
  const auto allowed = [](const HttpResponse& answer) {
    return HeaderOf(answer, "Access-Control-Allow-Origin");
  };
  for (const Dialect& dialect : Dialects()) {
    HttpRequest request = Post(dialect.path, dialect.body);
    request.headers.emplace_back("origin", "https://a.example");
    const std::string answered = allowed(Send(&handler, request)->Wait());
    EXPECT_TRUE(answered == "https://a.example" || answered == "*") << dialect.path << answered;
    request.body = "{";
    EXPECT_NE(allowed(Send(&handler, request)->Wait()), "") << dialect.path;
    EXPECT_NE(allowed(handler.Refused(request, {413, "too large"})), "") << dialect.path;

    HttpRequest preflight = Get(dialect.path);
    preflight.method = "OPTIONS";
    preflight.headers = {{"origin", "https://a.example"},
                         {"access-control-request-method", "POST"},
                         {"access-control-request-headers", "authorization,content-type"}};
    const HttpResponse asked = Send(&handler, preflight)->Wait();
    EXPECT_EQ(asked.status, 204) << dialect.path;
    EXPECT_EQ(allowed(asked), "https://a.example") << dialect.path;
    EXPECT_EQ(HeaderOf(asked, "Access-Control-Allow-Headers"), "authorization,content-type");

    request.body = dialect.body;
    request.headers.back().second = "https://b.example";
    const std::string other = allowed(Send(&handler, request)->Wait());
    EXPECT_TRUE(other.empty() || other == "*") << dialect.path << other;
    EXPECT_EQ(other, allowed(Send(&handler_, request)->Wait())) << dialect.path;
  }
}

}  // namespace
}  // namespace dragoman::server
