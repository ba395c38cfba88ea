// Self-attention of decoding on the CPU, on a device and emulated: a search of random reorders is
// played through the operation itself, so that what it appends is what it later reads.
#include "kernels/ops/decode_attention.h"

#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "tests/kernels/ops/attention_reference.h"
#include "tests/kernels/ops/attention_result.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/step_rows.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman {
namespace {

using DecodeAttentionDeviceTest = OnOpDevice;

constexpr int kSteps = 68;  // into the third page
constexpr int kLayer = 1;

struct SearchSlot {
  int beam = 1;
  int admitted = 0;  // at this step
};

// Slots that begin at different steps and change their width from step to step; lanes scattered
// over the batch, pages over the pool.
class RandomSearch {
 public:
  RandomSearch(const OpDevice& device, const KvLayout& layout, std::vector<SearchSlot> slots,
               bool with_bias = false)
      : device_(device),
        layout_(layout),
        slots_(std::move(slots)),
        distances_(layout.heads, kMaxPositions, 1, 3),
        table_(device, distances_.table()),
        random_(5) {
    if (with_bias) {
      bias_ = distances_.View();
      bias_.table = table_.data();
    }
    int lanes = 0;
    for (const SearchSlot& s : slots_) lanes += s.beam;
    const std::vector<int32_t> numbers = Shuffled(lanes);
    slot_lanes_.assign(slots_.size() * kMaxSlotLanes, 1 << 30);
    int next = 0;
    for (size_t s = 0; s < slots_.size(); ++s) {
      for (int b = 0; b < slots_[s].beam; ++b) {
        slot_lanes_[s * kMaxSlotLanes + size_t(b)] = numbers[size_t(next++)];
      }
    }
    lane_pages_ = Shuffled(lanes * kPagesPerLane);
    ancestry_.assign(size_t(lanes) * kMaxPositions, 255);
    live_.assign(slots_.size(), 1);
    pool_ = std::make_unique<OpNumbers>(
        device, std::vector<float>(lane_pages_.size() * layout.ElementsPerPage(), NAN));
  }

  // The rows of the next step, and their random q, k and v.
  void Plan() {
    rows_.clear();
    for (size_t s = 0; s < slots_.size(); ++s) {
      const int position = step_ - slots_[s].admitted;
      if (position < 0) continue;
      for (int lane = 0; lane < live_[s]; ++lane) rows_.push_back({int32_t(s), lane, position});
    }
    const auto d = static_cast<size_t>(layout_.width());
    qkv_ = Rounded(RandomFloats(rows_.size() * 3 * d, 100 + uint32_t(step_), 1.5F), device_.type);
    for (size_t r = 0; r < rows_.size(); ++r) {
      const auto begin = qkv_.begin() + std::ptrdiff_t(r * 3 * d);
      written_[Key(rows_[r].slot, rows_[r].lane, rows_[r].position)] = {begin, begin + 3 * d};
    }
  }

  // Some rows of the step, in a bucket.
  AttentionResult Run(size_t first, size_t count, size_t bucket) {
    const auto d = static_cast<size_t>(layout_.width());
    const RowsOnDevice rows(
        device_,
        {rows_.begin() + std::ptrdiff_t(first), rows_.begin() + std::ptrdiff_t(first + count)},
        bucket);
    const OpNumbers in(device_, RowsOf(qkv_, first, count, bucket, 3 * d));
    const OpArray<int32_t> lane_pages(device_, lane_pages_);
    const OpArray<int32_t> slot_lanes(device_, slot_lanes_);
    const OpArray<uint8_t> ancestry(device_, ancestry_);
    const SelfKvTables tables = {.pool = pool_->data(),
                                 .lane_pages = lane_pages.data(),
                                 .pages_per_lane = kPagesPerLane,
                                 .slot_lanes = slot_lanes.data(),
                                 .ancestry = ancestry.data(),
                                 .max_positions = kMaxPositions};
    const OpNumbers out(device_, std::vector<float>(bucket * d, 7.0F));
    if (device_.cuda || device_.emulated) {
      const auto attend = DRAGOMAN_LAUNCHER(device_, DecodeSelfAttention);
      EXPECT_LAUNCHED(attend(kTestStream, device_.type, layout_, kLayer, rows.Step(), tables,
                             in.data(), out.data(), bias_));
      // The step's own table of pages gives the same bits.
      const OpArray<int32_t> pages(device_, PagesOf(first, count, bucket));
      cuda::StepRows step = rows.Step();
      step.pages = pages.data();
      step.page_stride = kPagesPerLane * kPagePositions;
      const OpNumbers by_table(device_, std::vector<float>(bucket * d, 7.0F));
      EXPECT_LAUNCHED(attend(kTestStream, device_.type, layout_, kLayer, step, tables, in.data(),
                             by_table.data(), bias_));
      EXPECT_EQ(AttentionResult(by_table, d).bits, AttentionResult(out, d).bits);
    } else {
      OpContext context;
      DecodeSelfAttention(context, layout_, kLayer, rows.Cpu(), tables,
                          static_cast<const float*>(in.data()), static_cast<float*>(out.data()),
                          bias_);
    }
    return {out, d};
  }

