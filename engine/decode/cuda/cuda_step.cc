#include "engine/decode/cuda/cuda_step.h"

#include <algorithm>
#include <utility>

#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/nvtx.h"
#include "engine/decode/cuda/row_buckets.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/align.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/gather_rows.h"
#include "kernels/ops/layer_norm.h"

namespace dragoman {

// One step on its way to a stream.
class CudaStep::Launcher {
 public:
  Launcher(const CudaStep& step, cuda::Stream stream, const StepVariant& variant, StepProbe* probe)
      : step_(step),
        model_(*step.model_),
        tables_(step.tables_),
        shape_(model_.spec().shape),
        layout_(model_.kv_layout()),
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
    const bool all_stored = model_.fused() == nullptr;
    Do(StepOp::kBegin, [&] { return cuda::BeginStep(stream_, tables_, step_.ports_); });
    const cuda::StoredList list = all_stored        ? cuda::StoredList::kAll
                                  : variant_.stored ? cuda::StoredList::kNotFused
                                                    : cuda::StoredList::kNone;
    Do(StepOp::kAsk, [&] { return cuda::AskRows(stream_, tables_, rows_.rows, list); });
    Do(StepOp::kEmbed, [&] {
      return cuda::EmbedTokens(stream_, model_.type(), model_.target_embedding(),
                               model_.decoder_positions(), model_.spec().embedding_scale,
                               tables_.row_token, tables_.row_position, rows_.rows, rows_.count,
                               shape_.d_model, Hidden());
    });
    int number = 0;
    for (const CudaDecoderLayer& layer : model_.decoder()) Layer(layer, number++);
    if (all_stored) {
      Stored(rows_.rows);
    } else {
      Do(StepOp::kFused, [&] {
        return model_.fused()->Fold(stream_, step_.fused_workspace_.data(), Hidden(), rows_,
                                    tables_.views, variant_.max_k, tables_.queries, tables_.folds);
      });
      if (variant_.stored) Stored(std::min<int64_t>(rows_.rows, tables_.limits.stored_rows));
    }
    Do(StepOp::kStepSlots, [&] { return cuda::StepSlots(stream_, tables_, rows_.rows); });
    Do(StepOp::kDeliver, [&] { return cuda::Deliver(stream_, tables_, step_.ports_); });
    Do(StepOp::kEnd, [&] { return cuda::EndStep(stream_, tables_, step_.ports_); });
    return fault_;
  }

 private:
  template <class Launch>
  void Do(StepOp op, Launch launch) {
    if (fault_.error != cuda::Error::kNone) return;
    const NvtxRange range(StepOpName(op));
    fault_.op = op;
    if (probe_ != nullptr) fault_.error = probe_->Before(op);
    if (fault_.error == cuda::Error::kNone) fault_.error = launch();
    if (fault_.error == cuda::Error::kNone && probe_ != nullptr) fault_.error = probe_->After(op);
  }

  void* Hidden() const { return step_.hidden_.data(); }

  void Project(StepOp op, const cuda::Linear& linear, const void* x, void* y) {
    Do(op,
       [&] { return linear.Run(stream_, step_.workspace_.data(), x, rows_.rows, rows_.count, y); });
  }

  void Residual(StepOp op, const CudaNorm& norm) {
    Do(op, [&] {
      return cuda::AddLayerNorm(stream_, model_.type(), step_.sublayer_.data(), Hidden(),
                                norm.gamma, norm.beta, model_.spec().norm_epsilon, rows_.rows,
                                rows_.count, shape_.d_model, Hidden());
    });
  }

  void Layer(const CudaDecoderLayer& layer, int number) {
    void* const sublayer = step_.sublayer_.data();
    void* const context = step_.context_.data();
    void* const wide = step_.wide_.data();
    const ComputeType type = model_.type();

    Project(StepOp::kQueryKeyValue, *layer.self.query_key_value, Hidden(), wide);
    Do(StepOp::kSelfAttention, [&] {
      return cuda::DecodeSelfAttention(stream_, type, layout_, number, rows_, self_, wide, context);
    });
    Project(StepOp::kSelfOutput, *layer.self.output, context, sublayer);
    Residual(StepOp::kSelfNorm, layer.self.norm);

    Project(StepOp::kCrossQuery, *layer.cross.query, Hidden(), wide);
    Do(StepOp::kAlign, [&] {
      return cuda::AlignRows(stream_, type, layout_, number, rows_, cross_, tables_.views, wide);
    });
    Do(StepOp::kCrossAttention, [&] {
      return cuda::CrossAttention(stream_, type, layout_, number, rows_, cross_, wide, context);
    });
    Project(StepOp::kCrossOutput, *layer.cross.output, context, sublayer);
    Residual(StepOp::kCrossNorm, layer.cross.norm);

    Project(StepOp::kUp, *layer.ffn.up, Hidden(), wide);
    Project(StepOp::kDown, *layer.ffn.down, wide, sublayer);
    Residual(StepOp::kFeedForwardNorm, layer.ffn.norm);
  }

