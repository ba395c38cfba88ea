#include "engine/text/markup/markup_run_writer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/text/markdown/markdown_text.h"
#include "engine/text/markup/markup_words.h"
#include "engine/text/script.h"

namespace dragoman::engine {
namespace {

std::string_view Part(std::string_view text, int64_t begin, int64_t end) {
  return TextRange{begin, end}.In(text);
}

bool IsOnlyPunctuation(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (!IsMarkdownPunctuation(NextCodePoint(text, at))) return false;
  }
  return true;
}

bool Contains(const MarkupStack& stack, int32_t element) {
  return std::find(stack.begin(), stack.end(), element) != stack.end();
}

}  // namespace

MarkupRunWriter::MarkupRunWriter(const MarkupPlan& plan, const MarkupRun& run,
                                 const MarkupStack& end_stack, MarkupEmitter& emitter)
    : plan_(plan), run_(run), end_stack_(end_stack), emitter_(emitter) {}

const MarkupStack& MarkupRunWriter::StackAt(int64_t place) const {
  const auto after = std::upper_bound(
      run_.spans.begin(), run_.spans.end(), place,
      [](int64_t position, const MarkupRun::Span& span) { return position < span.begin; });
  return plan_.stacks[static_cast<size_t>(std::prev(after)->stack)];
}

const MarkupStack& MarkupRunWriter::StackOf(const MarkupUnit& unit) const {
  return plan_.stacks[static_cast<size_t>(unit.stack)];
}

std::vector<RebuiltMarkup::Segment> MarkupRunWriter::Write(std::span<const MarkupSegment> segments,
                                                           bool target_uses_spaces) {
  CollectWords(segments, target_uses_spaces);
  GiveStacks();
  if (plan_.format == TextFormat::kMarkdown) {
    FitAddresses(segments);
    FitEmphasis();
  }
  PlaceUnits();

  emitter_.BeginLine();
  std::vector<RebuiltMarkup::Segment> written(segments.size());
  size_t begun = 0;
  const auto begin_segments = [&](size_t end) {
    for (; begun < end; ++begun) written[begun].range = {emitter_.size(), emitter_.size()};
  };
  std::span<const Placed> placed = placed_;
  for (size_t i = 0; i < words_.size(); ++i) {
    size_t here = 0;
    while (here < placed.size() && placed[here].before_word == i) ++here;
    WriteGap(placed.first(here), i);
    placed = placed.subspan(here);
    const Word& word = words_[i];
    const bool is_translated = word.segment >= 0;
    const auto segment = is_translated ? static_cast<size_t>(word.segment) : 0;
    if (is_translated) begin_segments(segment + 1);
    const std::string_view text = is_translated ? segments[segment].target : run_.text;
    const auto begin = static_cast<size_t>(word.begin);
    for (size_t at = begin; at < begin + word.text.size();) {
      size_t end = at;
      NextCodePoint(text, end);
      const int64_t from = emitter_.size();
      emitter_.WriteText(text, at, end);
      if (is_translated) {
        written[segment].map.Add(static_cast<int64_t>(at), static_cast<int64_t>(end - at), from,
                                 emitter_.size() - from);
      }
      at = end;
    }
    if (is_translated) written[segment].range.end = emitter_.size();
  }
  WriteGap(placed, words_.size());
  begin_segments(segments.size());
  return written;
}

void MarkupRunWriter::CollectWords(std::span<const MarkupSegment> segments,
                                   bool target_uses_spaces) {
  int64_t at = 0;  // in the run's text
  for (size_t i = 0; i < segments.size(); ++i) {
    const MarkupSegment& segment = segments[i];
    AddUntranslated({at, segment.source.begin});
    const bool touches = i > 0 && segment.source.begin == at && at > 0;
    if (touches && target_uses_spaces && last_space_.empty() && !words_.empty() &&
        !segment.target.empty() && TouchesUnspacedScript(run_.text, static_cast<size_t>(at))) {
      last_space_ += ' ';
    }
    int64_t end = 0;  // where the previous word ends in the target
    for (const MarkupWord& word : TranslatedWords(run_, segment)) {
      last_space_ += Part(segment.target, end, word.range.begin);
      words_.push_back({word.range.In(segment.target), std::exchange(last_space_, {}), word.place,
                        word.range.begin, static_cast<int32_t>(i)});
      end = word.range.end;
    }
    last_space_ += Part(segment.target, end, static_cast<int64_t>(segment.target.size()));
    at = segment.source.end;
  }
  AddUntranslated({at, static_cast<int64_t>(run_.text.size())});
}

