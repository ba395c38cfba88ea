#include "engine/decode/cuda/cuda_step.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/nvtx.h"
#include "engine/decode/cuda/row_buckets.h"
#include "engine/decode/cuda/step_mailboxes.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/graph.h"
#include "kernels/cuda/stream.h"

namespace dragoman::engine {
namespace {

constexpr auto kTopKClasses = StepGraphs::kTopKClasses;
constexpr size_t kWays = StepGraphs::kWays;

class CudaStepDevice final : public StepDevice {
 public:
  explicit CudaStepDevice(std::shared_ptr<const CudaModel> model) : model_(std::move(model)) {}

  ~CudaStepDevice() override { static_cast<void>(cuda::SetDevice(model_->device())); }

  absl::Status Init(const kernels::BatchLimits& limits, void* pool);

  const kernels::BatchLimits& limits() const override { return step_->limits(); }
  std::span<const int> buckets() const override { return model_->step_buckets(); }
  // Without a fused output layer, the logits of all rows are materialized, and the tables have room
  // for all rows of a step. This method then reports only whether FoldMaterializedRow must read
  // these logits a second time.
  bool IsMaterialized(const kernels::SearchOptions& search) const override {
    return model_->fused() == nullptr ? search.materialized_logits() : !cuda::MayFuse(search);
  }
  const kernels::StepMailbox& mailbox(int index) const override { return mailboxes_.host(index); }
  absl::Status Enqueue(const Launch& launch) override;
  absl::Status Wait(int mailbox) override;
  int64_t workspace_bytes() const override { return step_->bytes() + graph_bytes_; }

 private:
  // Returns the number of classes of max_k (StepGraphs in row_buckets.h).
  size_t classes() const { return StepGraphs::Classes(model_->fused() != nullptr); }
  // Returns the index of the variant's graph in graphs_. REQUIRES: the bucket is one of buckets().
  size_t GraphOf(const StepVariant& variant) const;

  // Puts a step on the stream: its graph, or its launches one by one.
  CudaStep::Fault LaunchStep(const StepVariant& variant) const;

  // Records all graphs, and sets graph_bytes_ to the device memory that they took. If options turn
  // graphs off, only runs one step for every bucket and every class of max_k (StepGraphs in
  // row_buckets.h).
  absl::Status Record();
  absl::Status RecordAll();
  absl::Status RunOnce(const char* what, int bucket,
                       const std::function<CudaStep::Fault()>& launch);
  absl::Status Format();
  absl::Status ToStatus(const char* doing, const CudaStep::Fault& fault) const;
  // Sets status_ to the result of the last call and returns it.
  absl::Status Finally(const char* doing, cuda::Error error);

