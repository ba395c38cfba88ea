// Converts DecodingOptions of the wire to the engine's, and reports every single value that is out
// of its range.
//
// Pure function. Which options go together is for engine/api/option_rules.h; what the model's
// numbers decide (layers, heads, rows) is for the engine.
#pragma once

#include "dragoman/v1/translation.pb.h"
#include "engine/api/engine.h"
#include "server/call/violations.h"

namespace dragoman::server {

// Reports every value that is out of its range, and leaves it unset in the result.
engine::DecodingOptions ReadDecoding(const v1::DecodingOptions& in, Violations* violations);

}  // namespace dragoman::server
