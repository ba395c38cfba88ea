// Splits a text with XML tags into tags and texts, and matches start and end tags.
//
// Pure function. Units are bytes. Views point into the given text.
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
    kText,   // may contain references
    kCdata,  // `text` is the section's content
    kStart,
    kEnd,
    kEmpty,    // <x/>
    kPassage,  // a comment, a processing instruction, a document type
  };
  Kind kind = Kind::kText;
  std::string_view text;
  std::string_view name;  // the name of a tag
  // The index of the matching kEnd or kStart; other tokens have their own index.
  size_t partner = 0;
};

// Errors are those of XmlText::Parse (xml_text.h). Linear time.
absl::StatusOr<std::vector<XmlToken>> TokenizeXml(std::string_view xml);

}  // namespace dragoman::server
