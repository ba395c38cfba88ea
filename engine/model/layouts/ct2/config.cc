#include "engine/model/layouts/ct2/config.h"

#include <algorithm>
#include <array>

#include "engine/model/formats/json.h"
#include "engine/model/layouts/ct2/variables.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kConfigFile = "config.json";

// Fields of config.json and their only supported values. Other values would require another network
// or other tokens.
constexpr std::array<NeutralField, 4> kNeutralFields = {{
    {"multi_query_attention", Neutral::kFalse},
    {"quantization_type", Neutral::kZero},
    {"quantization_bits", Neutral::kZero},
    {"quantization_group_size", Neutral::kZero},
}};

// The names of the variables that describe tokens in versions before 6.
constexpr std::string_view kUnk = "unk_token";
constexpr std::string_view kBos = "bos_token";
constexpr std::string_view kEos = "eos_token";
constexpr std::string_view kSourceBos = "with_source_bos";
constexpr std::string_view kSourceEos = "with_source_eos";
constexpr std::string_view kTargetBos = "with_target_bos";
constexpr std::string_view kUserStart = "user_decoder_start_tokens";
constexpr std::array<std::string_view, 7> kVariables = {
    kUnk, kBos, kEos, kSourceBos, kSourceEos, kTargetBos, kUserStart};

}  // namespace

absl::StatusOr<Ct2Config> ParseCt2Config(std::string_view text) {
  const absl::StatusOr<nlohmann::json> root = ParseConfigObject(text, kConfigFile);
  if (!root.ok()) return root.status();
  JsonFields fields(kConfigFile, *root);
  RequireNeutral(kNeutralFields, &fields);
  Ct2Config config;
  Ct2Tokens& tokens = config.tokens;
  tokens.unk_piece = fields.String("unk_token", tokens.unk_piece);
  tokens.bos_piece = fields.String("bos_token", tokens.bos_piece);
  tokens.eos_piece = fields.String("eos_token", tokens.eos_piece);
  if (fields.Has("decoder_start_token")) {
    tokens.decoder_start_piece = fields.String("decoder_start_token", "");
  }
  tokens.adds_source_begin = fields.Bool("add_source_bos", false);
  tokens.adds_source_end = fields.Bool("add_source_eos", false);
  if (const std::optional<double> epsilon = fields.OptionalNumber("layer_norm_epsilon")) {
    config.norm_epsilon = static_cast<float>(*epsilon);
    if (!(*epsilon >= 0 && *epsilon < 1)) {
      fields.Fail("layer_norm_epsilon", "a number from 0 to 1");
    }
  }
  if (!fields.status().ok()) return fields.status();
  return config;
}

absl::StatusOr<Ct2Config> ReadOlderCt2Config(const Ct2ModelFile& model, std::string_view file) {
  Ct2Variables in(model, file);
  Ct2Config config;
  Ct2Tokens& tokens = config.tokens;
  tokens.unk_piece = in.Text(kUnk, tokens.unk_piece);
  tokens.bos_piece = in.Text(kBos, tokens.bos_piece);
  tokens.eos_piece = in.Text(kEos, tokens.eos_piece);
  tokens.adds_source_end = in.Number(kSourceEos, 0) != 0;
  tokens.adds_source_begin = in.Number(kSourceBos, 0) != 0;
  if (in.Number(kUserStart, 0) == 0) {
    tokens.decoder_start_piece =
        in.Number(kTargetBos, 1) != 0 ? tokens.bos_piece : tokens.eos_piece;
  }
  if (!in.status().ok()) return in.status();
  return config;
}

bool IsOfOlderCt2Config(std::string_view variable) {
  return std::find(kVariables.begin(), kVariables.end(), variable) != kVariables.end();
}

}  // namespace dragoman::engine
