#include "server/compat/deepl.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "server/api/adapter_errors.h"
#include "server/api/form.h"
#include "server/api/json_body.h"
#include "server/api/languages.h"
#include "server/api/request_fields.h"
#include "server/base/quoted.h"
#include "server/call/client_rights.h"
#include "server/call/request_error.h"
#include "server/compat/deepl_documents.h"
#include "server/compat/deepl_glossaries.h"
#include "server/compat/deepl_languages.h"
#include "server/compat/deepl_request.h"
#include "server/compat/dialect_parts.h"

namespace dragoman::server {
namespace {

using nlohmann::json;
using Split = DeeplRequest::Split;
using Tags = DeeplRequest::Tags;

constexpr std::string_view kGlossaries = "/v2/glossaries";
// The field in which older clients send their key.
constexpr char kOldKey[] = "auth_key";
// DeepL's value for a plan without a limit.
constexpr int64_t kNoCharacterLimit = 1'000'000'000'000;

// The texts for the engine, and, for XML, the objects that restore the tags.
struct Prepared {
  std::vector<std::string> texts;
  std::vector<XmlText> xml;
};

absl::StatusOr<Prepared> Prepare(const DeeplRequest& asked) {
  Prepared out;
  for (const std::string& text : asked.texts) {
    if (asked.tags == Tags::kXml) {
      absl::StatusOr<XmlText> xml = XmlText::Parse(text, asked.xml);
      if (!xml.ok()) {
        return InvalidField(absl::StrCat("text[", out.texts.size(), "]"),
                            absl::StrCat("Tag handling parsing failed, please check input: ",
                                         xml.status().message()));
      }
      out.texts.push_back(xml->html());
      out.xml.push_back(*std::move(xml));
      continue;
    }
    out.texts.push_back(text);
    if (asked.tags == Tags::kNone && asked.split == Split::kSentences) {
      std::ranges::replace(out.texts.back(), '\n', ' ');
    }
  }
  return out;
}

absl::Status UseGlossary(const std::vector<ModelPtr>& models, const DeeplRequest& asked,
                         v1::TranslateRequest* request) {
  const auto glossary = FindGlossary(models, asked.glossary_id);
  if (!glossary.ok()) return glossary.status();
  const bool fits = glossary->source.empty() || (BaseLanguage(asked.source) == glossary->source &&
                                                 BaseLanguage(asked.target) == glossary->target);
  if (!fits) {
    return InvalidField("glossary_id", absl::StrCat("found a glossary from ", glossary->source,
                                                    " to ", glossary->target,
                                                    ", expected one for source_lang and "
                                                    "target_lang"));
  }
  request->set_model(glossary->model);
  request->mutable_glossary_config()->set_glossary(glossary->name);
  return absl::OkStatus();
}

absl::StatusOr<json> AnswerOf(const DeeplRequest& asked, const Prepared& prepared,
                              const v1::TranslateResponse& answer) {
  json translations = json::array();
  for (const v1::Translation& item : answer.translations()) {
    const size_t i = translations.size();
    const std::string& detected = item.detected_language_code();
    absl::StatusOr<std::string> text = item.translated_text();
    if (!prepared.xml.empty()) text = prepared.xml[i].Restore(item.translated_text());
    if (!text.ok()) {
      return InvalidField(absl::StrCat("text[", i, "]"), std::string(text.status().message()));
    }
    json one = {
        {"detected_source_language", DeeplSourceCode(detected.empty() ? asked.source : detected)},
        {"text", *std::move(text)}};
    if (asked.show_characters) one["billed_characters"] = engine::CountCodePoints(asked.texts[i]);
    if (asked.show_model_type) one["model_type_used"] = "latency_optimized";
    translations.push_back(std::move(one));
  }
  return json{{"translations", std::move(translations)}};
}

absl::StatusOr<HttpResponse> Languages(const AdapterContext& context, const Client* client,
                                       const HttpRequest& request) {
  const absl::StatusOr<json> fields = ReadRequestFields(request);
  if (!fields.ok()) return fields.status();
  std::optional<std::string> type;
  const absl::Status read = ReadField(*fields, "type", &type);
  if (!read.ok()) return read;
  const bool is_target = type == "target";
  if (is_target || !type.has_value() || *type == "source") {
    return context.lists->Get(request, is_target ? "DeepL targets" : "DeepL sources",
                              MadeOfModels(VisibleModels(*context.calls, client)), [&] {
                                const auto served = context.languages->Get(client);
                                return JsonResponse(
                                    200, is_target ? DeeplTargets(*served) : DeeplSources(*served));
                              });
  }
  return InvalidField("type", absl::StrCat("found ", Quoted(*type), ", expected source or target"));
}

// Answers /v3/languages. The parameter `resource` had the name `product` before.
absl::StatusOr<HttpResponse> AllLanguages(const AdapterContext& context, const Client* client,
                                          const HttpRequest& request) {
  const absl::StatusOr<json> fields = ReadRequestFields(request);
  if (!fields.ok()) return fields.status();
  for (const char* const name : {"resource", "product"}) {
    std::optional<std::string> of;
    if (absl::Status read = ReadField(*fields, name, &of); !read.ok()) return read;
    if (!of.has_value()) continue;
    if (*of == "translate_text") {
      return context.lists->Get(
          request, "DeepL languages", MadeOfModels(VisibleModels(*context.calls, client)), [&] {
            return JsonResponse(200, DeeplLanguages(*context.languages->Get(client),
                                                    context.calls->detector != nullptr));
          });
    }
    return InvalidField(name, absl::StrCat("found ", Quoted(*of), ", expected translate_text"));
  }
  return InvalidField("resource", "found none, expected translate_text");
}

// Answers a request for glossaries. The path after /v2/glossaries is "", "/ID" or "/ID/entries".
absl::StatusOr<HttpResponse> Glossaries(const AdapterContext& context, const Client* client,
                                        const HttpRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") {
    return absl::UnimplementedError(
        absl::StrCat(request.method,
                     " of glossaries: they are files that this server's operator loads "
                     "(--glossary-dir); list them with GET /v2/glossaries"));
  }
  const std::vector<ModelPtr> models = VisibleModels(*context.calls, client);
  std::string_view id = request.path;
  id.remove_prefix(kGlossaries.size());
  if (id.empty()) {
    return context.lists->Get(request, "DeepL glossaries", MadeOfGlossaries(models), [&] {
      json list = json::array();
      for (const DeeplGlossary& one : ListGlossaries(models)) list.push_back(GlossaryObject(one));
      return JsonResponse(200, {{"glossaries", std::move(list)}});
    });
  }
  id.remove_prefix(1);
  constexpr std::string_view kEntries = "/entries";
  const bool entries = id.ends_with(kEntries);
  if (entries) id.remove_suffix(kEntries.size());
  const auto glossary = FindGlossary(models, id);
  if (!glossary.ok()) return glossary.status();
  if (!entries) return JsonResponse(200, GlossaryObject(*glossary));
  return HttpResponse{.content_type = "text/tab-separated-values; charset=utf-8",
                      .pieces = GlossaryTsv(*glossary)};
}

}  // namespace

