// Assembles the translation of an item from those of its segments: joins the text or HTML, and
// turns sentences and alignment into byte ranges of the whole.
//
// Thread-safety: pure function.
#pragma once

#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "engine/request/item_plan.h"

namespace dragoman::engine {

// One hypothesis of a segment. AssembleItem makes the item's alignment from `aligned`.
struct SegmentHypothesis {
  Hypothesis hypothesis;
  std::vector<AlignedToken> aligned;  // byte ranges of the segment's text and of hypothesis.text
  size_t lost = 0;  // sentinels of the source that the text does not contain exactly once
};

struct AssemblyOptions {
  bool target_uses_spaces = true;  // between sentences
  bool alignment = false;          // the request asks for it
};

// `segments` has the hypotheses of each segment of the plan, best first, at least one. An item of
// one segment gets all of them, any other item gets one. Sets hypotheses, sentences and warnings.
void AssembleItem(const std::string& item, const ItemPlan& plan,
                  std::vector<std::vector<SegmentHypothesis>> segments,
                  const AssemblyOptions& options, ItemResult& result);

}  // namespace dragoman::engine
