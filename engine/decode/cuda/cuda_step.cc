#include "engine/decode/cuda/cuda_step.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/memory_plan.h"
#include "engine/decode/cuda/nvtx.h"
#include "engine/decode/cuda/row_buckets.h"
#include "engine/decode/cuda/step_costs.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/align.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/few_rows.h"
#include "kernels/ops/gate.h"
#include "kernels/ops/gather_rows.h"
#include "kernels/ops/output_mean_cuda.h"
#include "kernels/ops/recurrence.h"
#include "kernels/ops/row_norm.h"

namespace dragoman::engine {

// Puts one step on a stream.
class CudaStep::Launcher {
 public:
  Launcher(const CudaStep& step, cuda::Stream stream, const StepVariant& variant, StepProbe* probe)
      : step_(step),
        model_(*step.model_),
        tables_(step.tables_),
        program_(model_.program()),
        stream_(stream),
        variant_(variant),
        probe_(probe) {
    rows_.rows = variant.bucket;
    rows_.count = &tables_.now->plan.rows;
    rows_.slot = tables_.row_slot;
    rows_.lane = tables_.row_lane;
    rows_.position = tables_.row_position;
    rows_.slots = tables_.plan_slots;
    rows_.first_row = tables_.first_row;
    rows_.slot_count = &tables_.now->plan.slot_count;
    rows_.pages = tables_.row_pages;
    rows_.page_stride = tables_.limits.row_page_stride();

    self_.pool = step.pool_;
    self_.lane_pages = tables_.lane_pages;
    self_.pages_per_lane = tables_.limits.pages_per_lane();
    self_.slot_lanes = tables_.slot_lanes;
    self_.ancestry = tables_.lanes.ancestry;
    self_.max_positions = static_cast<int32_t>(tables_.lanes.stride);

    cross_.pool = step.pool_;
    cross_.pages = tables_.cross_pages;
    cross_.pages_per_slot = tables_.limits.pages_per_lane();
    cross_.source_length = tables_.source_length;
  }

  Fault Run() {
    const cuda::MaterializedList list = model_.fused() == nullptr ? cuda::MaterializedList::kAll
                                        : variant_.materialized ? cuda::MaterializedList::kNotFused
                                                                : cuda::MaterializedList::kNone;
    Do(step_op::kBegin, [&] { return cuda::BeginStep(stream_, tables_, step_.mailboxes_); });
    Do(step_op::kPrepare, [&] { return cuda::PrepareRows(stream_, tables_, rows_.rows, list); });
    for (size_t i = 0; i < program_.decoder.ops.size(); ++i) {
      const Op& op = program_.decoder.ops[i];
      number_ = i;
      if (i + 1 == program_.decoder.ops.size()) {
        Output();
      } else if (variant_.align || !std::holds_alternative<AlignOp>(op.what)) {
        Do(op.name, [&] { return std::visit(*this, op.what); });
      }
    }
    Do(step_op::kStepSlots, [&] { return cuda::StepSlots(stream_, tables_, rows_.rows); });
    Do(step_op::kDeliver,
       [&] { return cuda::Deliver(stream_, tables_, step_.mailboxes_, rows_.rows); });
    Do(step_op::kEnd, [&] { return cuda::EndStep(stream_, tables_, step_.mailboxes_); });
    return fault_;
  }

  cuda::Error operator()(const EmbedOp& op) const {
    return cuda::EmbedTokens(stream_, model_.type(), model_.weight(op.table),
                             kernels::PositionTable{model_.float_weight(op.positions), op.unplaced},
                             op.scale, tables_.row_token, tables_.row_position, rows_.rows,
                             rows_.count, Cols(op.table), At(op.y));
  }
  cuda::Error operator()(const ProductOp& op) const {
    return model_.decoder_product(number_).Run(stream_, step_.workspace_.data(), At(op.x),
                                               ProductRows(rows_.rows), rows_.count, At(op.y));
  }
  cuda::Error operator()(const GateOp& op) const {
    return cuda::GateRows(stream_, model_.type(), op.activation, At(op.x), rows_.rows, rows_.count,
                          static_cast<int>(op.width), At(op.y));
  }
  cuda::Error operator()(const AddNormOp& op) const {
    if (op.kind == NormKind::kRms) {
      return cuda::AddRmsNorm(stream_, model_.type(), At(op.x), At(op.residual),
                              model_.float_weight(op.gain), op.epsilon, rows_.rows, rows_.count,
                              Cols(op.gain), At(op.y), At(op.sum));
    }
    return cuda::AddLayerNorm(stream_, model_.type(), At(op.x), At(op.residual),
                              model_.float_weight(op.gain), model_.float_weight(op.bias),
                              op.epsilon, rows_.rows, rows_.count, Cols(op.gain), At(op.y),
                              At(op.sum));
  }
  cuda::Error operator()(const SelfAttentionOp& op) const {
    return cuda::DecodeSelfAttention(stream_, model_.type(), program_.KvOf(op.layer), op.layer,
                                     rows_, self_, At(op.qkv), At(op.context),
                                     model_.relative_bias(op.bias));
  }
  cuda::Error operator()(const RecurrenceOp& op) const {
    return cuda::Recur(stream_, model_.type(), program_.KvOf(op.layer), op.layer, rows_, self_,
                       At(op.gate_x), At(op.y));
  }
  cuda::Error operator()(const AlignOp& op) const {
    return cuda::AlignRows(stream_, model_.type(), program_.KvOf(op.layer), op.layer, rows_, cross_,
                           tables_.views, At(op.q));
  }
  cuda::Error operator()(const CrossAttentionOp& op) const {
    return cuda::CrossAttention(stream_, model_.type(), program_.KvOf(op.layer), op.layer, rows_,
                                cross_, At(op.q), At(op.context));
  }
  template <class Other>
  cuda::Error operator()(const Other&) const {
    NotOfThisStage();
  }

