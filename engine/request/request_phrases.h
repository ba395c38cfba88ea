// The phrases, as tokens, that a request's translations must contain: required phrases, forced
// prefixes, and targets of the terms and do_not_translate phrases in a text (SEARCH.md a.8, d).
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

// The terms of a request. The matcher is empty if there are none.
struct RequestTerms {
  TermMatcher matcher;
  std::shared_ptr<const Glossary> glossary;  // nullptr: no glossary
};

// The phrases that one segment's translation must contain.
struct SegmentPhrases {
  std::vector<NamedPhrase> required;
  std::vector<DoNotTranslatePhrase> do_not_translate;  // those of `required` that are copied
};

class RequestPhrases {
 public:
  struct Facts {
    const Tokenizer* tokenizer = nullptr;
    int32_t start_token = 0;
    bool target_uses_spaces = true;  // between words
  };

  // Returns INVALID_ARGUMENT if a required phrase or a term's target has no tokens, or has <unk> or
  // the start token, because then no item can be translated. REQUIRES: CheckPhrases(job) is OK.
  static absl::StatusOr<RequestPhrases> Create(const TranslationJob* job,
                                               std::shared_ptr<const RequestTerms> terms,
                                               const Facts& facts);

  // Returns the tokens that the item's translation must begin with, none without a prefix. Returns
  // INVALID_ARGUMENT for a prefix with no tokens, <unk> or the start token.
  absl::StatusOr<NamedPhrase> Prefix(size_t item) const;

  // Returns the occurrences of do_not_translate phrases in a text, in order.
  std::vector<TextRange> FindKept(std::string_view text) const;

  // Finds the phrases for a segment with this text. Every occurrence of a term requires its target
  // once. After an opening bracket or quote, the target has no mark of a word's beginning, because
  // no space will precede it. `kept`, the parts that have sentinels, require nothing.
  absl::StatusOr<SegmentPhrases> Find(std::string_view segment,
                                      std::span<const Sentinel> kept) const;

  // The same as Find for a segment whose kept parts have constraints instead of sentinels.
  absl::StatusOr<SegmentPhrases> FindAll(std::string_view segment,
                                         std::span<const Sentinel> kept) const;

 private:
  RequestPhrases(const TranslationJob* job, std::shared_ptr<const RequestTerms> terms,
                 const Facts& facts)
      : job_(job), terms_(std::move(terms)), facts_(facts) {}

  EncodedPhrase Encode(std::string_view text, bool word_start) const;
  absl::Status Check(const NamedPhrase& phrase) const;
  // Adds the phrase that an occurrence in the segment requires.
  absl::Status Add(std::string_view segment, const TermOccurrence& occurrence,
                   SegmentPhrases* phrases) const;
  NamedPhrase NameFor(const TermOccurrence& occurrence) const;  // without tokens

  const TranslationJob* job_;
  std::shared_ptr<const RequestTerms> terms_;
  Facts facts_;
  std::vector<NamedPhrase> required_;
};

// Checks the texts of phrases, the number of prefixes, and the fields that do not go with HTML.
// Returns INVALID_ARGUMENT naming the field.
absl::Status CheckPhrases(const TranslationJob& job);

// Returns the table of a segment's required phrases. With `edges` (borrowed for the table's life),
// a phrase counts as met only between word boundaries. Returns INVALID_ARGUMENT with the numbers if
// no search could meet the phrases after this prefix:
// * they have more than kMaxConstraintTokens tokens;
// * they do not fit the output limit (d.3; tokens that the prefix brings count as met);
// * the prefix leaves no place after it.
absl::StatusOr<ConstraintTable> MakeConstraints(std::span<const NamedPhrase> required,
                                                const NamedPhrase& prefix,
                                                const kernels::SearchOptions& search,
                                                const WordEdgeTable* edges = nullptr);

}  // namespace dragoman::engine
