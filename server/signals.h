// What the daemon does on signals: SIGTERM and SIGINT end it, SIGHUP makes it read its glossaries
// again.
//
// For the daemon's main thread. Signals are taken by waiting for them, never by a handler.
#pragma once

#include <chrono>

#include "engine/engine.h"
#include "server/drain.h"
#include "server/serving.h"

namespace dragoman {

// Blocks SIGTERM, SIGINT and SIGHUP and ignores SIGPIPE, for this thread and those it starts. Call
// it before anything else.
void PrepareSignals();

// Waits until SIGTERM or SIGINT (true), or until the engine has no worker left (false). SIGHUP
// meanwhile reloads the engine's glossaries; the outcome is in the log, and with an error the old
// ones stay.
bool WaitForEnd(Engine* engine);

// Drains; SIGTERM or SIGINT ends the waiting, SIGHUP has no effect any more.
DrainResult DrainUnlessHurried(Serving* serving, std::chrono::seconds limit);

}  // namespace dragoman
