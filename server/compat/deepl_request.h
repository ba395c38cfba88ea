// The fields of POST /v2/translate. Each field is obeyed, refused by name, or accepted without
// effect because it would change nothing here.
//
// Pure functions, thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/compat/xml_text.h"

namespace dragoman::server {

struct DeeplRequest {
  enum class Tags { kNone, kXml, kHtml };
  enum class Split { kNone, kSentencesAndLines, kSentences };

  std::vector<std::string> texts;
  std::string source;  // as the client sent it; "" means detection
  std::string target;
  std::string glossary_id;
  Tags tags = Tags::kNone;
  XmlOptions xml;
  Split split = Split::kSentencesAndLines;
  bool show_characters = false;
  bool show_model_type = false;
};

// Returns INVALID_ARGUMENT or UNIMPLEMENTED with the field, what was found and what was expected.
absl::StatusOr<DeeplRequest> ReadDeeplRequest(const nlohmann::json& fields);

}  // namespace dragoman::server
