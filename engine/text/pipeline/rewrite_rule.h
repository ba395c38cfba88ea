// A text that is rewritten by a list of regular expressions, one after the other, as a script of
// sed's, Perl's or Python's does it; it keeps where each of its characters comes from.
//
// A RewriteRule is const, so any thread may apply it; a TracedText is one thread's.
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
  std::vector<TextRange> origin;  // of every code unit, in the UTF-8 text

  // REQUIRES: `utf8` is valid.
  static TracedText Of(std::string_view utf8);

  // Appends [begin, end) of another one.
  void Append(const TracedText& other, int32_t begin, int32_t end);
  // Appends text that stands for [begin, end) of `other`, which may be empty.
  void Append(std::u16string_view text, const TracedText& other, int32_t begin, int32_t end);
};

class RewriteRule {
 public:
  // `pattern` in ICU's syntax. Of `replacement` \1 to \9 are groups of the pattern, in their order;
  // the rest is text. REQUIRES: the pattern is right.
  RewriteRule(const icu::UnicodeString& pattern, std::u16string_view replacement);

  // Replaces every match, from left to right, in the text as it was.
  void Apply(TracedText* traced) const;

 private:
  struct Part {
    int group = 0;        // 0: the text
    std::u16string text;  // in the place of what lies between the groups around it
  };
  std::unique_ptr<const icu::RegexPattern> pattern_;
  std::vector<Part> parts_;
};

}  // namespace dragoman::engine
