// A range of bytes of a text, [begin, end). In engine/text, both ends are code point boundaries.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman::engine {

struct TextRange {
  int64_t begin = 0;
  int64_t end = 0;

  // Returns the range of `part`, which is a view into `text`.
  static TextRange Of(std::string_view part, std::string_view text) {
    const int64_t begin = part.data() - text.data();
    return {begin, begin + static_cast<int64_t>(part.size())};
  }

  int64_t size() const { return end - begin; }
  std::string_view In(std::string_view text) const {
    return text.substr(static_cast<size_t>(begin), static_cast<size_t>(size()));
  }
  bool operator==(const TextRange&) const = default;
};

}  // namespace dragoman::engine
