// The server's own REST API: the messages of dragoman.v1 as proto3 JSON (proto_json.h).
//
//   POST /v1/translate         TranslateRequest -> TranslateResponse
//   POST /v1/translate:stream  TranslateRequest -> StreamTranslateResponses, as server-sent events
//   POST /v1/detect            DetectLanguageRequest -> DetectLanguageResponse
//   GET  /v1/languages         ?model=NAME -> ListLanguagesResponse
//   GET  /v1/info              GetServerInfoResponse
//   GET  /v1/info/models       ListModelsResponse; /v1/models is OpenAI's
//   GET  /v1/openapi.json      all of this as OpenAPI 3.1
//
// Errors are {"error": {code, message, status, details}}, as in Google's APIs. The key is in the
// header `authorization: Bearer KEY`. Bodies must have the type application/json, which pages of
// other sites cannot send.
//
// An event is named `segment`, `translation`, `timings` or `error`, after the content of its
// message. The last event is `end` with the data {}. If a stream ends without `end` or `error`, it
// was cut off.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "server/api/adapter.h"

namespace dragoman::server {

std::unique_ptr<Adapter> MakeRestAdapter(const AdapterContext& context);

// Returns the adapter's routes. Adapters::Add sets their adapter.
std::vector<AdapterRoute> RestRoutes();

// The text of /v1/openapi.json, from openapi.json, which tests/openapi/make_openapi.py writes.
std::string_view OpenApiJson();

}  // namespace dragoman::server
