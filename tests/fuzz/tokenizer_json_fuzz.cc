// Input: a byte that says how long the text is, the text, and a tokenizer.json. Whatever the file
// says, its pieces must cover ranges of the text in order, and decoding must be defined.

#include <cstddef>
#include <cstdint>

#include "engine/model/tokenizer_json.h"
#include "tests/fuzz/subword_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = dragoman::SplitTextAndFile(data, size);
  if (!input) return 0;
  const auto json = dragoman::ParseTokenizerJson(input->file, "fuzz");
  if (!json.ok()) return 0;
  for (const dragoman::TextStart start :
       {dragoman::TextStart::kBegin, dragoman::TextStart::kWord, dragoman::TextStart::kInside}) {
    dragoman::CheckCuts(*json->model, input->text, start);
  }
  return 0;
}
