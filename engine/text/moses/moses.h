// Splits text into words and joins words into text as the scripts of the Moses translation system
// do. fairseq's models of WMT 16 and 19 were trained on texts that Moses's scripts
// normalize-punctuation and tokenizer had prepared.
//
// Koehn et al. 2007. The words equal those of sacremoses 0.2.0 as FSMTTokenizer calls it
// (transformers 4.57). Chinese punctuation becomes ASCII punctuation, and quotes become those of
// the Penn Treebank. Unprintable characters are dropped. A hyphen inside a word becomes a word of
// its own. XML's special characters are escaped.
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
  // origin[i] is the range of the input that byte i of `text` stands for. The ranges are in order
  // and may be empty. Bytes that were made from one character share its range.
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

// A text that JoinMosesWords reads or writes. Each byte has an owner, a number that the caller
// chooses and that the byte keeps when it moves.
struct OwnedText {
  std::string text;
  std::vector<int> owner;  // by byte of `text`
};

// Joins words that are separated by white space, by the rules of English or by those of German and
// Russian. A space that this adds has the owner -1. With `after_text`, the words follow other text,
// so the first word may get a space before it. With `is_prefix`, returns only the text that further
// words cannot change: all except the last word.
OwnedText JoinMosesWords(OwnedText words, bool is_english, bool after_text, bool is_prefix);

}  // namespace dragoman::engine
