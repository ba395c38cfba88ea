// Words as the scripts of Moses make them: what models were trained on whose texts went through
// normalize-punctuation, tokenizer and detokenizer (fairseq's of WMT 16 and 19).
//
// Koehn et al. 2007. The words are those of sacremoses 0.2.0 as FSMTTokenizer calls it (transformers
// 4.57): Chinese punctuation replaced, punctuation normalized with Penn's quotes, characters that
// are not printed dropped, hyphens between letters cut apart, XML's characters escaped.
//
// Thread-safety: const after Create. Units: bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

struct MosesWord {
  std::string text;
  // The bytes of the input that each byte of `text` stands for. In order, but a range may be
  // empty, and bytes that were made from one character share theirs.
  std::vector<TextRange> origin;
};

class MosesTokenizer {
 public:
  // UNIMPLEMENTED unless the language is German, English or Russian ("de", "en", "ru").
  static absl::StatusOr<std::unique_ptr<MosesTokenizer>> Create(std::string_view language);
  ~MosesTokenizer();

  // REQUIRES: `text` is valid UTF-8, of less than 2^31 bytes. Linear in its size.
  std::vector<MosesWord> Words(std::string_view text) const;

 private:
  struct Rules;
  explicit MosesTokenizer(std::unique_ptr<const Rules> rules);
  std::unique_ptr<const Rules> rules_;
};

// Part of a text that MosesDetokenizer reads or writes: a word's bytes, each with its owner.
struct OwnedText {
  std::string text;
  std::vector<int> owner;  // of each byte: any number, given back
};

class MosesDetokenizer {
 public:
  // UNIMPLEMENTED as MosesTokenizer has it.
  static absl::StatusOr<std::unique_ptr<MosesDetokenizer>> Create(std::string_view language);

  // The text of words that are separated by white space, with a space before the first word where
  // a text stands before it and the word wants one. With `is_prefix` only what no further words
  // change: all but the last.
  OwnedText Join(OwnedText words, bool after_text, bool is_prefix) const;

 private:
  explicit MosesDetokenizer(bool is_english) : is_english_(is_english) {}
  bool is_english_;
};

}  // namespace dragoman::engine
