// Finds full stops that do not end a sentence: abbreviations, ordinals, initials, enumerations.
//
// Thread-safety: const after construction.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace dragoman::engine {

class FullStopRules {
 public:
  // `language` is the ISO 639-1 code if there is one ("de"). Uses ICU's suppressions for the
  // language, if ICU has any. German and English also have lists of their own.
  explicit FullStopRules(std::string_view language);

  // Reports whether a sentence continues at `at`, where ICU's rules would end it. `line` has no
  // white space at its ends. `at` is the first byte of the next sentence. Constant time.
  bool Continues(std::string_view line, size_t at) const;

 private:
  bool IsStarter(std::string_view word) const { return starters_.contains(word); }

  bool ordinals_ = false;                           // "3. Mai": numbers with a full stop
  std::unordered_set<std::string> owned_;           // ICU's words, which `always_` views
  std::unordered_set<std::string_view> always_;     // "Dr.": never the end
  std::unordered_set<std::string_view> sometimes_;  // "Mio.": the end if a starter follows
  std::unordered_set<std::string_view> starters_;   // "The": capitalized only to begin a sentence
};

}  // namespace dragoman::engine