void MarkupRunWriter::AddUntranslated(TextRange range) {
  int64_t end = range.begin;
  for (const MarkupWord& word : UntranslatedWords(run_, range)) {
    last_space_ += Part(run_.text, end, word.range.begin);
    words_.push_back(
        {word.range.In(run_.text), std::exchange(last_space_, {}), word.place, word.range.begin});
    end = word.range.end;
  }
  last_space_ += Part(run_.text, end, range.end);
}

void MarkupRunWriter::GiveStacks() {
  for (Word& word : words_) {
    if (word.place >= 0) word.stack = StackAt(word.place);
  }
  // A word without a place gets the elements that the nearest words with a place have in common.
  MarkupStack before = emitter_.open();
  for (size_t i = 0; i < words_.size();) {
    if (words_[i].place >= 0) {
      before = words_[i++].stack;
      continue;
    }
    size_t end = i;
    while (end < words_.size() && words_[end].place < 0) ++end;
    const std::span<const int32_t> after =
        end < words_.size() ? std::span<const int32_t>(words_[end].stack) : end_stack_;
    before.resize(CommonDepth(before, after));
    for (; i < end; ++i) words_[i].stack = before;
  }
}

bool MarkupRunWriter::IsEmphasis(int32_t element) const {
  return plan_.elements[static_cast<size_t>(element)].kind == MarkupElementKind::kEmphasis;
}

bool MarkupRunWriter::HasOther(const MarkupStack& stack, const MarkupStack& other) const {
  return std::any_of(stack.begin(), stack.end(), [&](int32_t element) {
    return IsEmphasis(element) && !Contains(other, element);
  });
}

void MarkupRunWriter::FitAddresses(std::span<const MarkupSegment> segments) {
  std::vector<Word> fitted;
  for (Word& word : words_) {
    const auto element = std::ranges::find_if(word.stack, [&](int32_t e) {
      return plan_.elements[static_cast<size_t>(e)].kind == MarkupElementKind::kAddress;
    });
    if (element == word.stack.end() || word.segment < 0) {
      fitted.push_back(std::move(word));
      continue;
    }
    const std::string& address = plan_.elements[static_cast<size_t>(*element)].address;
    const std::string& target = segments[static_cast<size_t>(word.segment)].target;
    const auto begin = static_cast<size_t>(word.begin);
    const size_t found = target.find(address);
    const size_t end = found == target.npos ? begin : found + address.size();
    const bool is_inside = found != target.npos && begin >= found && begin < end;
    Word rest = word;
    rest.stack.erase(rest.stack.begin() + (element - word.stack.begin()));
    if (is_inside) {
      const size_t size = std::min(word.text.size(), end - begin);
      rest.text = word.text.substr(size);
      rest.begin += static_cast<int64_t>(size);
      rest.space.clear();
      word.text = word.text.substr(0, size);
      fitted.push_back(std::move(word));
    }
    if (!rest.text.empty()) fitted.push_back(std::move(rest));
  }
  words_ = std::move(fitted);
}

void MarkupRunWriter::FitEmphasis() {
  // A mark between punctuation inside and a character outside may not end or begin anything.
  for (size_t i = words_.size(); i-- > 1;) {
    if (IsUnreadable(i, i - 1) && IsOnlyPunctuation(words_[i - 1].text)) LeaveOut(i - 1, i);
  }
  for (size_t i = 1; i < words_.size(); ++i) {
    if (IsUnreadable(i, i) && IsOnlyPunctuation(words_[i].text)) LeaveOut(i, i - 1);
  }
  std::unordered_set<int32_t> dropped;
  const MarkupStack none;
  const MarkupStack around = emitter_.open();  // begun before the run
  for (size_t i = 0; i <= words_.size(); ++i) {
    const MarkupStack& before = i > 0 ? words_[i - 1].stack : none;
    const MarkupStack& after = i < words_.size() ? words_[i].stack : none;
    const bool is_inside = i > 0 && i < words_.size();
    const bool is_tight = is_inside && words_[i].space.empty();
    // The marks of two elements that touch would be read as one.
    const bool touches = is_tight && HasOther(before, after) && HasOther(after, before);
    const auto drop = [&](const MarkupStack& stack, const MarkupStack& other, size_t word) {
      // If nested emphasis touches punctuation, a parser may read the marks of the inner one as
      // those of the outer one, even if a unit stands between the marks.
      const bool is_nested =
          std::count_if(stack.begin(), stack.end(), [&](int32_t e) { return IsEmphasis(e); }) > 1;
      const bool is_unreadable = is_tight && IsUnreadable(i, word);
      const bool is_ambiguous = is_nested && HasPunctuation(word, word == i);
      for (const int32_t element : stack) {
        if (!IsEmphasis(element) || Contains(other, element) || Contains(around, element) ||
            Contains(end_stack_, element)) {
          continue;
        }
        // Between two letters, '_' is no mark.
        const bool is_low_line = plan_.elements[static_cast<size_t>(element)].open[0] == '_';
        if (is_unreadable || is_ambiguous || (touches && word == i) || (is_tight && is_low_line)) {
          dropped.insert(element);
        }
      }
    };
    if (i > 0) drop(before, after, i - 1);
    if (i < words_.size()) drop(after, before, i);
  }
  if (dropped.empty()) return;
  for (Word& word : words_) {
    std::erase_if(word.stack, [&](int32_t element) { return dropped.contains(element); });
  }
}