  const std::shared_ptr<const CudaModel> model_;
  StepMailboxes mailboxes_;
  std::unique_ptr<CudaStep> step_;
  std::vector<cuda::Graph> graphs_;  // indexed by GraphOf
  int64_t graph_bytes_ = 0;
  std::array<cuda::Event, kernels::kStepMailboxes> done_;
  int64_t started_ = 0;  // number of steps since the batch was formatted
  absl::Status status_;  // the first error, which is final
  cuda::OwnedStream stream_;
};

size_t CudaStepDevice::GraphOf(const StepVariant& variant) const {
  const std::span<const int> all = buckets();
  const auto index =
      static_cast<size_t>(std::lower_bound(all.begin(), all.end(), variant.bucket) - all.begin());
  size_t group = 0;
  while (group + 1 < classes() && kTopKClasses[group] < variant.max_k) ++group;
  return (index * classes() + group) * kWays + (variant.materialized ? 2 : 0) +
         (variant.align ? 1 : 0);
}

absl::Status CudaStepDevice::ToStatus(const char* doing, const CudaStep::Fault& fault) const {
  return CudaStatus(model_->device(), absl::StrCat(doing, ": ", fault.op).c_str(), fault.error);
}

absl::Status CudaStepDevice::Init(const kernels::BatchLimits& limits, void* pool) {
  const int device = model_->device();
  cuda::Error error = cuda::SetDevice(device);
  if (error == cuda::Error::kNone) error = stream_.Create(cuda::StreamPriority::kHigh);
  for (cuda::Event& event : done_) {
    if (error == cuda::Error::kNone) error = event.Create();
  }
  if (error != cuda::Error::kNone) return CudaStatus(device, "making the decoder's stream", error);
  if (absl::Status status = mailboxes_.Allocate(device, limits); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<CudaStep>> step =
      CudaStep::Create(model_, limits, pool, mailboxes_.device());
  if (!step.ok()) return step.status();
  step_ = std::move(*step);
  if (absl::Status status = Record(); !status.ok()) return status;
  return Format();
}

absl::Status CudaStepDevice::Format() {
  cuda::Error error = step_->Format(stream_.get());
  if (error == cuda::Error::kNone) error = stream_.Wait();
  started_ = 0;
  return CudaStatus(model_->device(), "making the batch's tables", error);
}

// Runs a step of an empty batch and checks its output.
absl::Status CudaStepDevice::RunOnce(const char* what, int bucket,
                                     const std::function<CudaStep::Fault()>& launch) {
  const kernels::StepMailbox& mailbox =
      mailboxes_.host(static_cast<int>(started_ % kernels::kStepMailboxes));
  *mailbox.command = kernels::StepCommand{};
  mailbox.command->max_rows = bucket;
  *mailbox.output = kernels::StepOutput{};
  mailbox.output->step = -1;
  CudaStep::Fault fault = launch();
  if (fault.error != cuda::Error::kNone) return ToStatus(what, fault);
  if (const cuda::Error error = stream_.Wait(); error != cuda::Error::kNone) {
    return CudaStatus(model_->device(), what, error);
  }
  if (mailbox.output->step != started_ || mailbox.output->rows != 0) {
    return absl::InternalError(absl::StrCat(
        CudaDeviceName(model_->device()), ": ", what, ": found step ", mailbox.output->step,
        " with ", mailbox.output->rows, " rows, expected step ", started_, " with none"));
  }
  ++started_;
  return absl::OkStatus();
}

// graph_bytes_ also includes the code of kernels that are loaded while the graphs are recorded, and
// any memory that other processes allocate or free meanwhile.
absl::Status CudaStepDevice::Record() {
  int64_t before = 0;
  int64_t after = 0;
  cuda::Error error = cuda::FreeMemory(&before);
  if (error != cuda::Error::kNone) return CudaStatus(model_->device(), "its free memory", error);
  if (absl::Status status = RecordAll(); !status.ok()) return status;
  error = cuda::FreeMemory(&after);
  graph_bytes_ = std::max<int64_t>(before - after, 0);
  return CudaStatus(model_->device(), "its free memory", error);
}

absl::Status CudaStepDevice::RecordAll() {
  if (absl::Status status = Format(); !status.ok()) return status;
  const bool graphs = model_->options().graphs;
  if (graphs) graphs_.resize(buckets().size() * classes() * kWays);
  for (const int bucket : buckets()) {
    for (size_t group = 0; group < classes(); ++group) {
      // A kernel is loaded at its first launch, which must not happen during a capture. So all
      // launches of the variant run once before a capture records them.
      const StepVariant whole{bucket, kTopKClasses[group], true, true};
      absl::Status status =
          RunOnce("the first step", bucket, [&] { return step_->Launch(stream_.get(), whole); });
      if (!status.ok()) return status;
      for (size_t way = 0; graphs && way < kWays; ++way) {
        const StepVariant variant{bucket, kTopKClasses[group], way / 2 != 0, way % 2 != 0};
        cuda::Graph& graph = graphs_[GraphOf(variant)];
        CudaStep::Fault fault;
        const cuda::Error error = graph.Record(stream_.get(), [&] {
          fault = step_->Launch(stream_.get(), variant);
          return fault.error;
        });
        if (fault.error != cuda::Error::kNone) return ToStatus("recording a step", fault);
        if (error != cuda::Error::kNone) {
          return CudaStatus(model_->device(), "recording a step", error);
        }
        status = RunOnce("the first step of a graph", bucket, [&] {
          return CudaStep::Fault{graph.Launch(stream_.get()), "a graph"};
        });
        if (!status.ok()) return status;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CudaStepDevice::Enqueue(const Launch& launch) {
  if (!status_.ok()) return status_;
  const NvtxRange range("decode step");
  const std::span<const int> all = buckets();
  if (!std::binary_search(all.begin(), all.end(), launch.bucket)) {
    status_ = absl::InternalError(
        absl::StrCat("step device: ", launch.bucket, " rows, expected one of its buckets"));
    return status_;
  }
  if (const cuda::Error error = cuda::SetDevice(model_->device()); error != cuda::Error::kNone) {
    return Finally("launching a step", error);
  }
  const CudaStep::Fault fault =
      LaunchStep({launch.bucket, launch.max_k, launch.materialized, launch.align});
  if (fault.error != cuda::Error::kNone) {
    return Finally(absl::StrCat("launching a step: ", fault.op).c_str(), fault.error);
  }
  return Finally("launching a step",
                 done_[static_cast<size_t>(launch.mailbox)].Record(stream_.get()));
}

CudaStep::Fault CudaStepDevice::LaunchStep(const StepVariant& variant) const {
  if (!model_->options().graphs) return step_->Launch(stream_.get(), variant);
  return {graphs_[GraphOf(variant)].Launch(stream_.get()), "a graph"};
}

absl::Status CudaStepDevice::Wait(int mailbox) {
  if (!status_.ok()) return status_;
  const NvtxRange range("wait for a step");
  return Finally("a decoding step", done_[static_cast<size_t>(mailbox)].Wait());
}

absl::Status CudaStepDevice::Finally(const char* doing, cuda::Error error) {
  status_ = CudaStatus(model_->device(), doing, error);
  // The work on the stream must end before the error is returned, because the caller then gives its
  // pages to others.
  if (!status_.ok()) static_cast<void>(stream_.Wait());
  return status_;
}

}  // namespace

absl::StatusOr<std::unique_ptr<StepDevice>> CreateCudaStepDevice(
    std::shared_ptr<const CudaModel> model, const kernels::BatchLimits& limits, void* pool) {
  auto device = std::make_unique<CudaStepDevice>(std::move(model));
  if (const absl::Status status = device->Init(limits, pool); !status.ok()) return status;
  return device;
}

}  // namespace dragoman::engine