  // The stored rows, of which there may be as many as `capacity`, chunk by chunk: they share the
  // memory of the logits.
  void Stored(int64_t capacity) {
    const StoredRows list{tables_.stored_rows, &tables_.now->stored_count, capacity};
    const int64_t width = shape_.d_model * ElementBytes(model_.type());
    for (int64_t first = 0; first < capacity; first += cuda::kChunkRows) {
      const int64_t n = std::min<int64_t>(cuda::kChunkRows, capacity - first);
      // Where every row is stored, the list is the rows themselves.
      const void* x = static_cast<const uint8_t*>(Hidden()) + first * width;
      if (model_.fused() != nullptr) {
        x = step_.gathered_.data();
        Do(StepOp::kGather, [&] {
          return cuda::GatherRows(stream_, model_.type(), Hidden(), list, first, n, shape_.d_model,
                                  step_.gathered_.data());
        });
      }
      auto* const logits = static_cast<float*>(step_.logits_.data());
      Do(StepOp::kLogits, [&] {
        return model_.logits().Run(stream_, step_.workspace_.data(), x, n, nullptr, logits);
      });
      Do(StepOp::kFoldLogits, [&] {
        return cuda::FoldStoredLogits(stream_, logits, LogitStride(shape_.target_vocab),
                                      model_.output_bias(), shape_.target_vocab, list, first, n,
                                      tables_.queries, tables_.folds);
      });
      if (!variant_.stored) continue;
      Do(StepOp::kFoldStored, [&] { return cuda::FoldStoredRows(stream_, tables_, first, n); });
    }
  }

  using StoredRows = cuda::StoredRows;

  const CudaStep& step_;
  const CudaModel& model_;
  const BatchTables& tables_;
  const ModelShape& shape_;
  const KvLayout layout_;
  const cuda::Stream stream_;
  const StepVariant variant_;
  StepProbe* const probe_;
  cuda::StepRows rows_;
  SelfKvTables self_;
  CrossKvTables cross_;
  Fault fault_;
};

absl::StatusOr<std::unique_ptr<CudaStep>> CudaStep::Create(std::shared_ptr<const CudaModel> model,
                                                           const BatchLimits& limits, void* pool,
                                                           const cuda::StepPorts& ports) {
  std::unique_ptr<CudaStep> step(new CudaStep(std::move(model), pool, ports));
  if (const absl::Status status = step->Allocate(limits); !status.ok()) return status;
  return step;
}

absl::Status CudaStep::Allocate(const BatchLimits& limits) {
  const int device = model_->device();
  if (const cuda::Error error = cuda::SetDevice(device); error != cuda::Error::kNone) {
    return CudaStatus(device, "selecting the device", error);
  }
  cuda::OwnedStream stream;
  absl::Status status =
      CudaStatus(device, "making a stream", stream.Create(cuda::StreamPriority::kLow));
  // Everything begins as zeros: rows beyond a step's are computed by products and never read.
  const auto take = [&](const char* what, int64_t bytes, cuda::DeviceBuffer* buffer) {
    if (!status.ok()) return;
    status = CudaMemoryStatus(device, what, bytes, buffer->Allocate(bytes));
    if (!status.ok()) return;
    status = CudaStatus(device, what, cuda::Fill(stream.get(), buffer->data(), 0, bytes));
  };
  const ModelShape& shape = model_->spec().shape;
  const int64_t element = ElementBytes(model_->type());
  const int64_t plane = int64_t{limits.max_rows} * shape.d_model * element;
  const int64_t wide = std::max<int64_t>(3 * int64_t{shape.d_model}, shape.decoder_ffn);
  const int64_t chunk = std::min<int64_t>(limits.stored_rows, cuda::kChunkRows);
  take("batch tables", CarveBatch(limits, nullptr, &tables_), &table_memory_);
  take("workspace of cuBLASLt", cuda::Blas::kWorkspaceBytes, &workspace_);
  take("decoder activations", plane, &hidden_);
  take("decoder activations", plane, &sublayer_);
  take("decoder activations", plane, &context_);
  take("decoder activations", limits.max_rows * wide * element, &wide_);
  take("logits", chunk * LogitStride(shape.target_vocab) * static_cast<int64_t>(sizeof(float)),
       &logits_);
  if (model_->fused() != nullptr) {
    take("gathered rows", chunk * shape.d_model * element, &gathered_);
    take("fused output layer", model_->fused()->WorkspaceBytes(limits.max_rows), &fused_workspace_);
  }
  if (!status.ok()) return status;
  CarveBatch(limits, table_memory_.data(), &tables_);
  return CudaStatus(device, "clearing decoder memory", stream.Wait());
}

cuda::Error CudaStep::Format(cuda::Stream stream) const {
  return cuda::FormatBatch(stream, tables_);
}

CudaStep::Fault CudaStep::Launch(cuda::Stream stream, const StepVariant& variant,
                                 StepProbe* probe) const {
  return Launcher(*this, stream, variant, probe).Run();
}

int64_t CudaStep::bytes() const {
  int64_t bytes = 0;
  for (const cuda::DeviceBuffer* buffer : {&table_memory_, &workspace_, &fused_workspace_, &hidden_,
                                           &sublayer_, &context_, &wide_, &gathered_, &logits_}) {
    bytes += buffer->bytes();
  }
  return bytes;
}

}  // namespace dragoman
