#include "engine/model/layouts/ct2/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/families/transformer_network.h"
#include "engine/model/layouts/ct2/variables.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kSpec = "TransformerSpec";
// The supported specifications by name, and their number of attention heads. The number is used if
// the revision of the file does not store it.
struct SpecName {
  std::string_view name;
  int heads;
};
constexpr std::array<SpecName, 4> kSpecNames = {
    {{"", 8}, {"TransformerBase", 8}, {"TransformerBig", 16}, {kSpec, 0}}};
constexpr int kFirstWithHeads = 3;
// The number of heads if a revision that may store it lacks the attribute.
constexpr int kDefaultHeads = 8;
// The newest supported revision. An attribute that an older revision lacks has the value that
// CTranslate2 used at that time.
constexpr int kNewestRevision = 7;
// The maximum number of positions. CTranslate2 cuts a source after this many tokens. A stored
// position table may have more rows (OpenNMT-py stores 5,000). They are ignored, because the engine
// plans memory for the longest source.
constexpr int kMostPositions = 1024;
// The default beam size and output length of CTranslate2's translate_batch.
constexpr int kDefaultBeam = 2;
constexpr int kDefaultOutputTokens = 256;
// CTranslate2's default epsilons of layer norms and RMS norms.
constexpr float kNormEpsilon = 1e-5F;
constexpr float kRmsNormEpsilon = 1e-6F;
constexpr const char* kStages[] = {"encoder", "decoder"};

// The activations, indexed by their codes in the file.
constexpr std::array<kernels::Activation, 7> kActivations = {
    kernels::Activation::kRelu,   kernels::Activation::kGeluTanh,  kernels::Activation::kSwish,
    kernels::Activation::kGelu,   kernels::Activation::kQuickGelu, kernels::Activation::kTanh,
    kernels::Activation::kSigmoid};

// The two names of the attribute with the scale of embeddings, newer and older. Its value is a
// factor, or a flag that says whether the factor is sqrt(d_model).
constexpr std::string_view kEmbeddingScale = "scale_embeddings";
constexpr std::string_view kOldScale = "embeddings/multiply_by_sqrt_depth";

// Attributes of a stage, in three lists. The attributes of the first list define the network and
// are read one by one. Those of the second list must be 0. Those of the third list have no effect
// if the second list's are 0.
constexpr std::array<std::string_view, 7> kReadAttributes = {"num_heads",
                                                             "pre_norm",
                                                             "activation",
                                                             kEmbeddingScale,
                                                             kOldScale,
                                                             "scale_outputs",
                                                             "start_from_zero_embedding"};
constexpr std::array<std::string_view, 4> kZeroAttributes = {
    "alibi", "multi_query_attention", "embeddings_merge", "with_relative_position"};
constexpr std::array<std::string_view, 5> kIdleAttributes = {
    "alibi_use_positive_positions", "scale_alibi", "alignment_layer", "alignment_heads",
    "layernorm_embedding"};

bool IsAttribute(std::string_view name) {
  const auto is_in = [name](const auto& list) {
    return std::any_of(list.begin(), list.end(), [name](std::string_view attribute) {
      return name == attribute || name == Concat("encoder/", attribute) ||
             name == Concat("decoder/", attribute);
    });
  };
  return is_in(kReadAttributes) || is_in(kZeroAttributes) || is_in(kIdleAttributes) ||
         IsOfOlderCt2Config(name);
}

std::string OfLayer(std::string_view stage, int layer, std::string_view variable) {
  return Concat(stage, "/layer_", layer, "/", variable);
}

// Returns the name of the variable for query, key and value of a layer's self-attention.
std::string SelfInput(std::string_view stage, int layer) {
  const NetworkNames& names = Ct2BartNames();
  return Concat(names.of(stage, layer, NetworkPart::kSelfInput).front(), names.weight);
}

