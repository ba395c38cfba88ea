// Iterates over the boundaries that ICU finds in a text. The constructor gets a factory function of
// icu::BreakIterator, which chooses the kind: between graphemes, between words, or where a line may
// break.
//
// An object belongs to one thread and borrows the UTF-8 text. Units: bytes.
#pragma once

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace dragoman::engine {

class Boundaries {
 public:
  using Factory = icu::BreakIterator* (*)(const icu::Locale&, UErrorCode&);

  Boundaries(Factory factory, std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    iterator_.reset(factory(icu::Locale::getRoot(), status));
    utext_openUTF8(&utext_, text.data(), static_cast<int64_t>(text.size()), &status);
    if (U_SUCCESS(status)) iterator_->setText(&utext_, status);
    ok_ = U_SUCCESS(status);
    if (ok_) iterator_->first();
  }
  ~Boundaries() {
    iterator_.reset();
    utext_close(&utext_);
  }
  Boundaries(const Boundaries&) = delete;
  Boundaries& operator=(const Boundaries&) = delete;

  // Reports whether ICU has the rules for this kind of boundary. Next requires that it has.
  bool ok() const { return ok_; }
  // Returns the byte position of the next boundary, or nullopt after the last one.
  std::optional<size_t> Next() {
    const int32_t at = iterator_->next();
    if (at == icu::BreakIterator::DONE) return std::nullopt;
    return static_cast<size_t>(at);
  }

 private:
  std::unique_ptr<icu::BreakIterator> iterator_;
  UText utext_ = UTEXT_INITIALIZER;
  bool ok_ = false;
};

}  // namespace dragoman::engine
