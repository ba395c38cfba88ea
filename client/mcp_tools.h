// The tools of `dragoman mcp`: their descriptions and schemas, arguments as requests, answers as results. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/mcp_protocol.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman {

// translate, detect, languages, glossaries.
std::vector<McpTool> McpTools();

// The request that `translate` is asked for. INVALID_ARGUMENT for arguments that the schema does not allow, in words for
// the model that wrote them.
absl::StatusOr<v1::TranslateRequest> McpTranslateRequest(const McpJson& arguments);
McpResult McpTranslateResult(const std::vector<v1::Translation>& translations);

absl::StatusOr<v1::DetectLanguageRequest> McpDetectRequest(const McpJson& arguments);
McpResult McpDetectResult(const v1::DetectLanguageResponse& response);

struct McpListArguments {
  std::string model;
  std::string from;
  std::string to;
};
absl::StatusOr<McpListArguments> McpLanguagesArguments(const McpJson& arguments);
absl::StatusOr<McpListArguments> McpGlossariesArguments(const McpJson& arguments);
McpResult McpLanguagesResult(const v1::ListLanguagesResponse& response,
                             const McpListArguments& wanted);
McpResult McpGlossariesResult(const v1::ListModelsResponse& response, const std::string& model);

// A failure of a call or of its arguments.
McpResult McpError(const absl::Status& status);

}  // namespace dragoman
