// The three attentions against a plain double reference, and their promise of bit equality.
#include <algorithm>
#include <numeric>

#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/encoder_attention.h"
#include "tests/kernels/ops/attention_reference.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

constexpr Heads kShapes[] = {{4, 64}, {2, 32}, {3, 8}, {1, 20}, {2, 100}, {5, 16}};

class EncoderAttentionTest : public PerIsa {
 protected:
  static void AgreesWithDouble(const Heads s, const RelativeBias& bias);
};

void EncoderAttentionTest::AgreesWithDouble(const Heads s, const RelativeBias& bias) {
  const std::vector<int32_t> lengths = {1, 31, 32, 33, 5, 64, 70, 2};
  std::vector<int32_t> offsets = {0};
  for (int32_t n : lengths) offsets.push_back(offsets.back() + n);
  const int d = s.heads * s.head_dim;
  const auto qkv = RandomFloats(size_t(offsets.back()) * 3 * d, 1, 1.5F);
  OpContext context;
  std::vector<float> y(size_t(offsets.back()) * d);
  EncoderAttention(context, qkv.data(), offsets.data(), lengths.size(), s.heads, s.head_dim,
                   y.data(), bias);
  std::vector<double> expected;
  for (size_t segment = 0; segment < lengths.size(); ++segment) {
    std::vector<const float*> k;
    std::vector<const float*> v;
    for (int t = offsets[segment]; t < offsets[segment + 1]; ++t) {
      k.push_back(qkv.data() + size_t(t) * 3 * d + d);
      v.push_back(qkv.data() + size_t(t) * 3 * d + 2 * d);
    }
    for (int t = offsets[segment]; t < offsets[segment + 1]; ++t) {
      const auto row = Attend(qkv.data() + size_t(t) * 3 * d, k, v, s, bias, t - offsets[segment]);
      expected.insert(expected.end(), row.begin(), row.end());
    }
  }
  EXPECT_LT(WorstError(y, expected), 4e-6) << s.heads << "x" << s.head_dim;
}

TEST_P(EncoderAttentionTest, AgreesWithDoubleWithinSegments) {
  for (const Heads s : kShapes) AgreesWithDouble(s, {});
}

TEST_P(EncoderAttentionTest, AddsTheBiasOfItsDistance) {
  for (const Heads s : kShapes) {
    // The longest segment has 70 tokens; a bias may reach further.
    for (const int64_t positions : {70, 100}) {
      AgreesWithDouble(s, RandomBias(s.heads, positions, 2, 7).View());
    }
  }
}

TEST_P(EncoderAttentionTest, SegmentsAreBitEqualInAnyCompany) {
  const Heads s = {4, 64};
  const int d = s.heads * s.head_dim;
  const std::vector<int32_t> lengths = {7, 40, 1, 33, 96, 12, 13, 64};
  std::vector<int32_t> offsets = {0};
  for (int32_t n : lengths) offsets.push_back(offsets.back() + n);
  const auto qkv = RandomFloats(size_t(offsets.back()) * 3 * d, 1);
  const RandomBias bias(s.heads, 96, 2, 9);
  OpContext one;
  std::vector<float> alone(size_t(offsets.back()) * d);
  for (size_t i = 0; i < lengths.size(); ++i) {
    const int32_t only[] = {0, lengths[i]};
    EncoderAttention(one, qkv.data() + size_t(offsets[i]) * 3 * d, only, 1, s.heads, s.head_dim,
                     alone.data() + size_t(offsets[i]) * d, bias.View());
  }
  for (const int threads : kThreadCounts) {
    OpContext context(threads, 1);
    std::vector<float> y(alone.size());
    EncoderAttention(context, qkv.data(), offsets.data(), lengths.size(), s.heads, s.head_dim,
                     y.data(), bias.View());
    EXPECT_TRUE(SameBits(y.data(), alone.data(), y.size())) << threads;
  }
}

DRAGOMAN_FOR_EVERY_ISA(EncoderAttentionTest);