bool MarkupRunWriter::HasPunctuation(size_t word, bool at_begin) const {
  const Word& at = words_[word];
  const char32_t c = at_begin ? CodePointAt(at.text, 0) : CodePointBefore(at.text, at.text.size());
  // Tags and links are punctuation, too.
  return IsMarkdownPunctuation(c) ||
         std::any_of(at.stack.begin(), at.stack.end(), [&](int32_t e) { return !IsEmphasis(e); });
}

bool MarkupRunWriter::IsUnreadable(size_t boundary, size_t inside) const {
  const size_t outside = inside == boundary ? boundary - 1 : boundary;
  return words_[boundary].space.empty() && HasOther(words_[inside].stack, words_[outside].stack) &&
         HasPunctuation(inside, inside == boundary);
}

void MarkupRunWriter::LeaveOut(size_t word, size_t neighbour) {
  MarkupStack& stack = words_[word].stack;
  stack.resize(CommonDepth(stack, words_[neighbour].stack));
}

void MarkupRunWriter::PlaceUnits() {
  std::unordered_set<int32_t> used;  // elements with words
  const MarkupStack* last = nullptr;
  for (const Word& word : words_) {
    if (last == nullptr || *last != word.stack) used.insert(word.stack.begin(), word.stack.end());
    last = &word.stack;
  }
  // Each pair has a place and the first word in the translation whose place is at or after it. The
  // pairs are sorted by place.
  std::vector<std::pair<int64_t, size_t>> first_word;
  for (size_t i = 0; i < words_.size(); ++i) {
    if (words_[i].place >= 0) first_word.emplace_back(words_[i].place, i);
  }
  std::sort(first_word.begin(), first_word.end());
  for (size_t i = first_word.size(); i-- > 1;) {
    first_word[i - 1].second = std::min(first_word[i - 1].second, first_word[i].second);
  }
  children_.assign(run_.units.size(), {});
  std::unordered_map<int32_t, size_t> wordless;  // elements without words, and their units
  for (size_t i = 0; i < run_.units.size(); ++i) {
    const MarkupUnit& unit = run_.units[i];
    const bool is_element = unit.element >= 0;
    if (is_element && (used.contains(unit.element) || unit.is_open_after)) continue;
    if (is_element) wordless.emplace(unit.element, i);
    const MarkupStack& around = StackOf(unit);
    const auto parent = std::find_if(around.rbegin(), around.rend(),
                                     [&](int32_t element) { return wordless.contains(element); });
    if (parent != around.rend()) {
      children_[wordless.at(*parent)].push_back(i);
      continue;
    }
    const auto word = std::lower_bound(
        first_word.begin(), first_word.end(), unit.position,
        [](const auto& entry, int64_t position) { return entry.first < position; });
    placed_.push_back({i, word == first_word.end() ? words_.size() : word->second});
  }
  const auto is_empty = [&](size_t unit) { return !HasContent(unit); };
  std::erase_if(placed_, [&](const Placed& placed) { return is_empty(placed.unit); });
  for (std::vector<size_t>& children : children_) std::erase_if(children, is_empty);
  std::stable_sort(placed_.begin(), placed_.end(),
                   [](const Placed& a, const Placed& b) { return a.before_word < b.before_word; });
}