  std::vector<double> Expected() const {
    std::vector<double> expected;
    const auto d = static_cast<size_t>(layout_.width());
    for (const StepRow& row : rows_) {
      std::vector<const float*> k;
      std::vector<const float*> v;
      for (int p = 0; p <= row.position; ++p) {
        const int lane = p == row.position ? row.lane : Ancestry(row.slot, row.lane)[p];
        const float* qkv = written_.at(Key(row.slot, lane, p)).data();
        k.push_back(qkv + d);
        v.push_back(qkv + 2 * d);
      }
      const float* q = written_.at(Key(row.slot, row.lane, row.position)).data();
      const RelativeBias bias = bias_.table == nullptr ? RelativeBias{} : distances_.View();
      const auto context = Attend(q, k, v, {layout_.heads, layout_.head_dim}, bias, row.position);
      expected.insert(expected.end(), context.begin(), context.end());
    }
    return expected;
  }

  // Every slot that ran takes a random width and random parents for the next step.
  void Reorder() {
    for (size_t s = 0; s < slots_.size(); ++s) {
      const int position = step_ - slots_[s].admitted;
      if (position < 0) continue;
      std::vector<std::vector<uint8_t>> parents;
      for (int lane = 0; lane < live_[s]; ++lane) {
        const uint8_t* row = Ancestry(int(s), lane);
        parents.emplace_back(row, row + position);
        parents.back().push_back(uint8_t(lane));
      }
      live_[s] = 1 + int(random_() % unsigned(slots_[s].beam));
      for (int lane = 0; lane < live_[s]; ++lane) {
        const auto& parent = parents[random_() % parents.size()];
        std::copy(parent.begin(), parent.end(), Ancestry(int(s), lane));
      }
    }
    ++step_;
  }

  size_t rows() const { return rows_.size(); }
  int step() const { return step_; }

 private:
  static constexpr int kMaxPositions = 70;
  static constexpr int kPagesPerLane = 3;
  using Key = std::tuple<int, int, int>;  // slot, lane, position

  std::vector<int32_t> Shuffled(int count) {
    std::vector<int32_t> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    std::shuffle(numbers.begin(), numbers.end(), random_);
    return numbers;
  }
  // StepRows::pages; what a row has no position for is no page.
  std::vector<int32_t> PagesOf(size_t first, size_t count, size_t bucket) const {
    constexpr size_t kStride = size_t{kPagesPerLane} * kPagePositions;
    std::vector<int32_t> pages(bucket * kStride, 1 << 30);
    for (size_t r = 0; r < count; ++r) {
      const StepRow& row = rows_[first + r];
      for (int p = 0; p <= row.position; ++p) {
        const int lane = p == row.position ? row.lane : Ancestry(row.slot, row.lane)[p];
        const int32_t number = slot_lanes_[size_t(row.slot) * kMaxSlotLanes + size_t(lane)];
        pages[r * kStride + size_t(p)] =
            lane_pages_[size_t(number) * kPagesPerLane + size_t(p) / kPagePositions];
      }
    }
    return pages;
  }
  const uint8_t* Ancestry(int slot, int lane) const {
    const int32_t number = slot_lanes_[size_t(slot) * kMaxSlotLanes + size_t(lane)];
    return ancestry_.data() + size_t(number) * kMaxPositions;
  }
  uint8_t* Ancestry(int slot, int lane) {
    return const_cast<uint8_t*>(std::as_const(*this).Ancestry(slot, lane));
  }

