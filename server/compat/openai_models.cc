#include "server/compat/openai_models.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/api/language_catalog.h"
#include "server/api/languages.h"
#include "server/base/quoted.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

constexpr size_t kMaxPairModels = 1000;
constexpr std::string_view kAnySource = "auto";

// Returns the name of the model alone. It has languages if the model has one pair.
NamedPair BareName(const ServedModel& model) {
  NamedPair named{.id = model.name, .model = model.name, .created = model.loaded_at};
  const std::vector<engine::LanguagePair>& pairs = model.engine->info().pairs;
  if (pairs.size() == 1) {
    named.source = pairs.front().source;
    named.target = pairs.front().target;
  }
  return named;
}

NamedPair WithPair(const ServedModel& model, const engine::LanguagePair& pair) {
  const std::string source = pair.source.empty() ? std::string(kAnySource) : pair.source;
  return {.id = absl::StrCat(model.name, "/", source, "/", pair.target),
          .model = model.name,
          .source = pair.source,
          .target = pair.target,
          .created = model.loaded_at};
}

// Returns the served language that a prompt names by `named`, or `of_pair` if the prompt names
// none. `side` is for errors. INVALID_ARGUMENT if the language is not served or is not `of_pair`.
absl::StatusOr<std::string> Choose(const std::string& named, const std::string& of_pair,
                                   const LanguageIndex& served, const char* side) {
  if (named.empty()) return of_pair;
  if (of_pair.empty()) {
    std::optional<std::string> found = served.FindName(named);
    if (found.has_value()) return *std::move(found);
  } else if (served.CanMean(named, of_pair)) {
    return of_pair;
  }
  const std::vector<std::string> of_pair_alone = {of_pair};
  const std::vector<std::string>& choice = of_pair.empty() ? served.codes() : of_pair_alone;
  constexpr size_t kListed = 24;
  std::vector<std::string> names(choice.begin(), choice.begin() + std::min(kListed, choice.size()));
  return InvalidField("messages",
                      absl::StrCat("found the ", side, " language ", Quoted(named),
                                   ", expected one of the model's: ", absl::StrJoin(names, ", "),
                                   choice.size() > kListed ? ", ..." : ""));
}

// Calls `visit` with each pair that has its own name, until `visit` returns false.
template <typename Visit>
void ForEachNamed(const std::vector<ModelPtr>& models, Visit visit) {
  for (const ModelPtr& model : models) {
    const std::vector<engine::LanguagePair>& pairs = model->engine->info().pairs;
    if (pairs.size() == 1 || pairs.size() > kMaxPairModels) {
      if (!visit(BareName(*model))) return;
      continue;
    }
    for (const engine::LanguagePair& pair : pairs) {
      if (!visit(WithPair(*model, pair))) return;
    }
  }
}

}  // namespace

std::vector<NamedPair> ListOpenAiModels(const std::vector<ModelPtr>& models) {
  std::vector<NamedPair> out;
  ForEachNamed(models, [&](NamedPair named) {
    out.push_back(std::move(named));
    return true;
  });
  return out;
}

absl::StatusOr<NamedPair> FindOpenAiModel(const std::vector<ModelPtr>& models,
                                          std::string_view id) {
  // An empty id means the only model, because front ends for servers with one model omit its name.
  const bool is_only = id.empty() && models.size() == 1;
  const ModelPtr bare = is_only ? models.front() : FindByName(models, id);
  if (bare != nullptr) return BareName(*bare);
  for (const ModelPtr& model : models) {
    if (!id.starts_with(model->name + "/")) continue;
    std::string_view source = id.substr(model->name.size() + 1);
    const size_t slash = source.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view target = source.substr(slash + 1);
    source = source.substr(0, slash);
    for (const engine::LanguagePair& pair : model->engine->info().pairs) {
      const bool is_source = pair.source.empty() ? source == kAnySource : source == pair.source;
      if (is_source && target == pair.target) return WithPair(*model, pair);
    }
  }
  constexpr size_t kListed = 16;
  std::vector<std::string> names;
  ForEachNamed(models, [&](const NamedPair& named) {
    names.push_back(names.size() == kListed ? "..." : named.id);
    return names.size() <= kListed;
  });
  return absl::NotFoundError(
      absl::StrCat("model: found ", Quoted(id), ", expected ",
                   names.empty() ? "one that the key may use, and it may use none"
                                 : absl::StrCat("one of ", absl::StrJoin(names, ", "))));
}

absl::StatusOr<NamedPair> WithLanguages(const ModelNames& names, NamedPair pair,
                                        const std::string& from, const std::string& to) {
  if (!pair.target.empty() && from.empty() && to.empty()) return pair;
  absl::StatusOr<std::string> target = Choose(to, pair.target, names.targets, "target");
  if (!target.ok()) return target.status();
  pair.target = *std::move(target);
  if (names.sources.codes().empty()) {
    // A model that accepts any source does not need the name of the source.
    return pair;
  }
  absl::StatusOr<std::string> source = Choose(from, pair.source, names.sources, "source");
  if (!source.ok()) return source.status();
  pair.source = *std::move(source);
  if (pair.target.empty() && names.targets.codes().size() > 1) {
    return InvalidField("model", absl::StrCat("found ", Quoted(pair.id), ", which has ",
                                              names.targets.codes().size(),
                                              " target languages, expected NAME/SOURCE/TARGET, or "
                                              "a prompt that names the languages"));
  }
  return pair;
}

}  // namespace dragoman::server
