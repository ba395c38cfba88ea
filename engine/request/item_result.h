// Assembles the translation of an item from the translations of its segments: joins their texts, or
// rebuilds the HTML. Also computes the byte ranges of sentences and aligned tokens in the item and
// in the translation.
//
// Thread-safety: pure function.
#pragma once

#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "engine/request/item_plan.h"
#include "engine/text/guard.h"

namespace dragoman::engine {

// One hypothesis of a segment. AssembleItem makes the item's alignment from `aligned`.
struct SegmentHypothesis {
  Hypothesis hypothesis;
  std::vector<AlignedToken> aligned;  // byte ranges of the segment's text and of hypothesis.text
  size_t lost = 0;  // number of sentinels that the text does not have exactly once
  Suspicion suspicion = Suspicion::kNone;  // of the best hypothesis
  size_t lost_unknown = 0;  // how many of them stand for text that the vocabulary lacks
};

struct AssemblyOptions {
  bool target_uses_spaces = true;  // spaces separate sentences
  bool alignment = false;          // the request asks for alignment
  bool fills_empty = true;         // the source stands for an empty translation
};

// Sets the hypotheses, sentences and warnings of `result`. `segments` has the hypotheses of each
// segment of the plan: at least one, the best first. An item of one segment gets all hypotheses of
// the segment. An item of several segments gets one hypothesis, which joins the best hypothesis of
// each segment.
void AssembleItem(const std::string& item, const ItemPlan& plan,
                  std::vector<std::vector<SegmentHypothesis>> segments,
                  const AssemblyOptions& options, ItemResult& result);

}  // namespace dragoman::engine
