#include "server/compat/riva.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/api/language_catalog.h"
#include "server/api/query_call.h"
#include "server/base/quoted.h"
#include "server/call/client_rights.h"
#include "server/call/request_error.h"
#include "server/call/rpc_status.h"
#include "server/compat/foreign_call.h"

namespace dragoman::server {
namespace {

constexpr char kSeparator[] = "##";

// Splits one element, "Hund##puppy,Berlin##", into terms and phrases.
void ReadPhrases(const std::string& element, v1::TranslateRequest* out) {
  for (absl::string_view part : absl::StrSplit(element, ',', absl::SkipWhitespace())) {
    const std::pair<std::string, std::string> sides =
        absl::StrSplit(part, absl::MaxSplits(kSeparator, 1));
    const absl::string_view source = absl::StripAsciiWhitespace(sides.first);
    const absl::string_view target = absl::StripAsciiWhitespace(sides.second);
    if (target.empty()) {
      out->add_do_not_translate(std::string(source));
      continue;
    }
    v1::Term* term = out->add_terms();
    term->set_source(std::string(source));
    term->set_target(std::string(target));
  }
}

}  // namespace

absl::StatusOr<v1::TranslateRequest> FromRiva(const riva::TranslateTextRequest& in) {
  std::vector<FieldViolation> wrong;
  v1::TranslateRequest out;
  *out.mutable_contents() = in.texts();
  out.set_model(in.model());
  for (const auto& [field, code] : {std::pair{"source_language", in.source_language()},
                                    {"target_language", in.target_language()}}) {
    if (code.empty()) wrong.push_back({field, "found none, expected a language code"});
  }
  out.set_source_language_code(in.source_language());
  out.set_target_language_code(in.target_language());
  for (const std::string& element : in.dnt_phrases()) ReadPhrases(element, &out);
  if (!in.max_len_variation().empty()) {
    int32_t tokens = 0;
    if (absl::SimpleAtoi(in.max_len_variation(), &tokens) && tokens >= 0) {
      out.mutable_decoding()->set_max_length_ratio(1);
      out.mutable_decoding()->set_max_length_extra(tokens);
    } else {
      wrong.push_back(
          {"max_len_variation", absl::StrCat("found ", Quoted(in.max_len_variation()),
                                             ", expected a number of tokens, 0 or more")});
    }
  }
  if (!wrong.empty()) return InvalidFields(wrong);
  return out;
}

absl::StatusOr<riva::TranslateTextResponse> ToRiva(const v1::TranslateResponse& answer,
                                                   const riva::TranslateTextRequest& request) {
  if (absl::Status failed = ItemErrorOf(answer); !failed.ok()) return failed;
  riva::TranslateTextResponse out;
  for (const v1::Translation& translation : answer.translations()) {
    riva::Translation* added = out.add_translations();
    added->set_text(translation.translated_text());
    added->set_language(request.target_language());
  }
  if (request.has_id()) *out.mutable_id() = request.id();
  return out;
}

absl::StatusOr<riva::AvailableLanguageResponse> PairsOfRiva(
    const riva::AvailableLanguageRequest& in, const CallContext& calls, const Client* client) {
  const auto models = FindVisibleModels(calls, client, in.model());
  if (!models.ok()) return models.status();
  riva::AvailableLanguageResponse out;
  for (const ModelPtr& model : *models) {
    const ServedLanguages served = LanguagesOf({model});
    auto& languages = (*out.mutable_languages())[model->name];
    for (const std::string& code : served.detectable) languages.add_src_lang(code);
    for (const std::string& code : served.targets) languages.add_tgt_lang(code);
  }
  return out;
}

RivaService::RivaService(const ServiceContext* context) {
  Add("/nvidia.riva.nmt.RivaTranslation/TranslateText",
      AnswerTranslations<riva::TranslateTextRequest>(
          context, Api::kRiva, "nvidia.riva.nmt.RivaTranslation/TranslateText", FromRiva, ToRiva));
  Add("/nvidia.riva.nmt.RivaTranslation/ListSupportedLanguagePairs",
      AnswerQueries<riva::AvailableLanguageRequest>(
          context, Api::kRiva, RpcMethod::kListLanguages,
          [context](const auto& in, const Client* client) {
            return PairsOfRiva(in, *context->calls, client);
          }));
}

}  // namespace dragoman::server
