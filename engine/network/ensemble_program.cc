#include "engine/network/ensemble_program.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "engine/network/op_ids.h"

namespace dragoman::engine {
namespace {

// A visitor of VisitIds that adds offsets to the weights, buffers and layers of an operation. So an
// operation of a member becomes one of the joined program.
struct Mover {
  void Weight(WeightId& id) const {
    if (id != kNoWeight) id += weights;
  }
  void Reads(BufferId& id) const { id += buffers; }
  void Writes(BufferId& id) const { id += buffers; }
  void Layer(int& layer) const { layer += layers; }

  const WeightId weights;
  const BufferId buffers;
  const int layers;
};

// Appends the operations of a member's stage to those of earlier members in `joined`. Appends the
// output layer, which only the decoder has, to `output` instead. Keeps AlignOp only for the first
// member.
void Append(const OpSequence& stage, WeightId weights, int layers, bool is_first,
            EnsembleOutputOp* output, OpSequence* joined) {
  const Mover mover{weights, static_cast<BufferId>(joined->buffers.size()), layers};
  joined->buffers.insert(joined->buffers.end(), stage.buffers.begin(), stage.buffers.end());
  for (Op op : stage.ops) {
    if (!is_first && std::holds_alternative<AlignOp>(op.what)) continue;
    if (op.layer >= 0) op.layer += layers;
    std::visit([&mover](auto& what) { VisitIds(what, mover); }, op.what);
    if (const auto* of_member = std::get_if<OutputOp>(&op.what)) {
      output->members.push_back(*of_member);
    } else {
      joined->ops.push_back(std::move(op));
    }
  }
}

absl::Status CheckFit(size_t member, const Program& first, const Program& other,
                      int64_t positions) {
  const auto differs = [&](const auto&... what) {
    return absl::UnimplementedError(
        absl::StrCat("an ensemble on a GPU: member ", member + 1, " has ", what...));
  };
  if (other.kv.width() != first.kv.width()) {
    return differs("K and V of ", other.kv.width(), " dimensions, expected ", first.kv.width(),
                   " as in the first: they share pages");
  }
  const bool by_distance =
      std::any_of(other.weights.begin(), other.weights.end(),
                  [](const Weight& weight) { return weight.role == WeightRole::kRelativeBias; });
  if (by_distance && other.max_positions != positions) {
    return differs("biases by distance for ", other.max_positions, " positions, expected ",
                   positions, " as in the member with the fewest");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Program> JoinPrograms(const std::vector<EnsembleNetwork>& members,
                                     kernels::MeanKind mean) {
  const Program& first = members.front().program;
  Program joined;
  joined.max_positions = first.max_positions;
  double sum = 0;
  for (const EnsembleNetwork& member : members) {
    joined.max_positions = std::min(joined.max_positions, member.program.max_positions);
    sum += member.weight;
  }
  EnsembleOutputOp output;
  output.mean = mean;
  joined.kv = first.kv;
  joined.kv.layers = 0;
  for (size_t m = 0; m < members.size(); ++m) {
    const Program& member = members[m].program;
    if (absl::Status fits = CheckFit(m, first, member, joined.max_positions); !fits.ok()) {
      return fits;
    }
    const auto weights = static_cast<WeightId>(joined.weights.size());
    for (Weight weight : member.weights) {
      weight.name = absl::StrCat("member ", m + 1, ": ", weight.name);
      // Drops the positions that the joined program does not have. No operation reads them.
      if (weight.role == WeightRole::kPositions) weight.rows = joined.max_positions;
      joined.weights.push_back(std::move(weight));
    }
    Append(member.encoder, weights, joined.kv.layers, m == 0, &output, &joined.encoder);
    Append(member.decoder, weights, joined.kv.layers, m == 0, &output, &joined.decoder);
    output.weights.push_back(static_cast<float>(members[m].weight / sum));
    joined.kv.layers += member.kv.layers;
    for (int layer = 0; layer < member.kv.layers; ++layer) {
      const kernels::KvLayout kv = member.KvOf(layer);
      joined.heads.push_back({kv.heads, kv.head_dim});
    }
    joined.fits_float16 = joined.fits_float16 && member.fits_float16;
  }
  joined.decoder.ops.push_back({first.decoder.ops.back().name, -1, std::move(output)});
  if (absl::Status status = CheckProgram(joined); !status.ok()) return status;
  return joined;
}

JoinedWeights::JoinedWeights(const std::vector<EnsembleNetwork>& members) {
  WeightId first = 0;
  for (const EnsembleNetwork& member : members) {
    members_.push_back({member.weights, first});
    first += static_cast<WeightId>(member.program.weights.size());
  }
}

const JoinedWeights::Member& JoinedWeights::MemberOf(WeightId id) const {
  return *std::prev(
      std::upper_bound(members_.begin(), members_.end(), id,
                       [](WeightId of, const Member& member) { return of < member.first; }));
}

absl::Status JoinedWeights::Read(WeightId id, int64_t first, int64_t count, float* to) const {
  const Member& member = MemberOf(id);
  return member.weights->Read(id - member.first, first, count, to);
}

void JoinedWeights::Release(WeightId id) const {
  const Member& member = MemberOf(id);
  member.weights->Release(id - member.first);
}

absl::Status JoinedWeights::Check() const {
  for (const Member& member : members_) {
    if (absl::Status status = member.weights->Check(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace dragoman::engine