// A small batch with everything that can be mixed: lanes that are scattered over the batch, pages
// that are scattered over the pool, ancestries that jump between lanes.
class Batch {
 public:
  Batch(const KvLayout& layout, int slots, int beam, int max_positions, uint32_t seed)
      : layout_(layout),
        beam_(beam),
        max_positions_(max_positions),
        pages_per_lane_(static_cast<int>(KvLayout::PagesFor(max_positions))),
        slot_lanes_(size_t(slots) * kMaxSlotLanes, -1),
        generator_(seed) {
    const int lanes = slots * beam;
    std::vector<int32_t> numbers(lanes);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::shuffle(numbers.begin(), numbers.end(), generator_);
    for (int s = 0; s < slots; ++s) {
      for (int b = 0; b < beam; ++b) slot_lanes_[s * kMaxSlotLanes + b] = numbers[s * beam + b];
    }
    lane_pages_.resize(size_t(lanes) * pages_per_lane_);
    std::iota(lane_pages_.begin(), lane_pages_.end(), 0);
    std::shuffle(lane_pages_.begin(), lane_pages_.end(), generator_);
    // Memory that was not written must not be read: NaN would show.
    pool_.assign(lane_pages_.size() * layout.ElementsPerPage(), NAN);
    ancestry_.assign(size_t(lanes) * max_positions, 255);
    for (int s = 0; s < slots; ++s) {
      position_.push_back(1 + static_cast<int>(generator_() % (max_positions - 1)));
      for (int p = 0; p < position_.back(); ++p) {
        for (int b = 0; b < beam; ++b) {
          for (int layer = 0; layer < layout.layers; ++layer) {
            Fill(K(s, b, p, layer));
            Fill(V(s, b, p, layer));
          }
          ancestry_[size_t(Lane(s, b)) * max_positions + p] = generator_() % beam;
        }
      }
    }
  }

  int Lane(int slot, int lane) const { return slot_lanes_[slot * kMaxSlotLanes + lane]; }
  float* Page(int slot, int lane, int p) {
    return pool_.data() +
           lane_pages_[size_t(Lane(slot, lane)) * pages_per_lane_ + p / kPagePositions] *
               layout_.ElementsPerPage();
  }
  float* K(int slot, int lane, int p, int layer) {
    return Page(slot, lane, p) + layout_.SelfK(layer, p % kPagePositions);
  }
  float* V(int slot, int lane, int p, int layer) {
    return Page(slot, lane, p) + layout_.SelfV(layer, p % kPagePositions);
  }
  int Ancestor(int slot, int lane, int p) const {
    return ancestry_[size_t(Lane(slot, lane)) * max_positions_ + p];
  }
  int Position(int slot) const { return position_[slot]; }

  SelfKvTables Tables() {
    return {.pool = pool_.data(),
            .lane_pages = lane_pages_.data(),
            .pages_per_lane = pages_per_lane_,
            .slot_lanes = slot_lanes_.data(),
            .ancestry = ancestry_.data(),
            .max_positions = max_positions_};
  }

 private:
  void Fill(float* row) {
    std::normal_distribution<float> normal;
    for (int i = 0; i < layout_.width(); ++i) row[i] = normal(generator_);
  }

  const KvLayout layout_;
  const int beam_;
  const int max_positions_;
  const int pages_per_lane_;
  std::vector<int32_t> slot_lanes_;
  std::vector<int32_t> lane_pages_;
  std::vector<float> pool_;
  std::vector<uint8_t> ancestry_;
  std::vector<int> position_;
  std::mt19937 generator_;
};

struct Row {
  int32_t slot;
  int32_t lane;
};

struct RowArrays {
  std::vector<int32_t> slot, lane, position;
  DecodeRows View() const {
    return {static_cast<int64_t>(slot.size()), slot.data(), lane.data(), position.data()};
  }
};

RowArrays Arrays(const std::vector<Row>& rows, const Batch& batch) {
  RowArrays a;
  for (const Row& r : rows) {
    a.slot.push_back(r.slot);
    a.lane.push_back(r.lane);
    a.position.push_back(batch.Position(r.slot));
  }
  return a;
}

using DecodeAttentionTest = PerIsa;

