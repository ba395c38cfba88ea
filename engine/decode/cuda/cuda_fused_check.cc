// Checks the fused output layer when a model is loaded. Compares its results on random rows with
// those from materialized logits. Quantized products are compared with plain arithmetic on the same
// quantized numbers. The first launches of the CUDA graphs do not check this: their batch is empty,
// so the layer's barriers, copies and products do not run.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_model.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/quantization.h"
#include "engine/decode/cuda/row_buckets.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/stream.h"
#include "kernels/search/batch_tables.h"

namespace dragoman::engine {
namespace {

// The number of rows to check. The kernel handles them in several blocks of rows, of which the last
// one is partial.
constexpr int kMostRows = 200;
constexpr int kTop = cuda::kMaxFusedTopK;

// The time limit of a fused output layer's kernel. It takes less than a millisecond for kMostRows
// rows, but steps of another model or a memory checker may delay it. If the kernel has an error,
// its barriers may never be reached.
constexpr std::chrono::seconds kMostFoldTime(30);

// The fused and the materialized method multiply the same numbers, but sum the products in f32 in
// different orders. That changes scores by about 1e-6 of the row's largest score. If a tile is
// missing or read wrongly, scores change by about their own size.
constexpr float kTolerance = 1.0F / 4096;

// The tolerance for e4m3. Tensor cores sum e4m3 products with less precision than f32: they drop
// the bits of a term below about 2^-13 of the largest term. For 1,024 terms this changes a score by
// less than a hundredth of itself.
constexpr float kFloat8Tolerance = 1.0F / 64;

// An array on the device, copied from the host.
template <class T>
class OnDevice {
 public:
  cuda::Error Put(cuda::Stream stream, const std::vector<T>& from) {
    const auto bytes = static_cast<int64_t>(from.size() * sizeof(T));
    const cuda::Error error = buffer_.Allocate(bytes);
    if (error != cuda::Error::kNone) return error;
    return cuda::Copy(stream, buffer_.data(), from.data(), bytes);
  }
  cuda::Error Get(cuda::Stream stream, std::vector<T>* to) const {
    return cuda::Copy(stream, to->data(), buffer_.data(),
                      static_cast<int64_t>(to->size() * sizeof(T)));
  }
  T* data() const { return static_cast<T*>(buffer_.data()); }

 private:
  cuda::DeviceBuffer buffer_;
};

// The results of the fused or of the materialized method.
struct Folded {
  // Summary of each row, with pointers to device memory.
  std::vector<kernels::LogitSummary> summaries;
  std::vector<kernels::TokenScore> top;  // [rows, kTop] the best tokens of each row

  const kernels::TokenScore* Top(int row) const { return top.data() + int64_t{row} * kTop; }
};

float LogNormaliser(const kernels::LogitSummary& summary) {
  return summary.normaliser.max + std::log(summary.normaliser.sum);
}

// Returns what differs between the two results of a row, or "". Scores may differ by `part` times
// the row's largest score.
std::string Difference(int row, float part, const Folded& fused, const Folded& materialized) {
  const kernels::LogitSummary& a = fused.summaries[static_cast<size_t>(row)];
  const kernels::LogitSummary& b = materialized.summaries[static_cast<size_t>(row)];
  const auto differ = [&](const auto&... what) { return absl::StrCat("row ", row, ": ", what...); };
  if (a.nan != b.nan) return differ("a bad number by one way only");
  if (a.count != b.count) return differ(a.count, " candidates, expected ", b.count);
  const kernels::TokenScore* const x = fused.Top(row);
  const kernels::TokenScore* const y = materialized.Top(row);
  float largest = 1;
  for (int i = 0; i < b.count; ++i) largest = std::max(largest, std::abs(y[i].score));
  const float tolerance = part * largest;
  // Returns false if one of the numbers is NaN.
  const auto near = [&](float s, float t) { return std::abs(s - t) <= tolerance; };
  if (!near(LogNormaliser(a), LogNormaliser(b))) {
    return differ("log of the normaliser ", LogNormaliser(a), ", expected ", LogNormaliser(b));
  }
  for (int i = 0; i < b.count; ++i) {
    // Candidates with nearly equal scores may be in another order.
    if (!near(x[i].score, y[i].score)) {
      return differ("candidate ", i, " has the score ", x[i].score, ", expected ", y[i].score);
    }
    const auto* const same = std::find_if(y, y + b.count, [&](const kernels::TokenScore& other) {
      return other.token == x[i].token;
    });
    const float expected = same == y + b.count ? y[b.count - 1].score : same->score;
    if (!near(x[i].score, expected)) {
      return differ("token ", x[i].token, " has the score ", x[i].score, ", expected ", expected,
                    same == y + b.count ? " at most" : "");
    }
  }
  return "";
}

class Check {
 public:
  Check(const CudaModel& model, int rows)
      : model_(model),
        rows_(rows),
        bucket_(ProductRows(rows)),
        d_(static_cast<int>(model.program().weight(model.program().output().table).cols)),
        vocabulary_(static_cast<int>(model.program().vocabulary())) {}

