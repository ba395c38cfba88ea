#include "engine/model/families/bart.h"

#include "engine/model/families/bart_network.h"

namespace dragoman {

absl::StatusOr<Network> MakeBartFamilyNetwork(const ModelSpec& spec) {
  // fairseq keeps the first two rows of the positions for padding.
  return MakeBartNetwork(
      spec, {.norm_embedding = true, .first_position = 2, .positions = IfAbsent::kRefuse});
}

}  // namespace dragoman
