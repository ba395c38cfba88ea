// Reads XML with the position of every part (expat).
//
// Thread-safety: pure function. Units: bytes.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// A tag. The name has a fixed prefix for each namespace that the readers know, whatever prefix the
// document has: "w:p", "text:span", "h:b". A name in another namespace is "?:name", and one in none
// is "name".
struct XmlTag {
  std::string_view name;
  TextRange range;
  const char* const* attributes = nullptr;  // names without prefix, and values; ends with nullptr

  // Returns the value of the attribute, or "".
  std::string_view Attribute(std::string_view attribute) const;
};

// Receives the parts of a document in order. If a function returns an error, reading stops.
class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual absl::Status Start(const XmlTag& tag) = 0;
  // The range of the end of <x/> is empty, after the tag.
  virtual absl::Status End(const XmlTag& tag) = 0;
  // Text with references decoded. A CDATA section comes as a whole.
  virtual absl::Status Text(std::string_view text, TextRange range) = 0;
  // A comment or processing instruction.
  virtual absl::Status Other(TextRange range) = 0;
};

// Returns INVALID_ARGUMENT, which names `file` and the line, if `xml` is not well-formed, is not in
// UTF-8, declares entities, or is nested more than 1,000 deep. Returns the errors of the handler.
absl::Status ReadXml(std::string_view xml, std::string_view file, XmlHandler* handler);

}  // namespace dragoman::engine
