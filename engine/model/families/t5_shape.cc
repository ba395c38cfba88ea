#include "engine/model/families/t5_shape.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/concat.h"
#include "engine/model/families/family.h"
#include "kernels/base/kv_pages.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kTasks = "task_specific_params";
constexpr std::string_view kTaskBegin = "translation_";
constexpr size_t kMaxPromptBytes = 256;

// The maximum length in tokens of a model that states none. The position bias works at any
// distance, but T5 was trained on 512 tokens.
constexpr int kUsualPositions = 512;

// Reads feed_forward_proj, such as "relu" or "gated-gelu". As in T5Config, "gated-gelu" means the
// tanh form of GELU. The fields is_gated_act and dense_act_fn, which transformers also writes,
// override feed_forward_proj.
void ReadFeedForward(const Family& family, JsonFields* fields, ModelSpec* spec) {
  constexpr std::string_view kField = "feed_forward_proj";
  constexpr std::string_view kGated = "gated-";
  const std::string projection = fields->String(kField, family.defaults.activation);
  std::string_view activation = projection;
  spec->gated = activation.starts_with(kGated);
  if (spec->gated) activation.remove_prefix(kGated.size());
  if (projection == "gated-gelu") activation = "gelu_new";
  spec->gated = fields->Bool("is_gated_act", spec->gated);
  const std::string name = fields->String("dense_act_fn", activation);
  const std::optional<kernels::Activation> found = FindActivation(name);
  if (!found) {
    const bool is_own = fields->Has("dense_act_fn");
    fields->Unsupported(is_own ? "dense_act_fn" : kField,
                        Concat(ActivationNames(), is_own ? "" : ", each of them with gated- too"));
  }
  spec->activation = found.value_or(kernels::Activation::kNone);
}

// In transformers 4, tie_word_embeddings says both that the output layer is tied and that its input
// is scaled. transformers 5 always writes that the layer is tied, but uses a stored output layer if
// its numbers differ from the embedding's. Its field scale_decoder_outputs says whether the input
// is scaled. mT5 has no such field, and its input is never scaled.
void ReadOutputLayer(const Family& family, JsonFields* fields, ModelSpec* spec) {
  constexpr std::string_view kScale = "scale_decoder_outputs";
  const bool tied = fields->Bool("tie_word_embeddings", family.defaults.tie_output);
  const bool is_by_5 = IsByTransformers5(*fields) || fields->Has(kScale);
  spec->tie_output = is_by_5 || tied;
  spec->stored_output_wins = is_by_5;
  spec->scale_output = tied && (family.has_scale_field || !is_by_5);
  if (family.has_scale_field) spec->scale_output = fields->Bool(kScale, spec->scale_output);
}

// Returns the languages of a task: "en" and "de" for "translation_en_to_de".
std::optional<std::pair<std::string, std::string>> PairOf(std::string_view task) {
  if (!task.starts_with(kTaskBegin)) return std::nullopt;
  task.remove_prefix(kTaskBegin.size());
  constexpr std::string_view kTo = "_to_";
  const size_t at = task.find(kTo);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view source = task.substr(0, at);
  const std::string_view target = task.substr(at + kTo.size());
  if (!ParseLanguageCode(source) || !ParseLanguageCode(target)) return std::nullopt;
  return std::pair(std::string(source), std::string(target));
}

// Returns the names and JSON objects of the translation tasks.
std::vector<std::pair<std::string, const nlohmann::json*>> TranslationsOf(
    const nlohmann::json& tasks) {
  std::vector<std::pair<std::string, const nlohmann::json*>> found;
  if (!tasks.is_object()) return found;
  for (const auto& [name, task] : tasks.items()) {
    if (PairOf(name) && task.is_object()) found.emplace_back(name, &task);
  }
  return found;
}

