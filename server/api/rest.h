// Our own service as REST: the messages of dragoman.v1 as proto3 JSON (proto_json.h).
//
//   POST /v1/translate         TranslateRequest -> TranslateResponse
//   POST /v1/translate:stream  TranslateRequest -> StreamTranslateResponses, as server-sent events
//   POST /v1/detect            DetectLanguageRequest -> DetectLanguageResponse
//   GET  /v1/languages         ?model=NAME -> ListLanguagesResponse
//   GET  /v1/info              GetServerInfoResponse
//   GET  /v1/info/models       ListModelsResponse; /v1/models is OpenAI's
//   GET  /v1/openapi.json      all of this as OpenAPI 3.1
//
// Errors are {"error": {code, message, status, details}}, as Google's APIs have them. A key comes as
// `authorization: Bearer KEY`. Bodies have to be application/json, so that a page of another site
// cannot make a browser send one unasked.
//
// An event is named `segment`, `translation`, `timings` or `error`, by what its message holds. The
// last is `end`, whose data is {}: without it, or `error`, the stream was cut off.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "server/api/adapter.h"

namespace dragoman::server {

std::unique_ptr<Adapter> MakeRestAdapter(const AdapterContext& context);

// The requests that are the adapter's, without it (Adapters::Add).
std::vector<AdapterRoute> RestRoutes();

// The description at /v1/openapi.json, which is constant data of the program. It is made by
// tests/openapi/make_openapi.py and kept in the tree (openapi.json).
std::string_view OpenApiJson();

}  // namespace dragoman::server