  // Allocates and copies the inputs. Returns the first error of the device.
  cuda::Error Prepare() {
    cuda::Error error = stream_.Create(cuda::StreamPriority::kLow);
    if (error == cuda::Error::kNone) error = folded_.Create();
    const auto then = [&](const auto& step) {
      if (error == cuda::Error::kNone) error = step();
    };
    then([&] { return PutHidden(); });
    const auto n = static_cast<size_t>(rows_);
    std::vector<int32_t> numbers(n);
    for (int row = 0; row < rows_; ++row) numbers[static_cast<size_t>(row)] = row;
    kernels::SlotState state;
    state.options.beam = kTop;
    then([&] { return state_.Put(stream_.get(), {state}); });
    kernels::SlotView view;
    view.state = state_.data();
    then([&] { return view_.Put(stream_.get(), {view}); });
    then([&] { return row_numbers_.Put(stream_.get(), numbers); });
    then([&] { return row_slot_.Put(stream_.get(), std::vector<int32_t>(bucket_, 0)); });
    then([&] { return blas_workspace_.Allocate(cuda::Blas::kWorkspaceBytes); });
    then([&] { return fused_workspace_.Allocate(model_.fused()->WorkspaceBytes(bucket_)); });
    then([&] {
      return logits_.Allocate(bucket_ * LogitStride(vocabulary_) *
                              static_cast<int64_t>(sizeof(float)));
    });
    then([&] { return stream_.Wait(); });
    return error;
  }

  // Folds rows [0, count) with k candidates each by both methods. If hung() is true afterwards,
  // there are no results, and the device must not be used any more.
  cuda::Error Run(int count, int k, Folded* fused, Folded* materialized) {
    cuda::Error error = count_.Put(stream_.get(), {count});
    if (error == cuda::Error::kNone) error = Ask(k);
    if (error == cuda::Error::kNone) {
      cuda::StepRows rows;
      rows.rows = bucket_;
      rows.count = count_.data();
      rows.slot = row_slot_.data();
      error = model_.fused()->Fold(stream_.get(), fused_workspace_.data(), hidden_.data(), rows,
                                   view_.data(), k, requests_.data(), summaries_.data());
    }
    if (error == cuda::Error::kNone) error = folded_.Record(stream_.get());
    if (error == cuda::Error::kNone) {
      bool came = false;
      error = folded_.WaitAtMost(kMostFoldTime, &came);
      hung_ = error == cuda::Error::kNone && !came;
    }
    if (hung_) return error;
    if (error == cuda::Error::kNone) error = Fetch(fused);
    if (error == cuda::Error::kNone) error = Ask(k);
    if (error == cuda::Error::kNone) error = StoreLogits();
    if (error == cuda::Error::kNone) {
      const cuda::MaterializedRows list{row_numbers_.data(), count_.data(), rows_};
      error = cuda::FoldMaterializedLogits(
          stream_.get(), static_cast<float*>(logits_.data()), LogitStride(vocabulary_),
          model_.float_weight(model_.program().output().bias), vocabulary_, list, 0, rows_,
          requests_.data(), summaries_.data());
    }
    return error == cuda::Error::kNone ? Fetch(materialized) : error;
  }

  bool hung() const { return hung_; }

 private:
  cuda::Error StoreLogits() {
    if (model_.fused()->products() != kernels::QuantizedType::kNone) {
      return model_.fused()->StoreLogits(stream_.get(), fused_workspace_.data(), hidden_.data(),
                                         bucket_, static_cast<float*>(logits_.data()),
                                         LogitStride(vocabulary_));
    }
    return model_.logits(0).Run(stream_.get(), blas_workspace_.data(), hidden_.data(), bucket_,
                                nullptr, logits_.data());
  }

