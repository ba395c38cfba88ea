#include "engine/model/families/m2m_100.h"

#include "engine/model/families/bart_network.h"

namespace dragoman {

absl::StatusOr<Network> MakeM2m100Network(const ModelSpec& spec) {
  return MakeBartNetwork(spec, {.pre_norm = true,
                                .stored_positions = false,
                                .positions = IfAbsent::kFairseqSinusoids,
                                .places_padding = false,
                                .logits_bias = false});
}

}  // namespace dragoman
