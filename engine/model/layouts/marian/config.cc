#include "engine/model/layouts/marian/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "engine/base/concat.h"
#include "engine/model/formats/yaml.h"
#include "kernels/search/options.h"

namespace dragoman::engine {
namespace {

// The maximum number of positions if the model computes position embeddings. Marian has no limit,
// but by default it cuts a source after 1,000 tokens.
constexpr int kComputedPositions = 1024;
constexpr int kDefaultOutputTokens = 512;
// The values in OPUS-MT's decoder.yml. Marian's own defaults are a beam of 12 and no normalization.
constexpr int kDefaultBeam = 6;
constexpr double kDefaultNormalize = 1.0;
constexpr float kNormEpsilon = 1e-6F;
// The suffix of tensors with the scales of activations in 8-bit models. These tensors are ignored,
// because the engine computes the scales of activations at run time.
constexpr std::string_view kActivationScale = "_QuantMultA";

struct NeutralOption {
  std::string_view name;
  std::string_view value;
};

// Options and their only supported values. Other values would require another network.
constexpr std::array<NeutralOption, 15> kNeutralOptions = {{
    {"type", "transformer"},
    {"transformer-ffn-depth", "2"},
    {"transformer-no-projection", "false"},
    {"transformer-no-bias", "false"},
    {"transformer-no-affine", "false"},
    {"transformer-pool", "false"},
    {"transformer-rnn-projection", "false"},
    {"transformer-train-positions", "false"},
    {"transformer-train-position-embeddings", "false"},
    {"transformer-disable-position-embeddings", "false"},
    {"embedding-normalization", "false"},
    {"right-left", "false"},
    {"ulr", "false"},
    {"lemma-dim-emb", "0"},
    {"lemma-dependency", ""},
}};

// The first version, as major * 1000 + minor, in which a pre-norm layer also normalizes the input
// of keys and values.
constexpr int kFirstNormedKeys = 1010;
// The last version, as major * 1000 + minor, whose GELU is x * sigmoid(1.702 x).
constexpr int kLastQuickGelu = 1012;

// Returns the version, as major * 1000 + minor, of a text such as "v1.9.56 8fbfa65 2021-03-31", or
// nullopt.
std::optional<int> VersionOf(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  int major = 0;
  int minor = 0;
  const auto [dot, failed] = std::from_chars(text.data(), end, major);
  if (failed != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, no_minor] = std::from_chars(dot + 1, end, minor);
  if (no_minor != std::errc() || major < 0 || major > 999 || minor < 0 || minor > 999) {
    return std::nullopt;
  }
  return major * 1000 + minor;
}

struct NamedActivation {
  std::string_view name;
  kernels::Activation activation;
};
constexpr std::array<NamedActivation, 5> kActivations = {
    {{"relu", kernels::Activation::kRelu},
     {"swish", kernels::Activation::kSwish},
     {"gelu", kernels::Activation::kQuickGelu},
     {"sigmoid", kernels::Activation::kSigmoid},
     {"tanh", kernels::Activation::kTanh}}};

class OptionsReader {
 public:
  OptionsReader(const MarianFile& model, const YamlMap& options, std::string_view file,
                std::string_view options_file, const MarianDecoder& decoder)
      : model_(model), file_(file), decoder_(decoder), in_(options_file, options) {}

  absl::StatusOr<MarianNetwork> Read() {
    version_ = VersionOf(in_.String("version", "")).value_or(0);
    ReadNeutral();
    ReadNorms();
    ReadShape();
    ReadActivation();
    ReadSearch();
    if (!in_.status().ok()) return in_.status();
    if (absl::Status status = ReadVocabularies(); !status.ok()) return status;
    return std::move(network_);
  }

 private:
  void ReadNeutral() {
    for (const auto& [name, value] : kNeutralOptions) {
      if (in_.String(name, value) == value) continue;
      in_.Unsupported(name, value.empty() ? "nothing" : value);
    }
    const std::string depth = in_.String("transformer-decoder-ffn-depth", "0");
    if (depth != "0" && depth != "2") in_.Unsupported("transformer-decoder-ffn-depth", "0 and 2");
    const std::string autoreg = in_.String("transformer-decoder-autoreg", "self-attention");
    network_.traits.recurrent_decoder = autoreg == "rnn";
    if (autoreg == "rnn") {
      if (in_.String("dec-cell", "gru") != "ssru") in_.Unsupported("dec-cell", "ssru");
      if (in_.Flag("layer-normalization", false)) in_.Unsupported("layer-normalization", "false");
    } else if (autoreg != "self-attention") {
      in_.Unsupported("transformer-decoder-autoreg", "self-attention and rnn");
    }
    // The list has an entry for each decoder layer: the number of the layer whose weights it uses.
    // If each layer has its own number, no layers are tied.
    const std::vector<std::string> tied = in_.List("transformer-tied-layers");
    for (size_t i = 0; i < tied.size(); ++i) {
      if (tied[i] != Concat(i + 1)) in_.Unsupported("transformer-tied-layers", "none");
    }
    for (const std::string& input : in_.List("input-types")) {
      if (input != "sequence") in_.Unsupported("input-types", "sequences");
    }
    if (in_.Has("dim-vocabs") && in_.List("dim-vocabs").size() != 2) {
      in_.Unsupported("dim-vocabs", "one source and one target");
    }
  }

