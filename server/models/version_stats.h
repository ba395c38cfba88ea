// Sums the stats of the versions of a model. Pure functions.
#pragma once

#include "engine/api/engine.h"

namespace dragoman::server {

void AddCounts(const engine::SegmentCounts& from, engine::SegmentCounts* to);

// Adds the stats of another version: sums of counts, and the worse of two ages or usages.
void AddStats(const engine::EngineStats& from, engine::EngineStats* to);

}  // namespace dragoman::server
