// A client learns nothing about models that its key does not allow. Every route is asked on two
// servers, of which only one has such a model. Both must answer with the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/api/adapter_handler.h"
#include "server/base/steady_clock.h"
#include "server/compat/adapters.h"
#include "tests/server/api/adapter_fixture.h"
#include "tests/server/fake_detector.h"
#include "tests/server/glossary_engine.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

// A request. The requests ask for the hidden model, its languages (French to Japanese) or its
// glossary "fish".
struct Asked {
  const char* method;
  const char* path;
  const char* query = "";
  const char* body = "";
  const char* type = "application/json";
};

const std::vector<Asked>& Requests() {
  static const auto* const requests = new std::vector<Asked>{
      {"POST", "/translate", "", R"({"q": "fr: a", "source": "auto", "target": "ja"})"},
      {"POST", "/translate", "", R"({"q": "a", "source": "fr", "target": "ja"})"},
      {"POST", "/translate", "", R"({"q": "a", "source": "fr", "target": "fr"})"},
      {"POST", "/translate", "",
       R"({"q": "a", "source": "fr", "target": "ja", "alternatives": 20})"},
      {"POST", "/translate", "", R"({"texts": ["a"], "src_lang": "fr", "tgt_lang": "ja"})"},
      {"POST", "/translate", "", R"({"text": "a", "source_lang": "FR", "target_lang": "JA"})"},
      {"POST", "/translate", "", R"({"text": "a", "from": "fr", "to": "ja"})"},
      {"WEBSOCKET", "/translate", "model=hidden", "a"},
      {"WEBSOCKET", "/translate", "source=fr&target=ja", "a"},
      {"GET", "/languages"},
      {"POST", "/detect", "", R"({"q": "fr: a"})"},
      {"GET", "/frontend/settings"},
      {"GET", "/health"},
      {"GET", "/spec"},
      {"POST", "/translate_file"},
      {"GET", "/download_file/a"},
      {"POST", "/suggest"},
      {"POST", "/v2/translate", "",
       R"({"text": ["a"], "source_lang": "FR", "target_lang": "JA", "glossary_id": "fish"})"},
      {"POST", "/v2/translate", "", R"({"text": ["a"], "source_lang": "FR", "target_lang": "JA"})"},
      {"GET", "/v2/translate", "text=a&source_lang=FR&target_lang=JA"},
      {"POST", "/deepl", "", R"({"text": ["a"], "target_lang": "JA"})"},
      {"GET", "/deepl", "text=a&target_lang=JA"},
      {"GET", "/v2/languages", "type=source"},
      {"GET", "/v2/languages", "type=target"},
      {"GET", "/v3/languages", "resource=translate_text"},
      {"GET", "/v2/usage"},
      {"GET", "/v2/glossary-language-pairs"},
      {"GET", "/v2/glossaries"},
      {"GET", "/v2/glossaries/fish"},
      {"GET", "/v2/glossaries/fish/entries"},
      {"POST", "/v2/document", "", R"({"target_lang": "JA"})"},
      {"POST", "/v2/document/x", "", R"({"document_key": "xx"})"},
      {"GET", "/v3/glossaries"},
      {"GET", "/version"},
      {"GET", "/__heartbeat__"},
      {"GET", "/__lbheartbeat__"},
      {"POST", "/translate/batch", "", R"({"texts": ["a"], "from": "fr", "to": "ja"})"},
      {"POST", "/imme", "", R"({"text_list": ["a"], "source_lang": "fr", "target_lang": "ja"})"},
      {"POST", "/kiss", "", R"({"text": "a", "from": "fr", "to": "ja"})"},
      {"POST", "/deeplx", "", R"({"text": "a", "source_lang": "FR", "target_lang": "JA"})"},
      {"GET", "/google/translate_a/single", "q=a&sl=fr&tl=ja"},
      {"POST", "/google/language/translate/v2", "", R"({"q": "a", "target": "ja"})"},
      {"GET", "/google/language/translate/v2", "q=a&target=ja"},
      {"POST", "/language/translate/v2", "", R"({"q": "a", "source": "fr", "target": "ja"})"},
      {"GET", "/language/translate/v2", "q=a&source=fr&target=ja&model=hidden"},
      {"POST", "/language/translate/v2/detect", "", R"({"q": "fr: a"})"},
      {"GET", "/language/translate/v2/detect", "q=fr:%20a"},
      {"POST", "/language/translate/v2/languages", "", R"({"target": "en"})"},
      {"GET", "/language/translate/v2/languages", "target=en"},
      {"GET", "/language/translate/v2/languages", "model=hidden"},
      {"POST", "/v3/projects/p:translateText", "",
       R"({"contents": ["a"], "sourceLanguageCode": "fr", "targetLanguageCode": "ja"})"},
      {"POST", "/v3/projects/p:detectLanguage", "", R"({"content": "fr: a"})"},
      {"POST", "/v3/projects/p:translateDocument", "",
       R"({"documentInputConfig": {"content": "YQ==", "mimeType": "text/plain"},
           "sourceLanguageCode": "fr", "targetLanguageCode": "ja"})"},
      {"GET", "/v3/projects/p/supportedLanguages", "displayLanguageCode=en"},
      {"GET", "/v3/projects/p/supportedLanguages", "model=hidden"},
      {"GET", "/v3/projects/p/glossaries"},
      {"GET", "/v3/projects/p/glossaries/fish"},
      {"POST", "/v1/chat/completions", "",
       R"({"model": "hidden", "messages": [{"role": "user", "content": "a"}]})"},
      {"POST", "/v1/chat/completions", "",
       R"({"model": "no such", "messages": [{"role": "user", "content": "a"}]})"},
      {"POST", "/v1/completions", "", R"({"model": "hidden", "prompt": "a"})"},
      {"GET", "/v1/models"},
      {"GET", "/v1/models/hidden"},
      {"POST", "/v1/translate", "", R"({"contents": ["a"], "model": "hidden"})"},
      {"POST", "/v1/translate", "",
       R"({"contents": ["a"], "sourceLanguageCode": "fr", "targetLanguageCode": "ja"})"},
      {"POST", "/v1/translate:stream", "", R"({"contents": ["a"], "model": "hidden"})"},
      {"POST", "/v1/translate:stream", "", R"({"contents": ["a"], "targetLanguageCode": "ja"})"},
      {"POST", "/v1/detect", "", R"({"contents": ["fr: a"]})"},
      {"POST", "/v1/detect", "", R"({"contents": ["fr: a"], "model": "hidden"})"},
      {"GET", "/v1/languages"},
      {"GET", "/v1/languages", "model=hidden"},
      {"GET", "/v1/info"},
      {"GET", "/v1/info/models"},
      {"GET", "/v1/openapi.json"},
      {"POST", "/v1/jobs", "", R"({"request": {"model": "hidden"}, "name": "a.txt", "size": 1})"},
      {"POST", "/v1/jobs", "",
       R"({"request": {"targetLanguageCode": "ja"}, "name": "a.txt", "size": 1})"},
      {"POST", "/v1/jobs:upload", "name=a.txt&model=hidden", "a", "application/octet-stream"},
      {"GET", "/v1/jobs"},
      {"GET", "/v1/jobs/x"},
      {"PUT", "/v1/jobs/x", "offset=0", "a", "application/octet-stream"},
      {"DELETE", "/v1/jobs/x"}};
  return *requests;
}

