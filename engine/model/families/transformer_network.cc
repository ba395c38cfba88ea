#include "engine/model/families/transformer_network.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/families/stage_builder.h"
#include "engine/model/families/t5_shape.h"

namespace dragoman::engine {
namespace {

using Names = std::vector<std::string>;

class Builder {
 public:
  Builder(const ModelSpec& spec, const NetworkTraits& traits)
      : spec_(spec),
        traits_(traits),
        shape_(spec.shape),
        names_(*traits.names),
        width_(int64_t{shape_.decoder_heads} * HeadDim(shape_.decoder_heads)) {}

  Network Build() {
    Program& program = network_.program;
    program.kv = {shape_.decoder_layers, shape_.decoder_heads, HeadDim(shape_.decoder_heads)};
    program.max_positions = shape_.max_positions;
    // Sums in T5's residual stream may exceed 65,504, the largest float16. In float16, transformers
    // clamps them.
    program.fits_float16 = !traits_.is_t5;
    AddEmbeddings();
    AddEncoder();
    AddDecoder();
    return std::move(network_);
  }

 private:
  WeightId Add(std::string name, WeightRole role, int64_t rows, int64_t cols, WeightSource source) {
    network_.program.weights.push_back({std::move(name), role, rows, cols});
    network_.sources.push_back(std::move(source));
    return static_cast<WeightId>(network_.sources.size() - 1);
  }

  int HeadDim(int heads) const {
    return shape_.head_dim > 0 ? shape_.head_dim : shape_.d_model / heads;
  }

  // The engine's attention divides scores by sqrt(head_dim), but T5's does not. Multiplying the
  // queries' matrix by this scale cancels the division.
  float QueryScale() const {
    return traits_.is_t5 ? std::sqrt(static_cast<float>(shape_.head_dim)) : 1.0F;
  }

  // Returns the width of the output of a feed-forward layer's first product.
  int64_t UpWidth(int ffn) const { return spec_.gated ? int64_t{2} * ffn : ffn; }

  StageShape StageOf(int ffn) const {
    return {.d = shape_.d_model,
            .heads = width_,
            .up = UpWidth(ffn),
            .gated = spec_.gated ? ffn : 0,
            .pre_norm = traits_.pre_norm,
            .norm = traits_.is_t5 ? NormKind::kRms : NormKind::kLayer,
            .epsilon = spec_.norm_epsilon};
  }

  WeightId AddEmbedding(std::string name, int rows, Names tensors, Names spare, bool has_empty) {
    const int d = shape_.d_model;
    WeightSource source = SourceOfVocabulary(std::move(tensors), rows, d, has_empty);
    source.parts[0].spare_names = std::move(spare);
    return Add(std::move(name), WeightRole::kEmbedding, rows, d, std::move(source));
  }

  // Adds the weight and the bias of matrix products that have the same input. `tensors` are stacked
  // into one matrix of `out` rows and `in` columns. `first_scale` multiplies the first tensor.
  Linear AddLinear(const std::string& name, const Names& tensors, int64_t out, int64_t in,
                   float first_scale = 1.0F) {
    WeightSource weight;
    WeightSource bias;
    const int64_t each = out / static_cast<int64_t>(tensors.size());
    for (const std::string& tensor : tensors) {
      weight.parts.push_back({{TensorName(tensor, names_.weight)}, {each, in}});
      bias.parts.push_back({{TensorName(tensor, names_.bias)}, {each}});
    }
    weight.parts.front().scale = first_scale;
    const WeightId matrix = Add(name, WeightRole::kMatrix, out, in, std::move(weight));
    if (traits_.is_t5) return {matrix, kNoWeight, out};
    return {matrix, Add(name + " bias", WeightRole::kBias, 1, out, std::move(bias)), out};
  }

  Norm AddNorm(const std::string& name, const std::string& tensor, float scale = 1.0F) {
    const int d = shape_.d_model;
    WeightSource source{{{.names = {TensorName(tensor, names_.gain)}, .shape = {d}}}};
    source.parts.front().scale = scale;
    const WeightId gain = Add(name + " gain", WeightRole::kNormGain, 1, d, std::move(source));
    if (traits_.is_t5) return {gain, kNoWeight};
    return {gain, Add(name + " bias", WeightRole::kNormBias, 1, d,
                      {{{{TensorName(tensor, names_.norm_bias)}, {d}}}, IfAbsent::kRefuse})};
  }

