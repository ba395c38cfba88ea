// The transformers library has two implementations of a tokenizer. A model uses one of them.
#pragma once

namespace dragoman::engine {

enum class TokenizerChoice {
  kAuto,  // kSlow if its files exist, else kFast
  kSlow,  // the one in Python; reads a SentencePiece model, or BART's vocab.json and merges.txt
  kFast,  // the one in Rust (tokenizers library); reads tokenizer.json
};

}  // namespace dragoman::engine
