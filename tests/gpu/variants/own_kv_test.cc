// Compares K/V that every row owns with pages, ancestry and shared sources, through a search of
// random reorders. The contexts must be equal bit by bit.
#include "tests/gpu/variants/own_kv.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "tests/gpu/variants/variants_test.h"
#include "tests/kernels/ops/cross_pages.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/step_rows.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using OwnKvTest = OnOpDevice;

constexpr int kLayers = 2;
constexpr int kSteps = 40;  // into the second page
constexpr int kPositions = 64;
constexpr int kPagesPerLane = 2;

bool AnyNan(const OpNumbers& numbers) {
  const std::vector<float> x = numbers.Download();
  return std::any_of(x.begin(), x.end(), [](float v) { return std::isnan(v); });
}

struct SearchSlot {
  int beam = 1;
  int admitted = 0;  // at this step
};

// A search that keeps K/V in both ways: a reorder changes the ancestry of the pages and copies the
// K/V that the rows own.
class TwoWays {
 public:
  TwoWays(const OpDevice& device, int heads, int head_dim, std::vector<SearchSlot> slots)
      : device_(device),
        pages_{.layers = kLayers, .heads = heads, .head_dim = head_dim},
        slots_(std::move(slots)),
        live_(slots_.size(), 1),
        rows_room_(std::accumulate(slots_.begin(), slots_.end(), 0,
                                   [](int sum, const SearchSlot& s) { return sum + s.beam; })),
        own_{kLayers, heads, head_dim, rows_room_, kPositions},
        pool_(device, Nan(int64_t{rows_room_} * kPagesPerLane * pages_.ElementsPerPage())),
        own_a_(device, Nan(own_.Elements())),
        own_b_(device, Nan(own_.Elements())),
        lane_pages_(static_cast<size_t>(rows_room_) * kPagesPerLane),
        slot_lanes_(slots_.size() * kMaxSlotLanes, 1 << 30),
        ancestry_(static_cast<size_t>(rows_room_) * kPositions, 255) {
    std::iota(lane_pages_.begin(), lane_pages_.end(), 0);
    std::shuffle(lane_pages_.begin(), lane_pages_.end(), random_);
    int32_t lane = 0;
    for (size_t s = 0; s < slots_.size(); ++s) {
      for (int b = 0; b < slots_[s].beam; ++b) {
        slot_lanes_[s * kMaxSlotLanes + static_cast<size_t>(b)] = lane++;
      }
    }
  }

  void Step() {
    std::vector<StepRow> rows;
    std::vector<int32_t> parent, position;
    std::map<std::pair<int32_t, int32_t>, int32_t> row_of;  // by (slot, lane)
    for (size_t s = 0; s < slots_.size(); ++s) {
      const int at = step_ - slots_[s].admitted;
      for (int lane = 0; at >= 0 && lane < live_[s]; ++lane) {
        const auto slot = static_cast<int32_t>(s);
        parent.push_back(at == 0 ? 0 : parent_of_.at({slot, lane}));
        position.push_back(at);
        row_of[{slot, lane}] = static_cast<int32_t>(rows.size());
        rows.push_back({slot, lane, at});
      }
    }
    const auto count = static_cast<int64_t>(rows.size());
    const auto d = static_cast<size_t>(pages_.width());
    const OpArray<int32_t> parents(device_, parent);
    const OpArray<int32_t> positions(device_, position);
    const auto gather = DRAGOMAN_LAUNCHER(device_, GatherOwnKv);
    const OpNumbers& from = step_ % 2 == 0 ? own_a_ : own_b_;
    const OpNumbers& to = step_ % 2 == 0 ? own_b_ : own_a_;
    EXPECT_LAUNCHED(gather(kTestStream, device_.type, own_, count, parents.data(), positions.data(),
                           from.data(), to.data()));

    const RowsOnDevice step(device_, rows, rows.size());
    const OpArray<int32_t> lane_pages(device_, lane_pages_);
    const OpArray<int32_t> slot_lanes(device_, slot_lanes_);
    const OpArray<uint8_t> ancestry(device_, ancestry_);
    const SelfKvTables tables = {.pool = pool_.data(),
                                 .lane_pages = lane_pages.data(),
                                 .pages_per_lane = kPagesPerLane,
                                 .slot_lanes = slot_lanes.data(),
                                 .ancestry = ancestry.data(),
                                 .max_positions = kPositions};
    for (int layer = 0; layer < kLayers; ++layer) {
      const auto seed = static_cast<uint32_t>(step_ * kLayers + layer);
      const OpNumbers qkv(device_, RandomFloats(rows.size() * 3 * d, seed, 1.5F));
      const OpNumbers expected(device_, std::vector<float>(rows.size() * d, 7.0F));
      const OpNumbers found(device_, std::vector<float>(rows.size() * d, 8.0F));
      EXPECT_LAUNCHED(DRAGOMAN_LAUNCHER(device_, DecodeSelfAttention)(
          kTestStream, device_.type, pages_, layer, step.Step(), tables, qkv.data(),
          expected.data(), RelativeBias{}));
      EXPECT_LAUNCHED(DRAGOMAN_LAUNCHER(device_, OwnSelfAttention)(
          kTestStream, device_.type, own_, layer, count, positions.data(), qkv.data(), to.data(),
          found.data()));
      ASSERT_EQ(found.Bits(), expected.Bits()) << "step " << step_ << " layer " << layer;
      ASSERT_FALSE(AnyNan(found));
    }
    Reorder(row_of);
    ++step_;
  }