std::vector<AdapterRoute> DeeplAdapter::Routes() {
  std::vector<AdapterRoute> routes;
  // /deepl is the path that MTranServer has for this dialect.
  for (const std::string_view path : {"/v2/translate", "/deepl"}) {
    routes.push_back({.method = "POST", .path = path});
    routes.push_back({.method = "GET", .path = path});
  }
  routes.push_back({.method = "GET", .path = "/v2/languages", .rpc = RpcMethod::kListLanguages});
  routes.push_back({.method = "GET", .path = "/v3/languages", .rpc = RpcMethod::kListLanguages});
  routes.push_back({.method = "GET", .path = "/v2/usage", .rpc = RpcMethod::kQuery});
  routes.push_back(
      {.method = "GET", .path = "/v2/glossary-language-pairs", .rpc = RpcMethod::kListGlossaries});
  routes.push_back({.method = "*", .path = kGlossaries, .rpc = RpcMethod::kListGlossaries});
  routes.push_back({.method = "*", .path = "/v2/glossaries/*", .rpc = RpcMethod::kGetGlossary});
  routes.push_back({.method = "POST", .path = kDeeplDocuments, .rpc = RpcMethod::kCreateJob});
  routes.push_back({.method = "POST", .path = "/v2/document/*", .rpc = RpcMethod::kGetJob});
  routes.push_back({.method = "*", .path = "/v3/glossaries*", .rpc = RpcMethod::kQuery});
  return routes;
}

std::string DeeplAdapter::Key(const HttpRequest& request) const {
  std::string key = AuthorizationKey(request, "DeepL-Auth-Key");
  if (key.empty()) key = AuthorizationKey(request, "Bearer");
  if (key.empty()) key = BodyTextField(request, kOldKey);
  return key;
}

