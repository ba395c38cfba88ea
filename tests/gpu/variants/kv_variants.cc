#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/row_check.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "tests/gpu/bench/event_median.h"
#include "tests/gpu/variants/own_kv.h"
#include "tests/gpu/variants/variants_bench.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::bench {
namespace {

using nlohmann::json;

constexpr kernels::OpDevice kDevice = {.cuda = true, .type = kernels::ComputeType::kFloat16};
constexpr kernels::ComputeType kType = kernels::ComputeType::kFloat16;
constexpr kernels::KvLayout kPages = {kLayers, kHeads, kHeadDim};
constexpr int kWidth = kHeads * kHeadDim;
constexpr int64_t kElement = 2;
constexpr int kRoom = kernels::kPagePositions;  // positions of a page, and of an own row
static_assert(kPosition < kRoom && kSource <= kRoom);
// The number of rows whose memory is read before any memory is read again.
constexpr int64_t kRotatedRows = 2048;

template <class T, class Of>
std::vector<T> Each(int64_t count, Of of) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>(of(i)));
  return values;
}

// The bytes of K and V of all layers, for `positions` positions in all.
int64_t KvBytes(int64_t positions) { return kLayers * positions * 2 * kWidth * kElement; }

// The tables of a step: every slot has kBeam rows.
struct Tables {
  explicit Tables(int64_t rows)
      : rows(rows),
        count(kDevice, {static_cast<int32_t>(rows)}),
        slot(kDevice, Each<int32_t>(rows, [](int64_t r) { return r / kBeam; })),
        lane(kDevice, Each<int32_t>(rows, [](int64_t r) { return r % kBeam; })),
        position(kDevice, Each<int32_t>(rows, [](int64_t) { return kPosition; })),
        length(kDevice, Each<int32_t>(rows, [](int64_t) { return kSource; })),
        parent(kDevice,
               Each<int32_t>(rows, [](int64_t r) { return r / kBeam * kBeam + r * 7 % 3; })),
        page(kDevice, Each<int32_t>(rows, [](int64_t r) { return r; })),
        slot_lanes(kDevice, Each<int32_t>(rows / kBeam * kernels::kMaxSlotLanes,
                                          [](int64_t i) {
                                            return i / kernels::kMaxSlotLanes * kBeam +
                                                   i % kernels::kMaxSlotLanes % kBeam;
                                          })),
        // The table after some reorders: one lane wrote the older positions of all hypotheses of a
        // slot.
        ancestry(kDevice, Each<uint8_t>(rows * kRoom,
                                        [](int64_t i) {
                                          const int64_t p = i % kRoom;
                                          const int64_t own = p < kPosition - 4 ? 0 : i / kRoom;
                                          return (p * 7 + own) % kBeam;
                                        })),
        step{.rows = rows,
             .count = count.data(),
             .slot = slot.data(),
             .lane = lane.data(),
             .position = position.data()} {}

  kernels::SelfKvTables Self(void* pool) const {
    return {pool, page.data(), 1, slot_lanes.data(), ancestry.data(), kRoom};
  }
  kernels::CrossKvTables Cross(const void* pool) const {
    return {pool, page.data(), 1, length.data()};
  }

  const int64_t rows;
  const kernels::OpArray<int32_t> count, slot, lane, position, length, parent, page, slot_lanes;
  const kernels::OpArray<uint8_t> ancestry;
  const kernels::cuda::StepRows step;
};

// Random K/V for both ways. There is one copy for each turn.
struct Memory {
  absl::Status Create(kernels::cuda::Stream stream, int64_t rows, int64_t pages) {
    own_layout = {kLayers, kHeads, kHeadDim, static_cast<int32_t>(rows), kRoom};
    const auto fill = [&](kernels::cuda::DeviceBuffer& buffer, int64_t elements) {
      const kernels::cuda::Error error = buffer.Allocate(elements * kElement);
      if (error != kernels::cuda::Error::kNone) return Said(error);
      return Said(kernels::cuda::FillRandom(stream, kType, elements, buffer.data()));
    };
    if (auto s = fill(pool, pages * kPages.ElementsPerPage()); !s.ok()) return s;
    if (auto s = fill(own[0], own_layout.Elements()); !s.ok()) return s;
    if (auto s = fill(own[1], own_layout.Elements()); !s.ok()) return s;
    return fill(qkv, rows * 3 * kWidth);
  }

  kernels::OwnKvLayout own_layout;
  kernels::cuda::DeviceBuffer pool, own[2], qkv;
};

class Bench {
 public:
  explicit Bench(int64_t rows) : tables_(rows), out_(kDevice, std::vector<float>(rows * kWidth)) {}

  absl::Status Create(int64_t pages) {
    if (auto s = Said(stream_.Create(kernels::cuda::StreamPriority::kHigh)); !s.ok()) return s;
    memory_.resize(std::max<size_t>(1, static_cast<size_t>(kRotatedRows / tables_.rows)));
    for (Memory& m : memory_) {
      if (auto s = m.Create(stream_.get(), tables_.rows, pages); !s.ok()) return s;
    }
    return Said(stream_.Wait());
  }

