#include "engine/decode/cpu_stages.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "kernels/ops/align.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"
#include "kernels/ops/gate.h"
#include "kernels/ops/recurrence.h"
#include "kernels/ops/row_norm.h"

namespace dragoman::engine {
namespace {

// The largest number of tokens of an encoder pass with several segments. It is large enough for
// efficient matrix products. It is small enough that activations stay in cache, and that the
// decoder can start soon with the segments of the first pass.
constexpr int64_t kEncodeTokens = 512;

// True for the operations that only the encoder or only the decoder has. An operation type must be
// listed here or be handled in StageRunner::Run.
template <class What>
constexpr bool kOfOneStage =
    std::is_same_v<What, EncoderAttentionOp> || std::is_same_v<What, WriteCrossKvOp> ||
    std::is_same_v<What, SelfAttentionOp> || std::is_same_v<What, RecurrenceOp> ||
    std::is_same_v<What, AlignOp> || std::is_same_v<What, CrossAttentionOp>;

}  // namespace

int64_t EncoderRows(const Program& program) {
  return std::max(kEncodeTokens, program.max_positions);
}

size_t EncoderScratch(const PackedProgram& packed) {
  return packed.ScratchFloats(packed.program.encoder, packed.encoder, EncoderRows(packed.program));
}

size_t DecoderScratch(const PackedProgram& packed, int max_rows) {
  return packed.ScratchFloats(packed.program.decoder, packed.decoder, max_rows);
}

int64_t BufferBytes(const PackedProgram& packed, int max_rows) {
  const int64_t tokens = EncoderRows(packed.program);
  return StageBuffers::BytesOf(packed.encoder_buffers, tokens) + CpuEncoder::PositionBytes(tokens) +
         StageBuffers::BytesOf(packed.decoder_buffers, max_rows);
}

StageBuffers::StageBuffers(const BufferPlan& plan, int64_t rows) : plan_(plan), rows_(rows) {
  block_.reset(static_cast<float*>(::operator new(static_cast<size_t>(bytes()), kAlignment)));
  std::fill_n(block_.get(), bytes() / static_cast<int64_t>(sizeof(float)), 0.0F);
}

StageRunner::StageRunner(std::shared_ptr<const PackedProgram> packed, const OpSequence& stage,
                         const BufferPlan& plan, const StageProducts& products,
                         kernels::OpContext* context, int threads, int64_t capacity)
    : packed_(std::move(packed)),
      stage_(stage),
      products_(products),
      own_(context == nullptr
               ? std::make_unique<kernels::OpContext>(packed_->helpers.get(), threads)
               : nullptr),
      op_(context == nullptr ? *own_ : *context),
      buffers_(plan, capacity) {
  op_.Reserve(packed_->ScratchFloats(stage, products, capacity));
  workspace_bytes_ = buffers_.bytes() + (own_ == nullptr ? 0 : own_->bytes());
}

template <class Attend>
void StageRunner::Run(const int32_t* tokens, const int32_t* positions, int64_t rows,
                      Attend attend) {
  for (size_t i = 0; i < stage_.ops.size(); ++i) {
    const kernels::Probed probed(op_.probe(), stage_.ops[i].name);
    std::visit(
        [&](const auto& op) {
          using What = std::decay_t<decltype(op)>;
          if constexpr (std::is_same_v<What, EmbedOp>) {
            kernels::EmbedTokens(op_, packed_->Table(op.table), {Value(op.positions), op.unplaced},
                                 op.scale, tokens, positions, rows, buffers_[op.y]);
          } else if constexpr (std::is_same_v<What, ProductOp>) {
            products_[i]->Run(op_, buffers_[op.x], rows, buffers_[op.y]);
          } else if constexpr (std::is_same_v<What, GateOp>) {
            kernels::GateRows(op_, op.activation, buffers_[op.x], rows, static_cast<int>(op.width),
                              buffers_[op.y]);
          } else if constexpr (std::is_same_v<What, AddNormOp>) {
            if (op.kind == NormKind::kRms) {
              kernels::AddRmsNorm(op_, buffers_[op.x], IfThere(op.residual), Value(op.gain),
                                  op.epsilon, rows, packed_->Cols(op.gain), buffers_[op.y],
                                  IfThere(op.sum));
              return;
            }
            kernels::AddLayerNorm(op_, buffers_[op.x], IfThere(op.residual), Value(op.gain),
                                  Value(op.bias), op.epsilon, rows, packed_->Cols(op.gain),
                                  buffers_[op.y], IfThere(op.sum));
          } else if constexpr (std::is_same_v<What, EnsembleOutputOp>) {
            NotOfThisStage();  // only GPUs run it; for the CPU see ensemble_model.h
          } else if constexpr (!std::is_same_v<What, OutputOp>) {
            static_assert(kOfOneStage<What>, "an operation that nothing runs on the CPU");
            attend(op);
          }
        },
        stage_.ops[i].what);
  }
}

CpuEncoder::CpuEncoder(const std::shared_ptr<const PackedProgram>& packed,
                       kernels::OpContext* context, int threads)
    : StageRunner(packed, packed->program.encoder, packed->encoder_buffers, packed->encoder,
                  context, threads, EncoderRows(packed->program)),
      capacity_(EncoderRows(packed->program)),
      positions_(static_cast<size_t>(capacity_)) {}

absl::Status CpuEncoder::Encode(const EncodeInput& in) {
  const int64_t tokens = in.offsets[in.segments];
  if (tokens > capacity_) {
    return absl::InternalError(
        absl::StrCat("encoder: ", tokens, " tokens in one pass, expected at most ", capacity_));
  }
  op_.Begin();
  for (int64_t i = 0; i < in.segments; ++i) {
    std::iota(positions_.begin() + in.offsets[i], positions_.begin() + in.offsets[i + 1], 0);
  }
  Run(in.tokens, positions_.data(), tokens, [&](const auto& op) {
    using What = std::decay_t<decltype(op)>;
    if constexpr (std::is_same_v<What, EncoderAttentionOp>) {
      kernels::EncoderAttention(op_, buffers_[op.qkv], in.offsets, in.segments, op.heads,
                                op.head_dim, buffers_[op.context], packed_->Bias(op.bias));
    } else if constexpr (std::is_same_v<What, WriteCrossKvOp>) {
      kernels::WriteCrossKv(op_, layout(), op.first_layer, op.layers, buffers_[op.kv], in.offsets,
                            in.segments, in.page_offsets, in.pages, in.pool);
    } else {
      NotOfThisStage();
    }
  });
  op_.End();
  return absl::OkStatus();
}

CpuRows::CpuRows(const std::shared_ptr<const PackedProgram>& packed, kernels::OpContext* context,
                 int threads, int max_rows)
    : StageRunner(packed, packed->program.decoder, packed->decoder_buffers, packed->decoder,
                  context, threads, max_rows) {}

const float* CpuRows::Run(const StepInput& in) {
  StageRunner::Run(in.tokens, in.rows.position, in.rows.count, [&](const auto& op) {
    using What = std::decay_t<decltype(op)>;
    if constexpr (std::is_same_v<What, SelfAttentionOp>) {
      kernels::DecodeSelfAttention(op_, layout(), op.layer, in.rows, in.self, buffers_[op.qkv],
                                   buffers_[op.context], packed_->Bias(op.bias));
    } else if constexpr (std::is_same_v<What, RecurrenceOp>) {
      kernels::Recur(op_, layout(), op.layer, in.rows, in.self, buffers_[op.gate_x],
                     buffers_[op.y]);
    } else if constexpr (std::is_same_v<What, AlignOp>) {
      if (in.align.empty()) return;
      kernels::AlignRows(op_, layout(), op.layer, in.rows, in.cross, buffers_[op.q],
                         in.align.data(), static_cast<int64_t>(in.align.size()), in.aligned);
    } else if constexpr (std::is_same_v<What, CrossAttentionOp>) {
      kernels::CrossAttention(op_, layout(), op.layer, in.rows, in.cross, buffers_[op.q],
                              buffers_[op.context]);
    } else {
      NotOfThisStage();
    }
  });
  return buffers_[packed_->program.output().x];
}

CpuDecoder::CpuDecoder(std::shared_ptr<const PackedProgram> packed, int threads, int max_rows,
                       kernels::OpProbe* probe)
    : packed_(std::move(packed)), rows_(packed_, nullptr, threads, max_rows) {
  rows_.context().set_probe(probe);
  if (packed_->selects_words) {
    words_ = std::make_unique<WordSelections>(packed_->output.get(), max_rows);
  }
}

absl::Status CpuDecoder::Step(const StepInput& in, kernels::LogitSummary* summaries) {
  kernels::OpContext& context = rows_.context();
  context.Begin();
  const float* const hidden = rows_.Run(in);
  const kernels::Probed probed(context.probe(), packed_->program.decoder.ops.back().name);
  if (words_ == nullptr) {
    packed_->output->Fold(context, hidden, in.rows.count, in.requests, summaries);
  } else {
    words_->Fold(context, hidden, in.rows, in.requests, summaries);
  }
  return absl::OkStatus();
}

}  // namespace dragoman::engine