// A server with the model "open" and, if `has_hidden`, the model "hidden".
class Side : public AdapterFixture {
 public:
  Side(const ApiKeys* keys, bool has_hidden) : handler_{&context_, keys, adapters_.routes()} {
    context_.limits = {8, 200};
    context_.detector = &detector_;
    engine_.mutable_info()->name = "open";
    engine_.mutable_info()->pairs = {{"de", "en"}};
    Serve();
    if (!has_hidden) return;
    // A thread of the table uses the engine until the table ends, so the table owns it.
    auto hidden = std::make_shared<GlossaryEngine>();
    hidden->mutable_info()->name = "hidden";
    hidden->mutable_info()->pairs = {{"fr", "ja"}};
    hidden->mutable_info()->max_beam = 64;
    hidden->AddGlossary("fish", {{"hareng", "nishin"}});
    ServedModel model = Borrowed(hidden.get());
    model.engine = std::move(hidden);
    EXPECT_TRUE(models_.Put(std::move(model)).ok());
  }

  std::string AnswerTo(const Asked& asked, const std::string& key) {
    HttpRequest request = Post(asked.path, asked.body, asked.type);
    request.method = asked.method;
    request.query = asked.query;
    request.headers.emplace_back("authorization", "Bearer " + key);
    request.headers.emplace_back("x-request-id", "mine");
    const auto exchange = Send(&handler_, std::move(request));
    const HttpResponse answer = exchange->Wait();
    std::string all = absl::StrCat(answer.status, "\n", answer.body);
    for (const auto& [name, value] : answer.headers) absl::StrAppend(&all, "\n", name, ": ", value);
    return all;
  }