class NetworkReader {
 public:
  NetworkReader(std::string_view file, const Ct2Config& config, Ct2ModelFile* model)
      : file_(file), config_(config), model_(model), in_(*model, file) {}

  absl::StatusOr<Ct2Network> Read() {
    is_t5_ = in_.Find(OfLayer("encoder", 0, kBias)) != nullptr;
    ReadAttributes();
    ReadShape();
    if (in_.status().ok()) is_t5_ ? ReadT5() : ReadBart();
    if (!in_.status().ok()) return in_.status();
    ReadSearch();
    absl::StatusOr<Network> network = MakeNetwork(read_.spec, traits_);
    if (!network.ok()) return network.status();
    read_.network = *std::move(network);
    if (absl::Status status = CheckVariables(); !status.ok()) return status;
    return std::move(read_);
  }

 private:
  static constexpr std::string_view kBias = "self_attention/relative_attention_bias";

  void ReadAttributes() {
    for (const std::string_view stage : kStages) {
      for (const std::string_view name : kZeroAttributes) {
        if (const double value = in_.Attribute(stage, name, 0); value != 0) {
          in_.Unsupported(Concat(stage, "/", name), Concat("is ", value));
        }
      }
    }
    ModelSpec& spec = read_.spec;
    spec.family = is_t5_ ? "t5" : "transformer";
    spec.norm_epsilon = config_.norm_epsilon.value_or(is_t5_ ? kRmsNormEpsilon : kNormEpsilon);
    pre_norm_ = in_.Agreed("pre_norm", 1) != 0;
    read_.starts_empty = in_.Attribute("decoder", "start_from_zero_embedding", 0) != 0;
    output_scale_ = in_.Attribute("decoder", "scale_outputs", 1);
    const double activation = in_.Agreed("activation", 0);
    if (activation >= 0 && activation < kActivations.size() &&
        std::floor(activation) == activation) {
      spec.activation = kActivations[static_cast<size_t>(activation)];
    } else {
      in_.Unsupported("encoder/activation", Concat("is ", activation));
    }
  }

  void ReadShape() {
    ModelSpec& spec = read_.spec;
    ModelShape& shape = spec.shape;
    const NetworkNames& names = Ct2BartNames();
    const auto up_of = [&](const char* stage) {
      return Concat(names.of(stage, 0, NetworkPart::kFeedForwardUp).front(), names.weight);
    };
    const auto present =
        std::find_if(names.source_embedding.begin(), names.source_embedding.end(),
                     [this](const std::string& name) { return in_.Find(name) != nullptr; });
    const std::string& source =
        present == names.source_embedding.end() ? names.source_embedding.front() : *present;
    const std::string& target = names.target_embedding.front();
    shape.d_model = in_.Size(source, 1, kMaxDim);
    shape.source_vocab = in_.Size(source, 0, kMaxVocabulary);
    shape.target_vocab = in_.Size(target, 0, kMaxVocabulary);
    shape.encoder_layers = Layers("encoder");
    shape.decoder_layers = Layers("decoder");
    shape.encoder_ffn = in_.Size(up_of("encoder"), 0, kMaxFfn);
    shape.decoder_ffn = in_.Size(up_of("decoder"), 0, kMaxFfn);
    const int heads = HeadsByName();
    shape.encoder_heads = in_.Whole("encoder", "num_heads", heads, 1, kMaxHeads);
    shape.decoder_heads = in_.Whole("decoder", "num_heads", heads, 1, kMaxHeads);
    if (in_.status().ok() && (shape.d_model < 4 || shape.d_model % 2 != 0)) {
      in_.Fail(source,
               Concat("has ", shape.d_model, " columns, expected an even number from 4 on"));
    }
    spec.share_embeddings = in_.AreOne(source, target);
    spec.tie_output = in_.AreOne(target, names.output.front());
    if (is_t5_ && !spec.share_embeddings) {
      in_.Unsupported(source, Concat("is another than '", target, "', in a T5"));
    }
    // One more id for the empty token.
    ++shape.target_vocab;
    if (spec.share_embeddings) ++shape.source_vocab;
  }

