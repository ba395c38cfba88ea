#include "server/compat/dialect_parts.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/api/adapter_errors.h"
#include "server/api/languages.h"

namespace dragoman::server {

v1::TranslateRequest RequestOf(TextsToTranslate texts) {
  v1::TranslateRequest request;
  for (std::string& text : texts.texts) request.add_contents(std::move(text));
  request.set_source_language_code(std::move(texts.source));
  request.set_target_language_code(std::move(texts.target));
  if (texts.html) request.set_mime_type("text/html");
  request.set_preserve(texts.preserve);
  return request;
}

absl::Status FirstItemError(const v1::TranslateResponse& answer) {
  for (const v1::Translation& item : answer.translations()) {
    if (!item.has_error()) continue;
    const std::string place =
        answer.translations_size() > 1 ? absl::StrCat("text ", item.index(), ": ") : "";
    return absl::Status(static_cast<absl::StatusCode>(item.error().code()),
                        absl::StrCat(place, item.error().message()));
  }
  return absl::OkStatus();
}

std::vector<std::string> TextsOf(const v1::TranslateResponse& answer) {
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(answer.translations_size()));
  for (const v1::Translation& item : answer.translations()) {
    texts.push_back(item.translated_text());
  }
  return texts;
}

std::string SourceOf(const v1::Translation& translation, std::string_view asked) {
  const std::string& detected = translation.detected_language_code();
  if (!detected.empty()) return ShortTag(detected);
  return asked == kAutoLanguage ? "" : std::string(asked);
}

int StatusWithoutRetry(const absl::Status& status) {
  const bool is_ours = !IsHttpError(status);
  if (is_ours && status.code() == absl::StatusCode::kUnimplemented) return 400;
  return StatusOfHttp(status);
}

HttpResponse WithCors(HttpResponse response) {
  response.headers.emplace_back("Access-Control-Allow-Origin", "*");
  response.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
  response.headers.emplace_back("Access-Control-Expose-Headers", "Authorization");
  response.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
  response.headers.emplace_back("Access-Control-Allow-Credentials", "true");
  response.headers.emplace_back("Access-Control-Max-Age", "1728000");
  return response;
}

HttpResponse CorsPreflight() { return WithCors({.status = 204}); }

}  // namespace dragoman::server
