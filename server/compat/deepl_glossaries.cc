#include "server/compat/deepl_glossaries.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/api/absl_view.h"
#include "server/api/languages.h"
#include "server/api/list_answers.h"
#include "server/base/quoted.h"
#include "server/call/api_keys.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

// Returns a UUID of version 8 (RFC 9562) from a hash.
std::string IdOf(const DeeplGlossary& glossary) {
  const std::string hash = HashOfKey(absl::StrCat(glossary.name, "\n", glossary.model, "\n",
                                                  glossary.source, "\n", glossary.target));
  std::string hex = hash.substr(hash.find(':') + 1, 32);
  hex[12] = '8';
  hex[16] = 'a';
  return absl::StrCat(hex.substr(0, 8), "-", hex.substr(8, 4), "-", hex.substr(12, 4), "-",
                      hex.substr(16, 4), "-", hex.substr(20, 12));
}

class TsvPieces final : public BodyPieces {
 public:
  explicit TsvPieces(std::shared_ptr<const engine::GlossaryTerms> terms)
      : terms_(std::move(terms)) {}

  std::string Next() override {
    constexpr size_t kPieceBytes = 64 * 1024;
    std::string text;
    for (; next_ < terms_->size() && text.size() < kPieceBytes; ++next_) {
      const engine::GlossaryEntry entry = terms_->entry(next_);
      absl::StrAppend(&text, next_ == 0 ? "" : "\n", View(entry.source), "\t", View(entry.target));
    }
    return text;
  }

 private:
  const std::shared_ptr<const engine::GlossaryTerms> terms_;
  size_t next_ = 0;
};

}  // namespace

std::vector<DeeplGlossary> ListGlossaries(const std::vector<ModelPtr>& models) {
  std::vector<DeeplGlossary> all;
  for (const ModelPtr& model : models) {
    const engine::ModelInfo& info = model->engine->info();
    if (info.pairs.size() > kMaxListedPairs) continue;
    for (const std::string& name : info.glossaries) {
      const auto terms = TermsOf(*model, name);
      if (terms == nullptr) continue;  // removed by a reload
      for (const engine::LanguagePair& pair : info.pairs) {
        if (pair.source.empty()) continue;
        DeeplGlossary one{.name = name,
                          .model = model->name,
                          .source = BaseLanguage(pair.source),
                          .target = BaseLanguage(pair.target),
                          .loaded_at = model->loaded_at,
                          .terms = terms};
        one.id = IdOf(one);
        all.push_back(std::move(one));
      }
    }
  }
  return all;
}

absl::StatusOr<DeeplGlossary> FindGlossary(const std::vector<ModelPtr>& models,
                                           std::string_view id) {
  for (DeeplGlossary& glossary : ListGlossaries(models)) {
    if (glossary.id == id) return std::move(glossary);
  }
  for (const ModelPtr& model : models) {
    auto terms = TermsOf(*model, id);
    if (terms == nullptr) continue;
    return DeeplGlossary{.id = std::string(id),
                         .name = std::string(id),
                         .model = model->name,
                         .loaded_at = model->loaded_at,
                         .terms = std::move(terms)};
  }
  return absl::NotFoundError(
      absl::StrCat("glossary_id: found ", Quoted(id), ", expected an id of /v2/glossaries"));
}

json GlossaryObject(const DeeplGlossary& glossary) {
  return {{"glossary_id", glossary.id},
          {"name", glossary.name},
          {"ready", true},
          {"source_lang", glossary.source},
          {"target_lang", glossary.target},
          {"creation_time",
           absl::FormatTime("%Y-%m-%dT%H:%M:%S.000Z", absl::FromUnixSeconds(glossary.loaded_at),
                            absl::UTCTimeZone())},
          {"entry_count", glossary.terms->size()}};
}

std::shared_ptr<BodyPieces> GlossaryTsv(const DeeplGlossary& glossary) {
  return std::make_shared<TsvPieces>(glossary.terms);
}

json GlossaryPairs(const std::vector<ModelPtr>& models) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const DeeplGlossary& glossary : ListGlossaries(models)) {
    pairs.emplace(glossary.source, glossary.target);
  }
  json list = json::array();
  for (const auto& [source, target] : pairs) {
    list.push_back({{"source_lang", source}, {"target_lang", target}});
  }
  return {{"supported_languages", list}};
}

}  // namespace dragoman::server