  // The seed is fixed, so that every start of the program tries the same rows.
  cuda::Error PutHidden() {
    std::mt19937 random(1);
    std::vector<uint16_t> hidden(static_cast<size_t>(bucket_) * static_cast<size_t>(d_));
    for (uint16_t& x : hidden) {
      const float value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
      x = model_.type() == kernels::ComputeType::kFloat16 ? ToFloat16(value) : ToBFloat16(value);
    }
    return hidden_.Put(stream_.get(), hidden);
  }

  // Sets requests and summaries to their state before the output layer runs, with k candidates per
  // row.
  cuda::Error Ask(int k) {
    const auto n = static_cast<size_t>(rows_);
    kernels::LogitRequest request;
    request.k = k;
    request.need_normaliser = true;
    cuda::Error error =
        requests_.Put(stream_.get(), std::vector<kernels::LogitRequest>(n, request));
    if (error != cuda::Error::kNone) return error;
    error = top_.Put(stream_.get(), std::vector<kernels::TokenScore>(n * kTop, {NAN, -1}));
    if (error != cuda::Error::kNone) return error;
    std::vector<kernels::LogitSummary> summaries(n);
    for (size_t row = 0; row < n; ++row) {
      summaries[row].count = -1;
      summaries[row].top = top_.data() + row * kTop;
    }
    return summaries_.Put(stream_.get(), summaries);
  }

  cuda::Error Fetch(Folded* to) {
    to->summaries.resize(static_cast<size_t>(rows_));
    to->top.resize(static_cast<size_t>(rows_) * kTop);
    cuda::Error error = summaries_.Get(stream_.get(), &to->summaries);
    if (error == cuda::Error::kNone) error = top_.Get(stream_.get(), &to->top);
    return error == cuda::Error::kNone ? stream_.Wait() : error;
  }

  const CudaModel& model_;
  const int rows_;
  const int bucket_;
  const int d_;
  const int vocabulary_;
  bool hung_ = false;
  cuda::Event folded_;
  OnDevice<uint16_t> hidden_;
  OnDevice<kernels::SlotState> state_;
  OnDevice<kernels::SlotView> view_;
  OnDevice<int32_t> row_numbers_, row_slot_, count_;
  OnDevice<kernels::LogitRequest> requests_;
  OnDevice<kernels::LogitSummary> summaries_;
  OnDevice<kernels::TokenScore> top_;
  cuda::DeviceBuffer blas_workspace_, fused_workspace_, logits_;
  cuda::OwnedStream stream_;
};

}  // namespace

absl::Status CudaModel::CheckFused() {
  if (fused_ == nullptr) return absl::OkStatus();
  const cuda::EarlyLaunches early(config_.options.early_launch);
  const int rows = std::min(kMostRows, config_.max_rows);
  auto check = std::make_unique<Check>(*this, rows);
  // After an error of a kernel the process can no longer use the device, so the materialized method
  // cannot replace the fused layer.
  const auto failed = [&](cuda::Error error) {
    return CudaStatus(
        config_.device,
        "trying the fused output layer, which DRAGOMAN_CUDA_OFF=fused-output turns off", error);
  };
  if (const cuda::Error error = check->Prepare(); error != cuda::Error::kNone) return failed(error);
  const float part =
      fused_->products() == kernels::QuantizedType::kFloat8 ? kFloat8Tolerance : kTolerance;
  // Tests the fused layer's kernel for each number of candidates (16, 8, 4), each with another row
  // count.
  const std::pair<int, int> runs[] = {{rows, kTop}, {std::max(1, rows / 2), 8}, {1, 4}};
  for (const auto& [count, k] : runs) {
    Folded fused;
    Folded materialized;
    const cuda::Error error = check->Run(count, k, &fused, &materialized);
    if (check->hung()) {
      hung_ = std::move(check);
      return absl::InternalError(
          absl::StrCat(CudaDeviceName(config_.device),
                       ": a kernel of the fused output layer has not ended ", kMostFoldTime.count(),
                       " s after its start, and this process cannot use the device any "
                       "more: start it again, with DRAGOMAN_CUDA_OFF=fused-output"));
    }
    if (error != cuda::Error::kNone) return failed(error);
    for (int row = 0; row < count; ++row) {
      const std::string difference = Difference(row, part, fused, materialized);
      if (difference.empty()) continue;
      why_not_fused_ =
          absl::StrCat("it does not give what the product and the sweeps give: ", difference,
                       ", of ", count, " random rows with ", k, " candidates each");
      fused_failed_ = true;
      fused_ = nullptr;
      return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

}  // namespace dragoman::engine
