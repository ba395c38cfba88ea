// Which of transformers' two tokenizers a model's texts are cut by.
#pragma once

namespace dragoman::engine {

enum class TokenizerChoice {
  kAuto,  // the slow one, where its files are there, else the fast one
  kSlow,  // Python's: by the SentencePiece model, or BART's vocab.json and merges.txt
  kFast,  // the tokenizers library's: by tokenizer.json
};

}  // namespace dragoman::engine
