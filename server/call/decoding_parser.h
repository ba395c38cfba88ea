// DecodingOptions of the wire -> the engine's, and every single value that is out of its range.
//
// Pure function. Which options go together is for option_rules.h; what the model's numbers decide
// (layers, heads, rows) is for the engine.
#pragma once

#include "dragoman/v1/translation.pb.h"
#include "engine/api/engine.h"
#include "engine/api/limits.h"
#include "server/call/findings.h"

namespace dragoman {

// Phrases that are more than this cannot be met: each has a token, and a node of the automaton.
inline constexpr int kMaxRequiredPhrases = kMaxConstraintTokens;
inline constexpr int kMaxForbiddenPhrases = kMaxForbiddenNodes;
// More than any model has; the engine knows how many this one has.
inline constexpr int kMaxAlignmentHeads = 256;

DecodingOptions ReadDecoding(const v1::DecodingOptions& in, Findings* findings);

}  // namespace dragoman
