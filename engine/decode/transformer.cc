#include "engine/decode/transformer.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/transformer_weights.h"
#include "kernels/base/op_context.h"
#include "kernels/ops/align.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"
#include "kernels/ops/layer_norm.h"

namespace dragoman {
namespace {

// Tokens of one encoder pass: enough for the products to be efficient, few enough for activations
// to stay in cache and for the first segments of a window to reach the decoder soon.
constexpr int64_t kEncodeTokens = 512;

KvLayout LayoutOf(const ModelShape& shape) {
  return {shape.decoder_layers, shape.decoder_heads, shape.d_model / shape.decoder_heads};
}

int64_t EncoderRows(const ModelShape& shape) {
  return std::max<int64_t>(kEncodeTokens, shape.max_positions);
}

// Activations of one thread, [capacity rows].
struct Scratch {
  Scratch(const ModelShape& shape, int64_t rows) {
    const auto d = static_cast<size_t>(shape.d_model);
    const auto n = static_cast<size_t>(rows);
    hidden.resize(n * d);
    sublayer.resize(n * d);
    context.resize(n * d);
    qkv.resize(n * d * 3);
    ffn.resize(n * static_cast<size_t>(std::max(shape.encoder_ffn, shape.decoder_ffn)));
  }
  // Of one for so many rows.
  static int64_t Bytes(const ModelShape& shape, int64_t rows) {
    return rows * (6 * int64_t{shape.d_model} + std::max(shape.encoder_ffn, shape.decoder_ffn)) *
           static_cast<int64_t>(sizeof(float));
  }
  std::vector<float> hidden, sublayer, context, qkv, ffn;
};

// The two blocks that encoder and decoder layers share. Post-norm: hidden = LN(hidden + sublayer).
class Blocks {
 public:
  Blocks(const PackedTransformer& model, OpContext& op, Scratch& s)
      : model_(model), op_(op), s_(s) {}

  void Residual(const NormWeights& norm, int64_t rows) {
    AddLayerNorm(op_, s_.sublayer.data(), s_.hidden.data(), norm.gamma.data(), norm.beta.data(),
                 model_.spec.norm_epsilon, rows, model_.spec.shape.d_model, s_.hidden.data());
  }

  // From the attention's context.
  void Project(const Linear& output, const NormWeights& norm, int64_t rows) {
    output.Run(op_, s_.context.data(), rows, s_.sublayer.data());
    Residual(norm, rows);
  }

  void FeedForward(const PackedFeedForward& ffn, int64_t rows) {
    ffn.up->Run(op_, s_.hidden.data(), rows, s_.ffn.data());
    ffn.down->Run(op_, s_.ffn.data(), rows, s_.sublayer.data());
    Residual(ffn.norm, rows);
  }

 private:
  const PackedTransformer& model_;
  OpContext& op_;
  Scratch& s_;
};

class TransformerEncoder : public Encoder {
 public:
  TransformerEncoder(std::shared_ptr<const PackedTransformer> model, int threads)
      : model_(std::move(model)),
        op_(threads),
        capacity_(EncoderRows(model_->spec.shape)),
        scratch_(model_->spec.shape, capacity_),
        positions_(static_cast<size_t>(capacity_)) {
    const ModelShape& shape = model_->spec.shape;
    op_.Reserve(EncoderAttentionScratch(shape.max_positions, shape.d_model / shape.encoder_heads));
    for (const PackedEncoderLayer& layer : model_->encoder) {
      layer.self.query_key_value->Warm(op_, capacity_);
      layer.self.output->Warm(op_, capacity_);
      layer.ffn.up->Warm(op_, capacity_);
      layer.ffn.down->Warm(op_, capacity_);
    }
    for (const PackedDecoderLayer& layer : model_->decoder) {
      layer.cross.key_value->Warm(op_, capacity_);
    }
    workspace_bytes_ = Scratch::Bytes(shape, capacity_) + op_.bytes();
  }

  absl::Status Encode(const EncodeInput& in) override {
    const ModelShape& shape = model_->spec.shape;
    const int d = shape.d_model;
    const int64_t tokens = in.offsets[in.segments];
    if (tokens > capacity_) {
      return absl::InternalError(
          absl::StrCat("encoder: ", tokens, " tokens in one pass, expected at most ", capacity_));
    }
    for (int64_t i = 0; i < in.segments; ++i) {
      std::iota(positions_.begin() + in.offsets[i], positions_.begin() + in.offsets[i + 1], 0);
    }
    EmbedTokens(op_, model_->source.data.data(), model_->encoder_positions.data.data(),
                model_->spec.embedding_scale, in.tokens, positions_.data(), tokens, d,
                scratch_.hidden.data());
    Blocks blocks(*model_, op_, scratch_);
    for (const PackedEncoderLayer& layer : model_->encoder) {
      layer.self.query_key_value->Run(op_, scratch_.hidden.data(), tokens, scratch_.qkv.data());
      EncoderAttention(op_, scratch_.qkv.data(), in.offsets, in.segments, shape.encoder_heads,
                       d / shape.encoder_heads, scratch_.context.data());
      blocks.Project(*layer.self.output, layer.self.norm, tokens);
      blocks.FeedForward(layer.ffn, tokens);
    }
    const KvLayout layout = LayoutOf(shape);
    for (size_t l = 0; l < model_->decoder.size(); ++l) {
      model_->decoder[l].cross.key_value->Run(op_, scratch_.hidden.data(), tokens,
                                              scratch_.qkv.data());
      WriteCrossKv(op_, layout, static_cast<int>(l), 1, scratch_.qkv.data(), in.offsets,
                   in.segments, in.page_offsets, in.pages, in.pool);
    }
    return absl::OkStatus();
  }

