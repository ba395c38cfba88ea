// Cuts a text into pieces, such as sentences, and tokenizes them. Splits pieces that are too long
// for the model.
//
// Thread-safe: all tokenizer threads use it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/base/mutex.h"
#include "engine/text/split/sentence_splitter.h"
#include "engine/text/split/too_long.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

class TextStage {
 public:
  // `max_source_tokens` includes language tags, prompt and EOS. Borrows the tokenizer.
  TextStage(const Tokenizer* tokenizer, int max_source_tokens)
      : tokenizer_(tokenizer), max_source_tokens_(max_source_tokens) {}

  int max_source_tokens() const { return max_source_tokens_; }

  struct Request {
    std::string source_language;  // BCP-47 tag; sets the rules for the ends of sentences
    SourceTags tags;              // language tags around every piece
    std::vector<int> prompt;      // tokens that precede the text of every piece
    SplitMode split = SplitMode::kUnset;
    OnTooLong on_too_long = OnTooLong::kSplit;
    bool without_letters = false;  // a text without letters is a piece, too
  };

  EncodedText Encode(std::string_view piece, const Request& request) const;

  // Returns the pieces of a text in order. Leaves out pieces for which `encode` returns no text
  // tokens (control characters, say). `one_segment`: the request's options need one piece. The text
  // is then split only if it is too long, unless the request sets a split mode. `whole` has ranges
  // of the text, in order, that must not be split at the end of a sentence. Returns
  // INVALID_ARGUMENT if a piece is too long and may not be split. REQUIRES: `text` is valid UTF-8.
  absl::StatusOr<std::vector<EncodedPiece>> Cut(std::string_view text, const Request& request,
                                                bool one_segment, std::span<const TextRange> whole,
                                                const EncodeFunction& encode);

 private:
  absl::StatusOr<const SentenceSplitter*> SplitterFor(const std::string& source_language);

  const Tokenizer* const tokenizer_;
  const int max_source_tokens_;

  Mutex mu_;
  // Splitters by language. They are never removed.
  std::map<std::string, std::unique_ptr<SentenceSplitter>> splitters_ ABSL_GUARDED_BY(mu_);
  // The last argument of SplitterFor and its result: most texts have the same language.
  std::string last_tag_ ABSL_GUARDED_BY(mu_);
  const SentenceSplitter* last_splitter_ ABSL_GUARDED_BY(mu_) = nullptr;
};

}  // namespace dragoman::engine
