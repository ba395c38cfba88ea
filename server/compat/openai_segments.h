// Several texts in one message of a chat: what KISS Translator sends as JSON, and how it wants them
// back.
//
//   {"targetLanguage": "English", "segments": [{"id": 0, "text": "..."}], "glossary": {"Hund": "hound"}}
//
// The system message names the form of the answer: JSON ({"translations": [{"id", "text"}]}, also
// without a system message), XML (<root><t id="0">) or lines ("0 | text"). A glossary's entries are
// terms; one without a value stays as it is. Title, description, summary and tone are context, which
// a translation model does not use. Its default prompts were read at its version 2.
//
// Pure functions, thread-safe. Text is UTF-8.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::server {

struct SegmentBatch {
  enum class Form : uint8_t { kJson, kXml, kLines };
  Form form = Form::kJson;
  std::vector<nlohmann::json> ids;  // numbers or texts, one for each text
  std::vector<std::string> texts;
  std::string to;
  std::vector<std::pair<std::string, std::string>> terms;  // "" as the second: stays as it is
  bool html = false;                                       // a text has a tag
};

// Nothing for a message that is a text. INVALID_ARGUMENT, with `field`, for JSON that is not such a
// batch, and for a system message that names no form: neither is a text to translate.
absl::StatusOr<std::optional<SegmentBatch>> ReadSegmentBatch(std::string_view system,
                                                             std::string_view content,
                                                             const std::string& field);

// The content of the answer. REQUIRES: `answer` has a translation of each text, and none failed.
std::string WriteSegmentBatch(const SegmentBatch& batch, const v1::TranslateResponse& answer);

}  // namespace dragoman::server
