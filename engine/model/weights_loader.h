// From the tensors of a checkpoint file to TransformerWeights, by a family's name map.
//
// Thread-safety: a pure function.
#pragma once

#include "absl/status/statusor.h"
#include "engine/model/model_spec.h"
#include "engine/model/name_map.h"
#include "engine/model/tensor_file.h"
#include "engine/model/weights.h"

namespace dragoman {

// Copies every weight as f32. INVALID_ARGUMENT names the file and the tensor, the dtype and shape
// found and those expected, for a tensor that is missing, of another shape, of a dtype that is not
// F32, F16 or BF16, or that nothing uses: it would mean a network other than the spec's. Names of
// one matrix (shared or tied embeddings) must hold the same values.
absl::StatusOr<TransformerWeights> LoadTransformerWeights(const TensorFile& file,
                                                          const NameMap& names,
                                                          const ModelSpec& spec);

}  // namespace dragoman
