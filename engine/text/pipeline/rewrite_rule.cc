#include "engine/text/pipeline/rewrite_rule.h"

#include <cassert>
#include <utility>

#include "engine/base/utf8.h"

namespace dragoman::engine {

TracedText TracedText::Of(std::string_view utf8) {
  TracedText traced;
  traced.origin.reserve(utf8.size());
  for (size_t at = 0; at < utf8.size();) {
    const auto begin = static_cast<int64_t>(at);
    traced.text.append(static_cast<UChar32>(NextCodePoint(utf8, at)));
    traced.origin.resize(static_cast<size_t>(traced.text.length()),
                         {begin, static_cast<int64_t>(at)});
  }
  return traced;
}

void TracedText::Append(const TracedText& other, int32_t begin, int32_t end) {
  text.append(other.text, begin, end - begin);
  origin.insert(origin.end(), other.origin.begin() + begin, other.origin.begin() + end);
}

void TracedText::Append(std::u16string_view added, const TracedText& other, int32_t begin,
                        int32_t end) {
  TextRange from;
  if (begin < end) {
    from = {other.origin[static_cast<size_t>(begin)].begin,
            other.origin[static_cast<size_t>(end) - 1].end};
  } else if (begin > 0) {
    const int64_t at = other.origin[static_cast<size_t>(begin) - 1].end;
    from = {at, at};
  }
  text.append(added.data(), static_cast<int32_t>(added.size()));
  origin.resize(static_cast<size_t>(text.length()), from);
}

RewriteRule::RewriteRule(const icu::UnicodeString& pattern, std::u16string_view replacement) {
  UErrorCode error = U_ZERO_ERROR;
  UParseError where;
  pattern_.reset(icu::RegexPattern::compile(pattern, where, error));
  assert(U_SUCCESS(error));
  for (size_t i = 0; i < replacement.size(); ++i) {
    if (replacement[i] == u'\\') {
      parts_.push_back({.group = replacement[++i] - u'0', .text = {}});
    } else {
      if (parts_.empty() || parts_.back().group != 0) parts_.emplace_back();
      parts_.back().text += replacement[i];
    }
  }
}

void RewriteRule::Apply(TracedText* traced) const {
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<icu::RegexMatcher> matcher(pattern_->matcher(traced->text, error));
  if (U_FAILURE(error)) return;
  matcher->setStackLimit(0, error);  // no limit: a run of dots may be as long as the text
  TracedText rewritten;
  int32_t done = 0;
  while (matcher->find(error) && U_SUCCESS(error)) {
    int32_t at = matcher->start(error);
    rewritten.Append(*traced, done, at);
    done = matcher->end(error);
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].group != 0) {
        rewritten.Append(*traced, matcher->start(parts_[i].group, error),
                         matcher->end(parts_[i].group, error));
        at = matcher->end(parts_[i].group, error);
      } else {
        const int32_t until =
            i + 1 < parts_.size() ? matcher->start(parts_[i + 1].group, error) : done;
        rewritten.Append(parts_[i].text, *traced, at, until);
      }
    }
  }
  if (done == 0 && rewritten.text.isEmpty()) return;  // nothing matched
  rewritten.Append(*traced, done, traced->text.length());
  *traced = std::move(rewritten);
}

}  // namespace dragoman::engine
