// Input: a byte that is the length of the text, the text, and a SentencePiece model. For any model,
// the pieces must cover ranges of the text in order, and decoding must be defined.

#include <cstddef>
#include <cstdint>

#include "engine/text/sentencepiece/sentence_piece.h"
#include "tests/fuzz/subword_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = dragoman::SplitTextAndFile(data, size);
  if (!input) return 0;
  const auto model = dragoman::engine::SentencePiece::Create(input->file, "fuzz.spm");
  if (!model.ok()) return 0;
  dragoman::CheckCuts(**model, input->text, dragoman::engine::TextStart::kBegin);
  return 0;
}
