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
  // `language` is the ISO 639-1 code if there is one ("de"). Uses ICU's list of abbreviations
  // ("suppressions") for the language, if ICU has one, and for German and English also the lists in
  // full_stop_rules.cc.
  explicit FullStopRules(std::string_view language);

  // Returns true if the text before byte `at` of `line` ends in a full stop that does not end the
  // sentence. Takes constant time. REQUIRES: ICU's rules begin a new sentence at `at`, and `line`
  // has no white space at its ends.
  bool Continues(std::string_view line, size_t at) const;

 private:
  bool IsStarter(std::string_view word) const { return starters_.contains(word); }

  // "3. Mai": whether a number with a full stop is an ordinal.
  bool ordinals_ = false;
  // ICU's abbreviations; `always_` has views of them.
  std::unordered_set<std::string> owned_;
  std::unordered_set<std::string_view> always_;     // "Dr.": never ends a sentence
  std::unordered_set<std::string_view> sometimes_;  // "Mio.": ends a sentence if a starter follows
  // "The": capitalized only at the beginning of a sentence.
  std::unordered_set<std::string_view> starters_;
};

}  // namespace dragoman::engine
