// BART ("bart"): a post-norm Transformer with a norm behind the embedding, learned positions, tied
// embeddings and a bias on the logits.
#pragma once

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"

namespace dragoman {

absl::StatusOr<Network> MakeBartFamilyNetwork(const ModelSpec& spec);

}  // namespace dragoman