  const std::vector<AdapterRoute>& routes() const { return adapters_.routes(); }

 private:
  void TestBody() override {}

  const FakeDetector detector_;
  const Adapters adapters_{AdapterContext{.calls = &context_, .keys_needed = true}};
  AdapterHandler handler_;
};

class RightsTest : public ::testing::Test {
 protected:
  RightsTest() {
    const std::string path = directory_.Write(
        "keys.json",
        absl::StrCat(R"({"clients": [{"name": "some", "models": ["open"], "keys": [")",
                     HashOfKey("some-key"),
                     R"("]}, {"name": "none", "models": ["gone"], "keys": [")",
                     HashOfKey("none-key"), R"("]}, {"name": "all", "models": ["*"], "keys": [")",
                     HashOfKey("all-key"), R"("]}]})"));
    auto keys = ExpectOk(ApiKeys::Open(path));
    keys_ = *std::move(keys);
    with_ = std::make_unique<Side>(keys_.get(), true);
    without_ = std::make_unique<Side>(keys_.get(), false);
  }

  const TempDirectory directory_;
  std::unique_ptr<ApiKeys> keys_;
  std::unique_ptr<Side> with_;
  std::unique_ptr<Side> without_;
};

TEST_F(RightsTest, NoRouteShowsAModelToAKeyThatMayNotUseIt) {
  for (const std::string key : {"some-key", "none-key"}) {
    for (const Asked& asked : Requests()) {
      EXPECT_EQ(with_->AnswerTo(asked, key), without_->AnswerTo(asked, key))
          << key << ": " << asked.method << " " << asked.path << "?" << asked.query << " "
          << asked.body;
    }
  }
}

TEST_F(RightsTest, NoRouteShowsAnyModelToAKeyThatMayUseNothing) {
  for (const Asked& asked : Requests()) {
    const std::string answer = with_->AnswerTo(asked, "none-key");
    if (std::string(asked.path) == "/v1/openapi.json" || std::string(asked.path) == "/spec") {
      continue;  // the same for everyone
    }
    for (const char* shown : {"\"open\"", "\"de\"", "\"DE\"", "German", "hareng"}) {
      EXPECT_THAT(answer, ::testing::Not(::testing::HasSubstr(shown)))
          << asked.method << " " << asked.path << "?" << asked.query;
    }
  }
}

TEST_F(RightsTest, AKeyThatMayUseItSeesIt) {
  int different = 0;
  for (const Asked& asked : Requests()) {
    different += with_->AnswerTo(asked, "all-key") != without_->AnswerTo(asked, "all-key");
  }
  EXPECT_GE(different, 45);
}

TEST_F(RightsTest, EveryRouteIsAsked) {
  for (const AdapterRoute& route : with_->routes()) {
    if (route.method == "OPTIONS") continue;  // answers before it knows a key
    bool is_asked = false;
    for (const Asked& asked : Requests()) {
      const bool fits = route.method == "*" || route.method == asked.method;
      is_asked |= fits && route.FitsPath(asked.path);
    }
    EXPECT_TRUE(is_asked) << route.method << " " << route.path;
  }
}

}  // namespace
}  // namespace dragoman::server
