// Which of the two tokenizers of the transformers library a model uses.
#pragma once

namespace dragoman::engine {

enum class TokenizerChoice {
  kAuto,  // the slow one if its files exist, else the fast one
  kSlow,  // Python's: from the SentencePiece model, or from BART's vocab.json and merges.txt
  kFast,  // the tokenizers library's: from tokenizer.json
};

}  // namespace dragoman::engine
