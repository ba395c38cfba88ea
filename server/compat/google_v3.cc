#include "server/compat/google_v3.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/api/languages.h"
#include "server/api/list_answers.h"
#include "server/api/query_call.h"
#include "server/base/quoted.h"
#include "server/call/client_rights.h"
#include "server/call/detection.h"
#include "server/call/request_error.h"
#include "server/call/rpc_status.h"
#include "server/compat/foreign_call.h"
#include "server/compat/google_documents.h"

namespace dragoman::server {
namespace {

constexpr size_t kMaxPage = 1000;

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

google_v3::Translation TranslationOf(const v1::Translation& from,
                                     const google_v3::TranslateTextRequest& request) {
  google_v3::Translation out;
  out.set_translated_text(from.translated_text());
  if (!request.model().empty()) out.set_model(request.model());
  if (request.source_language_code().empty()) {
    out.set_detected_language_code(from.detected_language_code());
  }
  return out;
}

// The facts that are listed for a glossary's name. Several models may have glossaries of this name:
// the facts are their languages and the largest of their numbers of terms.
struct GlossaryFacts {
  std::optional<engine::LanguagePair> pair;  // if all these models have the same single pair
  std::set<std::string> codes;
  size_t entries = 0;
};

std::map<std::string, GlossaryFacts> GlossariesOf(const std::vector<ModelPtr>& models) {
  std::map<std::string, GlossaryFacts> found;
  for (const ModelPtr& model : models) {
    const engine::ModelInfo& info = model->engine->info();
    for (const std::string& name : info.glossaries) {
      const auto terms = TermsOf(*model, name);
      if (terms == nullptr) continue;  // removed by a reload
      const auto [at, is_new] = found.try_emplace(name);
      GlossaryFacts& facts = at->second;
      facts.entries = std::max(facts.entries, terms->size());
      // The codes are not taken from the pairs, because a model of 200 languages has 40,000 pairs.
      facts.codes.insert(model->languages.sources.begin(), model->languages.sources.end());
      facts.codes.insert(model->languages.targets.begin(), model->languages.targets.end());
      if (is_new && info.pairs.size() == 1) {
        facts.pair = info.pairs[0];
      } else if (info.pairs.size() != 1 || !facts.pair.has_value() ||
                 facts.pair->source != info.pairs[0].source ||
                 facts.pair->target != info.pairs[0].target) {
        facts.pair.reset();
      }
    }
  }
  return found;
}

google_v3::Glossary GlossaryMessage(const std::string& parent, const std::string& name,
                                    const GlossaryFacts& facts) {
  google_v3::Glossary out;
  out.set_name(parent.empty() ? name : absl::StrCat(parent, "/glossaries/", name));
  out.set_display_name(name);
  out.set_entry_count(static_cast<int32_t>(facts.entries));
  if (facts.pair.has_value()) {
    out.mutable_language_pair()->set_source_language_code(facts.pair->source);
    out.mutable_language_pair()->set_target_language_code(facts.pair->target);
    return out;
  }
  for (const std::string& code : facts.codes) {
    if (!code.empty()) out.mutable_language_codes_set()->add_language_codes(code);
  }
  return out;
}

}  // namespace

absl::Status CheckDisplayLanguage(const std::string& field, std::string_view code) {
  constexpr size_t kMaxBytes = 64;
  if (code.size() <= kMaxBytes) return absl::OkStatus();
  return InvalidField(field,
                      absl::StrCat("found ", code.size(), " bytes, expected at most ", kMaxBytes));
}

std::string ModelOfGoogle(const std::string& path) {
  const size_t models = path.rfind("/models/");
  const std::string name = models == std::string::npos ? path : path.substr(models + 8);
  constexpr std::string_view kDefaults[] = {"general/nmt", "general/base",
                                            "general/translation-llm", "nmt", "base"};
  if (std::find(std::begin(kDefaults), std::end(kDefaults), name) != std::end(kDefaults)) return "";
  return name;
}

absl::StatusOr<v1::TranslateRequest> FromGoogleV3(const google_v3::TranslateTextRequest& in,
                                                  bool can_detect) {
  std::vector<std::string> refused;
  if (in.transliteration_config().enable_transliteration()) {
    refused.emplace_back("transliteration_config.enable_transliteration");
  }
  if (in.glossary_config().contextual_translation_enabled()) {
    refused.emplace_back("glossary_config.contextual_translation_enabled");
  }
  if (!refused.empty()) return UnimplementedFields(refused);

  v1::TranslateRequest out;
  *out.mutable_contents() = in.contents();
  out.set_mime_type(in.mime_type().empty() ? "text/html" : in.mime_type());
  out.set_preserve(true);
  out.set_source_language_code(in.source_language_code());
  if (in.source_language_code().empty() && can_detect) out.set_source_language_code("auto");
  out.set_target_language_code(in.target_language_code());
  out.set_model(ModelOfGoogle(in.model()));
  out.set_parent(in.parent());
  if (in.has_glossary_config()) {
    out.mutable_glossary_config()->set_glossary(LastPart(in.glossary_config().glossary()));
    out.mutable_glossary_config()->set_ignore_case(in.glossary_config().ignore_case());
  }
  *out.mutable_labels() = in.labels();
  return out;
}

absl::StatusOr<google_v3::TranslateTextResponse> ToGoogleV3(
    const v1::TranslateResponse& answer, const google_v3::TranslateTextRequest& request) {
  if (absl::Status failed = ItemErrorOf(answer); !failed.ok()) return failed;
  google_v3::TranslateTextResponse out;
  for (const v1::Translation& translation : answer.translations()) {
    *out.add_translations() = TranslationOf(translation, request);
    if (request.glossary_config().glossary().empty()) continue;
    google_v3::Translation* with_terms = out.add_glossary_translations();
    *with_terms = TranslationOf(translation, request);
    *with_terms->mutable_glossary_config() = request.glossary_config();
  }
  return out;
}

absl::StatusOr<v1::DetectLanguageRequest> DetectFromGoogleV3(
    const google_v3::DetectLanguageRequest& in) {
  if (!in.model().empty()) return UnimplementedFields({"model"});
  v1::DetectLanguageRequest out;
  out.add_contents(in.content());
  out.set_mime_type(in.mime_type());
  return out;
}

google_v3::DetectLanguageResponse DetectToGoogleV3(const v1::DetectLanguageResponse& answer) {
  google_v3::DetectLanguageResponse out;
  for (const v1::Detection& detection : answer.detections()) {
    for (const v1::DetectedLanguage& found : detection.languages()) {
      google_v3::DetectedLanguage* language = out.add_languages();
      language->set_language_code(found.language_code());
      language->set_confidence(found.confidence());
    }
  }
  if (out.languages().empty()) out.add_languages()->set_language_code("und");
  return out;
}

absl::StatusOr<google_v3::SupportedLanguages> SupportedGoogleV3(
    const google_v3::GetSupportedLanguagesRequest& in, const CallContext& calls,
    const Client* client, const LanguageCatalog& languages) {
  if (absl::Status loaded = CheckLoaded(calls); !loaded.ok()) return loaded;
  absl::Status fits = CheckDisplayLanguage("display_language_code", in.display_language_code());
  if (!fits.ok()) return fits;
  std::shared_ptr<const ServedLanguages> served = languages.Get(client);
  if (const std::string name = ModelOfGoogle(in.model()); !name.empty()) {
    const absl::StatusOr<ModelPtr> model = FindVisibleModel(calls, client, name);
    if (!model.ok()) return model.status();
    served = std::make_shared<const ServedLanguages>(LanguagesOf({*model}));
  }
  google_v3::SupportedLanguages out;
  for (const std::string& code : served->all) {
    google_v3::SupportedLanguage* language = out.add_languages();
    language->set_language_code(code);
    if (!in.display_language_code().empty()) {
      language->set_display_name(DisplayName(code, in.display_language_code()));
    }
    language->set_support_source(
        std::binary_search(served->detectable.begin(), served->detectable.end(), code));
    language->set_support_target(
        std::binary_search(served->targets.begin(), served->targets.end(), code));
  }
  return out;
}

absl::StatusOr<google_v3::ListGlossariesResponse> ListGoogleV3(
    const google_v3::ListGlossariesRequest& in, const CallContext& calls, const Client* client) {
  if (!in.filter().empty()) return UnimplementedFields({"filter"});
  if (in.page_size() < 0) {
    return InvalidField("page_size",
                        absl::StrCat("found ", in.page_size(), ", expected 0 or more"));
  }
  if (absl::Status loaded = CheckLoaded(calls); !loaded.ok()) return loaded;
  const std::map<std::string, GlossaryFacts> all = GlossariesOf(VisibleModels(calls, client));
  const size_t page =
      in.page_size() == 0 ? kMaxPage : std::min(kMaxPage, static_cast<size_t>(in.page_size()));
  google_v3::ListGlossariesResponse out;
  auto at = in.page_token().empty() ? all.begin() : all.upper_bound(in.page_token());
  std::string last;
  for (size_t i = 0; i < page && at != all.end(); ++i, ++at) {
    *out.add_glossaries() = GlossaryMessage(in.parent(), at->first, at->second);
    last = at->first;
  }
  if (at != all.end()) out.set_next_page_token(last);
  return out;
}

absl::StatusOr<google_v3::Glossary> GetGoogleV3(const google_v3::GetGlossaryRequest& in,
                                                const CallContext& calls, const Client* client) {
  if (absl::Status loaded = CheckLoaded(calls); !loaded.ok()) return loaded;
  const std::map<std::string, GlossaryFacts> all = GlossariesOf(VisibleModels(calls, client));
  const auto at = all.find(LastPart(in.name()));
  if (at == all.end()) {
    return absl::NotFoundError(absl::StrCat("name: found ", Quoted(in.name()),
                                            ", expected that of one of ", all.size(),
                                            " glossaries, which ListGlossaries lists"));
  }
  const size_t cut = in.name().rfind("/glossaries/");
  return GlossaryMessage(cut == std::string::npos ? "" : in.name().substr(0, cut), at->first,
                         at->second);
}

GoogleService::GoogleService(const ServiceContext* context) : languages_(context->calls) {
  const bool can_detect = context->calls->detector != nullptr;
  Add("/google.cloud.translation.v3.TranslationService/TranslateText",
      AnswerTranslations<google_v3::TranslateTextRequest>(
          context, Api::kGoogleV3, "google.cloud.translation.v3.TranslationService/TranslateText",
          [can_detect](const auto& in) { return FromGoogleV3(in, can_detect); }, ToGoogleV3));
  Add("/google.cloud.translation.v3.TranslationService/DetectLanguage",
      AnswerQueries<google_v3::DetectLanguageRequest>(
          context, Api::kGoogleV3, RpcMethod::kDetectLanguage,
          [context](const auto& in,
                    Client* client) -> absl::StatusOr<google_v3::DetectLanguageResponse> {
            const absl::StatusOr<v1::DetectLanguageRequest> ours = DetectFromGoogleV3(in);
            if (!ours.ok()) return ours.status();
            const auto found = DetectLanguages(*context->calls, client, *ours);
            if (!found.ok()) return found.status();
            return DetectToGoogleV3(*found);
          }));
  Add("/google.cloud.translation.v3.TranslationService/GetSupportedLanguages",
      AnswerQueries<google_v3::GetSupportedLanguagesRequest>(
          context, Api::kGoogleV3, RpcMethod::kListLanguages,
          [this, context](const auto& in, const Client* client) {
            return SupportedGoogleV3(in, *context->calls, client, languages_);
          }));
  Add("/google.cloud.translation.v3.TranslationService/ListGlossaries",
      AnswerQueries<google_v3::ListGlossariesRequest>(
          context, Api::kGoogleV3, RpcMethod::kListGlossaries,
          [context](const auto& in, const Client* client) {
            return ListGoogleV3(in, *context->calls, client);
          }));
  const auto glossary = [context](const google_v3::GetGlossaryRequest& in, const Client* client) {
    return GetGoogleV3(in, *context->calls, client);
  };
  Add("/google.cloud.translation.v3.TranslationService/GetGlossary",
      AnswerQueries<google_v3::GetGlossaryRequest>(context, Api::kGoogleV3, RpcMethod::kGetGlossary,
                                                   glossary));
  Add("/google.cloud.translation.v3.TranslationService/TranslateDocument",
      [context](grpc::CallbackServerContext* rpc) { return MakeGoogleDocumentCall(context, rpc); });
}

}  // namespace dragoman::server
