// Converts the message DecodingOptions to the engine's DecodingOptions, and reports values out of
// range.
//
// Pure function. engine/api/option_rules.h checks combinations of options. The engine checks values
// that depend on the model (layers, heads, rows).
#pragma once

#include "dragoman/v1/translation.pb.h"
#include "engine/api/engine.h"
#include "server/call/violations.h"

namespace dragoman::server {

// Adds every value that is out of its range to `violations`, and leaves it unset in the result.
engine::DecodingOptions ReadDecoding(const v1::DecodingOptions& in, Violations* violations);

}  // namespace dragoman::server
