// Pegasus ("pegasus"): BART with norms before sublayers, the positions of Marian's models, tied
// embeddings and a bias on the logits.
#pragma once

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"

namespace dragoman {

absl::StatusOr<Network> MakePegasusNetwork(const ModelSpec& spec);

}  // namespace dragoman
