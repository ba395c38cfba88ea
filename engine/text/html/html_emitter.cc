#include "engine/text/html/html_emitter.h"

#include <algorithm>
#include <utility>

#include "engine/text/html/html.h"
#include "engine/text/html/html_entities.h"

namespace dragoman::engine {

size_t CommonDepth(std::span<const int32_t> a, std::span<const int32_t> b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(ends.first - a.begin());
}

HtmlEmitter::HtmlEmitter(const HtmlPlan& plan)
    : plan_(plan), was_open_(plan.elements.size(), false) {}

void HtmlEmitter::CloseFrom(size_t depth) {
  while (open_.size() > depth) {
    WriteEndTag(open_.back());
    open_.pop_back();
  }
}

void HtmlEmitter::CloseTo(std::span<const int32_t> stack) { CloseFrom(CommonDepth(open_, stack)); }

void HtmlEmitter::MoveTo(std::span<const int32_t> stack, std::string_view space, Need need) {
  CloseTo(stack);
  html_ += space;
  const int64_t limit = MaxRepeatedTagBytes(static_cast<int64_t>(plan_.html.size()));
  for (const int32_t element : stack.subspan(open_.size())) {
    const HtmlTags& tags = plan_.elements[static_cast<size_t>(element)];
    if (was_open_[static_cast<size_t>(element)]) {
      if (need == Need::kUnopened) continue;
      const auto bytes = static_cast<int64_t>(tags.open.size() + tags.close.size());
      const bool is_needed = need == Need::kAllButCrossing && !tags.is_crossing;
      if (!is_needed && repeated_bytes_ + bytes > limit) continue;
      repeated_bytes_ += bytes;
    }
    WriteStartTag(element);
    open_.push_back(element);
  }
}

void HtmlEmitter::WriteText(std::string_view text) { AppendEscaped(text, html_); }

void HtmlEmitter::WriteStartTag(int32_t element) {
  was_open_[static_cast<size_t>(element)] = true;
  html_ += plan_.elements[static_cast<size_t>(element)].open;
}

void HtmlEmitter::WriteEndTag(int32_t element) {
  html_ += plan_.elements[static_cast<size_t>(element)].close;
}

std::string HtmlEmitter::Finish() {
  CloseFrom(0);
  return std::move(html_);
}

}  // namespace dragoman::engine
