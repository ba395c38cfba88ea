#include "server/call/detect/han_script.h"

#include <unicode/translit.h>
#include <unicode/unistr.h>

#include <bitset>
#include <memory>

namespace dragoman::server {
namespace {

// The Unicode block that has nearly all Chinese characters in use.
constexpr char32_t kFirstCharacter = 0x4E00;
constexpr char32_t kLastCharacter = 0x9FFF;
using Characters = std::bitset<kLastCharacter - kFirstCharacter + 1>;

// Returns the characters that the transliteration changes. Line ends between the characters keep
// ICU from reading several of them as a word.
Characters ChangedBy(const char* transliteration) {
  Characters changed;
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<icu::Transliterator> change(
      icu::Transliterator::createInstance(transliteration, UTRANS_FORWARD, error));
  if (U_FAILURE(error) || change == nullptr) return changed;
  icu::UnicodeString lines;
  for (char32_t c = kFirstCharacter; c <= kLastCharacter; ++c) {
    lines.append(static_cast<UChar32>(c)).append(static_cast<UChar32>(U'\n'));
  }
  change->transliterate(lines);
  char32_t c = kFirstCharacter;
  int32_t begin = 0;
  for (; c <= kLastCharacter; ++c) {
    const int32_t end = lines.indexOf(static_cast<UChar32>(U'\n'), begin);
    if (end < 0) break;
    if (lines.tempSubStringBetween(begin, end) != icu::UnicodeString(static_cast<UChar32>(c))) {
      changed.set(c - kFirstCharacter);
    }
    begin = end + 1;
  }
  return changed;
}

struct Tables {
  Characters simplified = ChangedBy("Simplified-Traditional");
  Characters traditional = ChangedBy("Traditional-Simplified");
};

const Tables& GetTables() {
  static const Tables* const tables = new Tables;
  return *tables;
}

}  // namespace

void HanCounter::Add(char32_t character) {
  if (character < kFirstCharacter || character > kLastCharacter) return;
  const Tables& tables = GetTables();
  const bool simplified = tables.simplified.test(character - kFirstCharacter);
  const bool traditional = tables.traditional.test(character - kFirstCharacter);
  // A character that both transliterations change is used in both scripts, so it is not counted.
  if (simplified && !traditional) ++simplified_;
  if (traditional && !simplified) ++traditional_;
}

std::string HanCounter::Script() const {
  if (simplified_ == traditional_) return "Hani";
  return simplified_ > traditional_ ? "Hans" : "Hant";
}

}  // namespace dragoman::server
