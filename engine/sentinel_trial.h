// Finds which sentinels (request/sentinels.h) a model copies from source to target, by translating
// a few fixed texts when the model is loaded.
//
// A sentinel is a stem and a number ("Xk1"). A stem is used if the model copies its sentinels in at
// least half of the texts. Without sentinels, every segment would need a search with constraints,
// which takes three to five times as long. With them, only a segment whose translation lost a
// sentinel needs it.
#pragma once

#include <map>
#include <string>

#include "engine/api/engine.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// The stem of sentinels that the model copies, by target language as ModelInfo::pairs writes it.
using SentinelStems = std::map<std::string, std::string, std::less<>>;

// Translates the texts and waits for the results. Target languages for which the model copies no
// stem have no entry. The result is empty for a model with more than eight target languages,
// because the trial would take too long. REQUIRES: nothing else uses the engine.
SentinelStems TrySentinels(Engine& engine, const Tokenizer& tokenizer);

}  // namespace dragoman::engine
