#include "engine/model/ct2_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "engine/model/concat.h"
#include "engine/model/families/bart_names.h"
#include "engine/model/hf_fields.h"
#include "engine/model/json.h"
#include "engine/model/model_limits.h"

namespace dragoman {
namespace {

constexpr std::string_view kConfigFile = "config.json";
constexpr std::string_view kSpec = "TransformerSpec";
// The newest that was looked at; older ones lack attributes, which have their values of then.
constexpr int kNewestRevision = 7;
// Before it the stages have their attributes in common.
constexpr int kFirstOfStages = 5;
// CTranslate2 grows its table of computed positions; 1,024 tokens is what it takes of a source.
constexpr int kComputedPositions = 1024;
// What CTranslate2's translate_batch takes where nobody says.
constexpr int kDefaultBeam = 2;
constexpr int kDefaultOutputTokens = 256;

// By their codes.
constexpr std::array<Activation, 7> kActivations = {
    Activation::kRelu,      Activation::kGeluTanh, Activation::kSwish,  Activation::kGelu,
    Activation::kQuickGelu, Activation::kTanh,     Activation::kSigmoid};

// config.json. Other values ask for another network or other tokens.
constexpr std::array<NeutralField, 5> kNeutralFields = {{
    {"add_source_bos", Neutral::kFalse},
    {"multi_query_attention", Neutral::kFalse},
    {"quantization_type", Neutral::kZero},
    {"quantization_bits", Neutral::kZero},
    {"quantization_group_size", Neutral::kZero},
}};

// Attributes of a stage. Those of the first list say which network it is and are read one by one;
// others must hold 0, or change nothing where those do.
constexpr std::array<std::string_view, 5> kReadAttributes = {
    "num_heads", "pre_norm", "activation", "scale_embeddings", "start_from_zero_embedding"};
constexpr std::array<std::string_view, 4> kZeroAttributes = {
    "alibi", "multi_query_attention", "embeddings_merge", "with_relative_position"};
constexpr std::array<std::string_view, 4> kIdleAttributes = {
    "alibi_use_positive_positions", "scale_alibi", "alignment_layer", "alignment_heads"};

bool IsAttribute(std::string_view name) {
  const auto is_in = [name](const auto& list) {
    return std::any_of(list.begin(), list.end(), [name](std::string_view attribute) {
      return name == attribute || name == Concat("encoder/", attribute) ||
             name == Concat("decoder/", attribute);
    });
  };
  return is_in(kReadAttributes) || is_in(kZeroAttributes) || is_in(kIdleAttributes);
}

// Shapes and attributes of one model. The first thing that is wrong is kept in status(); reads
// after it go on and return harmless values.
class VariableReader {
 public:
  VariableReader(const Ct2ModelFile& model, std::string_view file) : model_(model), file_(file) {}

  const absl::Status& status() const { return status_; }

  const TensorView* Find(std::string_view name) const {
    const auto found = model_.tensors.find(name);
    return found == model_.tensors.end() ? nullptr : &found->second;
  }

  // The size of a dimension of a matrix that must be there.
  int Size(std::string_view name, size_t dimension, int64_t max) {
    const TensorView* view = Find(name);
    if (view == nullptr) return Fail(name, "is missing");
    if (view->shape.size() != 2 || view->shape[dimension] < 1 || view->shape[dimension] > max) {
      return Fail(name, Concat("has shape ", ShapeString(view->shape), ", expected a matrix of 1 ",
                               "to ", max, dimension == 0 ? " rows" : " columns"));
    }
    return static_cast<int>(view->shape[dimension]);
  }

  // An attribute of a stage, or of both in older models.
  double Attribute(std::string_view stage, std::string_view name, double absent) {
    const std::string own = Concat(stage, "/", name);
    const TensorView* view = Find(own);
    const bool is_common = view == nullptr && model_.revision < kFirstOfStages;
    if (is_common) view = Find(name);
    if (view == nullptr) return absent;
    const std::string_view found = is_common ? name : std::string_view(own);
    if (view->numel() != 1) {
      return Fail(found, Concat("has shape ", ShapeString(view->shape), ", expected one number"));
    }
    const double value = NumberOf(*view);
    if (!std::isfinite(value)) return Fail(found, "is no number");
    return value;
  }

  int Whole(std::string_view stage, std::string_view name, int absent, int64_t min, int64_t max) {
    const double value = Attribute(stage, name, absent);
    if (value >= static_cast<double>(min) && value <= static_cast<double>(max) &&
        std::floor(value) == value) {
      return static_cast<int>(value);
    }
    Fail(Concat(stage, "/", name),
         Concat("is ", value, ", expected a whole number from ", min, " to ", max));
    return absent;
  }

