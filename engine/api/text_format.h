// Defines how the items of a request are written.
#pragma once

#include <string_view>

namespace dragoman::engine {

// In kHtml and kMarkdown the text is translated and the markup kept.
enum class TextFormat { kPlain, kHtml, kMarkdown };

constexpr std::string_view MimeTypeOf(TextFormat format) {
  switch (format) {
    case TextFormat::kPlain:
      return "text/plain";
    case TextFormat::kHtml:
      return "text/html";
    case TextFormat::kMarkdown:
      break;
  }
  return "text/markdown";
}

}  // namespace dragoman::engine
