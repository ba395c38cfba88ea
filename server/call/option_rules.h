// Which options of a request go together (SEARCH.md a.7), as far as its bytes alone show.
//
// Pure function. What depends on the server's default profile or the model's own beam is left to
// the engine, which applies the same rules to the settings in effect. A contradiction is one
// violation that names both fields.
#pragma once

#include "engine/api/engine.h"
#include "server/call/findings.h"

namespace dragoman {

void CheckOptionsTogether(const TranslationJob& job, Findings* findings);

}  // namespace dragoman
