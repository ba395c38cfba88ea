#include "server/api/list_answers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/compat/adapters.h"
#include "tests/server/api/adapter_fixture.h"

namespace dragoman::server {
namespace {

TEST(ListAnswers, MakesAnAnswerOnceForEachChange) {
  ListAnswers lists;
  int made = 0;
  const auto make = [&made] {
    HttpResponse answer;
    answer.body = "list " + std::to_string(++made);
    return answer;
  };
  auto model = std::make_shared<int>(1);
  const auto ask = [&](const HttpRequest& request, const char* name) {
    return lists.Get(request, name, {model}, make);
  };
  const HttpResponse first = ask({}, "a");
  EXPECT_EQ(first.text(), "list 1");
  EXPECT_EQ(ask({}, "a").shared_body, first.shared_body);
  EXPECT_EQ(ask({}, "b").text(), "list 2");
  model = std::make_shared<int>(2);
  const HttpResponse changed = ask({}, "a");
  EXPECT_EQ(changed.text(), "list 3");
  EXPECT_NE(HeaderOf(changed, "ETag"), HeaderOf(first, "ETag"));
  // The list of objects that the answer depends on is now empty.
  EXPECT_EQ(lists.Get({}, "a", {}, make).text(), "list 4");

  HttpRequest again;
  again.headers = {{"if-none-match", "\"x\", " + HeaderOf(changed, "ETag")}};
  const HttpResponse known = ask(again, "a");
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.text(), "");
  EXPECT_EQ(HeaderOf(known, "ETag"), HeaderOf(changed, "ETag"));
  again.headers = {{"if-none-match", HeaderOf(first, "ETag")}};
  EXPECT_EQ(ask(again, "a").status, 200);
}

TEST(ListAnswers, KeepsNoErrors) {
  ListAnswers lists;
  int made = 0;
  const auto make = [&made] {
    HttpResponse answer;
    answer.status = ++made == 1 ? 503 : 200;
    return answer;
  };
  EXPECT_EQ(lists.Get({}, "a", {}, make).status, 503);
  EXPECT_EQ(lists.Get({}, "a", {}, make).status, 200);
}

class ListsTest : public AdapterFixture {};

TEST_F(ListsTest, EveryListHasATagAndChangesWithTheModels) {
  engine_.mutable_info()->pairs = {{"de", "en"}, {"de", "fr"}};
  Serve();
  const Adapters adapters(AdapterContext{.calls = &context_, .has_page = true});
  AdapterHandler handler(&context_, nullptr, adapters.routes());
  const std::vector<std::string> of_models = {
      "/languages",
      "/v2/languages",
      "/v2/languages?type=target",
      "/language/translate/v2/languages?target=de",
      "/v1/models",
      "/v1/languages",
      "/v3/projects/p/supportedLanguages?displayLanguageCode=de"};
  const std::vector<std::string> fixed = {
      "/v2/glossaries", "/v2/glossary-language-pairs", "/v1/openapi.json", "/spec", "/",
      "/page/main.js"};
  std::map<std::string, HttpResponse> before;
  for (const auto* paths : {&of_models, &fixed}) {
    for (const std::string& path : *paths) {
      const HttpResponse answer = Send(&handler, Get(path))->Wait();
      ASSERT_EQ(answer.status, 200) << path << answer.body;
      const std::string tag = HeaderOf(answer, "ETag");
      ASSERT_NE(tag, "") << path;
      HttpRequest again = Get(path);
      again.headers = {{"if-none-match", tag}};
      const HttpResponse known = Send(&handler, again)->Wait();
      EXPECT_EQ(known.status, 304) << path;
      EXPECT_EQ(known.body, "") << path;
      before.emplace(path, answer);
    }
  }
  FakeEngine more;
  more.mutable_info()->name = "de-it";
  more.mutable_info()->pairs = {{"it", "sv"}};
  ASSERT_TRUE(models_.Put(Borrowed(&more)).ok());
  for (const std::string& path : of_models) {
    const HttpResponse answer = Send(&handler, Get(path))->Wait();
    EXPECT_NE(answer.body, before[path].body) << path;
    EXPECT_NE(HeaderOf(answer, "ETag"), HeaderOf(before[path], "ETag")) << path;
  }
  models_.Remove("de-it");
  EXPECT_TRUE(models_.WaitEnded(std::chrono::seconds(30)));
}

}  // namespace
}  // namespace dragoman::server