std::vector<LanguagePrompt> ReadPrompts(JsonFields* fields) {
  std::vector<LanguagePrompt> prompts;
  const nlohmann::json* tasks = fields->Find(kTasks);
  if (tasks == nullptr) return prompts;
  for (const auto& [name, task] : TranslationsOf(*tasks)) {
    const auto prefix = task->find("prefix");
    if (prefix == task->end() || !prefix->is_string() ||
        prefix->get_ref<const std::string&>().size() > kMaxPromptBytes) {
      fields->Fail(kTasks, Concat("in '", name.substr(0, 64), "' a prefix of at most ",
                                  kMaxPromptBytes, " bytes"));
      return prompts;
    }
    const auto [source, target] = *PairOf(name);
    prompts.push_back({source, target, prefix->get<std::string>()});
  }
  return prompts;
}

nlohmann::json WithTheirFields(const nlohmann::json& config, const nlohmann::json& generation) {
  nlohmann::json fields = generation;
  const auto tasks = config.find(kTasks);
  if (tasks == config.end()) return fields;
  const auto translations = TranslationsOf(*tasks);
  if (translations.empty()) return fields;
  for (const auto& [name, value] : translations.front().second->items()) {
    const bool all_alike =
        // The captures have initializers, because clang 14 cannot capture structured bindings
        // directly.
        std::all_of(translations.begin(), translations.end(),
                    [&name = name, &value = value](const auto& other) {
                      const auto found = other.second->find(name);
                      return found != other.second->end() && *found == value;
                    });
    if (all_alike && name != "prefix") fields[name] = value;
  }
  return fields;
}

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

void ReadT5Shape(const Family& family, JsonFields* fields, ModelSpec* spec) {
  const auto read = [fields](std::string_view name, int64_t max) {
    return static_cast<int>(fields->Int(name, 1, max));
  };
  ModelShape& shape = spec->shape;
  shape.d_model = read("d_model", kMaxDim);
  shape.head_dim = read("d_kv", kMaxDim);
  shape.encoder_layers = read("num_layers", kMaxLayers);
  shape.decoder_layers = static_cast<int>(
      fields->OptionalInt("num_decoder_layers", 1, kMaxLayers).value_or(shape.encoder_layers));
  shape.encoder_heads = shape.decoder_heads = read("num_heads", kernels::kMaxAttentionHeads);
  shape.encoder_ffn = shape.decoder_ffn = read("d_ff", kMaxFfn);
  shape.source_vocab = shape.target_vocab = read("vocab_size", kMaxVocabulary);
  shape.max_positions = static_cast<int>(
      fields->OptionalInt("n_positions", 2, kMaxPositions).value_or(kUsualPositions));
  constexpr std::string_view kBuckets = "relative_attention_num_buckets";
  constexpr std::string_view kDistance = "relative_attention_max_distance";
  // In the encoder, each side of the query has half of the buckets. Half of the buckets of a side
  // are for a single distance each.
  spec->distances.buckets =
      static_cast<int>(fields->OptionalInt(kBuckets, 4, kMaxPositions).value_or(32));
  spec->distances.max_distance =
      static_cast<int>(fields->OptionalInt(kDistance, 2, kMaxPositions).value_or(128));
  if (spec->distances.max_distance <= spec->distances.buckets / 2) {
    fields->Fail(kDistance, Concat("more than half of ", kBuckets, " ", spec->distances.buckets));
  }
  const double epsilon = fields->OptionalNumber("layer_norm_epsilon").value_or(1e-6);
  if (!(epsilon > 0.0 && epsilon < 1.0)) fields->Fail("layer_norm_epsilon", "a number from 0 to 1");
  spec->norm_epsilon = static_cast<float>(epsilon);
  ReadFeedForward(family, fields, spec);
  spec->share_embeddings = true;
  ReadOutputLayer(family, fields, spec);
}

const TranslationTasks kT5Tasks = {ReadPrompts, WithTheirFields};

}  // namespace dragoman::engine