  // Measures the launch of each layer on the memory of a turn, after `first`.
  template <class First, class Layer>
  absl::StatusOr<double> Seconds(First first, Layer layer) {
    const auto turns = static_cast<int>(memory_.size());
    return MedianGraphSeconds(stream_.get(), turns, [&](int turn) {
      const Memory& memory = memory_[static_cast<size_t>(turn)];
      kernels::cuda::Error error = first(memory);
      for (int i = 0; i < kLayers && error == kernels::cuda::Error::kNone; ++i)
        error = layer(memory, i);
      return error;
    });
  }

  kernels::cuda::Error Gather(const Memory& m, const kernels::OpArray<int32_t>& positions) const {
    return kernels::cuda::GatherOwnKv(stream_.get(), kType, m.own_layout, tables_.rows,
                                      tables_.parent.data(), positions.data(), m.own[0].data(),
                                      m.own[1].data());
  }

  const Tables& tables() const { return tables_; }
  kernels::cuda::Stream stream() const { return stream_.get(); }
  void* out() const { return out_.data(); }

 private:
  const Tables tables_;
  const kernels::OpNumbers out_;
  kernels::cuda::OwnedStream stream_;
  std::vector<Memory> memory_;
};

kernels::cuda::Error Nothing(const Memory&) { return kernels::cuda::Error::kNone; }

absl::StatusOr<json> MeasureReorder(int64_t rows) {
  Bench bench(rows);
  if (auto s = bench.Create(rows); !s.ok()) return s;
  const Tables& t = bench.tables();
  const auto production = bench.Seconds(Nothing, [&](const Memory& m, int layer) {
    return kernels::cuda::DecodeSelfAttention(bench.stream(), kType, kPages, layer, t.step,
                                              t.Self(m.pool.data()), m.qkv.data(), bench.out());
  });
  if (!production.ok()) return production.status();
  const auto attend = [&](const Memory& m, int layer) {
    return kernels::cuda::OwnSelfAttention(bench.stream(), kType, m.own_layout, layer, rows,
                                           t.position.data(), m.qkv.data(), m.own[1].data(),
                                           bench.out());
  };
  const auto copy = [&](const Memory& m) { return bench.Gather(m, t.position); };
  const auto variant = bench.Seconds(copy, attend);
  if (!variant.ok()) return variant.status();
  const auto attention = bench.Seconds(Nothing, attend);
  if (!attention.ok()) return attention.status();
  json line = VariantLine(rows, *production, *variant);
  line["variant_attention_seconds"] = *attention;
  // Positions that rows of a slot share are counted for each row, although L1 and L2 serve most
  // reads.
  line["production_bytes"] = KvBytes(rows * (kPosition + 1));
  line["variant_bytes"] = KvBytes(rows * (3 * kPosition + 1));
  return line;
}

absl::StatusOr<json> MeasureCross(int64_t rows) {
  Bench bench(rows);
  if (auto s = bench.Create(rows / kBeam); !s.ok()) return s;
  const Tables& t = bench.tables();
  const auto production = bench.Seconds(Nothing, [&](const Memory& m, int layer) {
    return kernels::cuda::CrossAttention(bench.stream(), kType, kPages, layer, t.step,
                                         t.Cross(m.pool.data()), m.qkv.data(), bench.out());
  });
  if (!production.ok()) return production.status();
  const auto attend = [&](const Memory& m, int layer) {
    return kernels::cuda::OwnCrossAttention(bench.stream(), kType, m.own_layout, layer, rows,
                                            t.length.data(), m.qkv.data(), m.own[1].data(),
                                            bench.out());
  };
  const auto variant = bench.Seconds(Nothing, attend);
  if (!variant.ok()) return variant.status();
  const auto copied =
      bench.Seconds([&](const Memory& m) { return bench.Gather(m, t.length); }, attend);
  if (!copied.ok()) return copied.status();
  json line = VariantLine(rows, *production, *variant);
  line["variant_and_reorder_seconds"] = *copied;
  line["ratio_and_reorder"] = *production / *copied;
  line["production_bytes"] = KvBytes(rows / kBeam * kSource);
  line["variant_bytes"] = KvBytes(rows * kSource);
  return line;
}

absl::StatusOr<json> ForAllRows(absl::StatusOr<json> (*measure)(int64_t rows)) {
  json lines = json::array();
  for (const int64_t rows : kStepRows) {
    auto line = measure(rows);
    if (!line.ok()) return line.status();
    lines.push_back(*std::move(line));
  }
  return lines;
}

}  // namespace

absl::StatusOr<json> ReorderVariant() { return ForAllRows(MeasureReorder); }

absl::StatusOr<json> CrossVariant() { return ForAllRows(MeasureCross); }

}  // namespace dragoman::bench
