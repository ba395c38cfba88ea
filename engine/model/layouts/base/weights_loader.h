// Makes the numbers of a network's weights from the tensors of a checkpoint's files.
//
// Thread-safety: a pure function.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/formats/tensor_file.h"
#include "engine/network/weights.h"

namespace dragoman::engine {

struct OpenedWeights {
  std::shared_ptr<const Weights> weights;  // shared by the places that pack them
  std::vector<std::string> unused;         // tensors that the network has no place for
  std::vector<std::string> replaced;  // spare ones of another storage than the one that is used
};

// Returns whether the checkpoint stores an output layer of its own, with other numbers than the embeddings,
// although the network ties the two.
bool HasOtherSpare(const Checkpoint& checkpoint, const Network& network);

// Finds every weight. INVALID_ARGUMENT names the file and the tensor, what was found and what was
// expected, for a tensor that is missing, has another shape, or a dtype that is not a float. The
// numbers are checked only when they are read, so it is reading that fails where one is not finite,
// or where the names of one matrix (shared or tied embeddings) do not hold the same numbers; its
// errors name the folder too. Reading ends with CANCELLED once the folder's LoadContext, which
// outlives the weights, is stopped. REQUIRES: the checkpoint has a file.
absl::StatusOr<OpenedWeights> OpenWeights(const ModelFolder& folder, Checkpoint checkpoint,
                                          const Network& network);

}  // namespace dragoman::engine
