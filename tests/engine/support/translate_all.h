// Many jobs through an engine, one after the other or all together, and their results compared to
// the bit: for tests that a translation does not depend on what is beside it, or where it is made.
//
// Jobs have one item each. Failures of a job are failures of the test.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/api/engine.h"

namespace dragoman::testing {

// One after the other: nothing else is ever in the batch.
std::vector<engine::ItemResult> TranslateAlone(engine::Engine& engine,
                                               const std::vector<engine::TranslationJob>& jobs);

// All at once, submitted in this order of their indices. Result i is of job i.
std::vector<engine::ItemResult> TranslateTogether(engine::Engine& engine,
                                                  const std::vector<engine::TranslationJob>& jobs,
                                                  const std::vector<size_t>& order);

std::vector<size_t> InOrder(size_t count);
std::vector<size_t> Shuffled(size_t count, unsigned seed);

// Everything that a result says, numbers to the bit.
bool SameToTheBit(const engine::ItemResult& a, const engine::ItemResult& b);

}  // namespace dragoman::testing
