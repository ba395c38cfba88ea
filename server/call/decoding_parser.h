// DecodingOptions of the wire -> the engine's, and every single value that is out of its range.
//
// Pure function. Which options go together is for engine/api/option_rules.h; what the model's
// numbers decide (layers, heads, rows) is for the engine.
#pragma once

#include "dragoman/v1/translation.pb.h"
#include "engine/api/engine.h"
#include "server/call/findings.h"

namespace dragoman {

// What is out of its range is reported, and unset in what is returned.
DecodingOptions ReadDecoding(const v1::DecodingOptions& in, Findings* findings);

}  // namespace dragoman
