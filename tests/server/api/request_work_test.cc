// The work that is done for a request before its job. Each parameter of each dialect gets the most
// repetitions and the longest values that a body may have, while a hundred languages are served.
// Work is counted, not timed (server/base/work_count.h): a parser may look at each byte a few
// times, and the number of language lookups must not grow with the size of the request.
#include "server/base/work_count.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/compat/adapters.h"
#include "tests/server/api/adapter_fixture.h"
#include "tests/server/fake_detector.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

// Large enough that quadratic work is far above the bounds.
constexpr size_t kBodyBytes = 40'000;
// A query to ICU takes up to 30 microseconds, so 64 of them take about 2 ms.
constexpr int64_t kMostNames = 64;
// A pass over a byte takes 1 to 3 nanoseconds, so the bound allows about 50 nanoseconds a byte.
constexpr int64_t kMostPasses = 20;

std::string Repeat(const std::string& text, size_t bytes = kBodyBytes) {
  std::string out;
  while (out.size() + text.size() <= bytes) out += text;
  return out;
}

// Returns a list of `make("1")`, `make("2")` and so on.
json Distinct(size_t count, const std::function<json(const std::string&)>& make) {
  json list = json::array();
  for (size_t i = 0; i < count; ++i) list.push_back(make(std::to_string(i)));
  return list;
}

