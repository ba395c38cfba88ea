#include "tests/gpu/scripted_cuda_device.h"

#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/ops/output_layer_cuda.h"
#include "kernels/search/batch_step_cuda.h"

namespace dragoman::testing {
namespace {

constexpr std::align_val_t kTableAlignment{256};

absl::Status ToStatus(kernels::cuda::Error error, const char* what) {
  if (error == kernels::cuda::Error::kNone) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(what, ": ", kernels::cuda::ErrorText(error)));
}

#define RETURN_IF_FAILED(call) \
  if (absl::Status status = ToStatus((call), #call); !status.ok()) return status

}  // namespace

void ScriptedCudaDevice::Free::operator()(std::byte* p) const {
  ::operator delete(p, kTableAlignment);
}

ScriptedCudaDevice::ScriptedCudaDevice(const kernels::BatchLimits& limits, SlotScript script,
                                       SlotWatch watch)
    : limits_(limits),
      bucket_(limits.max_rows),
      script_(std::move(script)),
      watch_(std::move(watch)) {}

absl::StatusOr<std::unique_ptr<ScriptedCudaDevice>> ScriptedCudaDevice::Create(
    const kernels::BatchLimits& limits, SlotScript script, SlotWatch watch) {
  std::unique_ptr<ScriptedCudaDevice> device(
      new ScriptedCudaDevice(limits, std::move(script), std::move(watch)));
  if (absl::Status status = device->Allocate(); !status.ok()) return status;
  return device;
}

absl::Status ScriptedCudaDevice::Allocate() {
  const int64_t bytes = kernels::CarveBatch(limits_, nullptr, &tables_);
  if (absl::Status status = mailboxes_.Allocate(/*device=*/0, limits_); !status.ok()) return status;
  RETURN_IF_FAILED(stream_.Create(kernels::cuda::StreamPriority::kHigh));
  RETURN_IF_FAILED(tables_memory_.Allocate(bytes));
  RETURN_IF_FAILED(
      logits_.Allocate(int64_t{limits_.max_rows} * limits_.vocabulary * int64_t{sizeof(float)}));
  kernels::CarveBatch(limits_, tables_memory_.data(), &tables_);
  copy_.reset(static_cast<std::byte*>(::operator new(static_cast<size_t>(bytes), kTableAlignment)));
  kernels::CarveBatch(limits_, copy_.get(), &host_tables_);
  // Fresh memory may hold any bytes, so fills it with a pattern.
  RETURN_IF_FAILED(kernels::cuda::Fill(stream_.get(), tables_memory_.data(), 0xA5, bytes));
  RETURN_IF_FAILED(kernels::cuda::FormatBatch(stream_.get(), tables_));
  return ToStatus(stream_.Wait(), "FormatBatch");
}

absl::Status ScriptedCudaDevice::Look() {
  RETURN_IF_FAILED(kernels::cuda::Copy(stream_.get(), copy_.get(), tables_memory_.data(),
                                       tables_memory_.bytes()));
  return ToStatus(stream_.Wait(), "the step");
}

kernels::SlotView ScriptedCudaDevice::CopiedView(int32_t slot) const {
  kernels::SlotView view;
  view.state = &host_tables_.states[slot];
  view.lanes = host_tables_.slot_lanes + int64_t{slot} * kernels::kMaxSlotLanes;
  view.arrays = host_tables_.lanes;
  return view;
}

absl::Status ScriptedCudaDevice::Answer() {
  const kernels::PlanOutput& plan = host_tables_.now->plan;
  if (plan.rows != host_tables_.now->materialized_count) {
    return absl::InternalError(absl::StrCat(host_tables_.now->materialized_count, " of ", plan.rows,
                                            " rows are materialized rows"));
  }
  const auto vocabulary = static_cast<size_t>(limits_.vocabulary);
  std::vector<float> logits;
  logits.reserve(static_cast<size_t>(plan.rows) * vocabulary);
  for (int32_t row = 0; row < plan.rows; ++row) {
    const int32_t slot = host_tables_.row_slot[row];
    const int32_t lane = host_tables_.row_lane[row];
    const kernels::SlotView view = CopiedView(slot);
    std::vector<int32_t> prefix;
    for (int32_t i = 0; i < host_tables_.row_position[row]; ++i) {
      prefix.push_back(view.Token(lane, i));
    }
    const std::vector<float> answer = script_(slot, prefix);
    if (answer.size() != vocabulary) {
      return absl::InvalidArgumentError(
          absl::StrCat("the script gave ", answer.size(), " logits, not ", vocabulary));
    }
    logits.insert(logits.end(), answer.begin(), answer.end());
  }
  RETURN_IF_FAILED(kernels::cuda::Copy(stream_.get(), logits_.data(), logits.data(),
                                       static_cast<int64_t>(logits.size() * sizeof(float))));
  const kernels::cuda::MaterializedRows list = {tables_.materialized_rows,
                                                &tables_.now->materialized_count, limits_.max_rows};
  RETURN_IF_FAILED(kernels::cuda::FoldMaterializedLogits(
      stream_.get(), static_cast<float*>(logits_.data()), limits_.vocabulary, /*bias=*/nullptr,
      limits_.vocabulary, list, 0, limits_.max_rows, tables_.requests, tables_.summaries));
  RETURN_IF_FAILED(
      kernels::cuda::FoldMaterializedRows(stream_.get(), tables_, 0, limits_.max_rows));
  return absl::OkStatus();
}

absl::Status ScriptedCudaDevice::Enqueue(const Launch&) {
  RETURN_IF_FAILED(kernels::cuda::BeginStep(stream_.get(), tables_, mailboxes_.device()));
  RETURN_IF_FAILED(kernels::cuda::PrepareRows(stream_.get(), tables_, limits_.max_rows,
                                              kernels::cuda::MaterializedList::kAll));
  if (absl::Status status = Look(); !status.ok()) return status;
  if (absl::Status status = Answer(); !status.ok()) return status;
  RETURN_IF_FAILED(kernels::cuda::StepSlots(stream_.get(), tables_, limits_.max_rows));
  if (watch_ != nullptr) {
    if (absl::Status status = Look(); !status.ok()) return status;
    const kernels::PlanOutput& plan = host_tables_.now->plan;
    for (int32_t i = 0; i < plan.slot_count; ++i) {
      const int32_t slot = host_tables_.plan_slots[i];
      watch_(slot, CopiedView(slot));
    }
  }
  RETURN_IF_FAILED(
      kernels::cuda::Deliver(stream_.get(), tables_, mailboxes_.device(), tables_.limits.max_rows));
  RETURN_IF_FAILED(kernels::cuda::EndStep(stream_.get(), tables_, mailboxes_.device()));
  return ToStatus(stream_.Wait(), "the step");
}

}  // namespace dragoman::testing