  WeightId AddPositions(const std::string& stage) {
    const int rows = shape_.max_positions;
    const int d = shape_.d_model;
    Names tensors;
    if (traits_.stored_positions) tensors = names_.of(stage, -1, NetworkPart::kPositions);
    const int64_t first = traits_.first_position;
    return Add(stage + " positions", WeightRole::kPositions, rows, d,
               {{{std::move(tensors), {rows + first, d}, first}}, traits_.positions});
  }

  void Embed(StageBuilder& s, const std::string& stage, WeightId table) {
    const int32_t unplaced = traits_.places_padding ? kernels::kNoToken : spec_.tokens.pad;
    const WeightId positions = traits_.is_t5 ? kNoWeight : AddPositions(stage);
    s.Do("embedding", EmbedOp{table, positions, spec_.embedding_scale, s.hidden, unplaced});
    if (!traits_.norm_embedding) return;
    const Norm norm = AddNorm(stage + " embedding norm",
                              names_.of(stage, -1, NetworkPart::kEmbeddingNorm).front());
    s.NormEmbedding(norm);
  }

  // Returns the weight with T5's position biases of a layer. If the layers of a stage share the
  // biases, this is `of_first`, the weight of the first layer.
  WeightId Distances(const std::string& stage, int layer, WeightId of_first, bool two_sided) {
    if (!traits_.is_t5 || (layer > 0 && !traits_.distances_in_each_layer)) return of_first;
    const int heads = shape_.decoder_heads;
    const int64_t columns =
        (two_sided ? 2 : 1) * int64_t{shape_.max_positions} - (two_sided ? 1 : 0);
    WeightSource source{{{.names = names_.of(stage, layer, NetworkPart::kDistances),
                          .shape = {spec_.distances.buckets, heads}}}};
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t distance = column - (shape_.max_positions - 1);
      source.columns.push_back(RelativeBucket(distance, two_sided, spec_.distances.buckets,
                                              spec_.distances.max_distance));
    }
    const std::string owner =
        traits_.distances_in_each_layer ? Concat(stage, " layer ", layer, ":") : stage;
    return Add(owner + " self-attention distances", WeightRole::kRelativeBias, heads, columns,
               std::move(source));
  }

  void AddEmbeddings() {
    Names source = names_.source_embedding;
    Names target = names_.target_embedding;
    const bool empty = traits_.empty_token;
    Names spare;
    if (spec_.tie_output) {
      Names& to = names_.ignores_tied_output ? spare : target;
      to.insert(to.end(), names_.output.begin(), names_.output.end());
    }
    if (spec_.share_embeddings) {
      source.insert(source.begin(), names_.shared.begin(), names_.shared.end());
      source.insert(source.end(), target.begin(), target.end());
    }
    source_ = AddEmbedding(traits_.is_t5 ? "embedding" : "source embedding", shape_.source_vocab,
                           std::move(source), spec_.share_embeddings ? spare : Names(),
                           empty && spec_.share_embeddings);
    target_ = spec_.share_embeddings ? source_
                                     : AddEmbedding("target embedding", shape_.target_vocab,
                                                    std::move(target), spare, empty);
    output_ = spec_.tie_output
                  ? target_
                  : AddEmbedding("output layer", shape_.target_vocab, names_.output, {}, empty);
    Names tensors;
    if (traits_.logits_bias) tensors = names_.output_bias;
    WeightSource bias = SourceOfVocabulary(std::move(tensors), shape_.target_vocab, 0, empty);
    if (names_.output_bias_is_row) bias.parts[0].shape.insert(bias.parts[0].shape.begin(), 1);
    bias.if_absent = IfAbsent::kZeros;
    if (empty) bias.parts[1].fill = -std::numeric_limits<float>::infinity();
    output_bias_ =
        Add("output layer bias", WeightRole::kOutputBias, 1, shape_.target_vocab, std::move(bias));
  }