  const OpDevice device_;
  const KvLayout layout_;
  const std::vector<SearchSlot> slots_;
  const RandomBias distances_;
  const OpArray<float> table_;  // of distances_, on the device
  RelativeBias bias_;
  std::mt19937 random_;
  int step_ = 0;
  std::vector<int> live_;
  std::vector<StepRow> rows_;
  std::vector<float> qkv_;
  std::map<Key, std::vector<float>> written_;
  std::vector<int32_t> slot_lanes_;
  std::vector<int32_t> lane_pages_;
  std::vector<uint8_t> ancestry_;
  std::unique_ptr<OpNumbers> pool_;
};

void ExpectAgreesWithDouble(const OpDevice& device, bool with_bias) {
  for (const Heads s : {Heads{2, 64}, {1, 32}, {1, 128}, {3, 8}, {1, 24}, {1, 80}}) {
    const KvLayout layout = {.layers = 2, .heads = s.heads, .head_dim = s.head_dim};
    RandomSearch search(device, layout, {{1, 0}, {4, 3}, {5, 0}, {3, 40}}, with_bias);
    while (search.step() < kSteps) {
      search.Plan();
      const size_t bucket = search.rows() + search.rows() % 3;
      std::vector<float> y = search.Run(0, search.rows(), bucket).values;
      const std::vector<double> expected = search.Expected();
      for (size_t i = expected.size(); i < y.size(); ++i) ASSERT_EQ(y[i], 7.0F);
      y.resize(expected.size());
      ASSERT_LT(WorstError(y, expected), AttentionTolerance(device))
          << s.heads << "x" << s.head_dim << " step " << search.step();
      search.Reorder();
    }
  }
}

TEST_P(DecodeAttentionDeviceTest, FollowsTheAncestryAndAgreesWithDouble) {
  ExpectAgreesWithDouble(GetParam(), false);
}

TEST_P(DecodeAttentionDeviceTest, AddsTheBiasOfItsDistance) {
  ExpectAgreesWithDouble(GetParam(), true);
}

TEST_P(DecodeAttentionDeviceTest, FirstPositionAttendsToItself) {
  const OpDevice device = GetParam();
  const KvLayout layout = {.layers = 2, .heads = 2, .head_dim = 40};
  const size_t d = 80;
  RandomSearch search(device, layout, {{1, 0}});
  search.Plan();
  const std::vector<float> y = search.Run(0, 1, 1).values;
  const std::vector<double> v = search.Expected();
  for (size_t i = 0; i < d; ++i) EXPECT_EQ(double(y[i]), v[i]);
}

TEST_P(DecodeAttentionDeviceTest, RowsAreBitEqualInAnyCompany) {
  const OpDevice device = GetParam();
  const KvLayout layout = {.layers = 2, .heads = 2, .head_dim = 64};
  // One slot with the widest beam.
  RandomSearch search(device, layout, {{4, 0}, {64, 30}, {1, 20}, {9, 0}});
  for (; search.step() < 40; search.Reorder()) {
    search.Plan();
    const AttentionResult together = search.Run(0, search.rows(), search.rows());
    if (search.step() % 13 != 12) continue;
    for (size_t r = 0; r < search.rows(); ++r) {
      ASSERT_EQ(search.Run(r, 1, 1).bits, together.RowBits(r, 1)) << r;
    }
    for (size_t first = 1; first < search.rows(); first += 1 + first / 2) {
      const size_t count = search.rows() - first;
      ASSERT_EQ(search.Run(first, count, count + 5).RowBits(0, count),
                together.RowBits(first, count))
          << first;
    }
  }
}

// Two lanes of one slot, positions of both so far; one call after the other on the same pages.
class TwoLanes {
 public:
  TwoLanes(const OpDevice& device, const KvLayout& layout)
      : device_(device),
        layout_(layout),
        pool_(device,
              std::vector<float>(size_t(lane_pages_.size()) * layout.ElementsPerPage(), NAN)),
        lane_pages_on_device_(device, lane_pages_),
        slot_lanes_(device, Lanes()),
        ancestry_(device, std::vector<uint8_t>(2 * kMaxPositions, 0)),
        pages_(device, Pages()) {}

