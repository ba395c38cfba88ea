// The common parts of the adapters of other servers' dialects.
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

// The source language of a request that leaves it to the server.
inline constexpr std::string_view kAutoLanguage = "auto";

// The parts of a request that most dialects have.
struct TextsToTranslate {
  std::vector<std::string> texts;
  std::string source;  // a code in any form, or kAutoLanguage
  std::string target;
  bool html = false;
};
v1::TranslateRequest RequestOf(TextsToTranslate texts);

// The key of the header "Authorization: SCHEME KEY"; "" without one, or with another scheme.
// `scheme` is compared without case.
std::string AuthorizationKey(const HttpRequest& request, std::string_view scheme);

// The error of the first item that failed, for dialects that have none for a single text: with its
// place, if there were several. OK if none failed.
absl::Status FirstItemError(const v1::TranslateResponse& answer);

// Everything translated, in order. REQUIRES: no item failed.
std::vector<std::string> TextsOf(const v1::TranslateResponse& answer);

// The language of a translation's source: that which was detected, in its short form, else `asked`;
// "" if neither is known.
std::string SourceOf(const v1::Translation& translation, std::string_view asked);

// A status that is another one where the dialect's clients would try again: what this server does
// not have is an error of the request (400).
int StatusWithoutRetry(const absl::Status& status);

// Lets any page of any site read the answer, as the original servers do. Credentials stay out of
// it: browsers do not send cookies to "*", and there are none.
HttpResponse WithCors(HttpResponse response);
// The answer to OPTIONS.
HttpResponse CorsPreflight();

}  // namespace dragoman::server
