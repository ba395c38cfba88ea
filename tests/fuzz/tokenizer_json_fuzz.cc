// Input: a byte that says how long the text is, the text, and a tokenizer.json. Whatever the file
// says, its pieces must cover ranges of the text in order, and decoding must be defined.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/model/tokenizer_json.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.empty()) return 0;
  const size_t length = std::min<size_t>(data[0], bytes.size() - 1);
  std::string_view text = bytes.substr(1, length);
  if (const auto bad = dragoman::FirstInvalidUtf8(text)) {
    text = text.substr(0, static_cast<size_t>(*bad));
  }
  const auto json = dragoman::ParseTokenizerJson(bytes.substr(1 + length), "fuzz");
  if (!json.ok()) return 0;
  for (const dragoman::TextStart start :
       {dragoman::TextStart::kBegin, dragoman::TextStart::kWord, dragoman::TextStart::kInside}) {
    int64_t at = 0;
    std::vector<std::string> pieces;
    for (const dragoman::SubwordToken& token : json->model->Encode(text, start)) {
      dragoman::FuzzCheck(token.range.begin >= at && token.range.end >= token.range.begin);
      at = token.range.end;
      pieces.push_back(token.piece);
    }
    dragoman::FuzzCheck(at <= static_cast<int64_t>(text.size()));
    const std::vector<std::string_view> views(pieces.begin(), pieces.end());
    const dragoman::PieceText whole = json->model->Decode(views, false);
    int64_t end = 0;
    for (const dragoman::TextRange& range : whole.ranges) {
      dragoman::FuzzCheck(range.begin >= end && range.end >= range.begin);
      end = range.end;
    }
    dragoman::FuzzCheck(end <= static_cast<int64_t>(whole.text.size()));
    const std::string prefix = json->model->DecodePrefix(views, false).text;
    dragoman::FuzzCheck(whole.text.starts_with(prefix));
    dragoman::FuzzCheck(!dragoman::FirstInvalidUtf8(prefix).has_value());
  }
  return 0;
}
