#include "server/models/model_router.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/field_error.h"
#include "server/base/quoted.h"

namespace dragoman::server {
namespace {

// The maximum number of names in a message, because HTTP/2 headers carry it. A multilingual model
// has 1000 pairs.
constexpr size_t kListed = 24;

std::string Listed(std::vector<std::string> names) {
  const size_t more = names.size() > kListed ? names.size() - kListed : 0;
  names.resize(names.size() - more);
  return absl::StrCat(absl::StrJoin(names, ", "),
                      more == 0 ? "" : absl::StrCat(" and ", more, " more"));
}

std::string NamesOf(const std::vector<ModelPtr>& models) {
  std::vector<std::string> names;
  for (const ModelPtr& model : models) names.push_back(model->name);
  return Listed(std::move(names));
}

// Returns a list of pairs such as "de-en (opus-de-en)".
std::string PairsOf(const std::vector<ModelPtr>& models) {
  std::vector<std::string> pairs;
  for (const ModelPtr& model : models) {
    for (const engine::LanguagePair& pair : model->engine->info().pairs) {
      pairs.push_back(absl::StrCat(pair.source.empty() ? "*" : pair.source, "-", pair.target, " (",
                                   model->name, ")"));
    }
  }
  return Listed(std::move(pairs));
}

std::string Asked(std::string_view language) { return language.empty() ? "any" : Quoted(language); }

}  // namespace

absl::StatusOr<ModelPtr> FindModel(const std::vector<ModelPtr>& models, std::string_view name) {
  if (name.empty()) return models.front();
  if (ModelPtr found = FindByName(models, name)) return found;
  return absl::NotFoundError(
      absl::StrCat("model: found ", Quoted(name), ", expected one of ", NamesOf(models)));
}

absl::StatusOr<Route> RouteRequest(const std::vector<ModelPtr>& models, std::string_view name,
                                   std::string_view source_language,
                                   std::string_view target_language) {
  const bool no_languages = source_language.empty() && target_language.empty();
  if (!name.empty() || models.size() == 1 || no_languages) {
    absl::StatusOr<ModelPtr> model = FindModel(models, name);
    if (!model.ok()) return model.status();
    return Route{*std::move(model), {std::string(source_language), std::string(target_language)}};
  }
  for (const ModelPtr& model : models) {
    auto languages = model->engine->FindLanguages(source_language, target_language);
    if (languages.ok()) return Route{model, *std::move(languages)};
  }
  return engine::InvalidRequest(
      {.field = target_language.empty() ? "source_language_code" : "target_language_code",
       .found = absl::StrCat("a translation from ", Asked(source_language), " to ",
                             Asked(target_language)),
       .expected = absl::StrCat("one of ", PairsOf(models))});
}

}  // namespace dragoman::server
