// Input: a byte that says how long the text is, the text, and a SentencePiece model. Whatever the
// model says, its pieces must cover ranges of the text in order, and decoding must be defined.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/text/sentence_piece.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.empty()) return 0;
  const size_t length = std::min<size_t>(data[0], bytes.size() - 1);
  std::string_view text = bytes.substr(1, length);
  if (const auto bad = dragoman::FirstInvalidUtf8(text)) {
    text = text.substr(0, static_cast<size_t>(*bad));
  }
  const auto model = dragoman::SentencePiece::Create(bytes.substr(1 + length), "fuzz.spm");
  if (!model.ok()) return 0;
  int64_t at = 0;
  std::vector<std::string> pieces;
  for (const dragoman::SubwordToken& token : (*model)->Encode(text)) {
    dragoman::FuzzCheck(token.range.begin >= at && token.range.end >= token.range.begin);
    at = token.range.end;
    pieces.emplace_back(token.piece);
  }
  dragoman::FuzzCheck(at <= static_cast<int64_t>(text.size()));
  const std::vector<std::string_view> views(pieces.begin(), pieces.end());
  const dragoman::PieceText whole = (*model)->Decode(views);
  const std::string& decoded = whole.text;
  int64_t end = 0;
  for (const dragoman::TextRange& range : whole.ranges) {
    dragoman::FuzzCheck(range.begin >= end && range.end >= range.begin);
    end = range.end;
  }
  dragoman::FuzzCheck(end <= static_cast<int64_t>(decoded.size()));
  const std::string prefix = (*model)->DecodePrefix(views).text;
  dragoman::FuzzCheck(decoded.starts_with(prefix));
  dragoman::FuzzCheck(!dragoman::FirstInvalidUtf8(prefix).has_value());
  return 0;
}
