// The terms of a glossary that an engine has loaded, for listing them.
//
// Immutable and thread-safe. A reload of the glossaries does not change existing objects. Text is
// UTF-8.
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
