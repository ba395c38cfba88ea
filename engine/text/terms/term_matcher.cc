#include "engine/text/terms/term_matcher.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/api/glossary_terms.h"
#include "engine/base/field_error.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {

absl::StatusOr<TermMatcher> TermMatcher::Create(const Lists& lists) {
  TermMatcher matcher;
  if (absl::Status status = TermText::CheckWordRules(); !status.ok()) return status;

  std::unordered_set<std::string_view> seen;
  std::vector<TermIndex::Entry> entries;
  matcher.phrases_.reserve(lists.do_not_translate.size());  // keeps the views in `entries` valid
  for (size_t i = 0; i < lists.do_not_translate.size(); ++i) {
    matcher.phrases_.emplace_back(StripWhiteSpace(lists.do_not_translate[i]));
    const std::string& phrase = matcher.phrases_.back();
    if (std::optional<TermProblem> problem = ProblemOfTerm(phrase)) {
      return InvalidRequest({.field = absl::StrCat("do_not_translate[", i, "]"),
                             .found = std::move(problem->found),
                             .expected = std::move(problem->expected),
                             .predicate = std::move(problem->predicate)});
    }
    if (!seen.insert(phrase).second) continue;
    entries.push_back({phrase, false});
    matcher.phrase_numbers_.push_back(i);
  }
  matcher.phrase_index_ = TermIndex(entries);

  if (!lists.terms.empty()) {
    absl::StatusOr<std::shared_ptr<const Glossary>> terms =
        Glossary::FromTerms(lists.terms, "terms");
    if (!terms.ok()) return terms.status();
    matcher.terms_ = *std::move(terms);
  }
  matcher.glossary_ = lists.glossary;
  matcher.glossary_ignore_case_ = lists.glossary_ignore_case;
  return matcher;
}

std::vector<TermOccurrence> TermMatcher::Find(std::string_view segment) const {
  std::vector<TermOccurrence> phrases;
  if (empty() || segment.empty()) return phrases;
  const TermText text(segment);
  const auto end = static_cast<int32_t>(text.characters().size()) - 1;
  const auto range = [&](int32_t from, int32_t to) {
    return TextRange{text.characters()[static_cast<size_t>(from)].begin,
                     text.characters()[static_cast<size_t>(to)].begin};
  };
  // Calls longest_at from left to right at each word boundary between the characters `from` and
  // `to`. After a match, continues at its end.
  const auto search = [&](int32_t from, int32_t to, const auto& longest_at) {
    while (from < to) {
      const bool is_boundary = text.characters()[static_cast<size_t>(from)].is_boundary;
      const int32_t after = is_boundary ? longest_at(from, to) : -1;
      from = after < 0 ? from + 1 : after;
    }
  };

  // One pair per phrase that was found: the index of its first character, and the index after its
  // last character.
  std::vector<std::pair<int32_t, int32_t>> taken;
  search(0, end, [&](int32_t from, int32_t to) {
    const auto match = phrase_index_.LongestAt(text, from, to, false);
    if (!match) return -1;
    const size_t number = phrase_numbers_[match->entry];
    phrases.push_back({range(from, match->end_character), TermOccurrence::Kind::kDoNotTranslate,
                       phrases_[number], number});
    taken.emplace_back(from, match->end_character);
    return match->end_character;
  });
  if (terms_ == nullptr && glossary_ == nullptr) return phrases;

  std::vector<TermOccurrence> found;
  const auto longest_term = [&](int32_t from, int32_t to) {
    std::optional<TermIndex::Match> match;
    TermOccurrence::Kind kind = TermOccurrence::Kind::kRequestTerm;
    const Glossary* list = terms_.get();
    if (list != nullptr) match = list->index().LongestAt(text, from, to, false);
    if (glossary_ != nullptr) {
      const auto other = glossary_->index().LongestAt(text, from, to, glossary_ignore_case_);
      if (other && (!match || other->end_character > match->end_character)) {
        match = other;
        kind = TermOccurrence::Kind::kGlossaryTerm;
        list = glossary_.get();
      }
    }
    if (!match) return -1;
    const bool is_request = list == terms_.get();
    found.push_back({range(from, match->end_character), kind, list->term(match->entry).target,
                     is_request ? list->RowOf(match->entry) : match->entry});
    return match->end_character;
  };
  int32_t from = 0;
  for (size_t i = 0; i <= phrases.size(); ++i) {
    search(from, i < phrases.size() ? taken[i].first : end, longest_term);
    if (i == phrases.size()) break;
    found.push_back(phrases[i]);
    from = taken[i].second;
  }
  return found;
}

}  // namespace dragoman::engine