  // Returns the number of layers of a stage. Counts the variables of self-attention.
  int Layers(const char* stage) {
    int layers = 0;
    while (in_.Find(SelfInput(stage, layers)) != nullptr) ++layers;
    if (layers == 0) return in_.Fail(SelfInput(stage, 0), "is missing");
    if (layers > kMaxLayers) {
      return in_.Fail(SelfInput(stage, layers - 1),
                      Concat("is of a layer too many, expected at most ", kMaxLayers));
    }
    return layers;
  }

  // Returns the number of heads for the specification's name. Returns 0, which a later check
  // refuses, if the name has none.
  int HeadsByName() const {
    if (model_->revision >= kFirstWithHeads) return kDefaultHeads;
    const auto* const found =
        std::find_if(kSpecNames.begin(), kSpecNames.end(),
                     [this](const SpecName& spec) { return spec.name == model_->spec; });
    return found == kSpecNames.end() ? 0 : found->heads;
  }

  void ReadBart() {
    if (output_scale_ != 1) in_.Unsupported("decoder/scale_outputs", Concat("is ", output_scale_));
    const std::string norm = Ct2BartNames().of("encoder", -1, NetworkPart::kEmbeddingNorm).front();
    traits_ = {.pre_norm = pre_norm_,
               .norm_embedding = in_.Find(norm + "/gamma") != nullptr,
               .positions = IfAbsent::kOpenNmtSinusoids,
               .empty_token = true,
               .names = &Ct2BartNames()};
    ReadPositions();
    ReadScale();
  }

  void ReadPositions() {
    int& positions = read_.spec.shape.max_positions;
    const NetworkNames& names = Ct2BartNames();
    for (const char* stage : kStages) {
      const std::string name = names.of(stage, -1, NetworkPart::kPositions).front();
      if (in_.Find(name) == nullptr) continue;
      const int rows = in_.Size(name, 0, kMaxPositions);
      if (rows == 1) in_.Fail(name, "has one row, expected at least 2");
      if (positions != 0 && rows != positions) {
        in_.Unsupported(name, Concat("has ", rows, " rows and that of the encoder ", positions));
      }
      positions = rows;
    }
    if (positions == 0) positions = kMostPositions;
    if (positions <= kMostPositions || !in_.status().ok()) return;
    positions = kMostPositions;
    for (const char* stage : kStages) CutRows(names.of(stage, -1, NetworkPart::kPositions).front());
  }

  void CutRows(const std::string& name) {
    const auto found = model_->tensors.find(name);
    // This stage has no table, only the other stage has one. CheckVariables reports the error.
    if (found == model_->tensors.end()) return;
    TensorView& view = found->second;
    const auto all = static_cast<size_t>(view.shape[0]);
    view.data = view.data.first(view.data.size() / all * kMostPositions);
    view.shape[0] = kMostPositions;
  }

  // Reads the scale of embeddings. The attribute is the scale itself, or a flag that says whether
  // the scale is sqrt(d_model).
  void ReadScale() {
    ModelSpec& spec = read_.spec;
    const std::string_view name =
        in_.Find(Concat("encoder/", kEmbeddingScale)) != nullptr ? kEmbeddingScale : kOldScale;
    double scale = in_.Agreed(name, 1);
    const TensorView* stored = in_.Find(Concat("encoder/", name));
    const bool is_factor = stored != nullptr && IsFloat(stored->dtype);
    if (!is_factor) scale = scale != 0 ? std::sqrt(spec.shape.d_model) : 1.0;
    spec.embedding_scale = static_cast<float>(scale);
  }

