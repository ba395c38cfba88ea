// Makes a network's weights from the tensors of a checkpoint's files.
//
// Thread-safety: pure functions.
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
  std::vector<std::string> unused;         // tensors that the network does not have
  std::vector<std::string> replaced;       // spare tensors in another storage than the used one
};

// Reports whether the checkpoint stores a tied output layer that differs from the embedding.
bool HasOtherSpare(const Checkpoint& checkpoint, const Network& network);

// Finds every weight. Returns INVALID_ARGUMENT, with the file and tensor, what was found and
// expected, for a tensor that is missing or has another shape or an unsupported dtype.
//
// Numbers are checked when they are read. Reading fails, with an error that also names the folder,
// if a number is not finite, or if the names of one matrix (shared or tied embeddings) hold
// different numbers. Reading returns CANCELLED once the folder's LoadContext, which must outlive
// the weights, is stopped. REQUIRES: the checkpoint has a file.
absl::StatusOr<OpenedWeights> OpenWeights(const ModelFolder& folder, Checkpoint checkpoint,
                                          const Network& network);

}  // namespace dragoman::engine