void MarkupRunWriter::WriteGap(std::span<const Placed> units, size_t word) {
  const bool is_first = word == 0;
  const bool is_last = word == words_.size();
  const std::string& space = is_last ? last_space_ : words_[word].space;
  const MarkupStack before = emitter_.open();
  const std::span<const int32_t> after =
      is_last ? end_stack_ : std::span<const int32_t>(words_[word].stack);

  // Between two words there is at most one stretch of white space. It goes next to a unit that has
  // white space there in the source. If no unit has, it goes before the first unit, or after the
  // last one if the units are between a word and the punctuation at its end in the source.
  bool has_space = !space.empty();
  const auto wants_space = [&](size_t i) {  // before units[i]; units.size(): after the last unit
    return (i > 0 && run_.units[units[i - 1].unit].space_after) ||
           (i < units.size() && run_.units[units[i].unit].space_before);
  };
  bool is_wanted = false;
  for (size_t i = 0; i <= units.size(); ++i) is_wanted = is_wanted || wants_space(i);
  const bool ends_word =
      !units.empty() && IsEndPunctuation(run_.text, run_.units[units.front().unit].position);
  const size_t unwanted = ends_word ? units.size() : 0;
  std::vector<std::string_view> spaces;  // before each unit, and after the last one
  for (size_t i = 0; i <= units.size(); ++i) {
    const bool is_here = units.empty() || wants_space(i) || (i == unwanted && !is_wanted);
    if (is_here && std::exchange(has_space, false)) {
      spaces.emplace_back(space);
    } else {
      const bool at_end = (i == 0 && is_first) || (i == units.size() && is_last);
      spaces.emplace_back(is_here && wants_space(i) && !at_end ? " " : "");
    }
  }
  // Whether a mark of emphasis would be read between the word before the units and the first unit,
  // or between the last unit and the word after them.
  const bool is_markdown = plan_.format == TextFormat::kMarkdown;
  const bool opens_at_begin =
      !is_markdown || is_first || !spaces.front().empty() ||
      IsMarkdownPunctuation(CodePointBefore(words_[word - 1].text, words_[word - 1].text.size()));
  const bool closes_at_end = !is_markdown || is_last || !spaces.back().empty() ||
                             (IsMarkdownPunctuation(CodePointAt(words_[word].text, 0)) &&
                              !HasOther(words_[word].stack, before));

  // A unit is inside an element that was around it in the source only if this element is also open
  // before or after all units here. From unit to unit, the elements of `before` close, then the
  // elements of `after` open.
  const size_t common = CommonDepth(before, after);
  const auto depth_in = [&](size_t unit, std::span<const int32_t> stack) {
    const MarkupStack& own = StackOf(run_.units[unit]);
    size_t depth = 0;
    while (depth < stack.size() && Contains(own, stack[depth])) ++depth;
    return depth;
  };
  size_t left = before.size();
  size_t right = common;
  if (!closes_at_end && !units.empty() && depth_in(units.back().unit, before) > common) {
    left = common;
  }
  for (size_t i = 0; i < units.size(); ++i) {
    const size_t in_before = std::min(left, depth_in(units[i].unit, before));
    if (right == common && in_before > common) {
      left = in_before;
    } else {
      const bool closes = std::exchange(left, common) > common;
      const bool touches = is_markdown && closes && spaces[i].empty();
      if (!touches && (i > 0 || opens_at_begin))
        right = std::max(right, depth_in(units[i].unit, after));
    }
    const std::span<const int32_t> stack =
        left > common ? std::span<const int32_t>(before).first(left) : after.first(right);
    emitter_.MoveTo(stack, spaces[i], MarkupEmitter::Need::kCheap);
    const bool ends_here = i + 1 == units.size() && is_last;
    WriteUnit(units[i].unit, emitter_.is_after_blank() && (ends_here || !spaces[i + 1].empty()));
  }
  const std::string_view last = spaces.back();
  if (is_last) {
    if (!last.empty()) {
      emitter_.CloseTo(after);
      emitter_.Write(last);
    }
  } else {
    emitter_.MoveTo(after, last, MarkupEmitter::Need::kCheap);
  }
}

bool MarkupRunWriter::HasContent(size_t unit) const {
  const int32_t element = run_.units[unit].element;
  return element < 0 || !IsEmphasis(element) ||
         std::any_of(children_[unit].begin(), children_[unit].end(),
                     [&](size_t child) { return HasContent(child); });
}

void MarkupRunWriter::WriteUnit(size_t index, bool with_emphasis) {
  const MarkupUnit& unit = run_.units[index];
  if (unit.element < 0) {
    const std::string_view bytes = unit.range.In(plan_.document);
    if (plan_.format == TextFormat::kMarkdown) emitter_.SeparateCode(bytes);
    emitter_.Write(bytes);
    return;
  }
  const bool is_emphasis = IsEmphasis(unit.element);
  // Inside another emphasis, the marks could be read as its end.
  with_emphasis = with_emphasis && std::none_of(emitter_.open().begin(), emitter_.open().end(),
                                                [&](int32_t e) { return IsEmphasis(e); });
  const bool has_tags = with_emphasis || !is_emphasis;
  const std::string& address = plan_.elements[static_cast<size_t>(unit.element)].address;
  if (!address.empty() && !emitter_.is_after_blank()) emitter_.Write(" ");
  if (has_tags) emitter_.WriteStartTag(unit.element);
  emitter_.Write(address);
  for (size_t i = 0; i < children_[index].size(); ++i) {
    const size_t child = children_[index][i];
    if (i > 0 &&
        (run_.units[child].space_before || run_.units[children_[index][i - 1]].space_after)) {
      emitter_.Write(" ");
    }
    WriteUnit(child, with_emphasis && !is_emphasis);
  }
  if (has_tags) emitter_.WriteEndTag(unit.element);
}

}  // namespace dragoman::engine
