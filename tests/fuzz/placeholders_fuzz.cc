// Input: a text. Its placeholders must be ranges of characters in order, without overlap.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/utf8.h"
#include "engine/text/placeholders.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (dragoman::engine::FirstInvalidUtf8(text).has_value()) return 0;
  int64_t free = 0;
  for (const dragoman::engine::TextRange& range : dragoman::engine::FindPlaceholders(text)) {
    dragoman::FuzzCheck(free <= range.begin && range.begin < range.end);
    dragoman::FuzzCheck(range.end <= static_cast<int64_t>(size));
    dragoman::FuzzCheck(!dragoman::engine::FirstInvalidUtf8(range.In(text)).has_value());
    free = range.end;
  }
  return 0;
}
