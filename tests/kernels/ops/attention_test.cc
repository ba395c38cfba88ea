// Tests self-attention of decoding with every type of pages that the CPU has. The other tests are
// in decode_attention_device_test.cc.
#include <algorithm>
#include <numeric>

#include "kernels/ops/decode_attention.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

struct RowArrays {
  std::vector<int32_t> slot, lane, position;
  DecodeRows View() const {
    return {static_cast<int64_t>(slot.size()), slot.data(), lane.data(), position.data()};
  }
};

using DecodeAttentionTest = PerIsa;

// Some slots have several positions of one lane in a call, others have one. The results must have
// the bits of calls with one position each.
TEST_P(DecodeAttentionTest, PositionsOfALaneAtOnceHaveTheBitsOfOneByOne) {
  constexpr int kMaxPositions = 2 * kPagePositions;
  constexpr int kSlots = 9;
  constexpr int kPositions = 40;
  for (const ComputeType element :
       {ComputeType::kFloat32, ComputeType::kBFloat16, ComputeType::kInt8}) {
    const KvLayout layout = {.layers = 1, .heads = 4, .head_dim = 32, .host_element = element};
    const auto row = static_cast<size_t>(3 * layout.width());
    // Each slot has two lanes. Memory that was not written is NaN, because it must not be read.
    std::vector<int32_t> lane_pages(size_t{kSlots} * 4);
    std::iota(lane_pages.rbegin(), lane_pages.rend(), 0);
    std::vector<int32_t> slot_lanes(size_t{kSlots} * kMaxSlotLanes, -1);
    for (int s = 0; s < kSlots; ++s) {
      for (int lane = 0; lane < 2; ++lane) slot_lanes[s * kMaxSlotLanes + lane] = 2 * s + lane;
    }
    std::vector<uint8_t> ancestry(size_t{kSlots} * 2 * kMaxPositions, 0);
    const auto qkv = RandomFloats(size_t{kSlots} * kPositions * row, 11);
    // Computes all positions of lane 0 of all slots. Each call has `at_once` positions of each
    // slot.
    const auto run = [&](int at_once, int threads, std::vector<uint8_t>* pool) {
      pool->assign(lane_pages.size() * static_cast<size_t>(layout.HostPageBytes()), 0xFF);
      const SelfKvTables tables = {pool->data(),      lane_pages.data(), 2,
                                   slot_lanes.data(), ancestry.data(),   kMaxPositions};
      OpContext context(threads, 1);
      std::vector<float> all(size_t{kSlots} * kPositions * row / 3);
      for (int first = 0; first < kPositions; first += at_once) {
        RowArrays rows;
        std::vector<float> in;
        std::vector<size_t> from;
        for (int s = 0; s < kSlots; ++s) {
          // Every third slot has one position in every call.
          for (int p = first; p < first + (s % 3 == 2 ? 1 : at_once); ++p) {
            rows.slot.push_back(s);
            rows.lane.push_back(0);
            rows.position.push_back(s % 3 == 2 ? first / at_once : p);
            from.push_back(size_t(s) * kPositions + size_t(rows.position.back()));
            in.insert(in.end(), qkv.begin() + std::ptrdiff_t(from.back() * row),
                      qkv.begin() + std::ptrdiff_t((from.back() + 1) * row));
          }
        }
        std::vector<float> y(in.size() / 3);
        DecodeSelfAttention(context, layout, 0, rows.View(), tables, in.data(), y.data());
        for (size_t r = 0; r < from.size(); ++r) {
          std::copy_n(y.begin() + std::ptrdiff_t(r * row / 3), row / 3,
                      all.begin() + std::ptrdiff_t(from[r] * row / 3));
        }
      }
      return all;
    };
    std::vector<uint8_t> expected_pool;
    const std::vector<float> expected = run(1, 1, &expected_pool);
    for (const int threads : kThreadCounts) {
      for (const int at_once : {2, 4, 5, 8}) {
        std::vector<uint8_t> pool;
        const std::vector<float> found = run(at_once, threads, &pool);
        for (int s = 0; s < kSlots; ++s) {
          const size_t positions = size_t(s % 3 == 2 ? kPositions / at_once : kPositions);
          ASSERT_TRUE(SameBits(found.data() + size_t(s) * kPositions * row / 3,
                               expected.data() + size_t(s) * kPositions * row / 3,
                               positions * row / 3))
              << static_cast<int>(element) << " " << threads << " " << at_once << " " << s;
        }
      }
    }
  }
}

DRAGOMAN_FOR_EVERY_ISA(DecodeAttentionTest);

}  // namespace
}  // namespace dragoman::kernels
