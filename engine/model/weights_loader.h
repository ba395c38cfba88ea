// From the tensors of a checkpoint file to the values of a network's weights.
//
// Thread-safety: a pure function.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"
#include "engine/model/tensor_file.h"
#include "engine/network/program.h"

namespace dragoman {

struct LoadedWeights {
  WeightValues weights;
  std::vector<std::string> unused;  // tensors that the network has no place for
};

// Copies every weight as f32. INVALID_ARGUMENT names the file and the tensor, what was found and
// what was expected, for a tensor that is missing, of another shape, of a dtype that is no float,
// or with an element that is not finite. Names of one matrix (shared or tied embeddings) must hold
// the same values. REQUIRES: the checkpoint has a file.
absl::StatusOr<LoadedWeights> LoadWeights(const Checkpoint& checkpoint, const Network& network);

}  // namespace dragoman
