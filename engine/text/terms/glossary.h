// A list of terms with a given translation: of a request, or of a file.
//
// Which term a text matches is for TermMatcher (term_matcher.h).
//
// Thread-safety: const after construction; shared by the requests that use it, so that a reload
// replaces it while they run. Owns its strings and its index, together some 170 bytes a term.
// Units: bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

// Limit of a glossary file; that of a term is kMaxTermBytes (engine/api/term_text.h).
inline constexpr size_t kMaxGlossaryBytes = size_t{64} << 20;

enum class GlossaryFormat { kTsv, kCsv };

class Glossary final : public GlossaryTerms {
 public:
  // A request's terms. White space at the ends of a source or target is not part of it. Equal
  // sources with equal targets are one term; sources are equal when their bytes are, or when they
  // fold to the same and both ignore case.
  //
  // INVALID_ARGUMENT, naming the elements by `field` and index ("terms[3]"): an empty source or
  // target, one above kMaxTermBytes, with control characters (line breaks among them) or not UTF-8,
  // two targets for one source.
  static absl::StatusOr<std::shared_ptr<const Glossary>> FromTerms(std::span<const Term> terms,
                                                                   std::string_view field);

  // A file, in Google's format of a glossary for one direction: two columns, source and target; no
  // header row, the first row is data; no comments, a '#' is a '#'. UTF-8, with or without a byte
  // order mark. Rows end with LF or CR LF; rows of white space alone are skipped. White space at
  // the ends of a cell is not part of it.
  //   kTsv: cells are separated by one tab, quotes are quotes.
  //   kCsv: RFC 4180: cells are separated by a comma; a cell that contains a comma or a quote is in
  //   double quotes, inside of which "" is one quote.
  // Equal rows are one term. Case is told apart ("Polish" and "polish" may both be there); whether
  // a search ignores it is up to the request.
  //
  // INVALID_ARGUMENT "NAME:LINE: what was found, what was expected": not two cells, quotes against
  // RFC 4180, a bad term as above, a second target for a source (with both lines), no term at all,
  // more than kMaxGlossaryBytes.
  static absl::StatusOr<std::shared_ptr<const Glossary>> Parse(std::string_view bytes,
                                                               std::string_view name,
                                                               GlossaryFormat format);

  // Whether the model can write every target. INVALID_ARGUMENT with the name, line or index of the
  // first whose tokens contain <unk>, or that has no tokens. CANCELLED once the load is given up.
  absl::Status CheckTargets(const Tokenizer& tokenizer, const LoadContext* load = nullptr) const;

  // Terms in their order, without duplicates.
  size_t size() const override { return terms_.size(); }
  const Term& term(size_t i) const { return terms_[i]; }
  GlossaryEntry entry(size_t i) const override { return {terms_[i].source, terms_[i].target}; }
  // Where the term came from: "names.tsv:12", "terms[3]"; and that number alone.
  std::string PlaceOf(size_t i) const;
  size_t RowOf(size_t i) const { return static_cast<size_t>(rows_[i]); }

  const TermIndex& index() const { return index_; }

 private:
  Glossary(std::string_view name, bool is_file) : name_(name), is_file_(is_file) {}
  void Add(std::string_view source, std::string_view target, bool ignore_case, size_t row);
  // Takes duplicates out, finds sources with two targets, builds the index.
  absl::Status Finish();

  std::string name_;  // of the file or the field
  bool is_file_;
  std::vector<Term> terms_;
  std::vector<int32_t> rows_;  // line or index, by term
  TermIndex index_;            // views terms_
};

}  // namespace dragoman::engine