  // Adds the feed-forward sublayer of an encoder or decoder layer.
  void FeedForward(StageBuilder& s, const std::string& stage, const std::string& name, int ffn) {
    const int d = shape_.d_model;
    const bool gated = spec_.gated;
    const auto of = [&](NetworkPart part) { return names_.of(stage, s.layer, part); };
    const Norm norm =
        AddNorm(name + "feed-forward norm", of(NetworkPart::kFeedForwardNorm).front());
    s.Begin("feed-forward norm", norm);
    const Names up = of(gated ? NetworkPart::kGatedFeedForwardUp : NetworkPart::kFeedForwardUp);
    s.Product("feed-forward up", s.input, AddLinear(name + "feed-forward up", up, UpWidth(ffn), d),
              s.up, gated ? kernels::Activation::kNone : spec_.activation);
    if (gated) s.Do("feed-forward gate", GateOp{s.up, s.gated, ffn, spec_.activation});
    s.Product("feed-forward down", gated ? s.gated : s.up,
              AddLinear(name + "feed-forward down", of(NetworkPart::kFeedForwardDown), d, ffn),
              s.sublayer);
    s.End("feed-forward norm", norm);
  }

  // `scale` multiplies the result of a pre-norm stage. It is part of the last norm's gain.
  void EndStage(StageBuilder& s, const std::string& stage, float scale) {
    s.layer = -1;
    if (!traits_.pre_norm) return;
    s.EndStage(AddNorm(stage + " final norm", names_.of(stage, -1, NetworkPart::kFinalNorm).front(),
                       scale));
  }

  // Adds the self-attention sublayer with its norm. `attention` adds the attention operation
  // itself.
  template <class Attention>
  void SelfAttention(StageBuilder& s, const std::string& stage, const std::string& name,
                     Attention attention) {
    const int d = shape_.d_model;
    const auto of = [&](NetworkPart part) { return names_.of(stage, s.layer, part); };
    const Norm norm = AddNorm(name + "self-attention norm", of(NetworkPart::kSelfNorm).front());
    s.Begin("self norm", norm);
    s.Product("query, key, value", s.input,
              AddLinear(name + "self-attention query, key, value", of(NetworkPart::kSelfInput),
                        3 * width_, d, QueryScale()),
              s.qkv);
    s.Do("self-attention", attention);
    s.Product("self output", s.context,
              AddLinear(name + "self-attention output", of(NetworkPart::kSelfOutput), d, width_),
              s.sublayer);
    s.End("self norm", norm);
  }

  // Adds the recurrence, which replaces self-attention in the decoder.
  void Recurrence(StageBuilder& s, BufferId gate_x, const std::string& name) {
    const int d = shape_.d_model;
    const auto of = [&](NetworkPart part) { return names_.of("decoder", s.layer, part); };
    const Norm norm = AddNorm(name + "recurrence norm", of(NetworkPart::kRecurrenceNorm).front());
    Linear linear =
        AddLinear(name + "recurrence gate, input", of(NetworkPart::kRecurrence), int64_t{2} * d, d);
    // The product has two parts, gate and input. Only the gate has a bias tensor; the bias of the
    // input is zero.
    network_.sources[static_cast<size_t>(linear.bias)].parts.back().names.clear();
    s.Begin("recurrence norm", norm);
    s.Product("gate, input", s.input, linear, gate_x);
    s.Do("recurrence", RecurrenceOp{gate_x, s.sublayer, s.layer});
    s.End("recurrence norm", norm);
  }

  void AddEncoder() {
    StageBuilder s(&network_.program.encoder, StageOf(shape_.encoder_ffn));
    Embed(s, "encoder", source_);
    WeightId distances = kNoWeight;
    for (int l = 0; l < shape_.encoder_layers; ++l) {
      s.layer = l;
      const std::string name = Concat("encoder layer ", l, ": ");
      distances = Distances("encoder", l, distances, true);
      SelfAttention(s, "encoder", name,
                    EncoderAttentionOp{s.qkv, s.context, shape_.encoder_heads,
                                       HeadDim(shape_.encoder_heads), distances});
      FeedForward(s, "encoder", name, shape_.encoder_ffn);
    }
    EndStage(s, "encoder", 1.0F);
    // The cross-attention matrices of all decoder layers are stacked into one: key and value of the
    // first layer, then of the second, and so on.
    Names tensors;
    for (int l = 0; l < shape_.decoder_layers; ++l) {
      for (std::string& tensor : names_.of("decoder", l, NetworkPart::kCrossKeyValue)) {
        tensors.push_back(std::move(tensor));
      }
    }
    const Linear all = AddLinear("cross-attention key, value of all layers", tensors,
                                 2 * width_ * shape_.decoder_layers, shape_.d_model);
    const BufferId kv = s.Add("cross kv", 2 * width_);
    for (int l = 0; l < shape_.decoder_layers; ++l) {
      s.layer = l;
      s.Do("cross key, value", ProductOp{s.input, kv, all.weight, all.bias, 2 * width_ * l,
                                         2 * width_, kernels::Activation::kNone});
      s.Do("cross pages", WriteCrossKvOp{kv, l, 1});
    }
  }

