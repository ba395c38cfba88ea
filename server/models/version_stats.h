// Sums of what the versions of a model count. Pure.
#pragma once

#include "engine/api/engine.h"

namespace dragoman {

void AddCounts(const SegmentCounts& from, SegmentCounts* to);

// Adds the numbers of two versions of a model: their sums, or the worse of both.
void AddStats(const EngineStats& from, EngineStats* to);

}  // namespace dragoman
