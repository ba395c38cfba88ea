// Checks the text of terms and phrases, both in requests and in glossaries. Also defines the
// interface that lists the terms of the glossaries that an engine has loaded.
//
// Thread-safe. GlossaryTerms are immutable: a reload of the glossaries makes new objects and does
// not change existing ones. Text is UTF-8. Sizes are bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::engine {

// The size limit of a term's source, of its target, and of a phrase.
inline constexpr size_t kMaxTermBytes = 1024;

struct TermProblem {
  std::string found;
  std::string expected;
  // `found` and `expected` as a predicate of the text: "is empty", "has 2000 bytes, expected at
  // most 1024", "has a control character (U+000A)", "is not UTF-8".
  std::string predicate;
};

// Returns the error in a source, target or phrase, if any. The error does not quote the text. The
// caller has to strip white space at both ends before the call.
std::optional<TermProblem> ProblemOfTerm(std::string_view text);

struct GlossaryEntry {
  std::string_view source;
  std::string_view target;
};

class GlossaryTerms {
 public:
  virtual ~GlossaryTerms() = default;

  virtual size_t size() const = 0;
  // Returns entry i. Entries have the order of the glossary's file, and duplicates are left out.
  // The views live as long as this object. REQUIRES: i < size().
  virtual GlossaryEntry entry(size_t i) const = 0;
};

// Implemented by engines that have glossaries. A pivot engine has none and does not implement it.
class GlossarySource {
 public:
  virtual ~GlossarySource() = default;

  // Returns the terms of the glossary `name`; nullptr if there is no such glossary. Shared, because
  // a reload may replace the glossary at any time.
  virtual std::shared_ptr<const GlossaryTerms> FindGlossary(std::string_view name) const = 0;
};

}  // namespace dragoman::engine
