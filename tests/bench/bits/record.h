// Records the answers of an engine to many requests of every kind, bit by bit, as text that `diff`
// can compare: for changes that may change no translation.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "engine/api/engine.h"

namespace dragoman::bench {

// Runs `count` requests of tests/engine/support/mixed_requests.h and writes a line for each, in
// their order: number, kind, and every number of the result in hexadecimal, its texts as they are;
// or the error. The same on every machine of one instruction set, whatever runs beside what.
void RecordBits(engine::Engine& engine, size_t count, std::ostream& out);

}  // namespace dragoman::bench
