// Makes a network's weights from the tensors of a checkpoint's files. The spare tensors of a weight
// (TensorSource::spare_names) are those that it uses only if the checkpoint lacks its first choice.
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
  std::shared_ptr<const Weights> weights;  // shared by the backends that pack them
  std::vector<std::string> unused;         // names of tensors that no weight uses
  // Names of spare tensors that are not used, and that do not share the storage of the tensor that
  // is used instead.
  std::vector<std::string> replaced;
};

// Reports whether the checkpoint has a spare tensor whose numbers differ from those of the first
// choice. This is an output layer that is tied to the embedding, but is stored with numbers of its
// own.
bool HasOtherSpare(const Checkpoint& checkpoint, const Network& network);

// Finds the tensors of every weight. Returns INVALID_ARGUMENT, which names the file and tensor,
// what was found and what was expected, if a tensor is missing, has another shape or has an
// unsupported dtype.
//
// Weights::Read checks the numbers. It returns INVALID_ARGUMENT, which also names the folder, if a
// number is not finite, or if tensors that must be equal (TensorSource::names) have different
// numbers. It returns CANCELLED after the folder's LoadContext was stopped. REQUIRES: the
// LoadContext outlives the weights. The checkpoint has at least one file.
absl::StatusOr<OpenedWeights> OpenWeights(const ModelFolder& folder, Checkpoint checkpoint,
                                          const Network& network);

}  // namespace dragoman::engine
