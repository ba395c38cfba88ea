// Rewrites a text by regular expressions, one after the other, as a sed, Perl or Python script
// does, and records where each character comes from.
//
// Any thread may apply a RewriteRule. A TracedText belongs to one thread.
// Units: UTF-16 code units in the text, bytes in the origins.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <unicode/regex.h>
#include <unicode/unistr.h>

#include "engine/text/text_range.h"

namespace dragoman::engine {

struct TracedText {
  icu::UnicodeString text;
  // origin[i]: the bytes of the UTF-8 text that code unit i of `text` comes from.
  std::vector<TextRange> origin;

  // REQUIRES: `utf8` is valid.
  static TracedText Of(std::string_view utf8);

  // Appends code units [begin, end) of `other` with their origins.
  void Append(const TracedText& other, int32_t begin, int32_t end);
  // Appends `text` in place of code units [begin, end) of `other`. Each code unit of `text` gets
  // the origin of this range, which may be empty.
  void Append(std::u16string_view text, const TracedText& other, int32_t begin, int32_t end);
};

class RewriteRule {
 public:
  // `pattern` has ICU's syntax. In `replacement`, \1 to \9 stand for what the pattern's groups have
  // matched; everything else is literal text. REQUIRES: the groups are in ascending order in
  // `replacement`. REQUIRES: the pattern is valid.
  RewriteRule(const icu::UnicodeString& pattern, std::u16string_view replacement);

  // Replaces every match from left to right. Does not search the replacements for matches.
  void Apply(TracedText* traced) const;

 private:
  struct Part {
    int group = 0;        // 0: the part is `text`
    std::u16string text;  // replaces the matched text between the neighbouring groups
  };
  std::unique_ptr<const icu::RegexPattern> pattern_;
  std::vector<Part> parts_;
};

}  // namespace dragoman::engine
