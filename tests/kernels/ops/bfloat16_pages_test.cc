// Tests of attention memory in bfloat16. With numbers that bfloat16 can hold, every operation must
// give the bits that it gives with memory in float32. (The last test checks that other numbers are
// rounded to nearest even.)
#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/ops/align.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

constexpr int kLayers = 2;
constexpr int kLayer = 1;

KvLayout In(ComputeType element, int heads, int head_dim) {
  return {kLayers, heads, head_dim, element};
}

std::vector<float> Representable(size_t n, uint32_t seed) {
  return AsOperand(ComputeType::kBFloat16, RandomFloats(n, seed), 1);
}

// Returns pages of 0xFF bytes, which are NaN, because pages that were not written must not be read.
std::vector<uint8_t> Pool(const KvLayout& layout, int pages) {
  return std::vector<uint8_t>(size_t(pages) * layout.HostPageBytes(), 0xFF);
}

using BFloat16Pages = PerIsa;

constexpr std::pair<int, int> kShapes[] = {{2, 64}, {4, 32}, {3, 20}, {1, 16}};

// Two lanes write 40 positions in turn. Each attends to what either has written. Returns all
// results.
std::vector<float> DecodeAll(ComputeType element, int heads, int head_dim) {
  const KvLayout layout = In(element, heads, head_dim);
  const int d = layout.width();
  constexpr int kPositions = 40;
  auto pool = Pool(layout, 4);
  const int32_t lane_pages[] = {2, 0, 1, 3};
  std::vector<int32_t> slot_lanes(kMaxSlotLanes, -1);
  slot_lanes[0] = 1, slot_lanes[1] = 0;
  std::vector<uint8_t> ancestry(2 * 64);
  for (size_t i = 0; i < ancestry.size(); ++i) ancestry[i] = i * 7 % 3 % 2;
  const SelfKvTables tables = {pool.data(), lane_pages, 2, slot_lanes.data(), ancestry.data(), 64};
  const int32_t slot[] = {0, 0};
  const int32_t lane[] = {0, 1};
  OpContext context;
  std::vector<float> all;
  for (int32_t p = 0; p < kPositions; ++p) {
    const int32_t position[] = {p, p};
    const auto qkv = Representable(size_t(2) * 3 * d, 100 + p);
    std::vector<float> y(2 * d);
    DecodeSelfAttention(context, layout, kLayer, {2, slot, lane, position}, tables, qkv.data(),
                        y.data());
    all.insert(all.end(), y.begin(), y.end());
  }
  return all;
}

TEST_P(BFloat16Pages, SelfAttentionHasTheBitsOfFloat32) {
  for (const auto& [heads, head_dim] : kShapes) {
    const auto half = DecodeAll(ComputeType::kBFloat16, heads, head_dim);
    const auto wide = DecodeAll(ComputeType::kFloat32, heads, head_dim);
    EXPECT_TRUE(SameBits(half.data(), wide.data(), wide.size())) << heads << "x" << head_dim;
    EXPECT_EQ(std::count_if(wide.begin(), wide.end(), [](float x) { return std::isnan(x); }), 0);
  }
}

struct CrossResult {
  std::vector<float> context;
  std::vector<uint16_t> aligned;
};

// Attends to a source of 45 positions with five rows, and to one of 7 positions with three rows.
CrossResult CrossAll(const KvLayout& layout, const std::vector<float>& kv) {
  const int d = layout.width();
  auto pool = Pool(layout, 3);
  const int32_t offsets[] = {0, 45, 52};
  const int32_t page_offsets[] = {0, 2, 3};
  const int32_t pages[] = {2, 0, 1};
  OpContext context;
  WriteCrossKv(context, layout, 0, kLayers, kv.data(), offsets, 2, page_offsets, pages,
               pool.data());
  const int32_t slot_pages[] = {2, 0, 1, -1};
  const int32_t lengths[] = {45, 7};
  const CrossKvTables tables = {pool.data(), slot_pages, 2, lengths};
  const int32_t slot[] = {0, 0, 0, 0, 0, 1, 1, 1};
  const DecodeRows rows = {8, slot, nullptr, nullptr};
  const auto q = RandomFloats(size_t(8) * d, 5);
  CrossResult result{std::vector<float>(8 * d), std::vector<uint16_t>(8)};
  CrossAttention(context, layout, kLayer, rows, tables, q.data(), result.context.data());
  std::vector<AlignRow> wanted;
  for (int32_t r = 0; r < 8; ++r) wanted.push_back({.row = r, .layer = kLayer});
  context.Reserve(AlignScratch(64));
  AlignRows(context, layout, kLayer, rows, tables, q.data(), wanted.data(), 8,
            result.aligned.data());
  return result;
}

TEST_P(BFloat16Pages, CrossAttentionAndAlignmentHaveTheBitsOfFloat32) {
  for (const auto& [heads, head_dim] : kShapes) {
    const auto kv = Representable(size_t(52) * kLayers * 2 * heads * head_dim, 3);
    const auto half = CrossAll(In(ComputeType::kBFloat16, heads, head_dim), kv);
    const auto wide = CrossAll(In(ComputeType::kFloat32, heads, head_dim), kv);
    EXPECT_TRUE(SameBits(half.context.data(), wide.context.data(), wide.context.size()));
    EXPECT_EQ(half.aligned, wide.aligned);
    EXPECT_GT(*std::max_element(wide.aligned.begin(), wide.aligned.end()), 0);
  }
}

// With one position, the result is the position's value.
TEST_P(BFloat16Pages, RoundsToNearestEven) {
  const KvLayout layout = {1, 1, 20, ComputeType::kBFloat16};
  auto pool = Pool(layout, 1);
  const int32_t zero = 0;
  const uint8_t ancestry[32] = {};
  auto qkv = RandomFloats(3 * 20, 1);
  // Two midpoints, one of which rounds down and one up to an even last bit, and a number that
  // rounds up to the next power of two.
  qkv[40] = std::bit_cast<float>(0x3F808000U);
  qkv[41] = std::bit_cast<float>(0x3F818000U);
  qkv[42] = std::bit_cast<float>(0x3FFFFFFFU);
  std::vector<float> y(20);
  OpContext context;
  DecodeSelfAttention(context, layout, 0, {1, &zero, &zero, &zero},
                      {pool.data(), &zero, 1, &zero, ancestry, 32}, qkv.data(), y.data());
  const auto expected =
      AsOperand(ComputeType::kBFloat16, std::vector<float>(qkv.begin() + 40, qkv.end()), 1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(y[i], expected[i]) << i;
  EXPECT_EQ(y[0], 1.0F);
  EXPECT_EQ(y[1], std::bit_cast<float>(0x3F820000U));
  EXPECT_EQ(y[2], 2.0F);
}

DRAGOMAN_FOR_EVERY_ISA(BFloat16Pages);

}  // namespace
}  // namespace dragoman::kernels
