// Common parts of the adapters for other servers' dialects.
//
// Pure functions, thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "dragoman/v1/translation.pb.h"
#include "server/api/adapter.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

// The source language that asks for detection.
inline constexpr std::string_view kAutoLanguage = "auto";

// The parts of a request that most dialects have.
struct TextsToTranslate {
  std::vector<std::string> texts;
  std::string source;  // a code in any form, or kAutoLanguage
  std::string target;
  bool html = false;
  bool preserve = true;  // placeholders stay as they are
};
v1::TranslateRequest RequestOf(TextsToTranslate texts);

// Returns the error of the first item that failed, for dialects without errors of single texts; OK
// if none failed. Names the item if there are several.
absl::Status FirstItemError(const v1::TranslateResponse& answer);

// Returns the translated texts in order. REQUIRES: no item failed.
std::vector<std::string> TextsOf(const v1::TranslateResponse& answer);

// Returns the detected source language in short form. If none was detected, returns `asked`, or ""
// for kAutoLanguage.
std::string SourceOf(const v1::Translation& translation, std::string_view asked);

// Returns StatusOfHttp, but 400 for UNIMPLEMENTED, because the dialects' clients would retry a 501.
int StatusWithoutRetry(const absl::Status& status);

// Lets pages of all sites read the answer ("*"), as the original servers do. With "*" browsers send
// no cookies, and the server uses none.
HttpResponse WithCors(HttpResponse response);
// Returns the answer to OPTIONS.
HttpResponse CorsPreflight();

}  // namespace dragoman::server
