#include "engine/model/families/t5_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/families/stage_builder.h"

namespace dragoman::engine {
namespace {

using Names = std::vector<std::string>;

class Builder {
 public:
  Builder(const ModelSpec& spec, const T5Traits& traits)
      : spec_(spec),
        traits_(traits),
        shape_(spec.shape),
        width_(int64_t{shape_.decoder_heads} * shape_.head_dim) {}

  Network Build() {
    Program& program = network_.program;
    program.kv = {shape_.decoder_layers, shape_.decoder_heads, shape_.head_dim};
    program.max_positions = shape_.max_positions;
    // Sums in the residual stream may exceed 65,504, the largest float16. In float16, transformers
    // clamps them.
    program.fits_float16 = false;
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

  Names NamesOf(const std::string& stage, int layer, T5Part part) const {
    return traits_.names->of(stage, layer, part, spec_.gated);
  }

  StageShape StageOf(int ffn) const {
    return {.d = shape_.d_model,
            .heads = width_,
            .up = spec_.gated ? int64_t{2} * ffn : ffn,
            .gated = spec_.gated ? ffn : 0,
            .pre_norm = true,
            .norm = NormKind::kRms,
            .epsilon = spec_.norm_epsilon};
  }

  // Adds the weight of matrix products that have the same input. `tensors` are stacked into one
  // matrix of `out` rows and `in` columns.
  Linear AddMatrix(const std::string& name, const Names& tensors, int64_t out, int64_t in,
                   bool first_is_query = false) {
    WeightSource source;
    const int64_t each = out / static_cast<int64_t>(tensors.size());
    for (const std::string& tensor : tensors) source.parts.push_back({{tensor}, {each, in}});
    // The engine's attention divides scores by sqrt(head_dim), but T5's does not. Multiplying the
    // queries' matrix by sqrt(head_dim) cancels the division.
    if (first_is_query) {
      source.parts.front().scale = std::sqrt(static_cast<float>(shape_.head_dim));
    }
    return {.weight = Add(name, WeightRole::kMatrix, out, in, std::move(source)), .out = out};
  }

  Norm AddNorm(const std::string& name, Names tensor, float scale = 1.0F) {
    const int d = shape_.d_model;
    TensorSource gain{.names = std::move(tensor), .shape = {d}};
    gain.scale = scale;
    return {.gain = Add(name + " gain", WeightRole::kNormGain, 1, d, {{gain}, IfAbsent::kRefuse})};
  }

  // Returns the weight with the position biases of a layer. If the layers of a stage share the
  // biases, this is `of_first`, the weight of the first layer.
  WeightId Distances(const std::string& stage, int layer, WeightId of_first, bool two_sided) {
    if (layer > 0 && !traits_.distances_in_each_layer) return of_first;
    const int heads = shape_.decoder_heads;
    const int64_t columns =
        (two_sided ? 2 : 1) * int64_t{shape_.max_positions} - (two_sided ? 1 : 0);
    WeightSource source{{{.names = NamesOf(stage, layer, T5Part::kDistances),
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
    const bool empty = traits_.empty_token;
    const Names& output = traits_.names->output;
    const int rows = shape_.target_vocab;
    const int d = shape_.d_model;
    const auto add = [&](std::string name, Names tensors, Names spare) {
      WeightSource source = SourceOfVocabulary(std::move(tensors), rows, d, empty);
      source.parts[0].spare_names = std::move(spare);
      return Add(std::move(name), WeightRole::kEmbedding, rows, d, std::move(source));
    };
    Names names = traits_.names->embedding;
    Names spare;
    if (spec_.tie_output) {
      Names& to = traits_.names->ignores_tied_output ? spare : names;
      to.insert(to.end(), output.begin(), output.end());
    }
    embedding_ = add("embedding", std::move(names), std::move(spare));
    output_ = spec_.tie_output ? embedding_ : add("output layer", output, {});
    WeightSource bias = SourceOfVocabulary({}, rows, 0, empty);
    bias.if_absent = IfAbsent::kZeros;
    if (empty) bias.parts[1].fill = -std::numeric_limits<float>::infinity();
    output_bias_ = Add("output layer bias", WeightRole::kOutputBias, 1, rows, std::move(bias));
  }

  template <class Attention>
  void SelfAttention(StageBuilder& s, const std::string& stage, const std::string& name,
                     Attention attention) {
    const auto of = [&](T5Part part) { return NamesOf(stage, s.layer, part); };
    const Norm norm = AddNorm(name + "self-attention norm", of(T5Part::kSelfNorm));
    s.Begin("self norm", norm);
    s.Product("query, key, value", s.input,
              AddMatrix(name + "self-attention query, key, value", of(T5Part::kSelfInput),
                        3 * width_, shape_.d_model, true),
              s.qkv);
    s.Do("self-attention", attention);
    s.Product(
        "self output", s.context,
        AddMatrix(name + "self-attention output", of(T5Part::kSelfOutput), shape_.d_model, width_),
        s.sublayer);
    s.End("self norm", norm);
  }

  // Adds the feed-forward sublayer of an encoder or decoder layer.
  void FeedForward(StageBuilder& s, const std::string& stage, const std::string& name, int ffn) {
    const int d = shape_.d_model;
    const auto of = [&](T5Part part) { return NamesOf(stage, s.layer, part); };
    const Names up = of(T5Part::kFeedForwardUp);
    const Norm norm = AddNorm(name + "feed-forward norm", of(T5Part::kFeedForwardNorm));
    s.Begin("feed-forward norm", norm);
    BufferId y = s.up;
    if (spec_.gated) {
      const int64_t both = int64_t{2} * ffn;
      s.Product("feed-forward up", s.input, AddMatrix(name + "feed-forward up", up, both, d), s.up);
      s.Do("feed-forward gate", GateOp{s.up, s.gated, ffn, spec_.activation});
      y = s.gated;
    } else {
      s.Product("feed-forward up", s.input, AddMatrix(name + "feed-forward up", up, ffn, d), s.up,
                spec_.activation);
    }
    s.Product("feed-forward down", y,
              AddMatrix(name + "feed-forward down", of(T5Part::kFeedForwardDown), d, ffn),
              s.sublayer);
    s.End("feed-forward norm", norm);
  }

  void AddEncoder() {
    const int d = shape_.d_model;
    StageBuilder s(&network_.program.encoder, StageOf(shape_.encoder_ffn));
    s.Do("embedding", EmbedOp{embedding_, kNoWeight, 1.0F, s.hidden});
    WeightId distances = kNoWeight;
    for (int l = 0; l < shape_.encoder_layers; ++l) {
      s.layer = l;
      const std::string name = Concat("encoder layer ", l, ": ");
      distances = Distances("encoder", l, distances, true);
      SelfAttention(
          s, "encoder", name,
          EncoderAttentionOp{s.qkv, s.context, shape_.encoder_heads, shape_.head_dim, distances});
      FeedForward(s, "encoder", name, shape_.encoder_ffn);
    }
    s.layer = -1;
    s.EndStage(AddNorm("encoder final norm", NamesOf("encoder", -1, T5Part::kFinalNorm)));
    // The cross-attention matrices of all decoder layers are stacked into one: key and value of the
    // first layer, then of the second, and so on.
    Names tensors;
    for (int l = 0; l < shape_.decoder_layers; ++l) {
      for (std::string& tensor : NamesOf("decoder", l, T5Part::kCrossKeyValue)) {
        tensors.push_back(std::move(tensor));
      }
    }
    const Linear all = AddMatrix("cross-attention key, value of all layers", tensors,
                                 2 * width_ * shape_.decoder_layers, d);
    const BufferId kv = s.Add("cross kv", 2 * width_);
    for (int l = 0; l < shape_.decoder_layers; ++l) {
      s.layer = l;
      s.Do("cross key, value", ProductOp{s.input, kv, all.weight, kNoWeight, 2 * width_ * l,
                                         2 * width_, kernels::Activation::kNone});
      s.Do("cross pages", WriteCrossKvOp{kv, l, 1});
    }
  }

  void AddDecoder() {
    const int d = shape_.d_model;
    StageBuilder s(&network_.program.decoder, StageOf(shape_.decoder_ffn));
    const BufferId q = s.Add("query", width_);
    s.Do("embedding", EmbedOp{embedding_, kNoWeight, 1.0F, s.hidden});
    WeightId distances = kNoWeight;
    for (int l = 0; l < shape_.decoder_layers; ++l) {
      s.layer = l;
      const std::string name = Concat("decoder layer ", l, ": ");
      distances = Distances("decoder", l, distances, false);
      SelfAttention(s, "decoder", name, SelfAttentionOp{s.qkv, s.context, l, distances});
      const auto of = [&](T5Part part) { return NamesOf("decoder", l, part); };
      const Norm norm = AddNorm(name + "cross-attention norm", of(T5Part::kCrossNorm));
      s.Begin("cross norm", norm);
      s.Product("cross query", s.input,
                AddMatrix(name + "cross-attention query", of(T5Part::kCrossQuery), width_, d, true),
                q);
      s.Do("alignment", AlignOp{q, l});
      s.Do("cross-attention", CrossAttentionOp{q, s.context, l});
      s.Product("cross output", s.context,
                AddMatrix(name + "cross-attention output", of(T5Part::kCrossOutput), d, width_),
                s.sublayer);
      s.End("cross norm", norm);
      FeedForward(s, "decoder", name, shape_.decoder_ffn);
    }
    s.layer = -1;
    // The output scale is part of the norm's gain, because only the output layer reads the norm's
    // result.
    s.EndStage(AddNorm("decoder final norm", NamesOf("decoder", -1, T5Part::kFinalNorm),
                       traits_.output_scale));
    s.Do("output layer", OutputOp{s.input, output_, output_bias_});
  }

  const ModelSpec& spec_;
  const T5Traits& traits_;
  const ModelShape& shape_;
  const int64_t width_;  // the width of all heads together
  Network network_;
  WeightId embedding_ = kNoWeight;
  WeightId output_ = kNoWeight;
  WeightId output_bias_ = kNoWeight;
};

}  // namespace

int RelativeBucket(int64_t distance, bool two_sided, int buckets, int max_distance) {
  int first = 0;
  int64_t far = -distance;  // how far the key is before the query
  if (two_sided) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    far = std::abs(distance);
  }
  far = std::max<int64_t>(far, 0);
  const int exact = buckets / 2;
  if (far < exact) return first + static_cast<int>(far);
  const float step = std::log(static_cast<float>(far) / static_cast<float>(exact)) /
                     static_cast<float>(std::log(double{1} * max_distance / exact));
  const auto more = static_cast<int>(step * static_cast<float>(buckets - exact));
  return first + std::min(exact + more, buckets - 1);
}

absl::StatusOr<Network> MakeT5Network(const ModelSpec& spec, const T5Traits& traits) {
  const ModelShape& s = spec.shape;
  if (s.encoder_heads != s.decoder_heads || s.decoder_heads < 1 ||
      s.decoder_heads > kernels::kMaxAttentionHeads || s.head_dim < 1) {
    return absl::InvalidArgumentError(Concat("attention: ", s.decoder_heads, " heads of ",
                                             s.head_dim, ", expected 1 to ",
                                             kernels::kMaxAttentionHeads, " heads of 1 or more"));
  }
  Network network = Builder(spec, traits).Build();
  if (absl::Status status = CheckProgram(network.program); !status.ok()) return status;
  return network;
}

}  // namespace dragoman::engine
