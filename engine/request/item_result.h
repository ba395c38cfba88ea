// From the translations of an item's segments to the item's: the text or HTML put together again,
// sentences and alignment as bytes of the whole.
//
// Thread-safety: pure function.
#pragma once

#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "engine/request/item_plan.h"

namespace dragoman::engine {

// One hypothesis of a segment. Its `alignment` is empty: `aligned` is what makes it.
struct SegmentHypothesis {
  Hypothesis hypothesis;
  std::vector<AlignedToken> aligned;  // bytes of the segment's text and of the hypothesis'
  size_t lost = 0;                    // sentinels of its source that it does not contain once
};

struct AssemblyOptions {
  bool target_uses_spaces = true;  // between sentences
  bool alignment = false;          // asked for
};

// `segments` has the hypotheses of each segment of the plan, best first, at least one. An item of one
// segment gets all of them, any other item one. Sets hypotheses, sentences and warnings.
void AssembleItem(const std::string& item, const ItemPlan& plan,
                  std::vector<std::vector<SegmentHypothesis>> segments,
                  const AssemblyOptions& options, ItemResult& result);

}  // namespace dragoman::engine
