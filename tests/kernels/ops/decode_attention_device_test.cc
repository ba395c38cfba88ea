// Tests of self-attention of decoding on the CPU, on a device and emulated. A search with random
// reorders calls the operation itself, so that the operation reads what it appended in earlier
// steps.
#include "kernels/ops/decode_attention.h"

#include <map>
#include <tuple>
#include <utility>

#include "tests/kernels/ops/attention_reference.h"
#include "tests/kernels/ops/attention_result.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/random_beams.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using DecodeAttentionDeviceTest = OnOpDevice;

constexpr int kSteps = 68;  // reaches the third page
constexpr int kLayer = 1;

// A search with random reorders that calls the operation.
class RandomSearch {
 public:
  RandomSearch(const OpDevice& device, const KvLayout& layout, std::vector<SearchSlot> slots,
               bool with_bias = false)
      : device_(device),
        layout_(layout),
        beams_(std::move(slots)),
        distances_(layout.heads, RandomBeams::kMaxPositions, 1, 3),
        table_(device, distances_.table()),
        pool_(device, std::vector<float>(size_t(beams_.pages() * layout.ElementsPerPage()), NAN)) {
    if (with_bias) {
      bias_ = distances_.View();
      bias_.table = table_.data();
    }
  }

  // Plans the rows of the next step and draws their q, k and v.
  void Plan() {
    beams_.Plan();
    const auto d = static_cast<size_t>(layout_.width());
    qkv_ = Rounded(RandomFloats(rows() * 3 * d, 100 + uint32_t(step()), 1.5F), device_.type);
    for (size_t r = 0; r < rows(); ++r) {
      const StepRow& row = beams_.rows()[r];
      const auto begin = qkv_.begin() + std::ptrdiff_t(r * 3 * d);
      written_[Key(row.slot, row.lane, row.position)] = {begin, begin + 3 * d};
    }
  }

  // Runs `count` rows of the step, from `first` on, in a launch for `bucket` rows.
  AttentionResult Run(size_t first, size_t count, size_t bucket) {
    const auto d = static_cast<size_t>(layout_.width());
    const RandomBeams::OnDevice at(device_, beams_, first, count, bucket);
    const OpNumbers in(device_, RowsOf(qkv_, first, count, bucket, 3 * d));
    const SelfKvTables tables = at.Tables(pool_.data());
    const OpNumbers out(device_, std::vector<float>(bucket * d, 7.0F));
    if (device_.launches()) {
      const auto attend = DRAGOMAN_LAUNCHER(device_, DecodeSelfAttention);
      EXPECT_LAUNCHED(attend(kTestStream, device_.type, layout_, kLayer, at.Step(false), tables,
                             in.data(), out.data(), bias_));
      // The step's own table of pages must give the same bits.
      const OpNumbers by_table(device_, std::vector<float>(bucket * d, 7.0F));
      EXPECT_LAUNCHED(attend(kTestStream, device_.type, layout_, kLayer, at.Step(true), tables,
                             in.data(), by_table.data(), bias_));
      EXPECT_EQ(AttentionResult(by_table, d).bits, AttentionResult(out, d).bits);
    } else {
      // A single row is computed by one thread.
      OpContext context(count == 1 ? 1 : device_.threads, 1);
      DecodeSelfAttention(context, layout_, kLayer, at.Cpu(), tables,
                          static_cast<const float*>(in.data()), static_cast<float*>(out.data()),
                          bias_);
    }
    return {out, d};
  }

  std::vector<double> Expected() const {
    std::vector<double> expected;
    const auto d = static_cast<size_t>(layout_.width());
    for (const StepRow& row : beams_.rows()) {
      std::vector<const float*> k;
      std::vector<const float*> v;
      for (int p = 0; p <= row.position; ++p) {
        const float* qkv = written_.at(Key(row.slot, beams_.Writer(row, p), p)).data();
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

  void Reorder() { beams_.Reorder(); }

  size_t rows() const { return beams_.rows().size(); }
  int step() const { return beams_.step(); }

 private:
  using Key = std::tuple<int, int, int>;  // slot, lane, position

  const OpDevice device_;
  const KvLayout layout_;
  RandomBeams beams_;
  const RandomBias distances_;
  const OpArray<float> table_;  // distances_, on the device
  RelativeBias bias_;
  std::vector<float> qkv_;
  std::map<Key, std::vector<float>> written_;
  OpNumbers pool_;
};

void ExpectAgreesWithDouble(const OpDevice& device, bool with_bias) {
  for (const Heads s : AttentionShapes(device)) {
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

// Attention for the positions of one lane. Consecutive calls use the same pages.
class LaneAttention {
 public:
  LaneAttention(const OpDevice& device, const KvLayout& layout)
      : device_(device),
        layout_(layout),
        lane_(device),
        pool_(device,
              std::vector<float>(size_t(LaneOnDevice::kPages * layout.ElementsPerPage()), NAN)) {}

  // Attends with rows at `position` and after it. Finds pages by the step's table if `by_table`,
  // otherwise by the ancestry.
  std::vector<uint8_t> Attend(const std::vector<float>& qkv, int position, bool by_table) {
    const auto d = static_cast<size_t>(layout_.width());
    const size_t count = qkv.size() / (3 * d);
    const RowsOnDevice rows = lane_.Rows(position, count, count + 2);
    const OpNumbers in(device_, RowsOf(qkv, 0, count, count + 2, 3 * d));
    const OpNumbers out(device_, std::vector<float>((count + 2) * d, 7.0F));
    const SelfKvTables tables = lane_.Tables(pool_.data());
    if (device_.launches()) {
      cuda::StepRows step = rows.Step();
      if (by_table) lane_.ByTable(&step);
      const auto attend = DRAGOMAN_LAUNCHER(device_, DecodeSelfAttention);
      EXPECT_LAUNCHED(attend(kTestStream, device_.type, layout_, kLayer, step, tables, in.data(),
                             out.data(), RelativeBias()));
    } else {
      OpContext context(device_.threads, 1);
      DecodeSelfAttention(context, layout_, kLayer, rows.Cpu(), tables,
                          static_cast<const float*>(in.data()), static_cast<float*>(out.data()));
    }
    return AttentionResult(out, d).RowBits(0, count);
  }

  std::vector<uint8_t> PoolBits() const { return pool_.Bits(); }

 private:
  const OpDevice device_;
  const KvLayout layout_;
  const LaneOnDevice lane_;
  OpNumbers pool_;
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
    LaneAttention one_by_one(device, layout);
    std::vector<uint8_t> expected;
    for (int p = 0; p < kPositions; ++p) {
      const auto bits = one_by_one.Attend(rows_of(p, 1), p, true);
      expected.insert(expected.end(), bits.begin(), bits.end());
    }
    // The fourth of these calls reaches the second page.
    for (const bool by_table : {false, true}) {
      LaneAttention at_once(device, layout);
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
}  // namespace dragoman::kernels
