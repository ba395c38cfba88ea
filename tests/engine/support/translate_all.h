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

// Expects the same results to the bit, job by job.
void ExpectSameToTheBit(const std::vector<engine::TranslationJob>& jobs,
                        const std::vector<engine::ItemResult>& found,
                        const std::vector<engine::ItemResult>& expected);

// Expects the same tokens and texts at every rank, and log-probs within 1e-3: the results of another
// device, whose sums differ by their order.
void ExpectSameTranslations(const std::vector<engine::TranslationJob>& jobs,
                            const std::vector<engine::ItemResult>& found,
                            const std::vector<engine::ItemResult>& expected);

// Translates the jobs alone, and then together in random order. Expects the same results to the bit.
// Returns those of the jobs alone.
std::vector<engine::ItemResult> ExpectTheSameInCompany(
    engine::Engine& engine, const std::vector<engine::TranslationJob>& jobs, unsigned seed = 1);

// Expects that no item has failed. Returns the number of those whose best text is not empty.
size_t CountTexts(const std::vector<engine::ItemResult>& results);

}  // namespace dragoman::testing
