// MarianMT (OPUS-MT): a post-norm Transformer with sinusoidal positions from 0, tied embeddings and
// a bias on the logits.
#pragma once

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"

namespace dragoman {

absl::StatusOr<Network> MakeMarianNetwork(const ModelSpec& spec);

}  // namespace dragoman
