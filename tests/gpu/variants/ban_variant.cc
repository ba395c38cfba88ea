#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/stream.h"
#include "kernels/search/batch_step_cuda.h"
#include "kernels/search/batch_tables.h"
#include "tests/gpu/bench/event_median.h"
#include "tests/gpu/variants/host_bans.h"
#include "tests/gpu/variants/variants_bench.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::bench {
namespace {

using nlohmann::json;

constexpr kernels::OpDevice kDevice = {.cuda = true};
constexpr int kNgram = 3;
constexpr int kMaxTokens = 64;
constexpr int kWords = 12;  // different words in a history: some rows have bans, most have none

// The device state of a batch whose segments are half decoded.
class Batch {
 public:
  absl::Status Create(const kernels::cuda::OwnedStream& owned, int64_t rows, int no_repeat_ngram) {
    const kernels::cuda::Stream stream = owned.get();
    const auto count = static_cast<int32_t>(rows);
    const kernels::BatchLimits limits = {.max_rows = count,
                                         .lanes = count,
                                         .positions = kMaxTokens + 1,
                                         .self_pages = count,
                                         .vocabulary = kVocabulary,
                                         .start_token = 0,
                                         .workspaces = 1,
                                         .materialized_rows = 1,
                                         .materialized_workspaces = 1,
                                         .rules_words = 1};
    const int64_t bytes = kernels::CarveBatch(limits, nullptr, &tables_);
    if (auto s = Said(memory_.Allocate(bytes)); !s.ok()) return s;
    kernels::CarveBatch(limits, memory_.data(), &tables_);
    if (auto s = Said(kernels::cuda::Fill(stream, memory_.data(), 0, bytes)); !s.ok()) return s;
    if (auto s = Said(kernels::cuda::FormatBatch(stream, tables_)); !s.ok()) return s;

    const auto upload = [&](auto* to, const auto& values) {
      return Said(kernels::cuda::Copy(stream, to, values.data(),
                                      static_cast<int64_t>(values.size() * sizeof(values[0]))));
    };
    std::vector<kernels::BatchScalars> now(1);
    if (auto s = Said(
            kernels::cuda::Copy(stream, now.data(), tables_.now, sizeof(kernels::BatchScalars)));
        !s.ok()) {
      return s;
    }
    if (auto s = Said(owned.Wait()); !s.ok()) return s;
    now[0].plan.rows = count;
    now[0].plan.slot_count = count / kBeam;
    kernels::SlotState state;
    state.status = kernels::SlotStatus::kRunning;
    state.options.beam = kBeam;
    state.options.max_tokens = kMaxTokens;
    state.options.no_repeat_ngram = no_repeat_ngram;
    state.length = kPosition;
    state.live = kBeam;
    std::vector<int32_t> slot, lane,
        lanes(static_cast<size_t>(rows / kBeam) * kernels::kMaxSlotLanes);
    for (int32_t r = 0; r < count; ++r) {
      slot.push_back(r / kBeam);
      lane.push_back(r % kBeam);
      lanes[static_cast<size_t>(r / kBeam) * kernels::kMaxSlotLanes +
            static_cast<size_t>(r % kBeam)] = r;
    }
    std::mt19937 random(1);
    const auto entries = static_cast<size_t>(rows * limits.stride());
    std::vector<int32_t> tokens(entries);
    std::vector<uint8_t> ancestry(entries);
    for (int32_t& token : tokens) token = static_cast<int32_t>(random() % kWords) + 1;
    for (uint8_t& writer : ancestry) writer = static_cast<uint8_t>(random() % kBeam);
    const std::vector<int32_t> position(static_cast<size_t>(rows), kPosition);
    for (const absl::Status& s :
         {upload(tables_.now, now),
          upload(tables_.states,
                 std::vector<kernels::SlotState>(static_cast<size_t>(rows / kBeam), state)),
          upload(tables_.slot_lanes, lanes), upload(tables_.row_slot, slot),
          upload(tables_.row_lane, lane), upload(tables_.row_position, position),
          upload(tables_.lanes.tokens, tokens), upload(tables_.lanes.ancestry, ancestry)}) {
      if (!s.ok()) return s;
    }
    return absl::OkStatus();
  }

  const kernels::BatchTables& tables() const { return tables_; }

 private:
  kernels::cuda::DeviceBuffer memory_;
  kernels::BatchTables tables_;
};

absl::StatusOr<json> Measure(int64_t rows) {
  kernels::cuda::OwnedStream stream;
  if (auto s = Said(stream.Create(kernels::cuda::StreamPriority::kHigh)); !s.ok()) return s;
  Batch with, without;
  if (auto s = with.Create(stream, rows, kNgram); !s.ok()) return s;
  if (auto s = without.Create(stream, rows, 0); !s.ok()) return s;
  std::mt19937 random(1);
  std::vector<int32_t> copied(static_cast<size_t>(rows) * kPosition);
  for (int32_t& token : copied) token = static_cast<int32_t>(random() % kWords) + 1;
  const kernels::OpArray<int32_t> tokens(kDevice, copied);
  const std::vector<int32_t> length(static_cast<size_t>(rows), kPosition);
  kernels::cuda::HostBans bans;
  if (auto s = Said(bans.Create(rows, kPosition)); !s.ok()) return s;

  const auto ask = [&](const Batch& batch) {
    return kernels::cuda::PrepareRows(stream.get(), batch.tables(), rows,
                                      kernels::cuda::MaterializedList::kNotFused);
  };
  const auto production = MedianGraphSeconds(stream.get(), 1, [&](int) { return ask(with); });
  if (!production.ok()) return production.status();
  const auto unbanned = MedianGraphSeconds(stream.get(), 1, [&](int) { return ask(without); });
  if (!unbanned.ok()) return unbanned.status();
  // Not in a graph, because the host takes part in it.
  const auto variant = MedianSeconds(stream.get(), [&](int) {
    const kernels::cuda::Error error = ask(without);
    if (error != kernels::cuda::Error::kNone) return error;
    return bans.Run(stream.get(), tokens.data(), length, kNgram, without.tables().requests);
  });
  if (!variant.ok()) return variant.status();
  json line = VariantLine(rows, *production, *variant);
  line["prepare_without_bans_seconds"] = *unbanned;
  line["production_bytes"] = 5 * rows * kPosition;
  line["variant_bytes_over_the_bus"] = 4 * rows * kPosition + 4 * (rows + 1);
  return line;
}

}  // namespace

absl::StatusOr<json> BanVariant() {
  json lines = json::array();
  // 128 hypotheses, as in the paper.
  for (const int64_t rows : {int64_t{128}, kStepRows[0], kStepRows[1], kStepRows[2]}) {
    auto line = Measure(rows);
    if (!line.ok()) return line.status();
    lines.push_back(*std::move(line));
  }
  return lines;
}

}  // namespace dragoman::bench
