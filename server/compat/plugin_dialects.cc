#include "server/compat/plugin_dialects.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "server/api/adapter_errors.h"
#include "server/api/field_reader.h"
#include "server/base/quoted.h"
#include "server/base/version.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

DialectCall ReadImmersive(FieldReader* reader) {
  TextsToTranslate texts{.texts = reader->Texts("text_list"),
                         .source = reader->TextOr("source_lang", kAutoLanguage),
                         .target = reader->Text("target_lang")};
  const std::string source = texts.source;
  return {std::move(texts), [source](const v1::TranslateResponse& answer) -> json {
            json all = json::array();
            for (const v1::Translation& item : answer.translations()) {
              all.push_back({{"detected_source_lang", SourceOf(item, source)},
                             {"text", item.translated_text()}});
            }
            return {{"translations", all}};
          }};
}

DialectCall ReadKiss(FieldReader* reader) {
  const bool is_list = reader->Has("texts");
  TextsToTranslate texts{.texts = reader->Texts(is_list ? "texts" : "text"),
                         .source = reader->TextOr("from", kAutoLanguage),
                         .target = reader->Text("to")};
  if (!is_list) reader->Text("text");
  const std::string from = texts.source;
  const std::string to = texts.target;
  return {std::move(texts), [=](const v1::TranslateResponse& answer) -> json {
            json all = json::array();
            for (const v1::Translation& item : answer.translations()) {
              all.push_back({{"text", item.translated_text()}, {"src", SourceOf(item, from)}});
            }
            if (is_list) return {{"translations", all}};
            json one = all.at(0);
            one["from"] = one.at("src");
            one["to"] = to;
            return one;
          }};
}

DialectCall ReadDeeplx(FieldReader* reader) {
  const std::string tags = reader->TextOr("tag_handling", "");
  TextsToTranslate texts{.texts = {reader->Text("text")},
                         .source = reader->TextOr("source_lang", kAutoLanguage),
                         .target = reader->Text("target_lang"),
                         .html = tags == "html"};
  if (!tags.empty() && tags != "html") {
    reader->Fail(absl::UnimplementedError(absl::StrCat(
        "tag_handling: found ", Quoted(tags), ", expected html here, or xml at /v2/translate")));
  }
  if (absl::AsciiStrToLower(texts.source) == kAutoLanguage) texts.source = kAutoLanguage;
  const std::string source = texts.source;
  const std::string target = absl::AsciiStrToUpper(texts.target);
  return {std::move(texts), [=](const v1::TranslateResponse& answer) -> json {
            const v1::Translation& item = answer.translations(0);
            return {{"code", 200},
                    {"id", 1},
                    {"data", item.translated_text()},
                    {"alternatives", json::array()},
                    {"source_lang", absl::AsciiStrToUpper(SourceOf(item, source))},
                    {"target_lang", target},
                    {"method", "Free"}};
          }};
}

DialectCall ReadGooglePage(FieldReader* reader) {
  const std::string text = reader->Text("q");
  const std::string source = reader->TextOr("sl", kAutoLanguage);
  const std::string target = reader->Text("tl");
  const bool with_names = reader->Flag("dj");  // an object in place of nested lists
  return {{.texts = {text}, .source = source, .target = target},
          [=](const v1::TranslateResponse& answer) -> json {
            const v1::Translation& item = answer.translations(0);
            if (with_names) {
              const json sentence = {{"trans", item.translated_text()}, {"orig", text}};
              return {{"sentences", json::array({sentence})}, {"src", SourceOf(item, source)}};
            }
            const json part = {item.translated_text(), text, nullptr, nullptr, 1};
            return json::array({json::array({part}), nullptr, SourceOf(item, source)});
          }};
}

json DeeplxError(int code, const std::string& message) {
  return {{"code", code}, {"message", message}};
}

DialectCall ReadCurator(FieldReader* reader) {
  return {{.texts = reader->Texts("texts"),
           .source = reader->Text("src_lang"),
           .target = reader->Text("tgt_lang")},
          [](const v1::TranslateResponse& answer) -> json {
            return {{"translations", TextsOf(answer)}};
          }};
}

// Reads the fields that both dialects of MTranServer share.
TextsToTranslate ReadMTranServerFields(FieldReader* reader) {
  TextsToTranslate common;
  common.source = reader->TextOr("from", kAutoLanguage);
  common.target = reader->Text("to");
  common.html = reader->Flag("html");
  return common;
}

DialectCall ReadMTranServer(FieldReader* reader) {
  TextsToTranslate texts = ReadMTranServerFields(reader);
  texts.texts = {reader->Text("text")};
  return {std::move(texts), [](const v1::TranslateResponse& answer) -> json {
            return {{"result", answer.translations(0).translated_text()}};
          }};
}

DialectCall ReadMTranServerBatch(FieldReader* reader) {
  TextsToTranslate texts = ReadMTranServerFields(reader);
  texts.texts = reader->Texts("texts");
  return {std::move(texts), [](const v1::TranslateResponse& answer) -> json {
            return {{"results", TextsOf(answer)}};
          }};
}

}  // namespace

JsonDialect ImmersiveDialect() { return {.read = ReadImmersive, .error = PlainError}; }

JsonDialect KissDialect() { return {.read = ReadKiss, .error = PlainError}; }

JsonDialect GooglePageDialect() { return {.read = ReadGooglePage, .error = PlainError}; }

JsonDialect DeeplxDialect() { return {.read = ReadDeeplx, .error = DeeplxError}; }

JsonDialect CuratorDialect() {
  return {.api = Api::kCurator, .read = ReadCurator, .error = PlainError};
}

JsonDialect MTranServerDialect() {
  return {.api = Api::kMTranServer, .read = ReadMTranServer, .error = PlainError};
}

JsonDialect MTranServerBatchDialect() {
  return {.api = Api::kMTranServer, .read = ReadMTranServerBatch, .error = PlainError};
}

std::vector<AdapterRoute> MTranServerProbesAdapter::Routes() {
  std::vector<AdapterRoute> routes;
  for (const std::string_view path : {"/version", "/__heartbeat__", "/__lbheartbeat__"}) {
    routes.push_back({.method = "GET", .path = path, .rpc = RpcMethod::kQuery, .is_open = true});
  }
  return routes;
}

std::string MTranServerProbesAdapter::Key(const HttpRequest& request) const {
  return TokenKey(request);
}

absl::StatusOr<AdapterAction> MTranServerProbesAdapter::Handle(const HttpRequest& request,
                                                               const Client* /*client*/) const {
  if (request.path == "/version") return WithCors(JsonResponse(200, {{"version", kVersion}}));
  if (context_.calls->is_draining()) return absl::UnavailableError("the server is draining");
  return WithCors(JsonResponse(200, {{"status", "ok"}}));
}

HttpResponse MTranServerProbesAdapter::Error(const HttpRequest& /*request*/,
                                             const absl::Status& status) const {
  return DialectError(MTranServerDialect(), status);
}

}  // namespace dragoman::server