  // Rows of lane 0 at `position` and behind it, by the ancestry or by the step's table.
  std::vector<uint8_t> Attend(const std::vector<float>& qkv, int position, bool by_table) {
    const auto d = static_cast<size_t>(layout_.width());
    const size_t count = qkv.size() / (3 * d);
    std::vector<StepRow> rows;
    for (size_t r = 0; r < count; ++r) rows.push_back({0, 0, position + int(r)});
    const RowsOnDevice on_device(device_, rows, count + 2);
    const OpNumbers in(device_, RowsOf(qkv, 0, count, count + 2, 3 * d));
    const OpNumbers out(device_, std::vector<float>((count + 2) * d, 7.0F));
    const SelfKvTables tables = {.pool = pool_.data(),
                                 .lane_pages = lane_pages_on_device_.data(),
                                 .pages_per_lane = 2,
                                 .slot_lanes = slot_lanes_.data(),
                                 .ancestry = ancestry_.data(),
                                 .max_positions = kMaxPositions};
    if (device_.cuda || device_.emulated) {
      cuda::StepRows step = on_device.Step();
      if (by_table) {
        step.pages = pages_.data();
        step.page_stride = kMaxPositions;
      }
      const auto attend = DRAGOMAN_LAUNCHER(device_, DecodeSelfAttention);
      EXPECT_LAUNCHED(attend(kTestStream, device_.type, layout_, kLayer, step, tables, in.data(),
                             out.data(), RelativeBias()));
    } else {
      OpContext context;
      DecodeSelfAttention(context, layout_, kLayer, on_device.Cpu(), tables,
                          static_cast<const float*>(in.data()), static_cast<float*>(out.data()));
    }
    return AttentionResult(out, d).RowBits(0, count);
  }

  std::vector<uint8_t> PoolBits() const { return pool_.Bits(); }

 private:
  static constexpr int kMaxPositions = 2 * kPagePositions;

  static std::vector<int32_t> Lanes() {
    std::vector<int32_t> lanes(kMaxSlotLanes, 1 << 30);
    lanes[0] = 1;
    return lanes;
  }
  std::vector<int32_t> Pages() const {
    std::vector<int32_t> pages;
    for (int r = 0; r < kMaxPositions; ++r) {
      for (int p = 0; p < kMaxPositions; ++p) {
        pages.push_back(lane_pages_[size_t(2 + p / kPagePositions)]);
      }
    }
    return pages;
  }

  const OpDevice device_;
  const KvLayout layout_;
  const std::vector<int32_t> lane_pages_ = {0, 3, 2, 1};
  OpNumbers pool_;
  OpArray<int32_t> lane_pages_on_device_;
  OpArray<int32_t> slot_lanes_;
  OpArray<uint8_t> ancestry_;
  OpArray<int32_t> pages_;
};

TEST_P(DecodeAttentionDeviceTest, PositionsOfALaneAtOnceHaveTheBitsOfOneByOne) {
  const OpDevice device = GetParam();
  constexpr int kPositions = 45;
  for (const Heads s : {Heads{2, 64}, {1, 32}, {1, 128}, {3, 8}, {1, 80}}) {
    const KvLayout layout = {.layers = 2, .heads = s.heads, .head_dim = s.head_dim};
    const auto row = static_cast<size_t>(3 * layout.width());
    const auto qkv = Rounded(RandomFloats(kPositions * row, 8, 1.5F), device.type);
    const auto rows_of = [&](int first, int count) {
      const auto begin = qkv.begin() + std::ptrdiff_t(size_t(first) * row);
      return std::vector<float>(begin, begin + std::ptrdiff_t(size_t(count) * row));
    };
    TwoLanes one_by_one(device, layout);
    std::vector<uint8_t> expected;
    for (int p = 0; p < kPositions; ++p) {
      const auto bits = one_by_one.Attend(rows_of(p, 1), p, true);
      expected.insert(expected.end(), bits.begin(), bits.end());
    }
    // Into the second page with the fourth of these.
    for (const bool by_table : {false, true}) {
      TwoLanes at_once(device, layout);
      std::vector<uint8_t> found;
      int position = 0;
      for (const int count : {4, 1, 11, 17, 12}) {
        const auto bits = at_once.Attend(rows_of(position, count), position, by_table);
        found.insert(found.end(), bits.begin(), bits.end());
        position += count;
      }
      ASSERT_EQ(position, kPositions);
      EXPECT_EQ(found, expected) << s.heads << "x" << s.head_dim << " " << by_table;
      EXPECT_EQ(at_once.PoolBits(), one_by_one.PoolBits());
    }
  }
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(DecodeAttentionDeviceTest);

}  // namespace
}  // namespace dragoman
