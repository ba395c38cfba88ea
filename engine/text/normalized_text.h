// A text that has been changed, and where each byte of it comes from in the text before.
//
// Plain data and pure functions; thread-safe. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::engine {

struct NormalizedText {
  std::string text;
  // The place in the input that each byte of `text` comes from, and one entry more: the end.
  std::vector<int32_t> origin;
};

// The text as it is.
inline NormalizedText Unchanged(std::string_view text) {
  NormalizedText same{std::string(text), {}};
  same.origin.reserve(text.size() + 1);
  for (size_t i = 0; i <= text.size(); ++i) same.origin.push_back(static_cast<int32_t>(i));
  return same;
}

// Its bytes [begin, end).
inline NormalizedText Slice(const NormalizedText& of, size_t begin, size_t end) {
  return {of.text.substr(begin, end - begin),
          {of.origin.begin() + static_cast<std::ptrdiff_t>(begin),
           of.origin.begin() + static_cast<std::ptrdiff_t>(end) + 1}};
}

}  // namespace dragoman::engine
