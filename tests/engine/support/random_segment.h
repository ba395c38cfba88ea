// A random case (random_case.h) in the types of the search code.
//
// Owns the tables that its rules point to, so it must not move while they are in use.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/decode/phrase_tables.h"
#include "kernels/search/slot.h"
#include "tests/engine/support/random_case.h"

namespace dragoman::testing {

// Sets num_alternatives to the beam.
kernels::SearchOptions ToSearchOptions(const RandomCase& c);

class RandomSegment {
 public:
  explicit RandomSegment(RandomCase c);

  kernels::SegmentRules Rules() const;

  const RandomCase random_case;
  kernels::SearchOptions options;

 private:
  const std::vector<float> divisor_;
  const std::vector<int32_t> source_;
  const std::unique_ptr<const engine::WordEdgeTable> edges_;  // nullptr: the case has none
  const engine::ConstraintTable constraints_;
  const engine::ForbiddenTable forbidden_;
};

}  // namespace dragoman::testing