 private:
  static std::vector<float> Nan(int64_t count) {
    return std::vector<float>(static_cast<size_t>(count), NAN);
  }

  // Gives every slot that ran a random number of hypotheses and random parents.
  void Reorder(const std::map<std::pair<int32_t, int32_t>, int32_t>& row_of) {
    for (size_t s = 0; s < slots_.size(); ++s) {
      const int at = step_ - slots_[s].admitted;
      if (at < 0) continue;
      const auto ancestry_row = [&](int lane) {
        return ancestry_.begin() +
               std::ptrdiff_t{slot_lanes_[s * kMaxSlotLanes + static_cast<size_t>(lane)]} *
                   kPositions;
      };
      std::vector<std::vector<uint8_t>> old;
      for (int lane = 0; lane < live_[s]; ++lane) {
        old.emplace_back(ancestry_row(lane), ancestry_row(lane) + at);
        old.back().push_back(static_cast<uint8_t>(lane));
      }
      live_[s] = 1 + static_cast<int>(random_() % static_cast<unsigned>(slots_[s].beam));
      for (int lane = 0; lane < live_[s]; ++lane) {
        const auto parent = static_cast<int32_t>(random_() % old.size());
        const auto& row = old[static_cast<size_t>(parent)];
        std::copy(row.begin(), row.end(), ancestry_row(lane));
        const auto slot = static_cast<int32_t>(s);
        parent_of_[{slot, lane}] = row_of.at({slot, parent});
      }
    }
  }

  const OpDevice device_;
  const KvLayout pages_;
  const std::vector<SearchSlot> slots_;
  std::vector<int> live_;
  const int32_t rows_room_;
  const OwnKvLayout own_;
  const OpNumbers pool_, own_a_, own_b_;
  std::vector<int32_t> lane_pages_;
  std::vector<int32_t> slot_lanes_;
  std::vector<uint8_t> ancestry_;
  // The row of the step before, by (slot, lane).
  std::map<std::pair<int32_t, int32_t>, int32_t> parent_of_;
  std::mt19937 random_{5};
  int step_ = 0;
};

TEST_P(OwnKvTest, SelfAttentionAfterCopiesIsThatThroughTheAncestry) {
  for (const auto& [heads, head_dim] : {std::pair{2, 64}, {1, 24}, {1, 128}}) {
    SCOPED_TRACE(head_dim);
    TwoWays both(GetParam(), heads, head_dim, {{4, 0}, {3, 5}, {1, 0}});
    for (int step = 0; step < kSteps; ++step) {
      both.Step();
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(OwnKvTest, CrossAttentionOfCopiesIsThatOfTheSlot) {
  const OpDevice device = GetParam();
  for (const auto& [heads, head_dim] : {std::pair{2, 64}, {3, 24}, {1, 128}}) {
    SCOPED_TRACE(head_dim);
    const KvLayout layout = {.layers = kLayers, .heads = heads, .head_dim = head_dim};
    const std::vector<int32_t> lengths = {30, 1, 70};
    const CrossPages pages(device, layout, lengths);
    std::vector<StepRow> rows;
    std::vector<int32_t> length;
    for (const auto& [slot, width] : {std::pair{0, 4}, {1, 1}, {2, 3}}) {
      for (int lane = 0; lane < width; ++lane) {
        rows.push_back({slot, lane, 0});
        length.push_back(lengths[static_cast<size_t>(slot)]);
      }
    }
    const auto count = static_cast<int32_t>(rows.size());
    const OwnKvLayout own = {kLayers, heads, head_dim, count, 72};
    std::vector<float> tiled(static_cast<size_t>(own.Elements()), NAN);
    for (int layer = 0; layer < kLayers; ++layer) {
      for (int32_t r = 0; r < count; ++r) {
        const int slot = rows[static_cast<size_t>(r)].slot;
        const auto k = pages.K(slot, layer);
        const auto v = pages.V(slot, layer);
        for (int head = 0; head < heads; ++head) {
          const auto to = tiled.begin() + own.K(layer, r, head);
          for (size_t p = 0; p < k.size(); ++p) {
            const auto at = to + static_cast<std::ptrdiff_t>(p) * head_dim;
            std::copy_n(k[p] + head * head_dim, head_dim, at);
            std::copy_n(v[p] + head * head_dim, head_dim, at + own.VOffset());
          }
        }
      }
    }
    const OpNumbers pool(device, tiled);
    const OpArray<int32_t> lengths_there(device, length);
    const RowsOnDevice step(device, rows, rows.size());
    const size_t numbers = rows.size() * static_cast<size_t>(layout.width());
    const OpNumbers q(device, RandomFloats(numbers, 4, 1.5F));
    for (int layer = 0; layer < kLayers; ++layer) {
      const OpNumbers expected(device, std::vector<float>(numbers, 7.0F));
      const OpNumbers found(device, std::vector<float>(numbers, 8.0F));
      EXPECT_LAUNCHED(DRAGOMAN_LAUNCHER(device, CrossAttention)(kTestStream, device.type, layout,
                                                                layer, step.Step(), pages.Tables(),
                                                                q.data(), expected.data()));
      EXPECT_LAUNCHED(DRAGOMAN_LAUNCHER(device, OwnCrossAttention)(
          kTestStream, device.type, own, layer, count, lengths_there.data(), q.data(), pool.data(),
          found.data()));
      ASSERT_EQ(found.Bits(), expected.Bits()) << layer;
      ASSERT_FALSE(AnyNan(found));
    }
  }
}

DRAGOMAN_FOR_LAUNCH_DEVICES(OwnKvTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
