// A list of terms with given translations, from a request or from a file. TermMatcher finds the
// terms in a text (term_matcher.h).
//
// Thread-safety: const after construction. Each request that uses the glossary shares it
// (shared_ptr), so a reload can replace it while requests run. Owns its strings and its index,
// about 170 bytes per term. Units: bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/glossary_terms.h"
#include "engine/base/load_context.h"
#include "engine/text/terms/term_index.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

struct Term {
  std::string source;
  std::string target;
  bool ignore_case = false;
};

// The limit for a glossary file. A term has the limit kMaxTermBytes (engine/api/glossary_terms.h).
inline constexpr size_t kMaxGlossaryBytes = size_t{64} << 20;

enum class GlossaryFormat { kTsv, kCsv };

class Glossary final : public GlossaryTerms {
 public:
  // Makes a glossary of a request's terms. Strips white space at the ends of sources and targets.
  // Terms with equal sources and targets become one term. Two sources are equal if their bytes are
  // equal, or if both terms ignore case and the sources have the same case folding (FoldCase in
  // term_index.h).
  //
  // Returns INVALID_ARGUMENT, which names the elements by `field` and index ("terms[3]"), if a
  // source has two targets, or if a source or target is empty, is longer than kMaxTermBytes, has
  // control characters (such as line breaks) or is not UTF-8.
  static absl::StatusOr<std::shared_ptr<const Glossary>> FromTerms(std::span<const Term> terms,
                                                                   std::string_view field);

  // Makes a glossary of a file in Google's format for one direction: two columns, source and
  // target, no header row, no comments. The file is UTF-8, with or without a byte order mark. Rows
  // end with LF or CR LF. Skips rows of white space. Strips white space at the ends of cells.
  //   kTsv: one tab separates the cells. Quotes are ordinary characters.
  //   kCsv: RFC 4180. A comma separates the cells. A cell that contains a comma or a quote is in
  //   double quotes, inside which "" is one quote.
  // Equal rows become one term. Sources that differ in case ("Polish", "polish") are different
  // terms; the request decides whether a search ignores case.
  //
  // Returns INVALID_ARGUMENT "NAME:LINE: what was found, what was expected" if a row does not have
  // two cells, quotes violate RFC 4180, a term is bad as above, a source has a second target (names
  // both lines), there is no term, or the file has more than kMaxGlossaryBytes.
  static absl::StatusOr<std::shared_ptr<const Glossary>> Parse(std::string_view bytes,
                                                               std::string_view name,
                                                               GlossaryFormat format);

  // Checks that the model can write every target. Returns INVALID_ARGUMENT for the first target
  // that has no tokens or contains <unk>; the message names the term as PlaceOf does. Returns
  // CANCELLED after the load has been cancelled.
  absl::Status CheckTargets(const Tokenizer& tokenizer, const LoadContext* load = nullptr) const;

  // The terms in the order of the request or the file, without duplicates.
  size_t size() const override { return terms_.size(); }
  const Term& term(size_t i) const { return terms_[i]; }
  GlossaryEntry entry(size_t i) const override { return {terms_[i].source, terms_[i].target}; }
  // PlaceOf: returns where the term came from, "names.tsv:12" or "terms[3]". RowOf: returns only
  // the number, which is the line (from 1) or the index (from 0).
  std::string PlaceOf(size_t i) const;
  size_t RowOf(size_t i) const { return static_cast<size_t>(rows_[i]); }

  const TermIndex& index() const { return index_; }

 private:
  Glossary(std::string_view name, bool is_file) : name_(name), is_file_(is_file) {}
  // Strips and checks source and target. `row` is the term's line or index.
  absl::Status Add(std::string_view source, std::string_view target, bool ignore_case, size_t row);
  // Removes duplicates, checks that no source has two targets, and builds the index.
  absl::Status Finish();

  std::string name_;  // the file's name or the request's field
  bool is_file_;
  std::vector<Term> terms_;
  std::vector<int32_t> rows_;  // by term: its line in the file or its index in the request
  TermIndex index_;            // views terms_
};

}  // namespace dragoman::engine
