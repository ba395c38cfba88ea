#include "engine/model/families/pegasus.h"

#include "engine/model/families/bart_network.h"

namespace dragoman {

absl::StatusOr<Network> MakePegasusNetwork(const ModelSpec& spec) {
  // A stored table wins, as in Marian's checkpoints.
  return MakeBartNetwork(spec, {.pre_norm = true});
}

}  // namespace dragoman
