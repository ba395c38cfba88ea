// Input: a byte that is the length of the text, the text, and a tokenizer.json. For any file, the
// pieces must cover ranges of the text in order and decoding must be defined: without the added
// tokens, and with them by the rules of the fast and of the slow tokenizer.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/model/tokenizers/tokenizer_json.h"
#include "engine/text/pipeline/added_tokens.h"
#include "engine/text/pipeline/byte_bpe.h"
#include "tests/fuzz/subword_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = dragoman::SplitTextAndFile(data, size);
  if (!input) return 0;
  const auto json = dragoman::engine::ParseTokenizerJson(input->file, "fuzz");
  if (!json.ok()) return 0;
  std::shared_ptr<const dragoman::engine::SubwordModel> model = json->model;
  if (model == nullptr) {
    auto made = dragoman::engine::ByteBpe::Create(json->pieces, json->byte_merges, "fuzz",
                                                  json->adds_prefix_space
                                                      ? dragoman::engine::ByteBpe::kParts
                                                      : dragoman::engine::ByteBpe::kNone);
    if (!made.ok()) return 0;
    model = *std::move(made);
  }
  std::vector<dragoman::engine::AddedToken> added;
  for (const auto& one : json->added) added.push_back(one.token);
  const dragoman::engine::AddedTokenModel fast(model, added,
                                               dragoman::engine::TokenizerRules::kFast);
  const dragoman::engine::AddedTokenModel slow(model, added,
                                               dragoman::engine::TokenizerRules::kSlow);
  for (const dragoman::engine::TextStart start :
       {dragoman::engine::TextStart::kBegin, dragoman::engine::TextStart::kWord,
        dragoman::engine::TextStart::kInside}) {
    dragoman::CheckCuts(*model, input->text, start);
    dragoman::CheckCuts(fast, input->text, start);
    dragoman::CheckCuts(slow, input->text, start);
  }
  fast.EncodePrompt(input->text);
  slow.EncodePrompt(input->text);
  return 0;
}
