#include "engine/text/terms/glossary.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/api/glossary_terms.h"
#include "engine/base/field_error.h"
#include "engine/base/utf8.h"
#include "engine/text/terms/glossary_rows.h"

namespace dragoman::engine {
namespace {

// Quotes a text for an error message, shortened so that it fits in a line.
std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  if (text.size() <= kShown) return absl::StrCat("'", std::string(text), "'");
  const size_t end = CharacterBegin(text, kShown);
  return absl::StrCat("'", std::string(text.substr(0, end)), "...'");
}

// Makes an error about a term. If the term comes from a request, the error names a field. A file
// has no fields.
absl::Status Wrong(bool is_file, FieldError error) {
  if (!is_file) return InvalidRequest(std::move(error));
  return absl::InvalidArgumentError(absl::StrCat(error.field, ": ", Description(error)));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Glossary>> Glossary::FromTerms(std::span<const Term> terms,
                                                                    std::string_view field) {
  std::shared_ptr<Glossary> glossary(new Glossary(field, false));
  for (size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    absl::Status status = glossary->Add(term.source, term.target, term.ignore_case, i);
    if (!status.ok()) return status;
  }
  if (absl::Status status = glossary->Finish(); !status.ok()) return status;
  return glossary;
}

absl::StatusOr<std::shared_ptr<const Glossary>> Glossary::Parse(std::string_view bytes,
                                                                std::string_view name,
                                                                GlossaryFormat format) {
  if (bytes.size() > kMaxGlossaryBytes) {
    return absl::InvalidArgumentError(absl::StrCat(std::string(name), ": ", bytes.size(),
                                                   " bytes, expected at most ", kMaxGlossaryBytes));
  }
  std::shared_ptr<Glossary> glossary(new Glossary(name, true));
  GlossaryRows rows(bytes, format);
  GlossaryRow row;
  while (rows.Next(row)) {
    if (!row.problem.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(std::string(name), ":", row.line, ": ", row.problem));
    }
    absl::Status status = glossary->Add(row.source, row.target, false, row.line);
    if (!status.ok()) return status;
  }
  if (glossary->size() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        std::string(name), ":1: no terms, expected at least one row of source and target"));
  }
  if (absl::Status status = glossary->Finish(); !status.ok()) return status;
  return glossary;
}

absl::Status Glossary::Add(std::string_view source, std::string_view target, bool ignore_case,
                           size_t row) {
  Term term{std::string(StripWhiteSpace(source)), std::string(StripWhiteSpace(target)),
            ignore_case};
  rows_.push_back(static_cast<int32_t>(row));
  for (const auto& [what, text] :
       {std::pair("source", &term.source), std::pair("target", &term.target)}) {
    if (std::optional<TermProblem> problem = ProblemOfTerm(*text)) {
      return Wrong(is_file_, {.field = PlaceOf(terms_.size()),
                              .found = std::move(problem->found),
                              .expected = std::move(problem->expected),
                              .words = absl::StrCat("the ", what, " ", problem->predicate)});
    }
  }
  terms_.push_back(std::move(term));
  return absl::OkStatus();
}

absl::Status Glossary::Finish() {
  // Sort the terms by source, then by number, to find equal sources. keep[i] becomes false if term
  // i is a duplicate.
  std::vector<bool> keep(terms_.size(), true);
  // The indices of two terms with equal sources and different targets. If there are several such
  // pairs, the pair whose second term is earliest.
  std::optional<std::pair<size_t, size_t>> clash;
  const auto unite = [&](size_t first, size_t second) {
    if (first > second) std::swap(first, second);
    if (terms_[first].target != terms_[second].target) {
      if (!clash || second < clash->second) clash = {first, second};
      return;
    }
    keep[second] = false;
    terms_[first].ignore_case = terms_[first].ignore_case || terms_[second].ignore_case;
  };
  std::vector<size_t> order(terms_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int sources = terms_[a].source.compare(terms_[b].source);
    return sources != 0 ? sources < 0 : a < b;
  });
  for (size_t i = 0, first = 0; i < order.size(); ++i) {
    if (terms_[order[i]].source != terms_[order[first]].source) first = i;
    if (i != first) unite(order[first], order[i]);
  }
  // Two terms that ignore case are equal if their sources have the same case folding.
  std::vector<std::pair<std::string, size_t>> folded;
  for (size_t i = 0; i < terms_.size(); ++i) {
    if (keep[i] && terms_[i].ignore_case) folded.emplace_back(FoldCase(terms_[i].source), i);
  }
  std::sort(folded.begin(), folded.end());
  for (size_t i = 0, first = 0; i < folded.size(); ++i) {
    if (folded[i].first != folded[first].first) first = i;
    if (i != first) unite(folded[first].second, folded[i].second);
  }
  if (clash) {
    const Term& first = terms_[clash->first];
    const Term& second = terms_[clash->second];
    FieldError error;
    error.field = PlaceOf(clash->second);
    error.found = absl::StrCat("a second target for ", Quoted(second.source));
    error.expected = "one";
    error.other = PlaceOf(clash->first);
    error.words =
        absl::StrCat("a second target ", Quoted(second.target), " for ", Quoted(second.source),
                     ", which ", error.other, " gives ", Quoted(first.target), "; expected one");
    return Wrong(is_file_, std::move(error));
  }

  size_t kept = 0;
  for (size_t i = 0; i < terms_.size(); ++i) {
    if (!keep[i]) continue;
    if (kept != i) terms_[kept] = std::move(terms_[i]);
    rows_[kept] = rows_[i];
    ++kept;
  }
  terms_.resize(kept);
  terms_.shrink_to_fit();
  rows_.resize(kept);
  std::vector<TermIndex::Entry> entries;
  entries.reserve(terms_.size());
  for (const Term& term : terms_) entries.push_back({term.source, term.ignore_case});
  index_ = TermIndex(entries);
  return absl::OkStatus();
}

absl::Status Glossary::CheckTargets(const Tokenizer& tokenizer, const LoadContext* load) const {
  constexpr size_t kBetweenLooks = 1024;
  for (size_t i = 0; i < terms_.size(); ++i) {
    if (i % kBetweenLooks == 0) {
      if (absl::Status status = CheckGoesOn(load); !status.ok()) return status;
    }
    const std::vector<int> ids = tokenizer.EncodeTarget(terms_[i].target).ids;
    const bool unknown = std::find(ids.begin(), ids.end(), tokenizer.special().unk) != ids.end();
    if (!ids.empty() && !unknown) continue;
    FieldError error;
    error.field = PlaceOf(i);
    error.found = ids.empty() ? "no tokens" : "characters that the model's vocabulary lacks";
    error.expected = "text that the model can write";
    error.words = absl::StrCat("the target ", Quoted(terms_[i].target), " has ", error.found,
                               ", expected ", error.expected);
    return Wrong(is_file_, std::move(error));
  }
  return absl::OkStatus();
}

std::string Glossary::PlaceOf(size_t i) const {
  if (is_file_) return absl::StrCat(name_, ":", rows_[i]);
  return absl::StrCat(name_, "[", rows_[i], "]");
}

}  // namespace dragoman::engine
