#include "engine/text/markup/markup_emitter.h"

#include <algorithm>
#include <utility>

#include "engine/text/html/html_entities.h"
#include "engine/text/markdown/markdown_text.h"
#include "engine/text/markup/markup.h"

namespace dragoman::engine {

size_t CommonDepth(std::span<const int32_t> a, std::span<const int32_t> b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(ends.first - a.begin());
}

MarkupEmitter::MarkupEmitter(const MarkupPlan& plan)
    : plan_(plan), link_marks_(plan.marks + "[]"), was_open_(plan.elements.size(), false) {}

void MarkupEmitter::CloseFrom(size_t depth) {
  while (open_.size() > depth) {
    WriteEndTag(open_.back());
    open_.pop_back();
  }
}

void MarkupEmitter::CloseTo(std::span<const int32_t> stack) {
  CloseFrom(CommonDepth(open_, stack));
}

void MarkupEmitter::MoveTo(std::span<const int32_t> stack, std::string_view space, Need need) {
  CloseTo(stack);
  written_ += space;
  const int64_t limit = MaxRepeatedTagBytes(static_cast<int64_t>(plan_.document.size()));
  for (const int32_t element : stack.subspan(open_.size())) {
    const MarkupTags& tags = plan_.elements[static_cast<size_t>(element)];
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

void MarkupEmitter::WriteText(std::string_view text, size_t at, size_t end) {
  if (text.data() == kept_text_ && at < kept_end_) return;
  if (text[at] == '`' && !plan_.kept.empty()) {
    const size_t mark = text.find('`', at + 1);
    const auto kept =
        mark == text.npos ? plan_.kept.end() : plan_.kept.find(text.substr(at, mark + 1 - at));
    if (kept != plan_.kept.end()) {
      kept_text_ = text.data();
      kept_end_ = mark + 1;
      written_ += kept->second;
      return;
    }
  }
  if (plan_.format == TextFormat::kHtml) {
    AppendEscaped(text.substr(at, end - at), written_);
    return;
  }
  const bool in_link = std::any_of(open_.begin(), open_.end(), [&](int32_t element) {
    return plan_.elements[static_cast<size_t>(element)].kind == MarkupElementKind::kLink;
  });
  AppendMarkdown(text, at, end, line_, in_link ? link_marks_ : plan_.marks, written_);
}

void MarkupEmitter::WriteStartTag(int32_t element) {
  was_open_[static_cast<size_t>(element)] = true;
  // "!" before a link would make it an image.
  const bool is_link =
      plan_.elements[static_cast<size_t>(element)].kind == MarkupElementKind::kLink;
  if (is_link && written_.size() > line_ && written_.back() == '!') {
    written_.insert(written_.size() - 1, 1, '\\');
  }
  written_ += plan_.elements[static_cast<size_t>(element)].open;
}

void MarkupEmitter::WriteEndTag(int32_t element) {
  written_ += plan_.elements[static_cast<size_t>(element)].close;
}

std::string MarkupEmitter::Finish() {
  CloseFrom(0);
  return std::move(written_);
}

}  // namespace dragoman::engine
