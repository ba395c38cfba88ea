#include "engine/model/families/bart_network.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/model/concat.h"

namespace dragoman {
namespace {

using Names = std::vector<std::string>;

// A product's matrix and bias.
struct Linear {
  WeightId weight = kNoWeight;
  WeightId bias = kNoWeight;
  int64_t out = 0;
};

struct Norm {
  WeightId gain = kNoWeight;
  WeightId bias = kNoWeight;
};

// One stage under construction, with the buffers that both kinds of layer use.
class StageBuilder {
 public:
  StageBuilder(OpSequence* stage, int d, int ffn, float epsilon, bool pre_norm)
      : stage_(stage), epsilon_(epsilon), pre_norm_(pre_norm) {
    hidden = Add("hidden", d);
    input = pre_norm ? Add("normed", d) : hidden;
    qkv = Add("qkv", int64_t{3} * d);
    context = Add("context", d);
    sublayer = Add("sublayer", d);
    up = Add("up", ffn);
  }

  BufferId Add(const char* name, int64_t width) {
    stage_->buffers.push_back({name, width});
    return static_cast<BufferId>(stage_->buffers.size() - 1);
  }
  template <class What>
  void Do(const char* name, What what) {
    stage_->ops.push_back({name, layer, what});
  }
  void Product(const char* name, BufferId x, const Linear& linear, BufferId y,
               Activation activation = Activation::kNone) {
    Do(name, ProductOp{x, y, linear.weight, linear.bias, 0, linear.out, activation});
  }
  void NormEmbedding(const Norm& norm) {
    Do("embedding norm",
       AddNormOp{hidden, kNoBuffer, hidden, kNoBuffer, norm.gain, norm.bias, epsilon_});
  }
  // Around every sublayer, which reads `input` and writes `sublayer`.
  void Begin(const char* name, const Norm& norm) {
    if (pre_norm_) AddNorm(name, norm, input, hidden);
  }
  void End(const char* name, const Norm& norm) {
    if (!pre_norm_) AddNorm(name, norm, hidden, kNoBuffer);
    begun_ = true;
  }
  // The norm at the end of a pre-norm stage: nobody wants the sum any more.
  void EndStage(const Norm& norm) { AddNorm("final norm", norm, input, kNoBuffer); }

  int layer = -1;   // of what is added next
  BufferId hidden;  // the residual stream
  BufferId input;   // of sublayers, and in the end the stage's result
  BufferId qkv, context, sublayer, up;

 private:
  void AddNorm(const char* name, const Norm& norm, BufferId y, BufferId sum) {
    // Before the first sublayer there is nothing to add.
    const bool adds = begun_ || !pre_norm_;
    Do(name, AddNormOp{.x = adds ? sublayer : hidden,
                       .residual = adds ? hidden : kNoBuffer,
                       .y = y,
                       .sum = adds ? sum : kNoBuffer,
                       .gain = norm.gain,
                       .bias = norm.bias,
                       .epsilon = epsilon_});
  }

  OpSequence* const stage_;
  const float epsilon_;
  const bool pre_norm_;
  bool begun_ = false;
};

class Builder {
 public:
  Builder(const ModelSpec& spec, const BartTraits& traits)
      : spec_(spec), traits_(traits), shape_(spec.shape) {}

