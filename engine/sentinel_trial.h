// Finds which sentinels (request/sentinels.h) a model copies from source to target. It translates a
// few texts at load, so the result depends on the model alone.
//
// Sentinels save time if the model copies them in half of the texts. A translation that lost one is
// searched again with constraints, which takes three to five times as long.
#pragma once

#include <map>
#include <string>

#include "engine/api/engine.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// Stems of sentinels by target language, written as in ModelInfo::pairs.
using SentinelStems = std::map<std::string, std::string, std::less<>>;

// Translates the texts and waits for them. A target without an entry copies none of the stems. The
// result is empty for a model with more than eight targets, because the trial would take too long.
// REQUIRES: nothing else uses the engine.
SentinelStems TrySentinels(Engine& engine, const Tokenizer& tokenizer);

}  // namespace dragoman::engine
