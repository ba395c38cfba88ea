#include "server/doors/openai_models.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/quoted.h"
#include "server/call/request_error.h"
#include "server/doors/language_catalog.h"
#include "server/doors/languages.h"
#include "server/doors/openai_prompts.h"

namespace dragoman {
namespace {

constexpr size_t kMaxPairModels = 1000;
constexpr std::string_view kAnySource = "auto";

NamedPair BareName(const ServedModel& model) {
  return {.id = model.name, .model = model.name, .created = model.loaded_at};
}

NamedPair WithPair(const ServedModel& model, const LanguagePair& pair) {
  const std::string source = pair.source.empty() ? std::string(kAnySource) : pair.source;
  return {.id = absl::StrCat(model.name, "/", source, "/", pair.target),
          .model = model.name,
          .source = pair.source,
          .target = pair.target,
          .created = model.loaded_at};
}

const ServedModel* Find(const std::vector<ModelPtr>& models, std::string_view name) {
  for (const ModelPtr& model : models) {
    if (model->name == name) return model.get();
  }
  return nullptr;
}

// The language of `side` that a prompt names, among those that the pair leaves; "" if it names
// none.
absl::StatusOr<std::string> Choose(const std::string& named, const std::string& of_pair,
                                   const std::vector<std::string>& served, const char* side) {
  if (named.empty()) return of_pair;
  const std::vector<std::string> choice = of_pair.empty() ? served : std::vector{of_pair};
  std::optional<std::string> found = LanguageOfName(named, choice);
  if (found.has_value()) return *std::move(found);
  constexpr size_t kListed = 24;
  std::vector<std::string> names(choice.begin(), choice.begin() + std::min(kListed, choice.size()));
  return InvalidField("messages",
                      absl::StrCat("found the ", side, " language ", Quoted(named),
                                   ", expected one of the model's: ", absl::StrJoin(names, ", "),
                                   choice.size() > kListed ? ", ..." : ""));
}

}  // namespace

std::vector<NamedPair> ListOpenAiModels(const std::vector<ModelPtr>& models) {
  std::vector<NamedPair> out;
  for (const ModelPtr& model : models) {
    const std::vector<LanguagePair>& pairs = model->engine->info().pairs;
    if (pairs.size() == 1 || pairs.size() > kMaxPairModels) {
      NamedPair bare = BareName(*model);
      if (pairs.size() == 1) {
        bare.source = pairs.front().source;
        bare.target = pairs.front().target;
      }
      out.push_back(std::move(bare));
      continue;
    }
    for (const LanguagePair& pair : pairs) out.push_back(WithPair(*model, pair));
  }
  return out;
}

absl::StatusOr<NamedPair> FindOpenAiModel(const std::vector<ModelPtr>& models,
                                          std::string_view id) {
  const ServedModel* bare = Find(models, id);
  // Front ends of servers with one model leave its name out.
  if (id.empty() && models.size() == 1) bare = models.front().get();
  if (bare != nullptr) {
    NamedPair named = BareName(*bare);
    const std::vector<LanguagePair>& pairs = bare->engine->info().pairs;
    if (pairs.size() == 1) {
      named.source = pairs.front().source;
      named.target = pairs.front().target;
    }
    return named;
  }
  for (const ModelPtr& model : models) {
    if (!id.starts_with(model->name + "/")) continue;
    for (const LanguagePair& pair : model->engine->info().pairs) {
      NamedPair named = WithPair(*model, pair);
      if (named.id == id) return named;
    }
  }
  constexpr size_t kListed = 16;
  std::vector<std::string> names;
  for (const NamedPair& named : ListOpenAiModels(models)) {
    if (names.size() == kListed) {
      names.emplace_back("...");
      break;
    }
    names.push_back(named.id);
  }
  return absl::NotFoundError(
      absl::StrCat("model: found ", Quoted(id), ", expected ",
                   names.empty() ? "one that the key may use, and it may use none"
                                 : absl::StrCat("one of ", absl::StrJoin(names, ", "))));
}

absl::StatusOr<NamedPair> WithLanguages(const std::vector<ModelPtr>& models, NamedPair pair,
                                        const std::string& from, const std::string& to) {
  const ServedModel* const model = Find(models, pair.model);
  if (model == nullptr) return absl::NotFoundError("the model is gone");
  if (!pair.target.empty() && from.empty() && to.empty()) return pair;
  std::set<std::string> sources;
  std::set<std::string> targets;
  for (const LanguagePair& one : model->engine->info().pairs) {
    if (!one.source.empty()) sources.insert(one.source);
    targets.insert(one.target);
  }
  absl::StatusOr<std::string> target =
      Choose(to, pair.target, {targets.begin(), targets.end()}, "target");
  if (!target.ok()) return target.status();
  pair.target = *std::move(target);
  if (sources.empty()) {
    // A model that takes any source has no use for its name.
    return pair;
  }
  absl::StatusOr<std::string> source =
      Choose(from, pair.source, {sources.begin(), sources.end()}, "source");
  if (!source.ok()) return source.status();
  pair.source = *std::move(source);
  if (pair.target.empty() && targets.size() > 1) {
    return InvalidField("model",
                        absl::StrCat("found ", Quoted(pair.id), ", which has ", targets.size(),
                                     " target languages, expected NAME/SOURCE/TARGET, or "
                                     "a prompt that names the languages"));
  }
  return pair;
}

}  // namespace dragoman
