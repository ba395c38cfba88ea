// Members of an ensemble made of one trained model: its weights with seeded noise. They translate as it
// does, each with errors of its own, and end sentences where it ends them.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/decode/ensemble_model.h"
#include "engine/model/layouts/model_source.h"

namespace dragoman::bench {

struct MemberOptions {
  int count = 1;
  // The standard deviation of the noise on each number, uniform around 0, in per cent of the root
  // mean square of its tensor.
  int noise_percent = 0;
  uint64_t seed = 1;  // of the first member; the others have the next ones

  bool AreTheModel() const { return count == 1 && noise_percent == 0; }
};

// Members of equal weight. An error is Weights::Read's.
absl::StatusOr<std::vector<engine::EnsembleNetwork>> SeededMembers(
    const engine::LoadedModel& loaded, const MemberOptions& options);

}  // namespace dragoman::bench
