#include "engine/text/markup/markup_run_builder.h"

#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/text/html/html_entities.h"

namespace dragoman::engine {
namespace {

// Reads the characters of a text one by one and decodes character references.
class CharacterReader {
 public:
  CharacterReader(std::string_view document, const MarkupNode& text)
      : document_(document.substr(0, static_cast<size_t>(text.range.end))),
        at_(static_cast<size_t>(text.range.begin)),
        is_literal_(text.is_literal),
        stand_in_(text.stand_in) {}

  bool Next() {
    if (at_ == document_.size()) return false;
    const size_t begin = at_;
    if (stand_in_ != nullptr) {
      at_ = document_.size();
      text_ = *stand_in_;
      range_ = {static_cast<int64_t>(begin), static_cast<int64_t>(at_)};
      return true;
    }
    const bool may_refer = !is_literal_ && document_[at_] == '&';
    reference_ = may_refer ? ReadCharacterReference(document_.substr(at_)) : CharacterReference();
    if (reference_.size > 0) {
      at_ += reference_.size;
      text_ = reference_.text;
    } else {
      NextCodePoint(document_, at_);
      text_ = document_.substr(begin, at_ - begin);
    }
    range_ = {static_cast<int64_t>(begin), static_cast<int64_t>(at_)};
    return true;
  }

  // The current character: one code point, two for some references, or all of a stand-in.
  std::string_view text() const { return text_; }
  TextRange range() const { return range_; }
  bool is_space() const { return IsWhiteSpace(CodePointAt(text_, 0)); }

 private:
  std::string_view document_;
  size_t at_;
  bool is_literal_;
  const std::string* stand_in_;
  CharacterReference reference_;
  std::string_view text_;
  TextRange range_;
};

// Reports whether a browser collapses the character with other white space around it. Other white
// space, such as U+00A0, is kept.
bool IsCollapsed(std::string_view character) { return character.find_first_of(" \t\n\f\r") == 0; }

}  // namespace

bool IsMarkupWhiteSpace(std::string_view document, const MarkupNode& text) {
  CharacterReader reader(document, text);
  while (reader.Next()) {
    if (!reader.is_space()) return false;
  }
  return true;
}

void MarkupRunBuilder::AddText(const MarkupNode& text, int32_t stack) {
  CharacterReader reader(document_, text);
  while (reader.Next()) {
    const std::string_view character = reader.text();
    if (reader.is_space()) {
      AddSpace(character, reader.range());
      continue;
    }
    after_.clear();
    after_space_ = false;
    recent_units_.clear();
    const auto at = static_cast<int64_t>(run_.text.size());
    if (run_.spans.empty()) run_.spans.push_back({0, stack});
    if (run_.spans.back().stack != stack) run_.spans.push_back({at, stack});
    const auto size = static_cast<int64_t>(character.size());
    run_.offsets.Add(at, size, reader.range().begin, reader.range().size());
    run_.text += character;
    text_end_ = at + size;
  }
}

void MarkupRunBuilder::AddSpace(std::string_view character, TextRange range) {
  if (!after_space_) space_has_unit_ = !recent_units_.empty();
  after_space_ = true;
  for (const size_t unit : recent_units_) run_.units[unit].space_after = true;
  recent_units_.clear();
  if (!(text_end_ == 0 && space_has_unit_)) {
    std::vector<TextRange>& at_end = text_end_ == 0 ? before_ : after_;
    if (!at_end.empty() && at_end.back().end == range.begin) {
      at_end.back().end = range.end;
    } else {
      at_end.push_back(range);
    }
  }
  if (text_end_ == 0) return;
  if (IsCollapsed(character)) {
    if (run_.text.ends_with(' ')) return;
    character = " ";
  }
  const auto size = static_cast<int64_t>(character.size());
  run_.offsets.Add(static_cast<int64_t>(run_.text.size()), size, range.begin, range.size());
  run_.text += character;
}

void MarkupRunBuilder::AddUnit(MarkupUnit unit) {
  unit.position = static_cast<int64_t>(run_.text.size());
  unit.space_before = after_space_;
  run_.units.push_back(unit);
  after_.clear();  // the unit records this white space (space_before)
}

void MarkupRunBuilder::BeginElement(int32_t element, int32_t stack) {
  open_.emplace_back(element, run_.units.size());
  MarkupUnit unit;
  unit.element = element;
  unit.stack = stack;
  AddUnit(unit);
}

void MarkupRunBuilder::EndElement(int32_t element) {
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](const auto& open) { return open.first == element; });
  if (found == open_.rend()) return;  // began before the run
  if (HasText(run_.units[found->second])) {
    run_.units[found->second].space_before = false;
  } else {
    recent_units_.push_back(found->second);
  }
  open_.erase(std::next(found).base());
}

void MarkupRunBuilder::AddVoid(TextRange range, int32_t stack) {
  MarkupUnit unit;
  unit.range = range;
  unit.stack = stack;
  AddUnit(unit);
  after_space_ = false;
  recent_units_.assign(1, run_.units.size() - 1);
}

MarkupRun MarkupRunBuilder::Finish(std::vector<TextRange>& before, std::vector<TextRange>& after) {
  for (const auto& [element, unit] : open_) {
    if (HasText(run_.units[unit])) run_.units[unit].space_before = false;
  }
  run_.text.resize(static_cast<size_t>(text_end_));
  for (MarkupUnit& unit : run_.units) unit.position = std::min(unit.position, text_end_);
  for (const MarkupRun::Span& span : run_.spans) run_.cuts.push_back(span.begin);
  for (const MarkupUnit& unit : run_.units) run_.cuts.push_back(unit.position);
  std::sort(run_.cuts.begin(), run_.cuts.end());
  before = std::move(before_);
  after = std::move(after_);
  return std::move(run_);
}

}  // namespace dragoman::engine
