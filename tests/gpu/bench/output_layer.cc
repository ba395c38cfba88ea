#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/linear_cuda.h"
#include "kernels/ops/output_layer_cuda.h"
#include "tests/gpu/bench/event_median.h"
#include "tests/gpu/bench/parts.h"
#include "tests/gpu/variants/materialized_sweeps.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::bench {
namespace {

using nlohmann::json;

constexpr int kHidden = 512;
constexpr kernels::ComputeType kType = kernels::ComputeType::kFloat16;
constexpr kernels::OpDevice kDevice = {true, kType};

std::vector<float> Uniform(int64_t count, float scale, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& x : numbers) {
    x = static_cast<float>(static_cast<int32_t>(random())) / static_cast<float>(1U << 31) * scale;
  }
  return numbers;
}

// The rows of one step, with k rows to a slot, and the tables that the operations read.
struct StepArrays {
  StepArrays(int64_t rows, int k)
      : top(kDevice, std::vector<kernels::TokenScore>(static_cast<size_t>(rows * k))),
        count(kDevice, std::vector<int32_t>{static_cast<int32_t>(rows)}),
        slot_count(kDevice, std::vector<int32_t>{static_cast<int32_t>(rows / k)}),
        row_slot(kDevice, Divided(rows, k)),
        numbers(kDevice, Divided(rows, 1)),
        first_row(kDevice, Multiplied(rows / k, k)),
        states(kDevice, States(rows / k, k)),
        views(kDevice, Views(rows / k)),
        requests(kDevice, Requests(rows, k)),
        summaries(kDevice, Summaries(rows, k)) {
    step.rows = rows;
    step.count = count.data();
    step.slot = row_slot.data();
    step.lane = numbers.data();
    step.position = numbers.data();
    step.slots = numbers.data();
    step.first_row = first_row.data();
    step.slot_count = slot_count.data();
    materialized = {numbers.data(), count.data(), rows};
  }

  static std::vector<int32_t> Divided(int64_t rows, int k) {
    std::vector<int32_t> x;
    for (int64_t r = 0; r < rows; ++r) x.push_back(static_cast<int32_t>(r / k));
    return x;
  }
  static std::vector<int32_t> Multiplied(int64_t slots, int k) {
    std::vector<int32_t> x;
    for (int64_t s = 0; s < slots; ++s) x.push_back(static_cast<int32_t>(s * k));
    return x;
  }
  static std::vector<kernels::SlotState> States(int64_t slots, int k) {
    kernels::SlotState state;
    state.status = kernels::SlotStatus::kRunning;
    state.options.beam = k;
    state.live = k;
    return std::vector<kernels::SlotState>(static_cast<size_t>(slots), state);
  }
  std::vector<kernels::SlotView> Views(int64_t slots) const {
    std::vector<kernels::SlotView> x(static_cast<size_t>(slots));
    for (size_t s = 0; s < x.size(); ++s) x[s].state = states.data() + s;
    return x;
  }
  static std::vector<kernels::LogitRequest> Requests(int64_t rows, int k) {
    kernels::LogitRequest request;
    request.k = k;
    request.need_normaliser = true;
    return std::vector<kernels::LogitRequest>(static_cast<size_t>(rows), request);
  }
  std::vector<kernels::LogitSummary> Summaries(int64_t rows, int k) const {
    std::vector<kernels::LogitSummary> x(static_cast<size_t>(rows));
    for (size_t r = 0; r < x.size(); ++r) x[r].top = top.data() + r * static_cast<size_t>(k);
    return x;
  }

  kernels::OpArray<kernels::TokenScore> top;
  kernels::OpArray<int32_t> count, slot_count, row_slot, numbers, first_row;
  kernels::OpArray<kernels::SlotState> states;
  kernels::OpArray<kernels::SlotView> views;
  kernels::OpArray<kernels::LogitRequest> requests;
  kernels::OpArray<kernels::LogitSummary> summaries;
  kernels::cuda::StepRows step;
  kernels::cuda::MaterializedRows materialized;
};

struct Case {
  int64_t rows;
  int k;
};

// Measures all cases of one vocabulary, whose weights are made once.
class Layer {
 public:
  explicit Layer(int vocabulary)
      : vocabulary_(vocabulary),
        stride_((vocabulary + 7) / 8 * 8),
        weight_(kDevice, Uniform(stride_ * kHidden, 0.08F, 1)),
        bias_(kDevice, Uniform(vocabulary, 0.5F, 2)) {}

