// Input: a byte of options and a text with XML tags. An accepted text is restored as well-formed
// XML, and Restore does not crash for any translation.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/base/utf8.h"
#include "server/compat/xml_text.h"

namespace dragoman {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

void Run(std::string_view bytes) {
  if (bytes.empty() || engine::FirstInvalidUtf8(bytes.substr(1)).has_value()) return;
  const char switches = bytes[0];
  server::XmlOptions options;
  options.outline = (switches & 1) != 0;
  options.line_ends_split = (switches & 2) != 0;
  if ((switches & 4) != 0) options.ignored = {"x"};
  if ((switches & 8) != 0) options.splitting = {"p", "br"};
  if ((switches & 16) != 0) options.non_splitting = {"b"};
  const std::string_view xml = bytes.substr(1);
  const auto text = server::XmlText::Parse(xml, options);
  if (!text.ok()) {
    Check(text.status().code() == absl::StatusCode::kInvalidArgument);
    Check(!engine::FirstInvalidUtf8(std::string(text.status().message())).has_value());
    return;
  }
  Check(!engine::FirstInvalidUtf8(text->html()).has_value());
  const std::string restored = *text->Restore(text->html());
  if (xml.find("<![CDATA[") == std::string_view::npos) Check(restored == xml);
  Check(server::XmlText::Parse(restored, options).ok());
  text->Restore(xml).IgnoreError();
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dragoman::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
