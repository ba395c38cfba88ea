#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/row_check.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/output_layer_cuda.h"
#include "tests/gpu/bench/event_median.h"
#include "tests/gpu/variants/materialized_sweeps.h"
#include "tests/gpu/variants/variants_bench.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::bench {
namespace {

using nlohmann::json;

constexpr kernels::OpDevice kDevice = {.cuda = true};
constexpr int64_t kStride = (int64_t{kVocabulary} + 7) / 8 * 8;
// The number of rows whose logits are read before any logits are read again.
constexpr int64_t kRotatedRows = 2048;

absl::StatusOr<json> Measure(const kernels::cuda::OwnedStream& stream,
                             const kernels::OpArray<float>& bias, int64_t rows, int k) {
  const int turns = static_cast<int>(std::max<int64_t>(1, kRotatedRows / rows));
  kernels::cuda::DeviceBuffer logits;
  const int64_t count = turns * rows * kStride;
  if (auto s = Said(logits.Allocate(count * int64_t{sizeof(float)})); !s.ok()) return s;
  auto* const all = static_cast<float*>(logits.data());
  if (auto s =
          Said(kernels::cuda::FillRandom(stream.get(), kernels::ComputeType::kFloat32, count, all));
      !s.ok()) {
    return s;
  }
  const auto results = static_cast<size_t>(rows * k);
  const kernels::OpArray<kernels::TokenScore> top(kDevice,
                                                  std::vector<kernels::TokenScore>(results));
  std::vector<kernels::LogitSummary> row_summaries(static_cast<size_t>(rows));
  for (size_t r = 0; r < row_summaries.size(); ++r) {
    row_summaries[r].top = top.data() + r * static_cast<size_t>(k);
  }
  kernels::LogitRequest request;
  request.k = k;
  request.need_normaliser = true;
  std::vector<int32_t> list(row_summaries.size());
  std::iota(list.begin(), list.end(), 0);
  const kernels::OpArray<kernels::LogitRequest> requests(
      kDevice, std::vector<kernels::LogitRequest>(row_summaries.size(), request));
  const kernels::OpArray<kernels::LogitSummary> summaries(kDevice, row_summaries);
  const kernels::OpArray<int32_t> numbers(kDevice, list);
  const kernels::OpArray<int32_t> listed(kDevice, {static_cast<int32_t>(rows)});
  const kernels::OpArray<float> maxima(kDevice, std::vector<float>(row_summaries.size()));
  const kernels::OpArray<float> sums(kDevice, std::vector<float>(row_summaries.size()));
  const kernels::OpArray<int32_t> token(kDevice, std::vector<int32_t>(results));
  const kernels::OpArray<float> log_prob(kDevice, std::vector<float>(results));

  // Chunks of the production's size.
  const auto by_chunks = [&](int turn, const auto& work) {
    for (int64_t first = 0; first < rows; first += kernels::cuda::kChunkRows) {
      const int64_t n = std::min<int64_t>(kernels::cuda::kChunkRows, rows - first);
      const kernels::cuda::Error error = work(all + (turn * rows + first) * kStride, first, n);
      if (error != kernels::cuda::Error::kNone) return error;
    }
    return kernels::cuda::Error::kNone;
  };
  const auto fold = [&](float* chunk, int64_t first, int64_t n) {
    return kernels::cuda::FoldMaterializedLogits(stream.get(), chunk, kStride, bias.data(),
                                                 kVocabulary, {numbers.data(), listed.data(), rows},
                                                 first, n, requests.data(), summaries.data());
  };
  const auto sweep = [&](float* chunk, int64_t first, int64_t n) {
    return kernels::cuda::SeparateSweeps(stream.get(), chunk, kStride, bias.data(), kVocabulary, n,
                                         k, maxima.data() + first, sums.data() + first,
                                         token.data() + first * k, log_prob.data() + first * k);
  };
  // The single pass comes first, because it does not change the logits.
  const auto production =
      MedianGraphSeconds(stream.get(), turns, [&](int turn) { return by_chunks(turn, fold); });
  if (!production.ok()) return production.status();
  const auto variant =
      MedianGraphSeconds(stream.get(), turns, [&](int turn) { return by_chunks(turn, sweep); });
  if (!variant.ok()) return variant.status();
  json line = VariantLine(rows, *production, *variant);
  line["k"] = k;
  const int64_t passed = rows * kVocabulary;
  line["production_bytes"] = 4 * passed;
  line["variant_bytes"] = (24 + 4 * k) * passed;
  return line;
}

}  // namespace

absl::StatusOr<json> SweepVariant() {
  kernels::cuda::OwnedStream stream;
  if (auto s = Said(stream.Create(kernels::cuda::StreamPriority::kHigh)); !s.ok()) return s;
  const kernels::OpArray<float> bias(kDevice, std::vector<float>(kVocabulary, 0.25F));
  json lines = json::array();
  for (const int64_t rows : kStepRows) {
    for (const int k : {1, kBeam}) {
      auto line = Measure(stream, bias, rows, k);
      if (!line.ok()) return line.status();
      lines.push_back(*std::move(line));
    }
  }
  return lines;
}

}  // namespace dragoman::bench
