// M2M-100, NLLB-200 and SMaLL-100 ("m2m_100"): a pre-norm Transformer with fairseq's sinusoids,
// tied embeddings and no bias on the logits.
#pragma once

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"

namespace dragoman {

absl::StatusOr<Network> MakeM2m100Network(const ModelSpec& spec);

}  // namespace dragoman
