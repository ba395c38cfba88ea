// Cuts a text with XML tags into its tags and texts, and finds out which belong together.
//
// Pure function. Units: bytes. Views are of the text that was given.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::server {

// The characters that XML calls white space.
inline constexpr std::string_view kXmlWhiteSpace = " \t\r\n";

struct XmlToken {
  enum class Kind {
    kText,   // references in it stand for characters
    kCdata,  // `text` is what is in the section
    kStart,
    kEnd,
    kEmpty,    // <x/>
    kPassage,  // a comment, a processing instruction, a document type
  };
  Kind kind = Kind::kText;
  std::string_view text;  // all of it
  std::string_view name;  // of tags
  // A kStart has its kEnd here, and the other way round; others have themselves.
  size_t partner = 0;
};

// INVALID_ARGUMENT as XmlText::Parse (xml_text.h). Time is linear in the text.
absl::StatusOr<std::vector<XmlToken>> TokenizeXml(std::string_view xml);

}  // namespace dragoman::server
