#include "engine/model/families/marian.h"

#include "engine/model/families/bart_network.h"

namespace dragoman {

absl::StatusOr<Network> MakeMarianNetwork(const ModelSpec& spec) {
  // A stored table wins: older checkpoints hold it, rounded as they are.
  return MakeBartNetwork(spec, {});
}

}  // namespace dragoman
