// The way from an item's text to segments of token ids: split, tokenise, and split further what is
// too long for the model.
//
// Thread-safe: used by all tokenizer threads.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/mutex.h"
#include "engine/engine.h"
#include "engine/text/sentence_splitter.h"
#include "engine/text/text_range.h"
#include "engine/text/tokenizer.h"

namespace dragoman {

// An item cut into segments.
struct ItemPlan {
  absl::Status status;  // not OK: the item fails with it and has no segments
  std::vector<TextRange> pieces;
  std::vector<std::vector<int32_t>> tokens;  // by piece: tag, text, EOS
};

class TextStage {
 public:
  // `max_source_tokens` counts tag and EOS. Borrows the tokenizer.
  TextStage(const Tokenizer* tokenizer, int max_source_tokens)
      : tokenizer_(tokenizer), max_source_tokens_(max_source_tokens) {}

  struct Request {
    std::string source_language;  // BCP-47, for the rules of sentences
    std::optional<int> tag;       // put before every segment
    SplitMode split = SplitMode::kUnset;
    OnTooLong on_too_long = OnTooLong::kSplit;
    bool one_segment = false;  // what is asked for needs the item to be one segment
  };

  // REQUIRES: `text` is valid UTF-8.
  ItemPlan Plan(std::string_view text, const Request& request);

 private:
  absl::StatusOr<const SentenceSplitter*> SplitterFor(const std::string& language);
  absl::Status Cut(std::string_view text, const Request& request, ItemPlan& plan);

  const Tokenizer* const tokenizer_;
  const int max_source_tokens_;

  Mutex mu_;
  // One per source language; never removed.
  std::map<std::string, std::unique_ptr<SentenceSplitter>> splitters_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman
