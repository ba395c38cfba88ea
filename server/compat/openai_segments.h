// Several texts in one chat message: KISS Translator's JSON request, and the answer to it.
//
//   {"targetLanguage": "English", "segments": [{"id": 0, "text": "..."}],
//    "glossary": {"Hund": "hound"}}
//
// The system message names the form of the answer: JSON ({"translations": [{"id", "text"}]}, also
// the default without a system message), XML (<root><t id="0">) or lines ("0 | text"). A glossary's
// entries are terms; if an entry has no value, its key stays unchanged in the translation. Title,
// description, summary and tone are ignored. The default prompts are those of KISS Translator's
// version 2.
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
  std::vector<std::pair<std::string, std::string>> terms;  // second "": stays unchanged
  bool html = false;                                       // some text has a tag
};

// Returns nothing for a message that is plain text. Returns INVALID_ARGUMENT with `field` for JSON
// that is not such a batch, and for a system message that names no form of the answer.
absl::StatusOr<std::optional<SegmentBatch>> ReadSegmentBatch(std::string_view system,
                                                             std::string_view content,
                                                             const std::string& field);

// Returns the content of the chat message that answers the request, in the form `batch.form`.
// REQUIRES: `answer` has a translation of each text and no error.
std::string WriteSegmentBatch(const SegmentBatch& batch, const v1::TranslateResponse& answer);

}  // namespace dragoman::server
