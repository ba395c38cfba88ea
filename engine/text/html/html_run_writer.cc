#include "engine/text/html/html_run_writer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/text/html/html_words.h"
#include "engine/text/script.h"

namespace dragoman::engine {
namespace {

std::string_view Part(std::string_view text, int64_t begin, int64_t end) {
  return TextRange{begin, end}.In(text);
}

bool Contains(const HtmlStack& stack, int32_t element) {
  return std::find(stack.begin(), stack.end(), element) != stack.end();
}

}  // namespace

HtmlRunWriter::HtmlRunWriter(const HtmlPlan& plan, const HtmlRun& run, const HtmlStack& end_stack,
                             HtmlEmitter& emitter)
    : plan_(plan), run_(run), end_stack_(end_stack), emitter_(emitter) {}

const HtmlStack& HtmlRunWriter::StackAt(int64_t place) const {
  const auto after = std::upper_bound(
      run_.spans.begin(), run_.spans.end(), place,
      [](int64_t position, const HtmlRun::Span& span) { return position < span.begin; });
  return plan_.stacks[static_cast<size_t>(std::prev(after)->stack)];
}

const HtmlStack& HtmlRunWriter::StackOf(const HtmlUnit& unit) const {
  return plan_.stacks[static_cast<size_t>(unit.stack)];
}

std::vector<RebuiltHtml::Segment> HtmlRunWriter::Write(std::span<const HtmlSegment> segments,
                                                       bool target_uses_spaces) {
  CollectWords(segments, target_uses_spaces);
  GiveStacks();
  PlaceUnits();

  std::vector<RebuiltHtml::Segment> written(segments.size());
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
    if (word.segment < 0) {
      emitter_.WriteText(word.text);
      continue;
    }
    const auto segment = static_cast<size_t>(word.segment);
    begin_segments(segment + 1);
    for (size_t at = 0; at < word.text.size();) {
      size_t end = at;
      NextCodePoint(word.text, end);
      const int64_t from = emitter_.size();
      emitter_.WriteText(word.text.substr(at, end - at));
      written[segment].map.Add(word.in_target + static_cast<int64_t>(at),
                               static_cast<int64_t>(end - at), from, emitter_.size() - from);
      at = end;
    }
    written[segment].range.end = emitter_.size();
  }
  WriteGap(placed, words_.size());
  begin_segments(segments.size());
  return written;
}

void HtmlRunWriter::CollectWords(std::span<const HtmlSegment> segments, bool target_uses_spaces) {
  int64_t at = 0;  // in the run's text
  for (size_t i = 0; i < segments.size(); ++i) {
    const HtmlSegment& segment = segments[i];
    AddUntranslated({at, segment.source.begin});
    const bool touches = i > 0 && segment.source.begin == at && at > 0;
    if (touches && target_uses_spaces && last_space_.empty() && !words_.empty() &&
        !segment.target.empty() && TouchesUnspacedScript(run_.text, static_cast<size_t>(at))) {
      last_space_ += ' ';
    }
    int64_t end = 0;  // where the previous word ends in the target
    for (const HtmlWord& word : TranslatedWords(run_, segment)) {
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

void HtmlRunWriter::AddUntranslated(TextRange range) {
  int64_t end = range.begin;
  for (const HtmlWord& word : UntranslatedWords(run_, range)) {
    last_space_ += Part(run_.text, end, word.range.begin);
    words_.push_back(
        {word.range.In(run_.text), std::exchange(last_space_, {}), word.place, word.range.begin});
    end = word.range.end;
  }
  last_space_ += Part(run_.text, end, range.end);
}

void HtmlRunWriter::GiveStacks() {
  for (Word& word : words_) {
    if (word.place >= 0) word.stack = StackAt(word.place);
  }
  // A word without a place gets the elements that the nearest words with a place have in common.
  HtmlStack before = emitter_.open();
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

void HtmlRunWriter::PlaceUnits() {
  std::unordered_set<int32_t> used;  // elements with words
  const HtmlStack* last = nullptr;
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
    const HtmlUnit& unit = run_.units[i];
    const bool is_element = unit.element >= 0;
    if (is_element && (used.contains(unit.element) || unit.is_open_after)) continue;
    if (is_element) wordless.emplace(unit.element, i);
    const HtmlStack& around = StackOf(unit);
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
  std::stable_sort(placed_.begin(), placed_.end(),
                   [](const Placed& a, const Placed& b) { return a.before_word < b.before_word; });
}

void HtmlRunWriter::WriteGap(std::span<const Placed> units, size_t word) {
  const bool is_first = word == 0;
  const bool is_last = word == words_.size();
  const std::string& space = is_last ? last_space_ : words_[word].space;
  const HtmlStack before = emitter_.open();
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
  const auto space_at = [&](size_t i) -> std::string_view {
    if (!(units.empty() || wants_space(i) || (i == unwanted && !is_wanted))) return {};
    if (std::exchange(has_space, false)) return space;
    const bool at_end = (i == 0 && is_first) || (i == units.size() && is_last);
    return wants_space(i) && !at_end ? " " : "";
  };

  // A unit is inside an element that was around it in the source only if this element is also open
  // before or after all units here. From unit to unit, the elements of `before` close, then the
  // elements of `after` open.
  const size_t common = CommonDepth(before, after);
  size_t left = before.size();
  size_t right = common;
  for (size_t i = 0; i < units.size(); ++i) {
    const HtmlStack& own = StackOf(run_.units[units[i].unit]);
    const auto depth_in = [&](std::span<const int32_t> stack) {
      size_t depth = 0;
      while (depth < stack.size() && Contains(own, stack[depth])) ++depth;
      return depth;
    };
    const size_t in_before = std::min(left, depth_in(before));
    if (right == common && in_before > common) {
      left = in_before;
    } else {
      left = common;
      right = std::max(right, depth_in(after));
    }
    const std::span<const int32_t> stack =
        left > common ? std::span<const int32_t>(before).first(left) : after.first(right);
    emitter_.MoveTo(stack, space_at(i), HtmlEmitter::Need::kCheap);
    WriteUnit(units[i].unit);
  }
  const std::string_view last = space_at(units.size());
  if (is_last) {
    if (!last.empty()) {
      emitter_.CloseTo(after);
      emitter_.Write(last);
    }
  } else {
    emitter_.MoveTo(after, last, HtmlEmitter::Need::kCheap);
  }
}

void HtmlRunWriter::WriteUnit(size_t index) {
  const HtmlUnit& unit = run_.units[index];
  if (unit.element < 0) {
    emitter_.Write(unit.range.In(plan_.html));
    return;
  }
  emitter_.WriteStartTag(unit.element);
  for (const size_t child : children_[index]) WriteUnit(child);
  emitter_.WriteEndTag(unit.element);
}

}  // namespace dragoman::engine