  Network Build() {
    Program& program = network_.program;
    program.kv = {shape_.decoder_layers, shape_.decoder_heads,
                  shape_.d_model / shape_.decoder_heads};
    program.max_positions = shape_.max_positions;
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

  WeightId AddEmbedding(std::string name, int rows, Names tensors) {
    const int d = shape_.d_model;
    return Add(std::move(name), WeightRole::kEmbedding, rows, d,
               {{{std::move(tensors), {rows, d}}}, IfAbsent::kRefuse});
  }

  // Products with one input, one below the other: [out, in] each.
  Linear AddLinear(const std::string& name, const Names& tensors, int out, int in) {
    WeightSource weight;
    WeightSource bias;
    for (const std::string& tensor : tensors) {
      weight.parts.push_back({{tensor + ".weight"}, {out, in}});
      bias.parts.push_back({{tensor + ".bias"}, {out}});
    }
    const int64_t all = static_cast<int64_t>(tensors.size()) * out;
    const WeightId matrix = Add(name, WeightRole::kMatrix, all, in, std::move(weight));
    return {matrix, Add(name + " bias", WeightRole::kBias, 1, all, std::move(bias)), all};
  }

  Norm AddNorm(const std::string& name, const std::string& tensor) {
    const int d = shape_.d_model;
    const WeightId gain = Add(name + " gain", WeightRole::kNormGain, 1, d,
                              {{{{tensor + ".weight"}, {d}}}, IfAbsent::kRefuse});
    return {gain, Add(name + " bias", WeightRole::kNormBias, 1, d,
                      {{{{tensor + ".bias"}, {d}}}, IfAbsent::kRefuse})};
  }

  WeightId AddPositions(const std::string& stage) {
    const int rows = shape_.max_positions;
    const int d = shape_.d_model;
    Names tensors;
    if (traits_.stored_positions) tensors = {"model." + stage + ".embed_positions.weight"};
    const int64_t first = traits_.first_position;
    return Add(stage + " positions", WeightRole::kPositions, rows, d,
               {{{std::move(tensors), {rows + first, d}, first}}, traits_.positions});
  }

  void Embed(StageBuilder& s, const std::string& stage, WeightId table) {
    s.Do("embedding", EmbedOp{table, AddPositions(stage), spec_.embedding_scale, s.hidden});
    if (!traits_.norm_embedding) return;
    const Norm norm = AddNorm(stage + " embedding norm", "model." + stage + ".layernorm_embedding");
    s.NormEmbedding(norm);
  }

  void AddEmbeddings() {
    Names source = {"model.encoder.embed_tokens.weight"};
    Names target = {"model.decoder.embed_tokens.weight"};
    if (spec_.tie_output) target.push_back("lm_head.weight");
    if (spec_.share_embeddings) {
      source.insert(source.begin(), "model.shared.weight");
      source.insert(source.end(), target.begin(), target.end());
    }
    source_ = AddEmbedding("source embedding", shape_.source_vocab, std::move(source));
    target_ = spec_.share_embeddings
                  ? source_
                  : AddEmbedding("target embedding", shape_.target_vocab, std::move(target));
    output_ = spec_.tie_output
                  ? target_
                  : AddEmbedding("output layer", shape_.target_vocab, {"lm_head.weight"});
    Names bias;
    if (traits_.logits_bias) bias = {"final_logits_bias"};
    output_bias_ = Add("output layer bias", WeightRole::kOutputBias, 1, shape_.target_vocab,
                       {{{std::move(bias), {1, shape_.target_vocab}}}, IfAbsent::kZeros});
  }

  // The second half of a layer, of either stage.
  void FeedForward(StageBuilder& s, const std::string& name, const std::string& tensors, int ffn) {
    const int d = shape_.d_model;
    const Norm norm = AddNorm(name + "feed-forward norm", tensors + "final_layer_norm");
    s.Begin("feed-forward norm", norm);
    s.Product("feed-forward up", s.input,
              AddLinear(name + "feed-forward up", {tensors + "fc1"}, ffn, d), s.up,
              spec_.activation);
    s.Product("feed-forward down", s.up,
              AddLinear(name + "feed-forward down", {tensors + "fc2"}, d, ffn), s.sublayer);
    s.End("feed-forward norm", norm);
  }

  void EndStage(StageBuilder& s, const std::string& stage) {
    s.layer = -1;
    if (traits_.pre_norm) {
      s.EndStage(AddNorm(stage + " final norm", "model." + stage + ".layer_norm"));
    }
  }

  // A layer's first half up to the norm, around the attention.
  template <class Attention>
  void SelfAttention(StageBuilder& s, const std::string& name, const std::string& tensors,
                     Attention attention) {
    const int d = shape_.d_model;
    const std::string self = tensors + "self_attn";
    const Norm norm = AddNorm(name + "self-attention norm", self + "_layer_norm");
    s.Begin("self norm", norm);
    s.Product("query, key, value", s.input,
              AddLinear(name + "self-attention query, key, value",
                        {self + ".q_proj", self + ".k_proj", self + ".v_proj"}, d, d),
              s.qkv);
    s.Do("self-attention", attention);
    s.Product("self output", s.context,
              AddLinear(name + "self-attention output", {self + ".out_proj"}, d, d), s.sublayer);
    s.End("self norm", norm);
  }

  void AddEncoder() {
    const int d = shape_.d_model;
    StageBuilder s(&network_.program.encoder, d, shape_.encoder_ffn, spec_.norm_epsilon,
                   traits_.pre_norm);
    Embed(s, "encoder", source_);
    for (int l = 0; l < shape_.encoder_layers; ++l) {
      s.layer = l;
      const std::string name = Concat("encoder layer ", l, ": ");
      const std::string tensors = Concat("model.encoder.layers.", l, ".");
      SelfAttention(
          s, name, tensors,
          EncoderAttentionOp{s.qkv, s.context, shape_.encoder_heads, d / shape_.encoder_heads});
      FeedForward(s, name, tensors, shape_.encoder_ffn);
    }
    EndStage(s, "encoder");
    // k | v of every decoder layer, one below the other.
    Names tensors;
    for (int l = 0; l < shape_.decoder_layers; ++l) {
      const std::string cross = Concat("model.decoder.layers.", l, ".encoder_attn.");
      tensors.push_back(cross + "k_proj");
      tensors.push_back(cross + "v_proj");
    }
    const Linear all = AddLinear("cross-attention key, value of all layers", tensors, d, d);
    const BufferId kv = s.Add("cross kv", int64_t{2} * d);
    for (int l = 0; l < shape_.decoder_layers; ++l) {
      s.layer = l;
      s.Do("cross key, value", ProductOp{s.input, kv, all.weight, all.bias, int64_t{2} * d * l,
                                         int64_t{2} * d, Activation::kNone});
      s.Do("cross pages", WriteCrossKvOp{kv, l, 1});
    }
  }

  void AddDecoder() {
    const int d = shape_.d_model;
    StageBuilder s(&network_.program.decoder, d, shape_.decoder_ffn, spec_.norm_epsilon,
                   traits_.pre_norm);
    const BufferId q = s.Add("query", d);
    Embed(s, "decoder", target_);
    for (int l = 0; l < shape_.decoder_layers; ++l) {
      s.layer = l;
      const std::string name = Concat("decoder layer ", l, ": ");
      const std::string tensors = Concat("model.decoder.layers.", l, ".");
      SelfAttention(s, name, tensors, SelfAttentionOp{s.qkv, s.context, l});
      const std::string cross = tensors + "encoder_attn";
      const Norm norm = AddNorm(name + "cross-attention norm", cross + "_layer_norm");
      s.Begin("cross norm", norm);
      s.Product("cross query", s.input,
                AddLinear(name + "cross-attention query", {cross + ".q_proj"}, d, d), q);
      s.Do("alignment", AlignOp{q, l});
      s.Do("cross-attention", CrossAttentionOp{q, s.context, l});
      s.Product("cross output", s.context,
                AddLinear(name + "cross-attention output", {cross + ".out_proj"}, d, d),
                s.sublayer);
      s.End("cross norm", norm);
      FeedForward(s, name, tensors, shape_.decoder_ffn);
    }
    EndStage(s, "decoder");
    s.Do("output layer", OutputOp{s.input, output_, output_bias_});
  }

  const ModelSpec& spec_;
  const BartTraits& traits_;
  const ModelShape& shape_;
  Network network_;
  WeightId source_ = kNoWeight;
  WeightId target_ = kNoWeight;
  WeightId output_ = kNoWeight;
  WeightId output_bias_ = kNoWeight;
};

}  // namespace

absl::StatusOr<Network> MakeBartNetwork(const ModelSpec& spec, const BartTraits& traits) {
  const ModelShape& s = spec.shape;
  for (const int heads : {s.encoder_heads, s.decoder_heads}) {
    if (heads <= 0 || heads > kMaxAttentionHeads || s.d_model % heads != 0) {
      return absl::InvalidArgumentError(Concat("attention: ", heads, " heads for d_model ",
                                               s.d_model, ", expected a divisor of it from 1 to ",
                                               kMaxAttentionHeads));
    }
  }
  Network network = Builder(spec, traits).Build();
  if (absl::Status status = CheckProgram(network.program); !status.ok()) return status;
  return network;
}

}  // namespace dragoman
