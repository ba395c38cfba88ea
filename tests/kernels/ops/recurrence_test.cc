#include "kernels/ops/recurrence.h"

#include <memory>
#include <numeric>

#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

constexpr int kSlots = 3;
constexpr int kBeam = 4;
constexpr int kPositions = 70;  // of three pages
constexpr int kLayers = 2;

// A batch whose beams are reordered at every step, and what its states must be.
class Beams {
 public:
  explicit Beams(const KvLayout& layout)
      : layout_(layout),
        d_(layout.width()),
        slot_lanes_(size_t{kSlots} * kMaxSlotLanes, -1),
        lane_pages_(size_t{kLanes} * kPagesPerLane),
        pool_(lane_pages_.size() * static_cast<size_t>(layout.HostPageBytes()) / sizeof(float)),
        ancestry_(size_t{kLanes} * kPositions, 255),
        states_(kLayers, std::vector<double>(size_t{kLanes} * d_)) {
    std::vector<int32_t> lanes(kLanes);
    std::iota(lanes.begin(), lanes.end(), 0);
    std::shuffle(lanes.begin(), lanes.end(), random_);
    for (int slot = 0; slot < kSlots; ++slot) {
      for (int lane = 0; lane < kBeam; ++lane) {
        slot_lanes_[slot * kMaxSlotLanes + lane] = lanes[slot * kBeam + lane];
        slot_.push_back(slot);
        lane_.push_back(lane);
      }
    }
    std::iota(lane_pages_.begin(), lane_pages_.end(), 0);
    std::shuffle(lane_pages_.begin(), lane_pages_.end(), random_);
    // Memory that was not written must not be read: NaN would show.
    std::fill(pool_.begin(), pool_.end(), NAN);
  }

  // One position more for every row, in both layers: y by layer.
  std::vector<std::vector<float>> Step(int position, const std::vector<float>& gate_x,
                                       OpContext& context) {
    const std::vector<int32_t> positions(kLanes, position);
    std::vector<std::vector<float>> y;
    for (int layer = 0; layer < kLayers; ++layer) {
      y.emplace_back(size_t{kLanes} * d_);
      Recur(context, layout_, layer, {kLanes, slot_.data(), lane_.data(), positions.data()},
            {.pool = pool_.data(),
             .lane_pages = lane_pages_.data(),
             .pages_per_lane = kPagesPerLane,
             .slot_lanes = slot_lanes_.data(),
             .ancestry = ancestry_.data(),
             .max_positions = kPositions},
            gate_x.data(), y.back().data());
    }
    return y;
  }

  // The same in double, by rows.
  std::vector<double> Expected(int layer, const std::vector<float>& gate_x) {
    std::vector<double> y;
    std::vector<double>& states = states_[layer];
    for (int r = 0; r < kLanes; ++r) {
      for (int i = 0; i < d_; ++i) {
        const double keep = 1 / (1 + std::exp(-double{gate_x[(2 * r) * d_ + i]}));
        double& state = states[r * d_ + i];
        state = keep * state + (1 - keep) * gate_x[(2 * r + 1) * d_ + i];
        y.push_back(std::max(0.0, state));
      }
    }
    return y;
  }

  // Every hypothesis of position + 1 goes on from one of position.
  void Reorder(int position) {
    const std::vector<uint8_t> ancestry = ancestry_;
    const std::vector<std::vector<double>> states = states_;
    for (int r = 0; r < kLanes; ++r) {
      const int parent = static_cast<int>(random_() % kBeam);
      const int from = r / kBeam * kBeam + parent;
      const auto row = [this](int of) {
        return size_t(slot_lanes_[slot_[of] * kMaxSlotLanes + lane_[of]]) * kPositions;
      };
      std::copy_n(ancestry.begin() + row(from), position, ancestry_.begin() + row(r));
      ancestry_[row(r) + position] = static_cast<uint8_t>(parent);
      for (int layer = 0; layer < kLayers; ++layer) {
        std::copy_n(states[layer].begin() + from * d_, d_, states_[layer].begin() + r * d_);
      }
    }
  }

  static constexpr int kLanes = kSlots * kBeam;

 private:
  static constexpr int kPagesPerLane = (kPositions + kPagePositions - 1) / kPagePositions;

  const KvLayout layout_;
  const int d_;
  std::mt19937 random_{7};
  std::vector<int32_t> slot_, lane_;
  std::vector<int32_t> slot_lanes_;
  std::vector<int32_t> lane_pages_;
  std::vector<float> pool_;
  std::vector<uint8_t> ancestry_;
  std::vector<std::vector<double>> states_;  // by layer, of rows
};

using RecurrenceTest = PerIsa;

