// Where a full stop does not end a sentence: abbreviations, ordinal numbers, initials, enumeration.
//
// Thread-safety: const after construction.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace dragoman::engine {

class FullStopRules {
 public:
  // `language` is ISO 639-1 where there is one ("de"). Lists exist for German and English; others
  // get ICU's suppressions for the language, if it has any.
  explicit FullStopRules(std::string_view language);

  // Whether a sentence goes on at `at`, where ICU's rules would end it. `line` is one line without
  // white space at its ends; `at` is the first byte of the next sentence. Constant time.
  bool Continues(std::string_view line, size_t at) const;

 private:
  bool IsStarter(std::string_view word) const { return starters_.contains(word); }

  bool ordinals_ = false;                           // "3. Mai": numbers with a full stop
  std::unordered_set<std::string> owned_;           // ICU's, of which `always_` holds views
  std::unordered_set<std::string_view> always_;     // "Dr.": never the end
  std::unordered_set<std::string_view> sometimes_;  // "Mio.": the end if a starter follows
  std::unordered_set<std::string_view> starters_;   // words that are capital only at a beginning
};

}  // namespace dragoman::engine