  int64_t max_tokens() const override { return capacity_; }

  int64_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  const std::shared_ptr<const PackedTransformer> model_;
  OpContext op_;
  const int64_t capacity_;
  Scratch scratch_;
  std::vector<int32_t> positions_;
  int64_t workspace_bytes_ = 0;
};

class TransformerDecoder : public Decoder {
 public:
  TransformerDecoder(std::shared_ptr<const PackedTransformer> model, int threads, int max_rows)
      : model_(std::move(model)), op_(threads), scratch_(model_->spec.shape, max_rows) {
    for (const PackedDecoderLayer& layer : model_->decoder) {
      layer.self.query_key_value->Warm(op_, max_rows);
      layer.self.output->Warm(op_, max_rows);
      layer.cross.query->Warm(op_, max_rows);
      layer.cross.output->Warm(op_, max_rows);
      layer.ffn.up->Warm(op_, max_rows);
      layer.ffn.down->Warm(op_, max_rows);
    }
    model_->output->Warm(op_, max_rows);
    op_.Reserve(AlignScratch(model_->spec.shape.max_positions));
    workspace_bytes_ = Scratch::Bytes(model_->spec.shape, max_rows) + op_.bytes();
  }

  absl::Status Step(const StepInput& in, RowFold* folds) override {
    const ModelShape& shape = model_->spec.shape;
    const int64_t rows = in.rows.count;
    const KvLayout layout = LayoutOf(shape);
    EmbedTokens(op_, model_->target_embedding(), model_->decoder_positions.data.data(),
                model_->spec.embedding_scale, in.tokens, in.rows.position, rows, shape.d_model,
                scratch_.hidden.data());
    Blocks blocks(*model_, op_, scratch_);
    for (size_t l = 0; l < model_->decoder.size(); ++l) {
      const PackedDecoderLayer& layer = model_->decoder[l];
      const int number = static_cast<int>(l);
      layer.self.query_key_value->Run(op_, scratch_.hidden.data(), rows, scratch_.qkv.data());
      DecodeSelfAttention(op_, layout, number, in.rows, in.self, scratch_.qkv.data(),
                          scratch_.context.data());
      blocks.Project(*layer.self.output, layer.self.norm, rows);
      layer.cross.query->Run(op_, scratch_.hidden.data(), rows, scratch_.qkv.data());
      if (!in.align.empty()) {
        AlignRows(op_, layout, number, in.rows, in.cross, scratch_.qkv.data(), in.align.data(),
                  static_cast<int64_t>(in.align.size()), in.aligned);
      }
      CrossAttention(op_, layout, number, in.rows, in.cross, scratch_.qkv.data(),
                     scratch_.context.data());
      blocks.Project(*layer.cross.output, layer.cross.norm, rows);
      blocks.FeedForward(layer.ffn, rows);
    }
    model_->output->Fold(op_, scratch_.hidden.data(), rows, in.queries, folds);
    return absl::OkStatus();
  }

  int64_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  const std::shared_ptr<const PackedTransformer> model_;
  OpContext op_;
  Scratch scratch_;
  int64_t workspace_bytes_ = 0;
};

class Transformer : public StepModel {
 public:
  Transformer(const ModelSpec& spec, const TransformerWeights& weights)
      : model_(std::make_shared<const PackedTransformer>(spec, weights)) {}

  KvLayout kv_layout() const override { return LayoutOf(model_->spec.shape); }
  int64_t weight_bytes() const override { return model_->bytes; }
  int64_t workspace_bytes(int /*threads*/, int max_rows) const override {
    const ModelShape& shape = model_->spec.shape;
    return Scratch::Bytes(shape, EncoderRows(shape)) + Scratch::Bytes(shape, max_rows);
  }
  std::unique_ptr<Encoder> CreateEncoder(int threads) const override {
    return std::make_unique<TransformerEncoder>(model_, threads);
  }
  std::unique_ptr<Decoder> CreateDecoder(int threads, int max_rows) const override {
    return std::make_unique<TransformerDecoder>(model_, threads, max_rows);
  }

 private:
  // Shared with the encoders and decoders made from it, which may outlive this object.
  const std::shared_ptr<const PackedTransformer> model_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const StepModel>> CreateTransformer(
    const ModelSpec& spec, const TransformerWeights& weights) {
  const ModelShape& s = spec.shape;
  for (const int heads : {s.encoder_heads, s.decoder_heads}) {
    if (heads <= 0 || heads > kMaxAttentionHeads || s.d_model % heads != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("attention: ", heads, " heads for d_model ", s.d_model,
                       ", expected a divisor of it from 1 to ", kMaxAttentionHeads));
    }
  }
  return std::make_shared<const Transformer>(spec, weights);
}

}  // namespace dragoman