TEST_P(DecodeAttentionTest, FollowsTheAncestryAndAgreesWithDouble) {
  for (const bool with_bias : {false, true}) {
    for (const Heads s : kShapes) {
      const RandomBias distances(s.heads, 75, 1, 8);
      const RelativeBias bias = with_bias ? distances.View() : RelativeBias{};
      const KvLayout layout = {.layers = 2, .heads = s.heads, .head_dim = s.head_dim};
      const int d = layout.width();
      Batch batch(layout, 6, 3, 75, 5);
      std::vector<Row> rows;
      for (int slot = 5; slot >= 0; --slot) {
        for (int lane = 0; lane < 3; ++lane) {
          if (slot != 2 || lane != 1) rows.push_back({slot, lane});
        }
      }
      const auto arrays = Arrays(rows, batch);
      const auto qkv = RandomFloats(rows.size() * 3 * d, 6, 1.5F);
      OpContext context;
      std::vector<float> y(rows.size() * d);
      DecodeSelfAttention(context, layout, 1, arrays.View(), batch.Tables(), qkv.data(), y.data(),
                          bias);
      std::vector<double> expected;
      for (size_t r = 0; r < rows.size(); ++r) {
        const auto [slot, lane] = rows[r];
        std::vector<const float*> k;
        std::vector<const float*> v;
        const int position = batch.Position(slot);
        for (int p = 0; p < position; ++p) {
          k.push_back(batch.K(slot, batch.Ancestor(slot, lane, p), p, 1));
          v.push_back(batch.V(slot, batch.Ancestor(slot, lane, p), p, 1));
        }
        const float* row = qkv.data() + r * 3 * d;
        k.push_back(row + d);
        v.push_back(row + 2 * d);
        EXPECT_TRUE(SameBits(batch.K(slot, lane, position, 1), row + d, d));
        EXPECT_TRUE(SameBits(batch.V(slot, lane, position, 1), row + 2 * d, d));
        const auto context_row = Attend(row, k, v, s, bias, position);
        expected.insert(expected.end(), context_row.begin(), context_row.end());
      }
      EXPECT_LT(WorstError(y, expected), 4e-6) << s.heads << "x" << s.head_dim;
    }
  }
}

TEST_P(DecodeAttentionTest, FirstPositionAttendsToItself) {
  const KvLayout layout = {.layers = 1, .heads = 2, .head_dim = 32};
  std::vector<float> pool(layout.ElementsPerPage(), NAN);
  const int32_t zero = 0;
  const uint8_t ancestry[32] = {};
  const SelfKvTables tables = {pool.data(), &zero, 1, &zero, ancestry, 32};
  const auto qkv = RandomFloats(3 * 64, 1);
  std::vector<float> y(64);
  OpContext context;
  DecodeSelfAttention(context, layout, 0, {1, &zero, &zero, &zero}, tables, qkv.data(), y.data());
  for (int i = 0; i < 64; ++i) EXPECT_EQ(y[i], qkv[128 + i]);
}

TEST_P(DecodeAttentionTest, RowsAreBitEqualInAnyCompany) {
  const KvLayout layout = {.layers = 1, .heads = 4, .head_dim = 32};
  const RandomBias bias(layout.heads, 100, 1, 9);
  const int d = layout.width();
  Batch batch(layout, 32, 4, 100, 5);
  std::vector<Row> rows;
  for (int slot = 0; slot < 32; ++slot) {
    for (int lane = 0; lane < 4; ++lane) rows.push_back({slot, lane});
  }
  const auto qkv = RandomFloats(rows.size() * 3 * d, 6);
  OpContext one;
  std::vector<float> alone(rows.size() * d);
  for (size_t r = 0; r < rows.size(); ++r) {
    DecodeSelfAttention(one, layout, 0, Arrays({rows[r]}, batch).View(), batch.Tables(),
                        qkv.data() + r * 3 * d, alone.data() + r * d, bias.View());
  }
  for (const int threads : kThreadCounts) {
    OpContext context(threads, 1);
    for (size_t n = 1; n <= rows.size(); n += threads == 1 ? 1 : 9) {
      // The last n rows: every row is seen at every index.
      const size_t first = rows.size() - n;
      const auto arrays = Arrays({rows.begin() + first, rows.end()}, batch);
      std::vector<float> y(n * d);
      DecodeSelfAttention(context, layout, 0, arrays.View(), batch.Tables(),
                          qkv.data() + first * 3 * d, y.data(), bias.View());
      ASSERT_TRUE(SameBits(y.data(), alone.data() + first * d, y.size())) << n << " " << threads;
    }
  }
}