  void ReadT5() {
    ModelSpec& spec = read_.spec;
    if (!pre_norm_) in_.Unsupported("encoder/pre_norm", "is 0 in a T5");
    const double scale = in_.Agreed("scale_embeddings", 1);
    if (scale != 0) in_.Unsupported("encoder/scale_embeddings", Concat("is ", scale, " in a T5"));
    spec.shape.max_positions = kMostPositions;
    spec.gated = in_.Find(OfLayer("encoder", 0, "ffn/linear_0_noact/weight")) != nullptr;
    traits_ = {.pre_norm = true,
               .empty_token = true,
               .is_t5 = true,
               .output_scale = static_cast<float>(output_scale_),
               .names = &Ct2T5Names()};
    for (const char* stage : kStages) {
      ReadDistances(stage);
      const bool is_decoder = stage == kStages[1];
      const int layers = is_decoder ? spec.shape.decoder_layers : spec.shape.encoder_layers;
      for (int layer = 0; layer < layers && in_.status().ok(); ++layer) {
        RequireUnscaledQueries(OfLayer(stage, layer, "self_attention/queries_scale"));
        if (is_decoder) RequireUnscaledQueries(OfLayer(stage, layer, "attention/queries_scale"));
        SplitSelfInput(stage, layer);
      }
    }
  }

  // Reads the table of T5's position biases. All layers of a stage must have the first layer's
  // table, and the tables of both stages must have the same size.
  void ReadDistances(const char* stage) {
    const std::string first = OfLayer(stage, 0, kBias);
    const int layers =
        stage == kStages[0] ? read_.spec.shape.encoder_layers : read_.spec.shape.decoder_layers;
    DistanceBuckets& distances = read_.spec.distances;
    for (int layer = 0; layer < layers; ++layer) {
      const std::string table = OfLayer(stage, layer, kBias);
      if (layer > 0 && !in_.AreOne(first, table)) {
        in_.Unsupported(table, "is not the table of the stage's first layer");
      }
      const DistanceBuckets found = {
          in_.Size(table, 0, kMaxBuckets),
          static_cast<int>(std::clamp(
              in_.Number(OfLayer(stage, layer, "self_attention/relative_attention_max_distance"),
                         kUsualDistance),
              0.0, double{kMaxPositions}))};
      if (distances.buckets == 0) distances = found;
      if (distances.buckets != found.buckets || distances.max_distance != found.max_distance) {
        in_.Unsupported(table, Concat("has ", found.buckets, " buckets up to distance ",
                                      found.max_distance, ", the encoder's first layer ",
                                      distances.buckets, " up to ", distances.max_distance));
      }
      read_variables_.insert(table);
      read_variables_.insert(
          OfLayer(stage, layer, "self_attention/relative_attention_max_distance"));
    }
    // In the encoder, each side of the query has half of the buckets. Half of the buckets of a side
    // are for a single distance each.
    if (distances.buckets < 4 || distances.max_distance <= distances.buckets / 2) {
      in_.Fail(first,
               Concat("has ", distances.buckets, " buckets up to distance ", distances.max_distance,
                      ", expected 4 or more, and a distance above half of them"));
    }
  }

  void RequireUnscaledQueries(const std::string& name) {
    if (const double scale = in_.Number(name, 0); scale != 1) {
      in_.Unsupported(name, in_.Find(name) == nullptr ? std::string("is missing in a T5")
                                                      : Concat("is ", scale, " in a T5"));
    }
    read_variables_.insert(name);
  }

