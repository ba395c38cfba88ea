// Runs many jobs through an engine, one by one or together, and compares the results bit by bit,
// for tests that a translation does not depend on its batch or its place.
//
// Jobs have one item each. A failed job fails the test.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/api/engine.h"

namespace dragoman::testing {

// Translates one job after the other, each alone in the batch.
std::vector<engine::ItemResult> TranslateAlone(engine::Engine& engine,
                                               const std::vector<engine::TranslationJob>& jobs);

// Submits all jobs at once, in this order of their indices. Result i belongs to job i.
std::vector<engine::ItemResult> TranslateTogether(engine::Engine& engine,
                                                  const std::vector<engine::TranslationJob>& jobs,
                                                  const std::vector<size_t>& order);

std::vector<size_t> InOrder(size_t count);
std::vector<size_t> Shuffled(size_t count, unsigned seed);

// Compares all fields, numbers bit by bit.
bool SameToTheBit(const engine::ItemResult& a, const engine::ItemResult& b);

}  // namespace dragoman::testing
