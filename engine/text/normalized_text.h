// A changed text that records where each of its bytes comes from in the original text.
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
  // origin[i] is the position in the original text of the byte that text[i] comes from. One more
  // entry has the position in the original text where `text` ends.
  std::vector<int32_t> origin;
};

inline NormalizedText Unchanged(std::string_view text) {
  NormalizedText same{std::string(text), {}};
  same.origin.reserve(text.size() + 1);
  for (size_t i = 0; i <= text.size(); ++i) same.origin.push_back(static_cast<int32_t>(i));
  return same;
}

inline NormalizedText Slice(const NormalizedText& of, size_t begin, size_t end) {
  return {of.text.substr(begin, end - begin),
          {of.origin.begin() + static_cast<std::ptrdiff_t>(begin),
           of.origin.begin() + static_cast<std::ptrdiff_t>(end) + 1}};
}

}  // namespace dragoman::engine
