// The phrases that the translations of a request must contain, as tokens: required phrases, forced
// prefixes, and the targets of terms and do_not_translate phrases where a segment's text holds them
// (SEARCH.md a.8, d).
//
// Made once per job, on a tokenizer thread. Thread-safety: const after construction. Borrows the
// job's request and the tokenizer, shares the terms.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/request/forbidden_phrases.h"
#include "engine/request/target_text.h"
#include "engine/text/terms/term_matcher.h"
#include "engine/text/tokenizer.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

// The terms of a request; its matcher is empty when there are none.
struct RequestTerms {
  TermMatcher matcher;
  std::shared_ptr<const Glossary> glossary;  // null without one
};

// The phrases that one segment's translation must contain.
struct SegmentPhrases {
  std::vector<NamedPhrase> required;
  std::vector<DoNotTranslatePhrase> do_not_translate;  // those of them that are copied, in order
};

class RequestPhrases {
 public:
  struct Facts {
    const Tokenizer* tokenizer = nullptr;
    int32_t start_token = 0;
    bool target_uses_spaces = true;  // between words
  };

  // INVALID_ARGUMENT for what no item can be translated with: a required phrase or a term's target
  // without tokens, with <unk> or the start token. REQUIRES: CheckPhrases(job) is OK.
  static absl::StatusOr<RequestPhrases> Create(const TranslationJob* job,
                                               std::shared_ptr<const RequestTerms> terms,
                                               const Facts& facts);

  // The tokens that the item's translation begins with; none without a prefix. INVALID_ARGUMENT as
  // above.
  absl::StatusOr<NamedPhrase> Prefix(size_t item) const;

  // The occurrences of do_not_translate phrases in a text, in order.
  std::vector<TextRange> FindKept(std::string_view text) const;

  // Finds the phrases for a segment with this text. Every occurrence of a term asks for its target
  // once; after an opening bracket or quote it is asked for without the mark of a word's beginning,
  // because no space will stand before it in the translation either.
  // `kept` are the parts of the segment that have sentinels: they ask for nothing.
  absl::StatusOr<SegmentPhrases> Find(std::string_view segment,
                                      std::span<const Sentinel> kept) const;

  // The same for a segment whose kept parts have constraints in the place of sentinels.
  absl::StatusOr<SegmentPhrases> FindAll(std::string_view segment,
                                         std::span<const Sentinel> kept) const;

 private:
  RequestPhrases(const TranslationJob* job, std::shared_ptr<const RequestTerms> terms,
                 const Facts& facts)
      : job_(job), terms_(std::move(terms)), facts_(facts) {}

  EncodedPhrase Encode(std::string_view text, bool word_start) const;
  absl::Status Check(const NamedPhrase& phrase) const;
  // Adds what a part of the segment asks for.
  absl::Status Add(std::string_view segment, const TermOccurrence& occurrence,
                   SegmentPhrases* phrases) const;
  NamedPhrase NameFor(const TermOccurrence& occurrence) const;  // without tokens

  const TranslationJob* job_;
  std::shared_ptr<const RequestTerms> terms_;
  Facts facts_;
  std::vector<NamedPhrase> required_;
};

// Checks the bytes of the phrases, prefixes and the like. INVALID_ARGUMENT naming the field.
absl::Status CheckPhrases(const TranslationJob& job);

// The table of a segment's phrases, which are met as words where there are `edges` (borrowed for the
// table's life). INVALID_ARGUMENT with the numbers when no search could meet
// them after this prefix: more tokens than kMaxConstraintTokens, or than the output limit has
// place for (d.3; tokens that the prefix brings count), or a prefix that leaves no place after it.
absl::StatusOr<ConstraintTable> MakeConstraints(std::span<const NamedPhrase> required,
                                                const NamedPhrase& prefix,
                                                const kernels::SearchOptions& search,
                                                const WordEdgeTable* edges = nullptr);

}  // namespace dragoman::engine
