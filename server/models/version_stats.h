// Sums of what the versions of a model count. Pure.
#pragma once

#include "engine/api/engine.h"

namespace dragoman {

void AddCounts(const SegmentCounts& from, SegmentCounts* to);
void SubtractCounts(const SegmentCounts& from, SegmentCounts* to);

// The counts of what is over, which stay with the old label of a version that takes another one in
// metrics. Segments that wait or run go with it, and so were accepted under the new one.
SegmentCounts Concluded(SegmentCounts counts);

// Adds the numbers of two versions of a model: their sums, or the worse of both.
void AddStats(const EngineStats& from, EngineStats* to);

}  // namespace dragoman
