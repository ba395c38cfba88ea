// From the tensors of a checkpoint file to TransformerWeights, by a family's name map.
//
// Thread-safety: a pure function.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/model_spec.h"
#include "engine/model/name_map.h"
#include "engine/model/tensor_file.h"
#include "engine/model/weights.h"

namespace dragoman {

struct LoadedWeights {
  TransformerWeights weights;
  std::vector<std::string> unused;  // tensors that the network has no place for
};

// Copies every weight as f32. INVALID_ARGUMENT names the file and the tensor, what was found and
// what was expected, for a tensor that is missing, of another shape, of a dtype that is no float,
// or with an element that is not finite. Names of one matrix (shared or tied embeddings) must hold
// the same values. REQUIRES: the checkpoint has a file.
absl::StatusOr<LoadedWeights> LoadTransformerWeights(const Checkpoint& checkpoint,
                                                     const NameMap& names, const ModelSpec& spec);

}  // namespace dragoman
