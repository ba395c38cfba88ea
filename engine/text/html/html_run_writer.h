// Writes the translation of one run: its words inside their elements, and the units (HtmlUnit)
// between the words. HtmlDocument::Rebuild in html.h describes the rules and defines a word and its
// place.
//
// Thread-safety: one thread per object. Units: bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/html/html.h"
#include "engine/text/html/html_emitter.h"
#include "engine/text/html/html_plan.h"

namespace dragoman::engine {

class HtmlRunWriter {
 public:
  // Borrows all arguments. `end_stack` has the elements that are open at the run's end.
  HtmlRunWriter(const HtmlPlan& plan, const HtmlRun& run, const HtmlStack& end_stack,
                HtmlEmitter& emitter);

  // Writes the segments and returns where each one is in the output. The requirements are those of
  // HtmlDocument::Rebuild.
  std::vector<RebuiltHtml::Segment> Write(std::span<const HtmlSegment> segments,
                                          bool target_uses_spaces);

 private:
  struct Word {
    std::string_view text;
    std::string space;      // white space before it
    int64_t place = -1;     // in the run's text; -1: none
    int64_t in_target = 0;  // where the word begins in the segment's target
    int32_t segment = -1;   // -1: text that is not translated
    HtmlStack stack;
  };
  // A unit that is placed by itself, because no word carries it: a unit that is not an inline
  // element, or an inline element that has no word in the translation.
  struct Placed {
    size_t unit = 0;
    size_t before_word = 0;  // index of words_; words_.size(): at the run's end
  };

  const HtmlStack& StackAt(int64_t place) const;
  const HtmlStack& StackOf(const HtmlUnit& unit) const;
  void CollectWords(std::span<const HtmlSegment> segments, bool target_uses_spaces);
  void AddUntranslated(TextRange range);
  void GiveStacks();
  void PlaceUnits();
  void WriteGap(std::span<const Placed> units, size_t word);
  void WriteUnit(size_t unit);

  const HtmlPlan& plan_;
  const HtmlRun& run_;
  const HtmlStack& end_stack_;
  HtmlEmitter& emitter_;
  std::vector<Word> words_;
  std::string last_space_;  // white space after the last word
  std::vector<Placed> placed_;
  // children_[u] has the units inside unit u if u is an element without words.
  std::vector<std::vector<size_t>> children_;
};

}  // namespace dragoman::engine
