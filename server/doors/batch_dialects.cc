#include "server/doors/batch_dialects.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/call/request_error.h"
#include "server/doors/dialect_parts.h"
#include "server/doors/field_reader.h"
#include "server/doors/json_body.h"
#include "server/doors/request_fields.h"

namespace dragoman {
namespace {

using nlohmann::json;

absl::StatusOr<UnaryAction> Made(const FieldReader& reader, TextsToTranslate texts,
                                 std::function<json(const v1::TranslateResponse&)> body) {
  if (!reader.status().ok()) return reader.status();
  return UnaryAction{RequestOf(std::move(texts)), RenderJson(std::move(body))};
}

bool HasPair(const json& fields) {
  return HasField(fields, "src_lang") && HasField(fields, "tgt_lang");
}

absl::StatusOr<UnaryAction> TranslateCurator(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  TextsToTranslate texts{.texts = reader.Texts("texts"),
                         .source = reader.Text("src_lang"),
                         .target = reader.Text("tgt_lang")};
  return Made(reader, std::move(texts), [](const v1::TranslateResponse& answer) -> json {
    return {{"translations", TextsOf(answer)}};
  });
}

absl::StatusOr<UnaryAction> TranslateNllbServe(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  TextsToTranslate texts{.texts = reader.Texts("source"),
                         .source = reader.Text("src_lang"),
                         .target = reader.Text("tgt_lang")};
  json echo = {{"source", texts.texts}, {"src_lang", texts.source}, {"tgt_lang", texts.target}};
  return Made(reader, std::move(texts), [echo](const v1::TranslateResponse& answer) {
    json body = echo;
    body["translation"] = TextsOf(answer);
    return body;
  });
}

absl::StatusOr<UnaryAction> TranslateNmtWizard(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  reader.Refuse("options", "this server has no inference options of NMT-Wizard");
  TextsToTranslate texts;
  for (const json& one : fields.at("src")) {
    if (!one.is_object()) {
      const std::string field = absl::StrCat("src[", texts.texts.size(), "]");
      return InvalidField(field, absl::StrCat("found ", KindOf(one), ", expected {\"text\": ...}"));
    }
    FieldReader part(one);
    texts.texts.push_back(part.Text("text"));
    for (const char* const name : {"target_prefix", "target_fuzzy", "mode", "options"}) {
      part.Refuse(name, "this server has none for a text of its own");
    }
    reader.Fail(part.status());
  }
  auto action = Made(reader, std::move(texts), [](const v1::TranslateResponse& answer) -> json {
    json all = json::array();
    for (const v1::Translation& item : answer.translations()) {
      json one = {{"text", item.translated_text()}};
      if (item.has_score()) one["score"] = item.score();
      all.push_back(json::array({one}));
    }
    return {{"tgt", all}};
  });
  if (action.ok()) action->request.mutable_return_options()->set_scores(true);
  return action;
}

absl::StatusOr<UnaryAction> TranslateMtuoc(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  const std::string source = reader.Text("src");
  const auto id = fields.find("id");
  const json name = id == fields.end() ? json() : *id;
  auto action = Made(reader, {.texts = {source}},
                     [source, name](const v1::TranslateResponse& answer) -> json {
                       const v1::Translation& item = answer.translations(0);
                       return {{"id", name},
                               {"src", source},
                               {"tgt", item.translated_text()},
                               {"system_name", item.model()},
                               {"src_subwords", absl::StrJoin(item.tokens().source(), " ")},
                               {"tgt_subwords", absl::StrJoin(item.tokens().target(), " ")},
                               {"alternate_translations", json::array()}};
                     });
  if (action.ok()) action->request.mutable_return_options()->set_tokens(true);
  return action;
}

absl::StatusOr<UnaryAction> TranslateModernMt(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  for (const char* const name :
       {"context", "context_vector", "hints", "glossaries", "ignore_glossary_case",
        "alt_translations", "mask_profanities", "multiline", "format", "priority", "project_id",
        "verbose", "timeout"}) {
    reader.Refuse(name, "this server has only q, source and target of ModernMT's parameters");
  }
  const bool is_list = fields.at("q").is_array();
  TextsToTranslate texts{.texts = reader.Texts("q"),
                         .source = reader.TextOr("source", ""),
                         .target = reader.TextOr("target", "")};
  return Made(reader, std::move(texts), [is_list](const v1::TranslateResponse& answer) -> json {
    json all = json::array();
    for (const std::string& text : TextsOf(answer)) all.push_back({{"translation", text}});
    return {{"status", 200}, {"data", is_list ? all : all.at(0)}};
  });
}

absl::StatusOr<UnaryAction> TranslateOmegaT(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  TextsToTranslate texts{.texts = {reader.Text("text")},
                         .source = reader.TextOr("source", ""),
                         .target = reader.TextOr("target", "")};
  return Made(reader, std::move(texts), [](const v1::TranslateResponse& answer) -> json {
    return {{"translation", answer.translations(0).translated_text()}};
  });
}

json ModernMtError(int code, const std::string& message) {
  return {{"status", code}, {"error", {{"type", "InvalidRequestException"}, {"message", message}}}};
}

}  // namespace

JsonDialect CuratorDialect() {
  return {.api = Api::kCurator,
          .claims = [](const json& f) { return HasField(f, "texts") && HasPair(f); },
          .translate = TranslateCurator,
          .error = PlainError};
}

JsonDialect NllbServeDialect() {
  return {.api = Api::kNllbServe,
          .claims = [](const json& f) { return HasField(f, "source") && HasPair(f); },
          .translate = TranslateNllbServe,
          .error = PlainError};
}

JsonDialect NmtWizardDialect() {
  return {.api = Api::kNmtWizard,
          .claims = [](const json& f) { return HasField(f, "src") && f.at("src").is_array(); },
          .translate = TranslateNmtWizard,
          .error = PlainError};
}

JsonDialect MtuocDialect() {
  return {.api = Api::kMtuoc,
          .claims = [](const json& f) { return HasField(f, "src") && f.at("src").is_string(); },
          .translate = TranslateMtuoc,
          .error = PlainError};
}

JsonDialect ModernMtDialect() {
  return {.api = Api::kModernMt,
          .claims = [](const json& f) { return HasField(f, "q"); },
          .translate = TranslateModernMt,
          .error = ModernMtError};
}

JsonDialect OmegaTDialect() {
  return {.api = Api::kOmegaT,
          .claims = [](const json& f) { return HasField(f, "text"); },
          .translate = TranslateOmegaT,
          .error = PlainError};
}

}  // namespace dragoman