  int Fail(std::string_view name, std::string_view what) {
    return Record(absl::InvalidArgumentError(Concat(file_, ": variable '", name, "' ", what)));
  }
  int Unsupported(std::string_view name, std::string_view what) {
    return Record(absl::UnimplementedError(
        Concat(file_, ": variable '", name, "' ", what, ", which is not supported")));
  }

  // How many layers a stage has: those with a self-attention.
  int Layers(const std::string& stage) {
    int layers = 0;
    while (Find(Concat(InputOfLayer(stage, layers), "/weight")) != nullptr) ++layers;
    if (layers == 0) return Fail(Concat(InputOfLayer(stage, 0), "/weight"), "is missing");
    if (layers > kMaxLayers) {
      return Fail(Concat(InputOfLayer(stage, layers - 1), "/weight"),
                  Concat("is of a layer too many, expected at most ", kMaxLayers));
    }
    return layers;
  }

  static std::string InputOfLayer(const std::string& stage, int layer) {
    return Ct2BartNames().of(stage, layer, BartPart::kSelfInput).front();
  }

 private:
  int Record(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
    return 0;
  }

  static double NumberOf(const TensorView& view) {
    const auto load = [&view](auto number) {
      std::memcpy(&number, view.data.data(), sizeof(number));
      return static_cast<double>(number);
    };
    switch (view.dtype) {
      case DType::kI8:
        return load(int8_t{});
      case DType::kI16:
        return load(int16_t{});
      case DType::kI32:
        return load(int32_t{});
      default: {
        float value = 0;
        CopyAsF32(view, {&value, 1});
        return double{value};
      }
    }
  }

  const Ct2ModelFile& model_;
  const std::string_view file_;
  absl::Status status_;
};

// Two names of one tensor.
bool AreOne(const TensorView* a, const TensorView* b) {
  return a != nullptr && b != nullptr && a->data.data() == b->data.data() && a->shape == b->shape;
}

class NetworkReader {
 public:
  NetworkReader(const Ct2ModelFile& model, std::string_view file, const Ct2Config& config)
      : file_(file), config_(config), in_(model, file) {}

  absl::StatusOr<Ct2Network> Read() {
    ReadAttributes();
    ReadShape();
    if (!in_.status().ok()) return in_.status();
    ReadSearch();
    return std::move(network_);
  }

 private:
  // What both stages must agree on.
  double Agreed(std::string_view name, double absent) {
    const double encoder = in_.Attribute("encoder", name, absent);
    const double decoder = in_.Attribute("decoder", name, absent);
    if (encoder != decoder) {
      in_.Unsupported(Concat("decoder/", name),
                      Concat("is ", decoder, " and that of the encoder ", encoder));
    }
    return encoder;
  }

  void ReadAttributes() {
    for (const std::string_view stage : {"encoder", "decoder"}) {
      for (const std::string_view name : kZeroAttributes) {
        if (const double value = in_.Attribute(stage, name, 0); value != 0) {
          in_.Unsupported(Concat(stage, "/", name), Concat("is ", value));
        }
      }
    }
    ModelSpec& spec = network_.spec;
    spec.family = "transformer";
    spec.norm_epsilon = config_.norm_epsilon;
    network_.traits = {.pre_norm = Agreed("pre_norm", 1) != 0,
                       .positions = IfAbsent::kOpenNmtSinusoids,
                       .empty_token = true,
                       .names = &Ct2BartNames()};
    network_.starts_empty = in_.Attribute("decoder", "start_from_zero_embedding", 0) != 0;
    const double activation = Agreed("activation", 0);
    if (activation >= 0 && activation < kActivations.size() &&
        std::floor(activation) == activation) {
      spec.activation = kActivations[static_cast<size_t>(activation)];
    } else {
      in_.Unsupported("encoder/activation", Concat("is ", activation));
    }
  }

