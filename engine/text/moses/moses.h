// Splits text into words and joins words into text as the scripts of Moses do. fairseq's models of
// WMT 16 and 19 were trained on texts prepared by these scripts (normalize-punctuation, tokenizer).
//
// Koehn et al. 2007. The words equal those of sacremoses 0.2.0 as FSMTTokenizer calls it
// (transformers 4.57). Chinese punctuation is replaced, and punctuation is normalized with Penn's
// quotes. Unprintable characters are dropped, hyphens inside words become words, and XML's special
// characters are escaped.
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
  // Has, for each byte of `text`, the bytes of the input that it stands for. The ranges are in order. A
  // range may be empty. Bytes that were made from one character share its range.
  std::vector<TextRange> origin;
};

class MosesTokenizer {
 public:
  // Returns UNIMPLEMENTED unless `language` is German, English or Russian ("de", "en", "ru").
  static absl::StatusOr<std::unique_ptr<MosesTokenizer>> Create(std::string_view language);
  ~MosesTokenizer();

  // Takes linear time. REQUIRES: `text` is valid UTF-8 of less than 2^31 bytes.
  std::vector<MosesWord> Words(std::string_view text) const;

 private:
  struct Rules;
  explicit MosesTokenizer(std::unique_ptr<const Rules> rules);
  std::unique_ptr<const Rules> rules_;
};

// A text that MosesDetokenizer reads or writes. Each byte has an owner.
struct OwnedText {
  std::string text;
  std::vector<int> owner;  // by byte: a number of the caller's choice
};

class MosesDetokenizer {
 public:
  // Returns UNIMPLEMENTED for the same languages as MosesTokenizer::Create.
  static absl::StatusOr<std::unique_ptr<MosesDetokenizer>> Create(std::string_view language);

  // Joins words that are separated by white space. A space that Join adds has the owner -1. With
  // `after_text`, the words follow other text, so the first word may get a space before it. With
  // `is_prefix`, returns only the text that further words cannot change: all except the last word.
  OwnedText Join(OwnedText words, bool after_text, bool is_prefix) const;

 private:
  explicit MosesDetokenizer(bool is_english) : is_english_(is_english) {}
  bool is_english_;
};

}  // namespace dragoman::engine
