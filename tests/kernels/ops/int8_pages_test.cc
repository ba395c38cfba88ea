// Tests attention memory in int8 against attention in double over the numbers that int8 holds. K, V
// and the query are rounded per head, and the weights of V to 15 bits of the largest. (tests/bench
// measures what rounding K and V costs a translation.)
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/ops/align.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "tests/kernels/ops/attention_reference.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

constexpr int kLayers = 2;
constexpr int kLayer = 1;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Numbers of heads that fill one register, a part of one and several, and that are no power of two.
// head_dims of one register, of a half and a quarter of one, and of an odd number of pieces.
constexpr Heads kShapes[] = {{8, 64}, {4, 32}, {16, 64}, {20, 16}, {3, 48}, {1, 128}, {6, 64}};

KvLayout In(Heads shape) { return {kLayers, shape.heads, shape.head_dim, ComputeType::kInt8}; }

std::vector<float> Rounded(std::vector<float> x, Heads shape) {
  return AsOperand(ComputeType::kInt8, std::move(x), shape.head_dim);
}

// Returns pages of 0xFF bytes, which are NaN, because pages that were not written must not be read.
std::vector<uint8_t> Pool(const KvLayout& layout, int pages) {
  return std::vector<uint8_t>(size_t(pages) * layout.HostPageBytes(), 0xFF);
}

// Values are at most 5 here. In a tile of 32 positions, each weight times V's scale is rounded by
// at most half of 1/32767 of the largest. The remaining error is the rounding of f32.
constexpr float kTolerance = 5.0F * (0.5F * 32 / 32767 + 2e-5F);

void ExpectNear(const float* y, const std::vector<double>& expected, float tolerance, Heads shape) {
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(y[i], expected[i], tolerance) << shape.heads << "x" << shape.head_dim << " " << i;
  }
}

class Int8Pages : public ::testing::TestWithParam<cpu::Isa> {
  const WithIsa with_{GetParam()};
};

// The results of two lanes that write 75 positions in turn. Each attends to what either has
// written.
struct Decoded {
  std::vector<std::vector<float>> qkv;  // by position, for both lanes
  std::vector<std::vector<float>> y;
};
constexpr int kPositions = 75;
constexpr int kMaxPositions = 96;

int Ancestor(int lane, int position) { return (lane * 5 + position * 7) % 3 % 2; }

// `at_once` is the number of rows in a call.
Decoded DecodeAll(Heads shape, int work_per_thread, int threads, int at_once = 2,
                  const RelativeBias& bias = {}) {
  const KvLayout layout = In(shape);
  const int d = layout.width();
  auto pool = Pool(layout, 6);
  const int32_t lane_pages[] = {2, 0, 4, 1, 3, 5};
  std::vector<int32_t> slot_lanes(kMaxSlotLanes, -1);
  slot_lanes[0] = 1, slot_lanes[1] = 0;
  std::vector<uint8_t> ancestry(2 * kMaxPositions);
  for (int lane = 0; lane < 2; ++lane) {
    for (int p = 0; p < kMaxPositions; ++p) {
      ancestry[slot_lanes[lane] * kMaxPositions + p] = Ancestor(lane, p);
    }
  }
  const SelfKvTables tables = {pool.data(),       lane_pages,      3,
                               slot_lanes.data(), ancestry.data(), kMaxPositions};
  const int32_t slot[] = {0, 0};
  const int32_t lane[] = {0, 1};
  OpContext context(threads, work_per_thread);
  Decoded all;
  for (int32_t p = 0; p < kPositions; ++p) {
    const int32_t position[] = {p, p};
    all.qkv.push_back(RandomFloats(size_t(2) * 3 * d, 100 + p));
    all.y.emplace_back(2 * d);
    for (int r = 0; r < 2; r += at_once) {
      DecodeSelfAttention(context, layout, kLayer, {at_once, slot + r, lane + r, position + r},
                          tables, all.qkv.back().data() + r * 3 * d, all.y.back().data() + r * d,
                          bias);
    }
  }
  return all;
}

