#include "server/api/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

namespace dragoman::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string TextOf(std::string_view path) {
  for (const PageFile& file : PageFiles()) {
    if (file.path == path) return std::string(file.text);
  }
  ADD_FAILURE() << "no file " << path;
  return "";
}

// Returns the files of the page at /. They contain no third-party code.
std::vector<PageFile> OwnFiles() {
  std::vector<PageFile> files;
  for (const PageFile& file : PageFiles()) {
    if (file.policy == kPagePolicy) files.push_back(file);
  }
  EXPECT_GT(files.size(), 10U);
  return files;
}

std::set<std::string> Matches(const std::string& text, const std::string& pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.insert((*at)[1]);
  }
  return found;
}

HttpResponse Ask(const std::string& path) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  absl::StatusOr<AdapterAction> action = MakePageAdapter(50051)->Handle(request, nullptr);
  EXPECT_TRUE(action.ok()) << action.status();
  return action.ok() ? std::get<HttpResponse>(*std::move(action)) : HttpResponse{};
}

TEST(Page, EveryRouteIsAFileWithThePolicy) {
  EXPECT_EQ(PageRoutes().size(), PageFiles().size() + 1);  // and ports.json
  for (const AdapterRoute& route : PageRoutes()) {
    EXPECT_TRUE(route.is_open);
    const HttpResponse answer = Ask(std::string(route.path));
    EXPECT_EQ(answer.status, 200);
    EXPECT_FALSE(answer.text().empty()) << route.path;
    const std::pair<std::string, std::string> policy = {
        "Content-Security-Policy",
        std::string(route.path == "/docs" || route.path.starts_with("/page/rapidoc-min.js")
                        ? kDocsPolicy
                        : kPagePolicy)};
    EXPECT_THAT(answer.headers, ::testing::Contains(policy)) << route.path;
  }
}

TEST(Page, DocsRunsOnlyScriptsOfThisServer) {
  EXPECT_EQ(Matches(TextOf("/docs"), "<script([^>]*)>"),
            std::set<std::string>{R"( type="module" src="page/rapidoc-min.js")"});
  EXPECT_THAT(TextOf("/docs"), HasSubstr(R"(spec-url="v1/openapi.json" load-fonts="false")"));
  EXPECT_THAT(std::string(kDocsPolicy), HasSubstr("script-src 'self';"));
  EXPECT_THAT(TextOf("/page/rapidoc-min.js"), HasSubstr("RapiDoc 9.3.4"));
}

TEST(Page, ThePolicyAllowsNothingInline) {
  EXPECT_THAT(std::string(kPagePolicy), Not(HasSubstr("unsafe")));
  const std::string page = TextOf("/");
  EXPECT_EQ(Matches(page, R"(\s(style|on\w+)=)"), std::set<std::string>{});
  EXPECT_THAT(page, Not(HasSubstr("<style")));
  EXPECT_EQ(Matches(page, "<script([^>]*)>"),
            std::set<std::string>{R"( type="module" src="page/main.js")"});
}

TEST(Page, NoFileNamesAnotherHost) {
  for (const PageFile& file : OwnFiles()) {
    std::set<std::string> hosts = Matches(std::string(file.text), R"((https?://[\w.]+))");
    hosts.erase("http://www.w3.org");  // the namespace of SVG
    EXPECT_EQ(hosts, std::set<std::string>{}) << file.path;
  }
}

TEST(Page, EveryFileThatIsAskedForIsThere) {
  for (const std::string& path : Matches(TextOf("/"), R"re((?:src|href)="(page/[^"]*)")re")) {
    TextOf("/" + path);
  }
  for (const PageFile& file : OwnFiles()) {
    for (const std::string& path : Matches(std::string(file.text), R"(from '\./([^']*)')")) {
      TextOf("/page/" + path);
    }
  }
}

TEST(Page, TextIsNeverMadeIntoMarkup) {
  for (const PageFile& file : OwnFiles()) {
    for (const char* way : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                            "eval(", "new Function", "javascript:"}) {
      EXPECT_THAT(std::string(file.text), Not(HasSubstr(way))) << file.path;
    }
  }
}

// Compares the keys of both languages' texts with the keys that the page uses.
TEST(Page, EveryTextIsThereInBothLanguages) {
  const std::string texts = TextOf("/page/texts.js");
  const size_t german = texts.find("\n  de: {");
  ASSERT_NE(german, std::string::npos);
  const std::string key = R"((?:^|[\s,])(\w+): (?=['"]))";
  const std::set<std::string> english = Matches(texts.substr(0, german), key);
  const size_t end = texts.find("\n};", german);
  EXPECT_EQ(Matches(texts.substr(german, end - german), key), english);
  std::set<std::string> asked =
      Matches(TextOf("/"), R"re(data-(?:text|label|title|placeholder)="(\w+)")re");
  for (const PageFile& file : OwnFiles()) {
    if (!file.path.ends_with(".js")) continue;
    const std::string script(file.text);
    asked.merge(Matches(script, R"(\btext\('(\w+)')"));
  }
  for (const std::string& name : asked) {
    EXPECT_EQ(english.count(name), 1U) << name;
  }
}

TEST(Page, AnotherPathIsNotFound) {
  HttpRequest request;
  request.path = "/page/../secret";
  EXPECT_EQ(MakePageAdapter(50051)->Handle(request, nullptr).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace dragoman::server