// Slots that are at one position beside slots of which one lane has several; in every type of pages.
TEST_P(DecodeAttentionTest, PositionsOfALaneAtOnceHaveTheBitsOfOneByOne) {
  constexpr int kMaxPositions = 2 * kPagePositions;
  constexpr int kSlots = 9;
  constexpr int kPositions = 40;
  for (const ComputeType element :
       {ComputeType::kFloat32, ComputeType::kBFloat16, ComputeType::kInt8}) {
    const KvLayout layout = {.layers = 1, .heads = 4, .head_dim = 32, .host_element = element};
    const auto row = static_cast<size_t>(3 * layout.width());
    // Each slot has two lanes; memory that was not written must not be read.
    std::vector<int32_t> lane_pages(size_t{kSlots} * 4);
    std::iota(lane_pages.rbegin(), lane_pages.rend(), 0);
    std::vector<int32_t> slot_lanes(size_t{kSlots} * kMaxSlotLanes, -1);
    for (int s = 0; s < kSlots; ++s) {
      for (int lane = 0; lane < 2; ++lane) slot_lanes[s * kMaxSlotLanes + lane] = 2 * s + lane;
    }
    std::vector<uint8_t> ancestry(size_t{kSlots} * 2 * kMaxPositions, 0);
    const auto qkv = RandomFloats(size_t{kSlots} * kPositions * row, 11);
    // Every slot's positions of lane 0, in calls of `at_once` of them, by all slots together.
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
          // Every third slot goes one by one in any case.
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

// Cross K/V of some segments, written to scattered pages of a pool full of NaN.
class CrossMemory {
 public:
  CrossMemory(const KvLayout& layout, std::vector<int32_t> lengths, bool by_layer, int threads = 1)
      : layout_(layout), lengths_(std::move(lengths)), pages_per_slot_(8) {
    const int d = layout.width();
    offsets_ = {0};
    std::vector<int32_t> page_offsets = {0};
    for (int32_t n : lengths_) {
      offsets_.push_back(offsets_.back() + n);
      page_offsets.push_back(page_offsets.back() + static_cast<int>(KvLayout::PagesFor(n)));
    }
    std::vector<int32_t> pages(page_offsets.back());
    std::iota(pages.begin(), pages.end(), 0);
    std::shuffle(pages.begin(), pages.end(), std::mt19937(3));
    pool_.assign(pages.size() * layout.ElementsPerPage(), NAN);
    kv_ = RandomFloats(size_t(offsets_.back()) * layout.layers * 2 * d, 9);
    OpContext context(threads, 1);
    if (by_layer) {
      for (int layer = 0; layer < layout.layers; ++layer) {
        std::vector<float> part;
        for (int t = 0; t < offsets_.back(); ++t) {
          const float* row = K(t, layer);
          part.insert(part.end(), row, row + 2 * d);
        }
        WriteCrossKv(context, layout, layer, 1, part.data(), offsets_.data(), lengths_.size(),
                     page_offsets.data(), pages.data(), pool_.data());
      }
    } else {
      WriteCrossKv(context, layout, 0, layout.layers, kv_.data(), offsets_.data(), lengths_.size(),
                   page_offsets.data(), pages.data(), pool_.data());
    }
    slot_pages_.assign(lengths_.size() * pages_per_slot_, -1);
    for (size_t s = 0; s < lengths_.size(); ++s) {
      std::copy(pages.begin() + page_offsets[s], pages.begin() + page_offsets[s + 1],
                slot_pages_.begin() + s * pages_per_slot_);
    }
  }

  const float* K(int token, int layer) const {
    return kv_.data() + (size_t(token) * layout_.layers + layer) * 2 * layout_.width();
  }
  const float* V(int token, int layer) const { return K(token, layer) + layout_.width(); }
  int First(int slot) const { return offsets_[slot]; }
  int Length(int slot) const { return lengths_[slot]; }
  const std::vector<float>& pool() const { return pool_; }
  CrossKvTables Tables() const {
    return {pool_.data(), slot_pages_.data(), pages_per_slot_, lengths_.data()};
  }

 private:
  const KvLayout layout_;
  const std::vector<int32_t> lengths_;
  const int pages_per_slot_;
  std::vector<int32_t> offsets_;
  std::vector<int32_t> slot_pages_;
  std::vector<float> kv_;
  std::vector<float> pool_;
};

using CrossAttentionTest = PerIsa;

TEST_P(CrossAttentionTest, AgreesWithDouble) {
  for (const Heads s : kShapes) {
    const KvLayout layout = {.layers = 2, .heads = s.heads, .head_dim = s.head_dim};
    const int d = layout.width();
    const CrossMemory memory(layout, {1, 5, 32, 33, 64, 100}, false);
    // Widths 1..7: every height of a block of rows, and more than one block.
    DecodeRows rows;
    std::vector<int32_t> slot;
    for (int i = 0; i < 6; ++i) slot.insert(slot.end(), i + 2, 5 - i);
    rows.count = static_cast<int64_t>(slot.size());
    rows.slot = slot.data();
    const auto q = RandomFloats(slot.size() * d, 2, 1.5F);
    OpContext context;
    std::vector<float> y(slot.size() * d);
    CrossAttention(context, layout, 1, rows, memory.Tables(), q.data(), y.data());
    std::vector<double> expected;
    for (size_t r = 0; r < slot.size(); ++r) {
      std::vector<const float*> k;
      std::vector<const float*> v;
      for (int t = 0; t < memory.Length(slot[r]); ++t) {
        k.push_back(memory.K(memory.First(slot[r]) + t, 1));
        v.push_back(memory.V(memory.First(slot[r]) + t, 1));
      }
      const auto row = Attend(q.data() + r * d, k, v, s);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    EXPECT_LT(WorstError(y, expected), 4e-6) << s.heads << "x" << s.head_dim;
  }
}

TEST_P(CrossAttentionTest, WritingLayerByLayerOrByThreadsIsTheSame) {
  const KvLayout layout = {.layers = 3, .heads = 2, .head_dim = 20};
  const std::vector<int32_t> lengths = {40, 7, 32, 65};
  const CrossMemory at_once(layout, lengths, false);
  const CrossMemory by_layer(layout, lengths, true);
  const CrossMemory by_threads(layout, lengths, false, kThreadCounts.back());
  for (const float x : at_once.pool()) ASSERT_FALSE(std::isnan(x));
  EXPECT_TRUE(SameBits(at_once.pool().data(), by_layer.pool().data(), at_once.pool().size()));
  EXPECT_TRUE(SameBits(at_once.pool().data(), by_threads.pool().data(), at_once.pool().size()));
}

TEST_P(CrossAttentionTest, RowsAreBitEqualInAnyCompany) {
  const KvLayout layout = {.layers = 1, .heads = 4, .head_dim = 64};
  const int d = layout.width();
  std::vector<int32_t> lengths(24);
  for (int i = 0; i < 24; ++i) lengths[i] = 1 + i * 37 % 90;
  const CrossMemory memory(layout, lengths, false);
  std::vector<int32_t> slot;
  for (int i = 0; i < 24; ++i) slot.insert(slot.end(), 1 + i % 9, i);
  const auto q = RandomFloats(slot.size() * d, 2);
  OpContext one;
  std::vector<float> alone(slot.size() * d);
  for (size_t r = 0; r < slot.size(); ++r) {
    CrossAttention(one, layout, 0, {1, &slot[r], nullptr, nullptr}, memory.Tables(),
                   q.data() + r * d, alone.data() + r * d);
  }
  for (const int threads : kThreadCounts) {
    OpContext context(threads, 1);
    for (size_t n = 1; n <= slot.size(); n += threads == 1 ? 1 : 9) {
      const size_t first = slot.size() - n;
      std::vector<float> y(n * d);
      CrossAttention(context, layout, 0,
                     {static_cast<int64_t>(n), slot.data() + first, nullptr, nullptr},
                     memory.Tables(), q.data() + first * d, y.data());
      ASSERT_TRUE(SameBits(y.data(), alone.data() + first * d, y.size())) << n << " " << threads;
    }
  }
}

DRAGOMAN_FOR_EVERY_ISA(CrossAttentionTest);

}  // namespace
}  // namespace dragoman::kernels
