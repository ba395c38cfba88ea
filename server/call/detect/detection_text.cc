#include "server/call/detect/detection_text.h"

#include "engine/base/utf8.h"
#include "engine/text/html/html.h"

namespace dragoman::server {

std::string TextToDetect(std::string_view item, bool html) {
  if (!html || engine::FirstInvalidUtf8(item).has_value()) return std::string(item);
  const auto document = engine::HtmlDocument::Parse(item);
  if (!document.ok()) return std::string(item);
  std::string text;
  for (int64_t run = 0; run < document->runs(); ++run) {
    if (!text.empty()) text += ' ';
    text += document->text(run);
  }
  return text;
}

}  // namespace dragoman::server
