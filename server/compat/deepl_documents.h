// Documents of DeepL's API (/v2/document), as jobs of this server (server/call/jobs).
//
// A document's id is its job's. The document_key repeats it twice: the id is a secret already. A
// translated document may be read several times, until the job expires.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "server/api/adapter.h"

namespace dragoman::server {

inline constexpr std::string_view kDeeplDocuments = "/v2/document";

// Makes a job of an upload, a form with the file. `options` is the request that its other fields
// mean.
absl::StatusOr<HttpResponse> UploadDeeplDocument(const CallContext& calls, const Client* client,
                                                 const HttpRequest& request,
                                                 v1::TranslateRequest options);

// Answers POST /v2/document/ID, with the state, and POST /v2/document/ID/result.
absl::StatusOr<HttpResponse> AnswerDeeplDocument(const CallContext& calls, const Client* client,
                                                 const HttpRequest& request);

}  // namespace dragoman::server
