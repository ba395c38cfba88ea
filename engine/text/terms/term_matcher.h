// Where a request's do_not_translate phrases and terms occur in a segment's source text
// (SEARCH.md a.8, "Glossary terms").
//
// One per request; Find runs once per segment. Thread-safety: const after Create. Owns the
// request's phrases and terms, shares the named glossary. Units: bytes of the text given.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/terms/glossary.h"
#include "engine/text/terms/term_index.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

struct TermOccurrence {
  enum class Kind { kDoNotTranslate, kRequestTerm, kGlossaryTerm };

  TextRange range;  // in the segment's text
  Kind kind = Kind::kDoNotTranslate;
  // The text that must stand in the translation: the term's target, or the phrase itself. A view
  // into the matcher or its glossary.
  std::string_view target;
  // The index of the phrase or term in the request's list (of equal ones, the first), or
  // Glossary::term.
  size_t index = 0;

  bool operator==(const TermOccurrence&) const = default;
};

class TermMatcher {
 public:
  struct Lists {
    std::span<const std::string> do_not_translate;
    std::span<const Term> terms;
    std::shared_ptr<const Glossary> glossary;  // may be null
    bool glossary_ignore_case = false;
  };

  // INVALID_ARGUMENT naming the element: as Glossary::FromTerms for `terms`; an empty phrase of
  // do_not_translate, one above kMaxTermBytes or with control characters. White space at the ends
  // of a phrase is not part of it; equal phrases are one. INTERNAL when ICU has no data.
  static absl::StatusOr<TermMatcher> Create(const Lists& lists);

  TermMatcher(TermMatcher&&) = default;
  TermMatcher& operator=(TermMatcher&&) = default;

  // All occurrences, in order, without overlap. An occurrence begins and ends at a word boundary
  // (UAX 29) of `segment`. In scripts written without spaces (Han, Hiragana, Thai, ...) there is
  // one between any two letters, as UAX 29 has it: no dictionary decides.
  //  1. do_not_translate: byte for byte, leftmost, then longest.
  //  2. In what is left, terms and the glossary's terms together: leftmost, then longest; of two
  //     that match the same bytes the request's wins. A term that ignores case matches by full case
  //     folding, whole characters only ("STRASSE" is "Straße"; "s" is not part of "ß"). Among terms
  //     of one list that fold to the same, the one with the text's very bytes wins, then the first
  //     that ignores case.
  // White space and code points match exactly: no normalisation. Time is linear in the text, times
  // the length of the longest beginning of a term found at a place.
  // REQUIRES: `segment` is valid UTF-8.
  std::vector<TermOccurrence> Find(std::string_view segment) const;

  // The request's terms; null when there are none.
  const Glossary* terms() const { return terms_.get(); }

  // True when there is nothing to find.
  bool empty() const { return phrases_.empty() && terms_ == nullptr && glossary_ == nullptr; }

 private:
  TermMatcher() = default;

  std::vector<std::string> phrases_;          // as given, less white space at the ends
  std::vector<size_t> phrase_numbers_;        // by entry of the index, without the equal ones
  TermIndex phrase_index_;                    // views phrases_
  std::shared_ptr<const Glossary> terms_;     // null when there are none
  std::shared_ptr<const Glossary> glossary_;  // null when there is none
  bool glossary_ignore_case_ = false;
};

}  // namespace dragoman::engine
