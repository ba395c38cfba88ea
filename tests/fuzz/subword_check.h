// Code that the fuzz targets of subword models share: input and common properties.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/text/subword_model.h"
#include "tests/fuzz/fuzz_check.h"

namespace dragoman {

struct TextAndFile {
  std::string_view text;  // valid UTF-8
  std::string_view file;
};

// Splits an input into the text's length (a byte), text and file. Nullopt for an empty input.
inline std::optional<TextAndFile> SplitTextAndFile(const uint8_t* data, size_t size) {
  if (size == 0) return std::nullopt;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t length = std::min<size_t>(data[0], size - 1);
  std::string_view text = bytes.substr(1, length);
  if (const auto bad = engine::FirstInvalidUtf8(text))
    text = text.substr(0, static_cast<size_t>(*bad));
  return TextAndFile{text, bytes.substr(1 + length)};
}

inline void CheckRanges(const std::vector<engine::TextRange>& ranges, size_t size) {
  int64_t end = 0;
  for (const engine::TextRange& range : ranges) {
    FuzzCheck(range.begin >= end && range.end >= range.begin);
    end = range.end;
  }
  FuzzCheck(end <= static_cast<int64_t>(size));
}

// Checks that the pieces' ranges of the text are in order, and that decoding returns valid text.
inline void CheckCuts(const engine::SubwordModel& model, std::string_view text,
                      engine::TextStart start) {
  const std::vector<engine::SubwordToken> tokens = model.Encode(text, start);
  std::vector<engine::TextRange> ranges;
  std::vector<std::string_view> pieces;
  for (const engine::SubwordToken& token : tokens) {
    ranges.push_back(token.range);
    pieces.push_back(token.piece);
  }
  CheckRanges(ranges, text.size());
  const engine::PieceText whole = model.Decode(pieces, false, false);
  CheckRanges(whole.ranges, whole.text.size());
  const std::string prefix = model.Decode(pieces, false, true).text;
  FuzzCheck(whole.text.starts_with(prefix));
  FuzzCheck(!engine::FirstInvalidUtf8(prefix).has_value());
}

}  // namespace dragoman