TEST_P(RecurrenceTest, StatesFollowTheAncestryOverPages) {
  for (const ComputeType type :
       {ComputeType::kFloat32, ComputeType::kBFloat16, ComputeType::kInt8}) {
    for (const int head_dim : {16, 48}) {
      const KvLayout layout = {kLayers, 1, head_dim, type};
      ASSERT_GE(layout.HostPageBytes(),
                (StateAt(layout, 1, kLayers - 1) + layout.width()) * int64_t{sizeof(float)});
      Beams beams(layout);
      OpContext context;
      for (int position = 0; position < kPositions; ++position) {
        const auto gate_x =
            RandomFloats(size_t{2} * Beams::kLanes * head_dim, 100 + position, 2.0F);
        const auto y = beams.Step(position, gate_x, context);
        for (int layer = 0; layer < kLayers; ++layer) {
          EXPECT_LT(WorstError(y[layer], beams.Expected(layer, gate_x)), 2e-6) << position;
        }
        beams.Reorder(position);
      }
    }
  }
}

TEST_P(RecurrenceTest, RowsAreBitEqualForAnyThreads) {
  const KvLayout layout = {kLayers, 1, 52};
  std::vector<std::vector<float>> alone;
  for (const int threads : kThreadCounts) {
    Beams beams(layout);
    OpContext context(threads, 1);
    for (int position = 0; position < 3; ++position) {
      const auto gate_x = RandomFloats(size_t{2} * Beams::kLanes * 52, position, 2.0F);
      const auto y = beams.Step(position, gate_x, context);
      beams.Reorder(position);
      if (threads == 1) alone.push_back(y[1]);
      EXPECT_TRUE(SameBits(y[1].data(), alone[position].data(), y[1].size())) << threads;
    }
  }
}

// Positions of a forced prefix: rows of one lane in one call, as one after the other.
TEST_P(RecurrenceTest, PositionsOfALaneAtOnceAreAsOneByOne) {
  constexpr int kRows = 37;  // of two pages
  constexpr int kWidth = 512;
  const KvLayout layout = {1, 8, kWidth / 8};
  const auto gate_x = RandomFloats(size_t{2} * kRows * kWidth, 5, 2.0F);
  const std::vector<int32_t> zeros(kRows, 0);
  std::vector<int32_t> positions(kRows);
  std::iota(positions.begin(), positions.end(), 0);
  const std::vector<int32_t> pages = {1, 0};
  const std::vector<int32_t> lanes(kMaxSlotLanes, 0);
  const std::vector<uint8_t> ancestry(kRows, 0);
  const auto run = [&](int threads, int at_once) {
    std::vector<float> pool(2 * static_cast<size_t>(layout.HostPageBytes()) / sizeof(float), NAN);
    std::vector<float> y(size_t{kRows} * kWidth);
    OpContext context(threads, 1);
    for (int row = 0; row < kRows; row += at_once) {
      Recur(context, layout, 0,
            {std::min(at_once, kRows - row), zeros.data(), zeros.data(), positions.data() + row},
            {.pool = pool.data(),
             .lane_pages = pages.data(),
             .pages_per_lane = 2,
             .slot_lanes = lanes.data(),
             .ancestry = ancestry.data(),
             .max_positions = kRows},
            gate_x.data() + int64_t{2} * row * kWidth, y.data() + int64_t{row} * kWidth);
    }
    return y;
  };
  const std::vector<float> alone = run(1, 1);
  for (const int threads : kThreadCounts) {
    for (const int at_once : {3, kRows}) {
      const std::vector<float> y = run(threads, at_once);
      EXPECT_TRUE(SameBits(y.data(), alone.data(), y.size())) << threads << ", " << at_once;
    }
  }
}

// A gate far from zero keeps or replaces all of the state, and a NaN is noticed.
TEST_P(RecurrenceTest, GatesSaturateAndNanStays) {
  const KvLayout layout = {kLayers, 1, 16};
  Beams beams(layout);
  OpContext context;
  std::vector<float> gate_x(size_t{2} * Beams::kLanes * 16, 3.0F);
  for (int r = 0; r < Beams::kLanes; ++r) std::fill_n(gate_x.begin() + 2 * r * 16, 16, -200.0F);
  EXPECT_EQ(beams.Step(0, gate_x, context)[0][5], 3.0F);
  beams.Reorder(0);
  for (int r = 0; r < Beams::kLanes; ++r) {
    std::fill_n(gate_x.begin() + 2 * r * 16, 16, 200.0F);
    std::fill_n(gate_x.begin() + (2 * r + 1) * 16, 16, -7.0F);
  }
  gate_x[3] = NAN;
  const auto y = beams.Step(1, gate_x, context);
  EXPECT_EQ(y[0][5], 3.0F);
  EXPECT_TRUE(std::isnan(y[0][3]));
}

DRAGOMAN_FOR_EVERY_ISA(RecurrenceTest);

}  // namespace
}  // namespace dragoman::kernels
