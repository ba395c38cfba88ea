// Members of an ensemble made from one trained model by adding seeded noise to its weights. Each
// member translates like the model, with its own errors, and ends sentences at the same places.
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
  // The standard deviation of the uniform noise, in percent of the tensor's root mean square.
  int noise_percent = 0;
  uint64_t seed = 1;  // of the first member; the next members use the next numbers

  bool AreTheModel() const { return count == 1 && noise_percent == 0; }
};

// Returns members of equal weight, or an error of Weights::Read.
absl::StatusOr<std::vector<engine::EnsembleNetwork>> SeededMembers(
    const engine::LoadedModel& loaded, const MemberOptions& options);

}  // namespace dragoman::bench