 private:
  template <class Launch>
  void Do(const char* op, Launch launch) {
    if (fault_.error != cuda::Error::kNone) return;
    const NvtxRange range(op);
    fault_.op = op;
    if (probe_ != nullptr) fault_.error = probe_->Before(op);
    if (fault_.error == cuda::Error::kNone) fault_.error = launch();
    if (fault_.error == cuda::Error::kNone && probe_ != nullptr) fault_.error = probe_->After();
  }

  int Cols(WeightId id) const { return static_cast<int>(program_.weight(id).cols); }

  // Returns nullptr for kNoBuffer.
  void* At(BufferId buffer) const {
    if (buffer == kNoBuffer) return nullptr;
    return static_cast<uint8_t*>(step_.activations_.data()) +
           model_.decoder_buffers().offset[static_cast<size_t>(buffer)] *
               ProductRows(tables_.limits.max_rows) * kernels::ElementBytes(model_.type());
  }

  using MaterializedRows = cuda::MaterializedRows;

  // Runs the output layer by the fused method, the materialized method, or both for different rows.
  void Output() {
    if (model_.fused() == nullptr) {
      Materialized(rows_.rows);
      return;
    }
    Do(step_op::kFused, [&] {
      return model_.fused()->Fold(stream_, step_.fused_workspace_.data(), At(program_.output().x),
                                  rows_, tables_.views, variant_.max_k, tables_.requests,
                                  tables_.summaries);
    });
    if (variant_.materialized)
      Materialized(std::min<int64_t>(rows_.rows, tables_.limits.materialized_rows));
  }

  // Computes up to `capacity` materialized rows in chunks. The chunks use the same memory for
  // logits one after the other.
  void Materialized(int64_t capacity) {
    const MaterializedRows list{tables_.materialized_rows, &tables_.now->materialized_count,
                                capacity};
    for (int64_t first = 0; first < capacity; first += cuda::kChunkRows) {
      const int64_t n = std::min<int64_t>(cuda::kChunkRows, capacity - first);
      for (size_t output = 0; output < program_.outputs().size(); ++output) {
        StoreLogits(output, list, first, n);
      }
      Do(step_op::kFoldLogits, [&] { return FoldLogits(list, first, n); });
      if (!variant_.materialized) continue;
      Do(step_op::kFoldMaterialized,
         [&] { return cuda::FoldMaterializedRows(stream_, tables_, first, n); });
    }
  }

  void StoreLogits(size_t output, const MaterializedRows& list, int64_t first, int64_t n) {
    const OutputOp& op = program_.outputs()[output];
    const int d = Cols(op.table);
    // Without a fused layer every row of the step is materialized, so the listed rows are the
    // step's rows in their order.
    const void* x =
        static_cast<const uint8_t*>(At(op.x)) + first * d * kernels::ElementBytes(model_.type());
    if (model_.fused() != nullptr) {
      x = step_.gathered_.data();
      Do(step_op::kGather, [&] {
        return cuda::GatherRows(stream_, model_.type(), At(op.x), list, first, n, d,
                                step_.gathered_.data());
      });
    }
    Do(step_op::kLogits, [&] {
      return model_.logits(output).Run(stream_, step_.workspace_.data(), x, ProductRows(n), nullptr,
                                       LogitsOf(output));
    });
  }

  cuda::Error FoldLogits(const MaterializedRows& list, int64_t first, int64_t n) const {
    const auto vocabulary = static_cast<int>(program_.vocabulary());
    const int64_t stride = LogitStride(vocabulary);
    const auto* ensemble = std::get_if<EnsembleOutputOp>(&program_.decoder.ops.back().what);
    if (ensemble == nullptr) {
      return cuda::FoldMaterializedLogits(stream_, LogitsOf(0), stride,
                                          model_.float_weight(program_.output().bias), vocabulary,
                                          list, first, n, tables_.requests, tables_.summaries);
    }
    cuda::EnsembleLogits members;
    members.mean = ensemble->mean;
    for (const OutputOp& member : ensemble->members) {
      const auto m = static_cast<size_t>(members.count++);
      members.members[m] = {LogitsOf(m), model_.float_weight(member.bias), ensemble->weights[m]};
    }
    return cuda::FoldMeanLogits(stream_, members, stride, vocabulary, list, first, n,
                                tables_.requests, tables_.summaries);
  }

