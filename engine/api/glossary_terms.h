// The terms of the glossaries that an engine has loaded, for those who list them.
//
// Immutable and thread-safe; whoever holds one keeps the version that it found. Text is UTF-8.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace dragoman::engine {

struct GlossaryEntry {
  std::string_view source;
  std::string_view target;
};

class GlossaryTerms {
 public:
  virtual ~GlossaryTerms() = default;

  virtual size_t size() const = 0;
  // In the order of the glossary's file, without duplicates. REQUIRES: i < size(). The views live
  // as long as this object.
  virtual GlossaryEntry entry(size_t i) const = 0;
};

// An engine that shows its glossaries is one of these as well; a pivot, which has none, is not.
class GlossarySource {
 public:
  virtual ~GlossarySource() = default;

  // nullptr if there is none of this name. Shared, because a reload may replace it while it is read.
  virtual std::shared_ptr<const GlossaryTerms> FindGlossary(std::string_view name) const = 0;
};

}  // namespace dragoman::engine
