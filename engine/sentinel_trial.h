// Which sentinels (request/sentinels.h) a model copies from source to target. It is tried with a few
// texts when a model is loaded, so it depends on the model alone.
//
// A model that copies them in half of the texts saves time: a translation that lost one is searched
// again with constraints, which takes three to five times as long as the search that lost it.
#pragma once

#include <map>
#include <string>

#include "engine/api/engine.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// Stems of sentinels by target language, as ModelInfo::pairs writes it.
using SentinelStems = std::map<std::string, std::string, std::less<>>;

// Translates the texts and waits for them. Targets without an entry copy none of the stems; so do
// all targets of a model that has more than eight of them, which would take too long to try.
// REQUIRES: nothing but this uses the engine.
SentinelStems TrySentinels(Engine& engine, const Tokenizer& tokenizer);

}  // namespace dragoman::engine