  absl::Status Create(const std::vector<Case>& cases) {
    std::string why;
    blas_ = kernels::cuda::Blas::Create(&why);
    if (blas_ == nullptr) return absl::InternalError(why);
    std::vector<int> buckets;
    int64_t most = 0;
    for (const Case& c : cases) {
      most = std::max(most, c.rows);
      for (int64_t first = 0; first < c.rows; first += kernels::cuda::kChunkRows) {
        buckets.push_back(
            static_cast<int>(std::min<int64_t>(kernels::cuda::kChunkRows, c.rows - first)));
      }
    }
    std::sort(buckets.begin(), buckets.end());
    buckets.erase(std::unique(buckets.begin(), buckets.end()), buckets.end());
    kernels::cuda::LinearOptions options;
    options.in = kHidden;
    options.out = static_cast<int>(stride_);  // as in the engine (weight_image.h)
    options.type = kType;
    options.float_output = true;
    options.tune_rows = kernels::cuda::kChunkRows;
    product_ =
        kernels::cuda::Linear::Create(blas_.get(), options, weight_.data(), nullptr, buckets, &why);
    if (product_ == nullptr) return absl::InternalError(why);
    fused_ =
        kernels::cuda::FusedOutput::Create(kType, kernels::QuantizedType::kNone, weight_.data(),
                                           bias_.data(), kHidden, vocabulary_, &why_not_fused_);
    int64_t fused_bytes = fused_ != nullptr ? fused_->WorkspaceBytes(most) : 0;
    for (const kernels::QuantizedType quantized :
         {kernels::QuantizedType::kInt8, kernels::QuantizedType::kFloat8}) {
      auto layer = kernels::cuda::FusedOutput::Create(kType, quantized, weight_.data(),
                                                      bias_.data(), kHidden, vocabulary_, &why);
      if (layer == nullptr) {
        std::printf("%s: %s\n", kernels::QuantizedTypeName(quantized), why.c_str());
        continue;
      }
      fused_bytes = std::max(fused_bytes, layer->WorkspaceBytes(most));
      quantized_.push_back(std::move(layer));
    }
    for (const auto& [buffer, bytes] :
         {std::pair{&blas_workspace_, kernels::cuda::Blas::kWorkspaceBytes},
          {&fused_workspace_, fused_bytes},
          {&logits_, kernels::cuda::kChunkRows * stride_ * int64_t{sizeof(float)}}}) {
      if (auto status = Said(buffer->Allocate(bytes)); !status.ok()) return status;
    }
    return Said(stream_.Create(kernels::cuda::StreamPriority::kHigh));
  }

  absl::StatusOr<json> Measure(const Case& c);

  const std::string& why_not_fused() const { return why_not_fused_; }

 private:
  const int vocabulary_;
  const int64_t stride_;
  const kernels::OpNumbers weight_;
  const kernels::OpArray<float> bias_;
  std::unique_ptr<kernels::cuda::Blas> blas_;
  std::unique_ptr<kernels::cuda::Linear> product_;
  std::unique_ptr<kernels::cuda::FusedOutput> fused_;
  std::vector<std::unique_ptr<kernels::cuda::FusedOutput>>
      quantized_;  // of the types that the device supports
  std::string why_not_fused_;
  kernels::cuda::OwnedStream stream_;
  kernels::cuda::DeviceBuffer blas_workspace_, fused_workspace_, logits_;
};