  // Returns the memory for the logits of element `output` of Program::outputs(): LogitRows rows of
  // LogitStride elements.
  float* LogitsOf(size_t output) const {
    return static_cast<float*>(step_.logits_.data()) +
           static_cast<int64_t>(output) * LogitRows(tables_.limits) *
               LogitStride(static_cast<int>(program_.vocabulary()));
  }

  const CudaStep& step_;
  const CudaModel& model_;
  const kernels::BatchTables& tables_;
  const Program& program_;
  const cuda::Stream stream_;
  const StepVariant variant_;
  StepProbe* const probe_;
  cuda::StepRows rows_;
  kernels::SelfKvTables self_;
  kernels::CrossKvTables cross_;
  size_t number_ = 0;  // index of the current operation
  Fault fault_;
};

absl::StatusOr<std::unique_ptr<CudaStep>> CudaStep::Create(std::shared_ptr<const CudaModel> model,
                                                           const kernels::BatchLimits& limits,
                                                           void* pool,
                                                           const cuda::StepMailboxes& mailboxes) {
  std::unique_ptr<CudaStep> step(new CudaStep(std::move(model), pool, mailboxes));
  if (const absl::Status status = step->Allocate(limits); !status.ok()) return status;
  return step;
}

absl::Status CudaStep::Allocate(const kernels::BatchLimits& limits) {
  const int device = model_->device();
  if (const cuda::Error error = cuda::SetDevice(device); error != cuda::Error::kNone) {
    return CudaStatus(device, "selecting the device", error);
  }
  cuda::OwnedStream stream;
  absl::Status status =
      CudaStatus(device, "making a stream", stream.Create(cuda::StreamPriority::kLow));
  // Fills all memory with zeros, because products also read and compute the rows beyond a step's
  // rows. Their results are never used.
  const auto take = [&](const char* what, int64_t bytes, cuda::DeviceBuffer* buffer) {
    if (!status.ok()) return;
    status = CudaMemoryStatus(device, what, bytes, buffer->Allocate(bytes));
    if (!status.ok()) return;
    status = CudaStatus(device, what, cuda::Fill(stream.get(), buffer->data(), 0, bytes));
  };
  const Program& program = model_->program();
  const int64_t element = kernels::ElementBytes(model_->type());
  const int64_t d = program.weight(program.output().table).cols;
  const int64_t chunk = LogitRows(limits);
  take("batch tables", kernels::CarveBatch(limits, nullptr, &tables_), &table_memory_);
  take("workspace of products",
       ProductWorkspaceBytes(program, program.decoder, ProductRows(limits.max_rows),
                             model_->quantized_layers()),
       &workspace_);
  take("decoder activations",
       model_->decoder_buffers().Bytes(ProductRows(limits.max_rows), element), &activations_);
  take("logits",
       chunk * LogitStride(static_cast<int>(program.vocabulary())) *
           static_cast<int64_t>(program.outputs().size() * sizeof(float)),
       &logits_);
  if (model_->fused() != nullptr) {
    take("gathered rows", chunk * d * element, &gathered_);
    take("fused output layer", model_->fused()->WorkspaceBytes(limits.max_rows), &fused_workspace_);
  }
  if (!status.ok()) return status;
  kernels::CarveBatch(limits, table_memory_.data(), &tables_);
  return CudaStatus(device, "clearing decoder memory", stream.Wait());
}

cuda::Error CudaStep::Format(cuda::Stream stream) const {
  return cuda::FormatBatch(stream, tables_);
}

CudaStep::Fault CudaStep::Launch(cuda::Stream stream, const StepVariant& variant,
                                 StepProbe* probe) const {
  // Kernels of cuBLASLt do not let the next kernel start early. In steps with them, early launches
  // of our kernels cost 10 to 15 us (32 to 1,024 rows on an H200). Steps in which all products are
  // our own kernels gain 33 to 44 us: steps of few rows, and with int8 layers steps of all sizes.
  const CudaOptions& options = model_->options();
  const bool few = options.few_rows && variant.bucket <= cuda::kMostFewRows;
  const cuda::EarlyLaunches early(options.early_launch && (few || model_->quantized_layers()));
  return Launcher(*this, stream, variant, probe).Run();
}

int64_t CudaStep::bytes() const {
  int64_t bytes = 0;
  for (const cuda::DeviceBuffer* buffer :
       {&table_memory_, &workspace_, &fused_workspace_, &activations_, &gathered_, &logits_}) {
    bytes += buffer->bytes();
  }
  return bytes;
}

}  // namespace dragoman::engine