  void ReadShape() {
    ModelSpec& spec = network_.spec;
    ModelShape& shape = spec.shape;
    const BartNames& names = Ct2BartNames();
    const auto weight_of = [&](const char* stage, BartPart part) {
      return Concat(names.of(stage, 0, part).front(), names.weight);
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
    shape.encoder_layers = in_.Layers("encoder");
    shape.decoder_layers = in_.Layers("decoder");
    shape.encoder_ffn = in_.Size(weight_of("encoder", BartPart::kFeedForwardUp), 0, kMaxFfn);
    shape.decoder_ffn = in_.Size(weight_of("decoder", BartPart::kFeedForwardUp), 0, kMaxFfn);
    // What models had before it was written down.
    constexpr int kOldHeads = 8;
    shape.encoder_heads = in_.Whole("encoder", "num_heads", kOldHeads, 1, kMaxHeads);
    shape.decoder_heads = in_.Whole("decoder", "num_heads", kOldHeads, 1, kMaxHeads);
    ReadPositions();
    if (!in_.status().ok()) return;
    if (shape.d_model < 4 || shape.d_model % 2 != 0) {
      in_.Fail(source,
               Concat("has ", shape.d_model, " columns, expected an even number from 4 on"));
    }
    ReadScale();
    spec.share_embeddings = AreOne(in_.Find(source), in_.Find(target));
    spec.tie_output = AreOne(in_.Find(target), in_.Find(names.output.front()));
    // The empty token.
    ++shape.target_vocab;
    if (spec.share_embeddings) ++shape.source_vocab;
  }

  void ReadPositions() {
    int& positions = network_.spec.shape.max_positions;
    const BartNames& names = Ct2BartNames();
    for (const char* stage : {"encoder", "decoder"}) {
      const std::string name = names.of(stage, -1, BartPart::kPositions).front();
      if (in_.Find(name) == nullptr) continue;
      const int rows = in_.Size(name, 0, kMaxPositions);
      if (rows == 1) in_.Fail(name, "has one row, expected at least 2");
      if (positions != 0 && rows != positions) {
        in_.Unsupported(name, Concat("has ", rows, " rows and that of the encoder ", positions));
      }
      positions = rows;
    }
    if (positions == 0) positions = kComputedPositions;
  }

  // A number, or whether it is sqrt(d_model).
  void ReadScale() {
    ModelSpec& spec = network_.spec;
    double scale = Agreed("scale_embeddings", 1);
    const TensorView* stored = in_.Find("encoder/scale_embeddings");
    const bool is_factor = stored != nullptr && IsFloat(stored->dtype);
    if (!is_factor) scale = scale != 0 ? std::sqrt(spec.shape.d_model) : 1.0;
    spec.embedding_scale = static_cast<float>(scale);
  }

  void ReadSearch() {
    GenerationDefaults& search = network_.spec.generation;
    search.num_beams = kDefaultBeam;
    search.early_stopping = EarlyStopping::kTrue;
    // With the start token.
    search.max_length = 1 + std::min(kDefaultOutputTokens, network_.spec.shape.max_positions);
  }

  const std::string_view file_;
  const Ct2Config& config_;
  VariableReader in_;
  Ct2Network network_;
};

}  // namespace

absl::StatusOr<Ct2Config> ParseCt2Config(std::string_view text) {
  const absl::StatusOr<nlohmann::json> root = ParseConfigObject(text, kConfigFile);
  if (!root.ok()) return root.status();
  JsonFields fields(kConfigFile, *root);
  RequireNeutral(kNeutralFields, &fields);
  Ct2Config config;
  config.unk_piece = fields.String("unk_token", config.unk_piece);
  config.bos_piece = fields.String("bos_token", config.bos_piece);
  config.eos_piece = fields.String("eos_token", config.eos_piece);
  if (fields.Has("decoder_start_token")) {
    config.decoder_start_piece = fields.String("decoder_start_token", "");
  }
  // Whether CTranslate2 or its caller ends a source: here it always has an end.
  fields.Bool("add_source_eos", false);
  if (const std::optional<double> epsilon = fields.OptionalNumber("layer_norm_epsilon")) {
    config.norm_epsilon = static_cast<float>(*epsilon);
    if (!(config.norm_epsilon >= 0 && config.norm_epsilon < 1)) {
      fields.Fail("layer_norm_epsilon", "a number from 0 to 1");
    }
  }
  if (!fields.status().ok()) return fields.status();
  return config;
}

absl::StatusOr<Ct2Network> ReadCt2Network(const Ct2ModelFile& model, std::string_view file,
                                          const Ct2Config& config) {
  if (model.spec != kSpec) {
    return absl::UnimplementedError(Concat(file, ": specification '", model.spec, "', supported: '",
                                           kSpec, "', an encoder and a decoder"));
  }
  if (model.revision > kNewestRevision) {
    return absl::UnimplementedError(Concat(file, ": revision ", model.revision, " of ", kSpec,
                                           ", supported: up to ", kNewestRevision));
  }
  return NetworkReader(model, file, config).Read();
}

absl::Status CheckCt2Variables(const Ct2ModelFile& model, std::string_view file,
                               const Network& network) {
  std::set<std::string_view> known;
  for (const WeightSource& source : network.sources) {
    for (const TensorSource& part : source.parts)
      known.insert(part.names.begin(), part.names.end());
  }
  for (const auto& [name, view] : model.tensors) {
    if (!known.contains(name) && !IsAttribute(name)) {
      return absl::UnimplementedError(
          Concat(file, ": variable '", name, "' ", ShapeString(view.shape),
                 " has no place in a network of the kinds that are supported: post- or pre-norm, ",
                 "with biases and absolute positions"));
    }
  }
  return absl::OkStatus();
}

}  // namespace dragoman