absl::StatusOr<json> Layer::Measure(const Case& c) {
  const kernels::OpNumbers hidden(kDevice, Uniform(c.rows * kHidden, 1.0F, 3));
  const StepArrays arrays(c.rows, c.k);
  const kernels::OpArray<float> maxima(kDevice, std::vector<float>(static_cast<size_t>(c.rows)));
  const kernels::OpArray<float> sums(kDevice, std::vector<float>(static_cast<size_t>(c.rows)));
  const kernels::OpArray<int32_t> tokens(kDevice,
                                         std::vector<int32_t>(static_cast<size_t>(c.rows * c.k)));
  const kernels::OpArray<float> scores(kDevice,
                                       std::vector<float>(static_cast<size_t>(c.rows * c.k)));
  auto* const logits = static_cast<float*>(logits_.data());

  // Runs `work` for all chunks of rows, one after the other.
  const auto by_chunks =
      [&](const std::function<kernels::cuda::Error(int64_t first, int64_t n)>& work) {
        for (int64_t first = 0; first < c.rows; first += kernels::cuda::kChunkRows) {
          const int64_t n = std::min<int64_t>(kernels::cuda::kChunkRows, c.rows - first);
          if (const kernels::cuda::Error error = work(first, n);
              error != kernels::cuda::Error::kNone)
            return error;
        }
        return kernels::cuda::Error::kNone;
      };
  const auto product = [&](int64_t first, int64_t n) {
    const auto* const x = static_cast<const std::byte*>(hidden.data()) +
                          first * kHidden * kernels::ElementBytes(kType);
    return product_->Run(stream_.get(), blas_workspace_.data(), x, n, nullptr, logits);
  };
  const auto fold = [&](int64_t first, int64_t n) {
    return kernels::cuda::FoldMaterializedLogits(stream_.get(), logits, stride_, bias_.data(),
                                                 vocabulary_, arrays.materialized, first, n,
                                                 arrays.requests.data(), arrays.summaries.data());
  };
  const auto sweeps = [&](int64_t first, int64_t n) {
    return kernels::cuda::SeparateSweeps(stream_.get(), logits, stride_, bias_.data(), vocabulary_,
                                         n, c.k, maxima.data() + first, sums.data() + first,
                                         tokens.data() + first * c.k, scores.data() + first * c.k);
  };
  const auto both = [&](const auto& second) {
    return [&](int64_t first, int64_t n) {
      const kernels::cuda::Error error = product(first, n);
      return error != kernels::cuda::Error::kNone ? error : second(first, n);
    };
  };

  json line = {{"vocabulary", vocabulary_}, {"rows", c.rows}, {"k", c.k}};
  const std::vector<std::pair<const char*, std::function<kernels::cuda::Error(int)>>> ways = {
      {"product_seconds", [&](int) { return by_chunks(product); }},
      {"fold_seconds", [&](int) { return by_chunks(fold); }},
      {"sweeps_seconds", [&](int) { return by_chunks(sweeps); }},
      {"layer_sweeps_seconds", [&](int) { return by_chunks(both(sweeps)); }},
      {"layer_stored_seconds", [&](int) { return by_chunks(both(fold)); }},
  };
  for (const auto& [name, way] : ways) {
    const auto seconds = MedianSeconds(stream_.get(), way);
    if (!seconds.ok()) return seconds.status();
    line[name] = *seconds;
  }
  const std::vector<kernels::TokenScore> materialized = arrays.top.Download();
  line["fold_over_sweeps"] =
      line["fold_seconds"].get<double>() / line["sweeps_seconds"].get<double>();
  const auto fold_by = [&](const kernels::cuda::FusedOutput& layer) {
    return MedianSeconds(stream_.get(), [&](int) {
      return layer.Fold(stream_.get(), fused_workspace_.data(), hidden.data(), arrays.step,
                        arrays.views.data(), c.k, arrays.requests.data(), arrays.summaries.data());
    });
  };
  for (const auto& layer : quantized_) {
    const auto quantized_seconds = fold_by(*layer);
    if (!quantized_seconds.ok()) return quantized_seconds.status();
    line[absl::StrCat("layer_", kernels::QuantizedTypeName(layer->products()), "_seconds")] =
        *quantized_seconds;
  }
  if (fused_ == nullptr) return line;
  const auto seconds = fold_by(*fused_);
  if (!seconds.ok()) return seconds.status();
  line["layer_fused_seconds"] = *seconds;
  line["fused_over_sweeps"] = *seconds / line["layer_sweeps_seconds"].get<double>();
  line["fused_over_stored"] = *seconds / line["layer_stored_seconds"].get<double>();
  line["fused_flop_per_second"] =
      2.0 * static_cast<double>(c.rows) * vocabulary_ * kHidden / *seconds;
  // If two tokens nearly tie, the order of summation decides which one is better.
  int64_t same = 0;
  const std::vector<kernels::TokenScore> fused = arrays.top.Download();
  for (size_t i = 0; i < fused.size(); ++i) same += fused[i].token == materialized[i].token ? 1 : 0;
  line["same_tokens"] = static_cast<double>(same) / static_cast<double>(fused.size());
  return line;
}

}  // namespace

absl::StatusOr<json> OutputLayers() {
  std::printf(
      "Output layer alone, d = 512, float16, microseconds: the product with materialized logits, "
      "the one-pass fold, the separate sweeps; the whole layer three ways, and fused with "
      "quantized "
      "products\n"
      "%8s %5s %3s %9s %9s %9s | %9s %9s %9s %9s %9s %8s %8s\n",
      "V", "rows", "k", "product", "fold", "sweeps", "+sweeps", "+fold", "fused", "int8", "float8",
      "f/sweeps", "f/fold");
  json result = json::array();
  for (const int vocabulary : {32000, 58101, 85000}) {
    // 128 sentences as in the paper, and the rows of full batches.
    const std::vector<Case> cases = {{128, 1}, {640, 5},  {1280, 10},
                                     {256, 4}, {1024, 4}, {4096, 4}};
    Layer layer(vocabulary);
    if (absl::Status status = layer.Create(cases); !status.ok()) return status;
    if (!layer.why_not_fused().empty()) {
      std::printf("not fused: %s\n", layer.why_not_fused().c_str());
    }
    for (const Case& c : cases) {
      const auto line = layer.Measure(c);
      if (!line.ok()) return line.status();
      const auto us = [&](const char* name) {
        return line->contains(name) ? (*line)[name].get<double>() * 1e6 : 0.0;
      };
      const auto ratio = [&](const char* name) {
        return line->contains(name) ? (*line)[name].get<double>() : 0.0;
      };
      std::printf("%8d %5d %3d %9.1f %9.1f %9.1f | %9.1f %9.1f %9.1f %9.1f %9.1f %8.3f %8.3f\n",
                  vocabulary, static_cast<int>(c.rows), c.k, us("product_seconds"),
                  us("fold_seconds"), us("sweeps_seconds"), us("layer_sweeps_seconds"),
                  us("layer_stored_seconds"), us("layer_fused_seconds"), us("layer_int8_seconds"),
                  us("layer_float8_seconds"), ratio("fused_over_sweeps"),
                  ratio("fused_over_stored"));
      result.push_back(*line);
    }
  }
  return result;
}

}  // namespace dragoman::bench