  // Returns an option whose letters name the steps around a sublayer ("dan": dropout, add, norm).
  // Leaves out the letter for dropout.
  std::string Steps(std::string_view name, std::string_view absent) {
    std::string steps = in_.String(name, absent);
    std::erase(steps, 'd');
    return steps;
  }

  void ReadNorms() {
    NetworkTraits& traits = network_.traits;
    const std::string before = Steps("transformer-preprocess", "");
    const std::string after = Steps("transformer-postprocess", "dan");
    traits.pre_norm = before == "n" && after == "a";
    if (!traits.pre_norm && !(before.empty() && after == "an")) {
      in_.Unsupported("transformer-postprocess",
                      "dan without transformer-preprocess, or da with transformer-preprocess n");
    }
    if (traits.pre_norm && version_ < kFirstNormedKeys) {
      in_.Unsupported("version", "of models with transformer-preprocess n, v1.10 or newer");
    }
    const std::string top = Steps("transformer-postprocess-top", "");
    const std::string_view wanted = traits.pre_norm ? "n" : "";
    if (top != wanted) {
      in_.Unsupported("transformer-postprocess-top",
                      traits.pre_norm ? "n, as transformer-preprocess is n"
                                      : "nothing, as there is no transformer-preprocess");
    }
    const std::string embedding = Steps("transformer-postprocess-emb", "d");
    traits.norm_embedding = embedding == "n";
    if (!embedding.empty() && embedding != "n") {
      in_.Unsupported("transformer-postprocess-emb", "d, n and nd");
    }
    traits.stored_positions = false;
    traits.positions = IfAbsent::kMarianSinusoids;
    traits.empty_token = true;
    traits.names = &MarianBartNames(traits.pre_norm);
  }

  int Whole(std::string_view name, int64_t max) {
    return static_cast<int>(in_.Whole(name, std::nullopt, 1, max));
  }

  void ReadShape() {
    ModelSpec& spec = network_.spec;
    spec.family = "transformer";
    spec.norm_epsilon = kNormEpsilon;
    ModelShape& shape = spec.shape;
    shape.d_model = Whole("dim-emb", kMaxDim);
    if (shape.d_model < 4 || shape.d_model % 2 != 0) {
      in_.Fail("dim-emb", "an even number from 4 on");
    }
    shape.encoder_layers = Whole("enc-depth", kMaxLayers);
    shape.decoder_layers = Whole("dec-depth", kMaxLayers);
    shape.encoder_heads = shape.decoder_heads =
        Whole("transformer-heads", kernels::kMaxAttentionHeads);
    if (shape.d_model % shape.encoder_heads != 0) {
      in_.Fail("transformer-heads", Concat("a divisor of dim-emb, ", shape.d_model));
    }
    shape.encoder_ffn = Whole("transformer-dim-ffn", kMaxFfn);
    const int64_t own = in_.Whole("transformer-decoder-dim-ffn", 0, 0, kMaxFfn);
    shape.decoder_ffn = own == 0 ? shape.encoder_ffn : static_cast<int>(own);
    shape.max_positions = kComputedPositions;
    spec.embedding_scale = std::sqrt(static_cast<float>(shape.d_model));
    const bool all = in_.Flag("tied-embeddings-all", false);
    spec.share_embeddings = all || in_.Flag("tied-embeddings-src", false);
    spec.tie_output = all || in_.Flag("tied-embeddings", false);
    // Marian trains head 0 of this layer with word alignments, if it has them, and takes its own
    // alignments from there (collectOneHead in models/transformer.h). A model does not say whether
    // it had them; the published ones for browsers did.
    spec.aligns_terms = in_.String("transformer-guided-alignment-layer", "last") == "last";
    if (spec.aligns_terms) spec.alignment_heads = 1;
  }

  void ReadActivation() {
    const std::string name = in_.String("transformer-ffn-activation", "swish");
    const auto* const found =
        std::find_if(kActivations.begin(), kActivations.end(),
                     [&name](const NamedActivation& one) { return one.name == name; });
    if (found == kActivations.end()) {
      in_.Unsupported("transformer-ffn-activation", "relu, swish, gelu, sigmoid and tanh");
    } else {
      network_.spec.activation = found->activation;
    }
    if (name == "gelu" && version_ > kLastQuickGelu) {
      in_.Unsupported("transformer-ffn-activation", "gelu of models of versions up to v1.12");
    }
  }