  // Splits the variable that has query, key and value into three tensors, because T5's network
  // scales only the query matrix (transformer_network.cc).
  void SplitSelfInput(std::string_view stage, int layer) {
    const std::string name = SelfInput(stage, layer);
    const auto found = model_->tensors.find(name);
    if (found == model_->tensors.end()) return;  // cannot happen: Layers() has found it
    const TensorView& whole = found->second;
    ModelShape& shape = read_.spec.shape;
    const int64_t rows = whole.shape.size() == 2 ? whole.shape[0] / 3 : 0;
    if (layer == 0 && stage == kStages[0]) {
      shape.head_dim = static_cast<int>(std::min<int64_t>(rows / shape.encoder_heads, kMaxDim));
    }
    if (whole.shape.size() != 2 || whole.shape[0] != 3 * rows || rows == 0 ||
        rows != int64_t{shape.head_dim} * shape.encoder_heads) {
      in_.Fail(name, Concat("has shape ", ShapeString(whole.shape), ", expected query, key and ",
                            "value of ", shape.encoder_heads, " heads of one size"));
      return;
    }
    const NetworkNames& names = Ct2T5Names();
    const std::vector<std::string> parts = names.of(stage, layer, NetworkPart::kSelfInput);
    const size_t bytes = whole.data.size() / parts.size();
    const size_t scales = whole.scales.size() / parts.size();
    const bool has_row_scales = whole.scales.size() > sizeof(float);
    for (size_t i = 0; i < parts.size(); ++i) {
      TensorView part = whole;
      part.shape[0] = rows;
      part.data = whole.data.subspan(i * bytes, bytes);
      if (has_row_scales) part.scales = whole.scales.subspan(i * scales, scales);
      model_->tensors.emplace(TensorName(parts[i], names.weight), std::move(part));
    }
    model_->tensors.erase(found);
  }

  void ReadSearch() {
    GenerationDefaults& search = read_.spec.generation;
    search.num_beams = kDefaultBeam;
    search.early_stopping = EarlyStopping::kTrue;
    // max_length counts the start token too.
    search.max_length = 1 + std::min(kDefaultOutputTokens, read_.spec.shape.max_positions);
  }

  absl::Status CheckVariables() const {
    std::set<std::string_view> known(read_variables_.begin(), read_variables_.end());
    for (const WeightSource& source : read_.network.sources) {
      for (const TensorSource& part : source.parts)
        known.insert(part.names.begin(), part.names.end());
    }
    for (const auto& [name, view] : model_->tensors) {
      if (known.contains(name) || IsAttribute(name)) continue;
      return absl::UnimplementedError(
          Concat(file_, ": variable '", name, "' ", ShapeString(view.shape),
                 " has no place in a network of ", is_t5_ ? "T5's kind, which this is by '" : "",
                 is_t5_ ? OfLayer("encoder", 0, kBias) + "'"
                        : "the kinds that are supported: post- or pre-norm, with biases and "
                          "absolute positions, or T5's"));
    }
    return absl::OkStatus();
  }

  static constexpr int kMaxBuckets = 1 << 12;
  static constexpr int kUsualDistance = 128;

  const std::string_view file_;
  const Ct2Config& config_;
  Ct2ModelFile* const model_;
  Ct2Variables in_;
  bool is_t5_ = false;
  bool pre_norm_ = true;
  double output_scale_ = 1;
  NetworkTraits traits_;
  std::set<std::string> read_variables_;  // the names of the layers' attributes that have been read
  Ct2Network read_;
};

}  // namespace

absl::StatusOr<Ct2Network> ReadCt2Network(std::string_view file, const Ct2Config& config,
                                          Ct2ModelFile* model) {
  const bool is_known =
      std::any_of(kSpecNames.begin(), kSpecNames.end(),
                  [model](const SpecName& spec) { return spec.name == model->spec; });
  if (!is_known) {
    return absl::UnimplementedError(
        Concat(file, ": specification '", model->spec, "', supported: '", kSpec,
               "', 'TransformerBase' and 'TransformerBig', an encoder and a decoder"));
  }
  if (model->revision > kNewestRevision) {
    return absl::UnimplementedError(Concat(file, ": revision ", model->revision, " of '",
                                           model->spec, "', supported: up to ", kNewestRevision));
  }
  return NetworkReader(file, config, model).Read();
}

}  // namespace dragoman::engine
