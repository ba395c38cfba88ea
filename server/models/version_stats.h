// Sums of what the versions of a model count. Pure.
#pragma once

#include "engine/api/engine.h"

namespace dragoman::server {

void AddCounts(const engine::SegmentCounts& from, engine::SegmentCounts* to);

// Adds the numbers of two versions of a model: their sums, or the worse of both.
void AddStats(const engine::EngineStats& from, engine::EngineStats* to);

}  // namespace dragoman::server