// Values that are as long or as many as the limits of bodies and of JSON allow.
const std::vector<std::pair<const char*, json>>& Values() {
  static const auto* const values = new std::vector<std::pair<const char*, json>>{
      {"one long word", Repeat("a")},
      {"a long code", Repeat("de-")},
      {"many commas", Repeat("x,")},
      {"nested tags", Repeat("<a>")},
      {"empty tags", Repeat("<a/>")},
      {"document types", Repeat("<!DOCTYPE>")},
      {"document types with a subset", Repeat("<!DOCTYPE[]>")},
      {"comments", Repeat("<!---->")},
      {"instructions", Repeat("<?x?>")},
      {"sections", Repeat("<![CDATA[]]>")},
      {"references", Repeat("&amp;")},
      {"attributes", "<a " + Repeat("a='' ") + "/>"},
      {"a prompt", "Translate from " + Repeat("to ")},
      {"a prompt of marks", "Translate this from " + Repeat("a: ")},
      {"texts", Distinct(4'000, [](const std::string& i) { return json("a" + i); })},
      {"codes", Distinct(3'000, [](const std::string& i) { return json("en-x-" + i); })},
      {"names", Distinct(2'500, [](const std::string& i) { return json("English " + i); })},
      {"prompts", Distinct(300,
                           [](const std::string& i) {
                             return json("Translate from German to en-x-" + i + ": a");
                           })},
      {"prompts of another form", Distinct(300,
                                           [](const std::string& i) {
                                             return json("Translate from " + Repeat("to ", 50) +
                                                         "x: " + i);
                                           })},
      {"messages", Distinct(1'000,
                            [](const std::string& i) {
                              return json{{"role", "user"}, {"content", i}};
                            })},
      {"objects", Distinct(2'500,
                           [](const std::string& i) {
                             return json{{"src", i}};
                           })},
      {"fields",
       [] {
         json object = json::object();
         for (int i = 0; i < 2'500; ++i) object["a" + std::to_string(i)] = "b";
         return object;
       }()},
  };
  return *values;
}

// Requests of the dialects for which parameters.json has no requests.
const std::map<std::string, json>& Bases() {
  static const auto* const bases = new std::map<std::string, json>{
      {"POST /v3/projects/p:translateText",
       {{"contents", {"a"}}, {"sourceLanguageCode", "de"}, {"targetLanguageCode", "en"}}},
      {"POST /v3/projects/p:detectLanguage", {{"content", "a"}}},
      {"GET /v3/projects/p/supportedLanguages", {{"displayLanguageCode", "de"}, {"model", ""}}},
      {"GET /v3/projects/p/glossaries", {{"pageSize", "3"}, {"pageToken", "a"}}},
      {"POST /language/translate/v2", {{"q", "a"}, {"source", "de"}, {"target", "en"}}},
      {"GET /language/translate/v2/languages", {{"target", "de"}}},
      {"POST /language/translate/v2/detect", {{"q", "a"}}},
      {"POST /v1/chat/completions",
       {{"model", "many/de/en"}, {"messages", {{{"role", "user"}, {"content", "a"}}}}}},
      {"POST /v1/completions", {{"model", "many"}, {"prompt", "a"}}},
      {"POST /v1/translate", {{"contents", {"a"}}, {"terms", json::array()}, {"labels", {}}}},
      {"POST /v1/detect", {{"contents", {"a"}}}},
  };
  return *bases;
}

class RequestWorkTest : public AdapterFixture {
 protected:
  RequestWorkTest() {
    std::vector<std::string> codes = {"de",      "en",      "fr",    "ja",
                                      "zh-Hans", "zh-Hant", "pt-BR", "en-GB"};
    for (char a = 'a'; codes.size() < 100; ++a) {
      for (char b = 'a'; b <= 'z' && codes.size() < 100; ++b) codes.push_back({'q', a, b});
    }
    auto& pairs = engine_.mutable_info()->pairs;
    pairs.clear();
    for (const std::string& source : codes) {
      for (const std::string& target : codes) {
        if (source != target) pairs.push_back({source, target});
      }
    }
    engine_.mutable_info()->name = "many";
    context_.limits = {1024, 30'000};
    context_.detector = &detector_;
    Serve();
    for (const ModelPtr& model : models_.models()) languages_.NamesOf(model);
  }

  // Does everything that precedes a request's job: finds its key, then makes its action or its
  // error.
  WorkCount WorkOf(const HttpRequest& request) {
    const AdapterRoute* found = nullptr;
    for (const AdapterRoute& route : adapters_.routes()) {
      const bool is_prefix = route.path.ends_with('*');
      const std::string_view path = route.path.substr(0, route.path.size() - (is_prefix ? 1 : 0));
      const bool fits = is_prefix ? request.path.starts_with(path) : request.path == path;
      if (fits && route.method != kWebSocketMethod &&
          (route.method == "*" || route.method == request.method)) {
        found = &route;
        break;
      }
    }
    this_threads_work = {};
    if (found == nullptr) return {};
    ++asked_;
    found->adapter->Key(request);
    const absl::StatusOr<AdapterAction> action = found->adapter->Handle(request, nullptr);
    if (!action.ok()) {
      found->adapter->ApiOf(request);
      found->adapter->Error(request, action.status());
    }
    return this_threads_work;
  }

  void Check(const std::string& name, const HttpRequest& request) {
    const WorkCount work = WorkOf(request);
    const auto bytes = static_cast<int64_t>(request.body.size() + request.query.size());
    EXPECT_LE(work.names, kMostNames) << name;
    EXPECT_LE(work.bytes, kMostPasses * bytes + 65'536) << name << ", " << bytes << " bytes";
  }

  HttpRequest RequestOf(const std::string& verb, const std::string& path, const json& fields) {
    if (verb != "GET") return Post(path, fields.dump());
    HttpRequest request = Get(path);
    for (const auto& [name, value] : fields.items()) {
      std::string text = value.is_string() ? value.get<std::string>() : "";
      // A query counts towards the limit of headers, which is about this large.
      if (!text.empty()) request.query += name + "=" + text.substr(0, 30'000) + "&";
    }
    return request;
  }

  void Walk(const std::string& verb, const std::string& path, const json& base,
            const std::set<std::string>& fields) {
    // Fills the caches of list answers, so that making them does not count below.
    WorkOf(RequestOf(verb, path, base));
    for (const auto& [what, value] : Values()) {
      const std::string name = verb + " " + path + ", " + what;
      if (base.is_array()) {
        Check(name, Post(path, value.dump()));
        continue;
      }
      for (const std::string& field : fields) {
        json asked = base;
        asked[field] = value;
        Check(name + " as " + field, RequestOf(verb, path, asked));
        if (path != "/v2/translate" || field == "tag_handling") continue;
        asked["tag_handling"] = "xml";
        Check(name + " as XML " + field, RequestOf(verb, path, asked));
      }
      if (verb == "GET") continue;
      HttpRequest form = AdapterFixture::Post(path, "", "application/x-www-form-urlencoded");
      for (const std::string& field : fields) {
        form.body = Repeat(field + "=a&");
        Check(name + " in a form of " + field, form);
      }
    }
  }

  FakeDetector detector_;
  LanguageCatalog languages_{&context_};
  const Adapters adapters_{AdapterContext{.calls = &context_, .languages = &languages_}};
  int asked_ = 0;
};

TEST_F(RequestWorkTest, EveryParameterOfEveryDialectIsBounded) {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/adapters/parameters.json");
  const json table = json::parse(file);
  std::set<std::string> walked;
  for (const auto& [api, section] : table.items()) {
    for (const auto& [method, entry] : section.at("methods").items()) {
      const std::string verb = method.substr(0, method.find(' '));
      if (!entry.contains("base") || (verb != "GET" && verb != "POST")) continue;
      const std::string rest = method.substr(verb.size() + 1);
      const std::string path = rest.substr(0, rest.find(' '));
      std::set<std::string> fields;
      if (entry["base"].is_object()) {
        for (const auto& [name, value] : entry["base"].items()) fields.insert(name);
        for (const json& row : entry["rows"]) {
          if (!row.contains("fields")) continue;
          for (const auto& [name, value] : row["fields"].items()) fields.insert(name);
        }
      }
      Walk(verb, path, entry["base"], fields);
      walked.insert(api);
    }
  }
  for (const auto& [method, base] : Bases()) {
    std::set<std::string> fields;
    for (const auto& [name, value] : base.items()) fields.insert(name);
    Walk(method.substr(0, method.find(' ')), method.substr(method.find(' ') + 1), base, fields);
  }
  EXPECT_GE(walked.size(), 6U);
  EXPECT_GT(asked_, 1000);
}

}  // namespace
}  // namespace dragoman::server