  void AddDecoder() {
    const int d = shape_.d_model;
    StageBuilder s(&network_.program.decoder, StageOf(shape_.decoder_ffn));
    const BufferId q = s.Add("query", width_);
    const BufferId gate_x =
        traits_.recurrent_decoder ? s.Add("gate, input", int64_t{2} * d) : kNoBuffer;
    Embed(s, "decoder", target_);
    WeightId distances = kNoWeight;
    for (int l = 0; l < shape_.decoder_layers; ++l) {
      s.layer = l;
      const std::string name = Concat("decoder layer ", l, ": ");
      if (traits_.recurrent_decoder) {
        Recurrence(s, gate_x, name);
      } else {
        distances = Distances("decoder", l, distances, false);
        SelfAttention(s, "decoder", name, SelfAttentionOp{s.qkv, s.context, l, distances});
      }
      const auto of = [&](NetworkPart part) { return names_.of("decoder", l, part); };
      const Norm norm = AddNorm(name + "cross-attention norm", of(NetworkPart::kCrossNorm).front());
      s.Begin("cross norm", norm);
      s.Product("cross query", s.input,
                AddLinear(name + "cross-attention query", of(NetworkPart::kCrossQuery), width_, d,
                          QueryScale()),
                q);
      s.Do("alignment", AlignOp{q, l});
      s.Do("cross-attention", CrossAttentionOp{q, s.context, l});
      s.Product(
          "cross output", s.context,
          AddLinear(name + "cross-attention output", of(NetworkPart::kCrossOutput), d, width_),
          s.sublayer);
      s.End("cross norm", norm);
      FeedForward(s, "decoder", name, shape_.decoder_ffn);
    }
    EndStage(s, "decoder", traits_.output_scale);
    s.Do("output layer", OutputOp{s.input, output_, output_bias_});
  }

  const ModelSpec& spec_;
  const NetworkTraits& traits_;
  const ModelShape& shape_;
  const NetworkNames& names_;
  const int64_t width_;  // the width of all heads together
  Network network_;
  WeightId source_ = kNoWeight;
  WeightId target_ = kNoWeight;
  WeightId output_ = kNoWeight;
  WeightId output_bias_ = kNoWeight;
};

absl::Status CheckHeads(const ModelShape& s, bool is_t5) {
  if (is_t5) {
    const bool fits = s.encoder_heads == s.decoder_heads && s.decoder_heads >= 1 &&
                      s.decoder_heads <= kernels::kMaxAttentionHeads && s.head_dim >= 1;
    if (fits) return absl::OkStatus();
    return absl::InvalidArgumentError(Concat("attention: ", s.decoder_heads, " heads of ",
                                             s.head_dim, ", expected 1 to ",
                                             kernels::kMaxAttentionHeads, " heads of 1 or more"));
  }
  for (const int heads : {s.encoder_heads, s.decoder_heads}) {
    if (heads <= 0 || heads > kernels::kMaxAttentionHeads || s.d_model % heads != 0) {
      return absl::InvalidArgumentError(Concat("attention: ", heads, " heads for d_model ",
                                               s.d_model, ", expected a divisor of it from 1 to ",
                                               kernels::kMaxAttentionHeads));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Network> MakeNetwork(const ModelSpec& spec, const NetworkTraits& traits) {
  if (absl::Status status = CheckHeads(spec.shape, traits.is_t5); !status.ok()) return status;
  Network network = Builder(spec, traits).Build();
  if (absl::Status status = CheckProgram(network.program); !status.ok()) return status;
  return network;
}

}  // namespace dragoman::engine