TEST_P(Int8Pages, SelfAttentionIsThatOfRoundedNumbers) {
  for (const Heads shape : kShapes) {
    for (const bool with_bias : {false, true}) {
      const RandomBias distances(shape.heads, kPositions, 1, 3);
      const RelativeBias bias = with_bias ? distances.View() : RelativeBias{};
      const Decoded all = DecodeAll(shape, 1 << 30, 1, 2, bias);
      const int d = shape.heads * shape.head_dim;
      std::vector<std::vector<float>> rounded;
      for (const auto& qkv : all.qkv) rounded.push_back(Rounded(qkv, shape));
      for (int p = 0; p < kPositions; ++p) {
        for (int lane = 0; lane < 2; ++lane) {
          std::vector<const float*> k, v;
          for (int i = 0; i <= p; ++i) {
            const float* row = rounded[i].data() + (i == p ? lane : Ancestor(lane, i)) * 3 * d;
            k.push_back(row + d);
            v.push_back(row + 2 * d);
          }
          ExpectNear(all.y[p].data() + lane * d,
                     Attend(rounded[p].data() + lane * 3 * d, k, v, shape, bias, p), kTolerance,
                     shape);
        }
      }
    }
  }
}

TEST_P(Int8Pages, ThreadsChangeNoBit) {
  const Heads shape = {8, 64};
  const Decoded one = DecodeAll(shape, 1 << 30, 1);
  const Decoded two = DecodeAll(shape, 1, 2);
  for (int p = 0; p < kPositions; ++p) {
    EXPECT_TRUE(SameBits(one.y[p].data(), two.y[p].data(), one.y[p].size())) << p;
  }
}

TEST_P(Int8Pages, RowsOfASlotAreBitEqualInAnyCompany) {
  for (const Heads shape : kShapes) {
    const Decoded both = DecodeAll(shape, 1 << 30, 1);
    const Decoded alone = DecodeAll(shape, 1 << 30, 1, 1);
    for (int p = 0; p < kPositions; ++p) {
      EXPECT_TRUE(SameBits(both.y[p].data(), alone.y[p].data(), both.y[p].size())) << p;
    }
  }
}

struct CrossResult {
  std::vector<float> context;
  std::vector<uint16_t> aligned;
};

constexpr int32_t kOffsets[] = {0, 45, 52};
constexpr int32_t kSlots[] = {0, 0, 0, 0, 0, 1, 1, 1};
constexpr int kRows = 8;

// Attends to a source of 45 positions with five rows, and to one of 7 positions with three rows.
// `at_once` is the number of rows in a call.
CrossResult CrossAll(Heads shape, const std::vector<float>& kv, const std::vector<float>& q,
                     int at_once = kRows) {
  const KvLayout layout = In(shape);
  auto pool = Pool(layout, 3);
  const int32_t page_offsets[] = {0, 2, 3};
  const int32_t pages[] = {2, 0, 1};
  OpContext context;
  WriteCrossKv(context, layout, 0, kLayers, kv.data(), kOffsets, 2, page_offsets, pages,
               pool.data());
  const int32_t slot_pages[] = {2, 0, 1, -1};
  const int32_t lengths[] = {45, 7};
  const CrossKvTables tables = {pool.data(), slot_pages, 2, lengths};
  const int d = layout.width();
  CrossResult result{std::vector<float>(size_t(kRows) * layout.width()),
                     std::vector<uint16_t>(kRows)};
  for (int r = 0; r < kRows; r += at_once) {
    CrossAttention(context, layout, kLayer, {at_once, kSlots + r, nullptr, nullptr}, tables,
                   q.data() + r * d, result.context.data() + r * d);
  }
  const DecodeRows rows = {kRows, kSlots, nullptr, nullptr};
  std::vector<AlignRow> wanted;
  for (int32_t r = 0; r < kRows; ++r) wanted.push_back({.row = r, .layer = kLayer, .heads = 1});
  context.Reserve(AlignScratch(64));
  AlignRows(context, layout, kLayer, rows, tables, q.data(), wanted.data(), kRows,
            result.aligned.data());
  return result;
}

