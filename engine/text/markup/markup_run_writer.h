// Writes the translation of one run: its words inside their elements, and the units (MarkupUnit)
// between the words. MarkupDocument::Rebuild in markup.h describes the rules and defines a word and
// its place.
//
// Thread-safety: one thread per object. Units: bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/markup/markup.h"
#include "engine/text/markup/markup_emitter.h"
#include "engine/text/markup/markup_plan.h"

namespace dragoman::engine {

class MarkupRunWriter {
 public:
  // Borrows all arguments. `end_stack` has the elements that are open at the run's end.
  MarkupRunWriter(const MarkupPlan& plan, const MarkupRun& run, const MarkupStack& end_stack,
                  MarkupEmitter& emitter);

  // Writes the segments and returns where each one is in the output. The requirements are those of
  // MarkupDocument::Rebuild.
  std::vector<RebuiltMarkup::Segment> Write(std::span<const MarkupSegment> segments,
                                            bool target_uses_spaces);

 private:
  struct Word {
    std::string_view text;
    std::string space;     // white space before it
    int64_t place = -1;    // in the run's text; -1: none
    int64_t begin = 0;     // where the word begins in the segment's target, or in the run's text
    int32_t segment = -1;  // -1: text that is not translated
    MarkupStack stack;
  };
  // A unit that is placed by itself, because no word carries it: a unit that is not an inline
  // element, or an inline element that has no word in the translation.
  struct Placed {
    size_t unit = 0;
    size_t before_word = 0;  // index of words_; words_.size(): at the run's end
  };

  const MarkupStack& StackAt(int64_t place) const;
  const MarkupStack& StackOf(const MarkupUnit& unit) const;
  void CollectWords(std::span<const MarkupSegment> segments, bool target_uses_spaces);
  void AddUntranslated(TextRange range);
  void GiveStacks();
  // Markdown: takes an address from the words, and the ends of words, that are not in it, such as a
  // full stop that is aligned with it.
  void FitAddresses(std::span<const MarkupSegment> segments);
  // Markdown: takes emphasis from words where its marks would not be read as marks.
  void FitEmphasis();
  // Reports whether the word begins or ends with punctuation, of its text or of markup.
  bool HasPunctuation(size_t word, bool at_begin) const;
  // Reports whether a Markdown parser would take `*` between the word before `boundary` and the word
  // after it as text, not as a mark of emphasis. `inside` is the word with the emphasis, one of the
  // two.
  bool IsUnreadable(size_t boundary, size_t inside) const;
  // Takes the elements from the word that its neighbour lacks.
  void LeaveOut(size_t word, size_t neighbour);
  bool IsEmphasis(int32_t element) const;
  // Reports whether `stack` has an emphasis that `other` lacks.
  bool HasOther(const MarkupStack& stack, const MarkupStack& other) const;
  void PlaceUnits();
  void WriteGap(std::span<const Placed> units, size_t word);
  // Returns false for emphasis without words, links, tags and voids.
  bool HasContent(size_t unit) const;
  // `with_emphasis` says whether emphasis without words keeps its marks.
  void WriteUnit(size_t unit, bool with_emphasis);

  const MarkupPlan& plan_;
  const MarkupRun& run_;
  const MarkupStack& end_stack_;
  MarkupEmitter& emitter_;
  std::vector<Word> words_;
  std::string last_space_;  // white space after the last word
  std::vector<Placed> placed_;
  // children_[u] has the units inside unit u if u is an element without words.
  std::vector<std::vector<size_t>> children_;
};

}  // namespace dragoman::engine