absl::StatusOr<AdapterAction> DeeplAdapter::Handle(const HttpRequest& request,
                                                   const Client* client) const {
  if (request.path == "/v2/translate" || request.path == "/deepl")
    return Translate(request, client);
  if (request.path == "/v2/usage") {
    return UsageAction{[](int64_t code_points) {
      return JsonResponse(
          200, {{"character_count", code_points}, {"character_limit", kNoCharacterLimit}});
    }};
  }
  if (request.path == "/v2/glossary-language-pairs") {
    const std::vector<ModelPtr> models = VisibleModels(*context_.calls, client);
    return context_.lists->Get(request, "DeepL glossary pairs", MadeOfGlossaries(models),
                               [&] { return JsonResponse(200, GlossaryPairs(models)); });
  }
  absl::StatusOr<HttpResponse> answer;
  if (request.path == kDeeplDocuments) {
    answer = UploadDocument(request, client);
  } else if (request.path.starts_with(kDeeplDocuments)) {
    answer = AnswerDeeplDocument(*context_.calls, client, request);
  } else if (request.path == "/v2/languages") {
    answer = Languages(context_, client, request);
  } else if (request.path == "/v3/languages") {
    answer = AllLanguages(context_, client, request);
  } else if (request.path.starts_with(kGlossaries)) {
    answer = Glossaries(context_, client, request);
  } else if (request.path.starts_with("/v3/")) {
    answer = absl::NotFoundError(
        absl::StrCat(Quoted(request.path), ": this server has version 2 of DeepL's interface"));
  }
  if (!answer.ok()) return answer.status();
  return *std::move(answer);
}

HttpResponse DeeplAdapter::Error(const HttpRequest& request, const absl::Status& status) const {
  if (status.code() != absl::StatusCode::kUnauthenticated) {
    return JsonResponse(StatusWithoutRetry(status), {{"message", status.message()}});
  }
  std::string message(status.message());
  const absl::StatusOr<Form> query = ReadQuery(request);
  if (Key(request).empty() && query.ok() && query->Find(kOldKey).has_value()) {
    absl::StrAppend(&message,
                    "; auth_key in the query is not accepted, because queries are logged, expected "
                    "the header Authorization: DeepL-Auth-Key KEY, or auth_key in the body");
  }
  return JsonResponse(403, {{"message", message}});
}

absl::StatusOr<HttpResponse> DeeplAdapter::UploadDocument(const HttpRequest& request,
                                                          const Client* client) const {
  absl::StatusOr<json> fields = ReadRequestFields(request);
  if (!fields.ok()) return fields.status();
  // The other fields are those of texts.
  for (const char* const name : {"file", "filename", "output_format"}) fields->erase(name);
  (*fields)["text"] = "";
  const absl::StatusOr<DeeplRequest> asked = ReadDeeplRequest(*fields);
  if (!asked.ok()) return asked.status();
  v1::TranslateRequest options;
  options.set_source_language_code(asked->source.empty() ? std::string(kAutoLanguage)
                                                         : asked->source);
  options.set_target_language_code(asked->target);
  if (!asked->glossary_id.empty()) {
    const absl::Status used = UseGlossary(VisibleModels(*context_.calls, client), *asked, &options);
    if (!used.ok()) return used;
  }
  return UploadDeeplDocument(*context_.calls, client, request, std::move(options));
}

absl::StatusOr<AdapterAction> DeeplAdapter::Translate(const HttpRequest& request,
                                                      const Client* client) const {
  const absl::StatusOr<json> fields = ReadRequestFields(request);
  if (!fields.ok()) return fields.status();
  absl::StatusOr<DeeplRequest> asked = ReadDeeplRequest(*fields);
  if (!asked.ok()) return asked.status();
  absl::StatusOr<Prepared> prepared = Prepare(*asked);
  if (!prepared.ok()) return prepared.status();

  UnaryAction action;
  action.request =
      RequestOf({.texts = std::move(prepared->texts),
                 .source = asked->source.empty() ? std::string(kAutoLanguage) : asked->source,
                 .target = asked->target,
                 .html = asked->tags != Tags::kNone});
  action.request.mutable_segmentation()->set_split(
      asked->split == Split::kNone ? v1::Segmentation::NONE : v1::Segmentation::SENTENCES);
  if (!asked->glossary_id.empty()) {
    const absl::Status used =
        UseGlossary(VisibleModels(*context_.calls, client), *asked, &action.request);
    if (!used.ok()) return used;
  }
  for (const XmlText& text : prepared->xml) {
    action.added_bytes += static_cast<int64_t>(text.most_tag_bytes());
  }
  action.render = [this, asked = *std::move(asked),
                   // Shared, because std::function must be copyable.
                   prepared = std::make_shared<const Prepared>(*std::move(prepared))](
                      const v1::TranslateResponse& answer) {
    const absl::Status failed = FirstItemError(answer);
    if (!failed.ok()) return Error({}, failed);
    const absl::StatusOr<json> body = AnswerOf(asked, *prepared, answer);
    return body.ok() ? JsonResponse(200, *body) : Error({}, body.status());
  };
  return action;
}

}  // namespace dragoman::server
