// Records an engine's answers to many requests of every kind, bit by bit, as text for `diff`. Used
// for changes that must not change any translation.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "engine/api/engine.h"

namespace dragoman::bench {

// Runs `count` requests of tests/engine/support/mixed_requests.h and writes one line for each, in
// order: its number and kind, then every number of the result in hexadecimal and its texts, or the
// error. The lines are the same on all machines of one instruction set, with any batching.
void RecordBits(engine::Engine& engine, size_t count, std::ostream& out);

}  // namespace dragoman::bench
