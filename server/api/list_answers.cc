#include "server/api/list_answers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/call/api_keys.h"

namespace dragoman::server {
namespace {

// The maximum number of cached answers. There are about ten lists, but clients may see different
// models, and names in different languages.
constexpr size_t kMaxKept = 64;
constexpr char kTag[] = "ETag";

bool IsSame(const MadeOf& a, const MadeOf& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return !one.owner_before(other) && !other.owner_before(one);
  });
}

}  // namespace

MadeOf MadeOfModels(const std::vector<ModelPtr>& models) {
  return MadeOf(models.begin(), models.end());
}

MadeOf MadeOfGlossaries(const std::vector<ModelPtr>& models) {
  MadeOf made_of = MadeOfModels(models);
  for (const ModelPtr& model : models) {
    for (const std::string& name : model->engine->info().glossaries) {
      made_of.emplace_back(std::shared_ptr<const void>(TermsOf(*model, name)));
    }
  }
  return made_of;
}

HttpResponse ListAnswers::Get(const HttpRequest& request, const std::string& name, MadeOf made_of,
                              const std::function<HttpResponse()>& make) {
  {
    engine::MutexLock lock(&mu_);
    for (auto at = kept_.begin(); at != kept_.end(); ++at) {
      if (at->name != name || !IsSame(at->made_of, made_of)) continue;
      kept_.splice(kept_.begin(), kept_, at);
      return UnlessKnown(request, kept_.front().answer);
    }
  }
  HttpResponse made = make();
  if (made.status >= 400) return made;
  // A proxy must not give one client's list to another client, and must ask the server before each
  // use.
  made.headers.emplace_back("Cache-Control", "private, no-cache");
  made = WithTag(std::move(made));
  {
    engine::MutexLock lock(&mu_);
    std::erase_if(kept_, [&](const Kept& kept) {
      return std::any_of(kept.made_of.begin(), kept.made_of.end(),
                         [](const auto& part) { return part.expired(); });
    });
    kept_.push_front({name, std::move(made_of), made});
    if (kept_.size() > kMaxKept) kept_.pop_back();
  }
  return UnlessKnown(request, made);
}

HttpResponse WithTag(HttpResponse answer) {
  const std::string hash = HashOfKey(answer.body);
  answer.headers.emplace_back(kTag, absl::StrCat("\"", hash.substr(hash.find(':') + 1, 32), "\""));
  answer.shared_body = std::make_shared<const std::string>(std::exchange(answer.body, {}));
  return answer;
}

HttpResponse UnlessKnown(const HttpRequest& request, const HttpResponse& answer) {
  const std::string_view known = request.Header("if-none-match");
  HttpResponse same{.status = 304};
  for (const auto& [name, value] : answer.headers) {
    if (name == kTag && known.find(value) == std::string_view::npos) return answer;
    same.headers.emplace_back(name, value);
  }
  return known.empty() ? answer : same;
}

}  // namespace dragoman::server