  void ReadSearch() {
    GenerationDefaults& search = network_.spec.generation;
    search.num_beams = decoder_.beam_size.value_or(kDefaultBeam);
    search.length_penalty = static_cast<float>(decoder_.normalize.value_or(kDefaultNormalize));
    // max_length counts the start token too.
    search.max_length = 1 + kDefaultOutputTokens;
  }

  absl::StatusOr<int> Rows(const std::string& name) const {
    const auto found = model_.tensors.find(name);
    if (found == model_.tensors.end()) {
      return absl::InvalidArgumentError(Concat(file_, ": tensor '", name, "' is missing"));
    }
    const std::vector<int64_t>& shape = found->second.shape;
    const int d = network_.spec.shape.d_model;
    if (shape.size() != 2 || shape[1] != d || shape[0] < 2 || shape[0] > kMaxVocabulary) {
      return absl::InvalidArgumentError(Concat(file_, ": tensor '", name, "' has shape ",
                                               ShapeString(shape), ", expected [vocabulary, ", d,
                                               "] with a vocabulary of 2 to ", kMaxVocabulary));
    }
    return static_cast<int>(shape[0]);
  }

  absl::Status ReadVocabularies() {
    ModelSpec& spec = network_.spec;
    const NetworkNames& names = *network_.traits.names;
    const absl::StatusOr<int> source =
        Rows(spec.share_embeddings ? names.shared.front() : names.source_embedding.front());
    if (!source.ok()) return source.status();
    const absl::StatusOr<int> target =
        spec.share_embeddings ? source : Rows(names.target_embedding.front());
    if (!target.ok()) return target.status();
    spec.shape.source_vocab = *source;
    spec.shape.target_vocab = *target + 1;  // the empty token
    if (spec.share_embeddings) ++spec.shape.source_vocab;
    return absl::OkStatus();
  }

  const MarianFile& model_;
  const std::string_view file_;
  const MarianDecoder& decoder_;
  YamlFields in_;
  int version_ = 0;  // the version of Marian that trained the model; 0: not stated
  MarianNetwork network_;
};

}  // namespace

absl::StatusOr<MarianDecoder> ParseMarianDecoder(std::string_view text, std::string_view file) {
  const absl::StatusOr<YamlMap> map = ParseYaml(text, file);
  if (!map.ok()) return map.status();
  YamlFields in(file, *map);
  MarianDecoder decoder;
  decoder.models = in.List("models");
  decoder.vocabularies = in.List("vocabs");
  if (decoder.models.size() > 1) in.Unsupported("models", "one model");
  if (!decoder.vocabularies.empty() && decoder.vocabularies.size() != 2) {
    in.Unsupported("vocabs", "one for the source and one for the target");
  }
  if (in.Has("beam-size")) {
    decoder.beam_size = static_cast<int>(in.Whole("beam-size", std::nullopt, 1, kernels::kMaxBeam));
  }
  // `normalize` is 1 if the field is empty, and 0 if the field is absent.
  decoder.normalize = in.String("normalize", "0").empty() ? 1.0 : in.Number("normalize", 0.0);
  if (*decoder.normalize < 0) in.Fail("normalize", "a number from 0 on");
  if (in.Number("word-penalty", 0.0) != 0) in.Unsupported("word-penalty", "0");
  for (const std::string& weight : in.List("weights")) {
    if (weight != "1" && weight != "1.0") in.Unsupported("weights", "1");
  }
  if (in.Flag("output-sampling", false)) in.Unsupported("output-sampling", "false");
  if (in.Flag("right-left", false)) in.Unsupported("right-left", "false");
  decoder.allow_unk = in.Flag("allow-unk", false);
  // The first item is the name of the file. The others are parameters of the shortlist, which a
  // binary shortlist file contains itself.
  const std::vector<std::string> shortlist = in.List("shortlist");
  if (!shortlist.empty()) decoder.shortlist = shortlist.front();
  if (!in.status().ok()) return in.status();
  return decoder;
}

absl::StatusOr<MarianNetwork> ReadMarianNetwork(const MarianFile& model, std::string_view options,
                                                std::string_view file,
                                                const MarianDecoder& decoder) {
  const std::string options_file = Concat(file, ": special:model.yml");
  const absl::StatusOr<YamlMap> map = ParseYaml(options, options_file);
  if (!map.ok()) return map.status();
  return OptionsReader(model, *map, file, options_file, decoder).Read();
}

absl::Status CheckMarianTensors(const MarianFile& model, std::string_view file,
                                const Network& network) {
  std::set<std::string_view> known;
  for (const WeightSource& source : network.sources) {
    for (const TensorSource& part : source.parts)
      known.insert(part.names.begin(), part.names.end());
  }
  for (const auto& [name, view] : model.tensors) {
    if (known.contains(name) || name.ends_with(kActivationScale)) continue;
    return absl::UnimplementedError(
        Concat(file, ": tensor '", name.substr(0, 64), "' ", ShapeString(view.shape),
               " has no place in the network that special:model.yml describes"));
  }
  return absl::OkStatus();
}

}  // namespace dragoman::engine