TEST_P(Int8Pages, CrossAttentionAndAlignmentAreThoseOfRoundedNumbers) {
  for (const Heads shape : kShapes) {
    const int d = shape.heads * shape.head_dim;
    const auto kv = RandomFloats(size_t(52) * kLayers * 2 * d, 3);
    // The query is already rounded, because AlignRows does not round it.
    const auto q = Rounded(RandomFloats(size_t(kRows) * d, 5), shape);
    const CrossResult result = CrossAll(shape, kv, q);
    const auto rounded = Rounded(kv, shape);
    for (int r = 0; r < kRows; ++r) {
      std::vector<const float*> k, v;
      for (int t = kOffsets[kSlots[r]]; t < kOffsets[kSlots[r] + 1]; ++t) {
        k.push_back(rounded.data() + (size_t(t) * kLayers + kLayer) * 2 * d);
        v.push_back(k.back() + d);
      }
      ExpectNear(result.context.data() + r * d, Attend(q.data() + r * d, k, v, shape), kTolerance,
                 shape);
      auto weights = AttentionWeights(q.data() + r * d, k, 0, shape.head_dim);
      weights.pop_back();  // the end of the sentence is never a result
      const auto best = std::max_element(weights.begin(), weights.end());
      EXPECT_EQ(result.aligned[r], best - weights.begin()) << r;
    }
  }
}

TEST_P(Int8Pages, RowsOfASourceAreBitEqualInAnyCompany) {
  for (const Heads shape : kShapes) {
    const int d = shape.heads * shape.head_dim;
    const auto kv = RandomFloats(size_t(52) * kLayers * 2 * d, 3);
    const auto q = RandomFloats(size_t(kRows) * d, 5);
    const CrossResult all = CrossAll(shape, kv, q);
    for (const int at_once : {1, 2, 4}) {
      const CrossResult some = CrossAll(shape, kv, q, at_once);
      EXPECT_TRUE(SameBits(all.context.data(), some.context.data(), all.context.size())) << at_once;
    }
  }
}

// All numbers are at int8's limits, where sums are largest.
TEST_P(Int8Pages, HoldsExtremesExactly) {
  constexpr Heads kShape = {2, 128};
  const int d = 2 * 128;
  std::vector<float> kv(size_t(52) * kLayers * 2 * d);
  for (size_t i = 0; i < kv.size(); ++i) kv[i] = i / 64 % 2 == 0 ? 127.0F : -127.0F;
  std::vector<float> q(size_t(kRows) * d);
  for (size_t i = 0; i < q.size(); ++i) q[i] = i / 64 % 2 == 0 ? 127.0F : -127.0F;
  const CrossResult result = CrossAll(kShape, kv, q);
  // All positions are equal, so each row's context is V itself.
  for (size_t i = 0; i < q.size(); ++i) {
    ASSERT_NEAR(result.context[i], kv[i % d], 127 * 1e-6) << i;
  }
}

TEST_P(Int8Pages, NanStaysInItsHead) {
  constexpr Heads kShape = {4, 32};
  const int d = 4 * 32;
  const auto q = RandomFloats(size_t(kRows) * d, 5);
  for (const int part : {0, 1}) {
    for (const float bad : {kNan, std::numeric_limits<float>::infinity()}) {
      auto kv = RandomFloats(size_t(52) * kLayers * 2 * d, 3);
      // Position 3 of the first source, head 2.
      kv[(size_t(3) * kLayers + kLayer) * 2 * d + part * d + 2 * 32 + 7] = bad;
      const CrossResult result = CrossAll(kShape, kv, q);
      for (int r = 0; r < kRows; ++r) {
        for (int i = 0; i < d; ++i) {
          const bool touched = part == 1 && kSlots[r] == 0 && i / 32 == 2;
          // A NaN score gives its position no weight, as in float32.
          EXPECT_EQ(std::isnan(result.context[r * d + i]), touched) << r << " " << i;
        }
      }
    }
  }
}

// Numbers that are too small for a scale become zeros, like a row of zeros, which has scale 0.
TEST_P(Int8Pages, ZerosAreZeros) {
  constexpr Heads kShape = {8, 64};
  const std::vector<float> kv(size_t(52) * kLayers * 2 * 8 * 64, 1e-35F);
  const CrossResult result = CrossAll(kShape, kv, RandomFloats(size_t(kRows) * 8 * 64, 5));
  for (const float x : result.context) ASSERT_EQ(x, 0.0F);
}

INSTANTIATE_TEST_SUITE_P(Cpu, Int8Pages, ::testing::ValuesIn(cpu::SupportedIsas()), IsaTestName);

}  // namespace
}  // namespace dragoman::kernels
