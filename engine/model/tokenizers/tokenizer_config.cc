#include "engine/model/tokenizers/tokenizer_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/numbers.h"
#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

constexpr int64_t kMostExtraIds = 10'000;
constexpr size_t kMaxTokenBytes = 1024;

// Reads a token, which is a string, or an object with the text in `content`. Returns nullopt for
// other values.
std::optional<AddedToken> TokenOf(const nlohmann::json& value, bool special) {
  AddedToken token;
  token.special = special;
  const nlohmann::json* text = &value;
  if (value.is_object() && value.contains("content")) {
    text = &*value.find("content");
    const auto flag = [&](std::string_view name, bool* out) {
      const auto found = value.find(name);
      if (found != value.end() && found->is_boolean()) *out = found->get<bool>();
      return found == value.end() || found->is_boolean() || found->is_null();
    };
    // The default of AddedToken in the tokenizers library.
    token.normalized = !special;
    if (!flag("special", &token.special) || !flag("single_word", &token.single_word) ||
        !flag("lstrip", &token.lstrip) || !flag("rstrip", &token.rstrip) ||
        !flag("normalized", &token.normalized)) {
      return std::nullopt;
    }
  }
  if (!text->is_string()) return std::nullopt;
  token.text = text->get<std::string>();
  if (token.text.empty() || token.text.size() > kMaxTokenBytes) return std::nullopt;
  return token;
}

std::optional<std::string> SpecialPiece(JsonFields* fields, std::string_view name) {
  const nlohmann::json* value = fields->Find(name);
  if (value == nullptr) return std::nullopt;
  if (std::optional<AddedToken> token = TokenOf(*value, true)) return std::move(token->text);
  fields->Fail(name, "a string, or an object with the string 'content'");
  return std::nullopt;
}

void ReadListed(JsonFields* fields, TokenizerConfig* config) {
  for (const std::string_view name : {"additional_special_tokens", "extra_special_tokens"}) {
    const nlohmann::json* tokens = fields->Find(name);
    if (tokens == nullptr || !config->listed.empty()) continue;
    config->listed_file = std::string(fields->file());
    // In transformers 4, extra_special_tokens is an object that maps names to tokens. This reads
    // its values.
    if (!tokens->is_array() && !(tokens->is_object() && name == "extra_special_tokens")) {
      fields->Fail(name, "a list of tokens");
      return;
    }
    for (const nlohmann::json& value : *tokens) {
      std::optional<AddedToken> token = TokenOf(value, true);
      if (!token) {
        fields->Fail(name, "a list of tokens");
        return;
      }
      token->special = true;
      config->listed.push_back(*std::move(token));
    }
  }
}

void ReadAddedDecoder(JsonFields* fields, TokenizerConfig* config) {
  constexpr std::string_view kName = "added_tokens_decoder";
  const nlohmann::json* tokens = fields->Find(kName);
  if (tokens == nullptr) return;
  config->has_added = true;
  config->added_file = Concat(fields->file(), ": field '", kName, "'");
  if (!tokens->is_object()) {
    fields->Fail(kName, "an object id -> token with the string 'content'");
    return;
  }
  for (const auto& [key, value] : tokens->items()) {
    int id = -1;
    const bool is_id = absl::SimpleAtoi(key, &id) && id >= 0;
    std::optional<AddedToken> token = value.is_object() ? TokenOf(value, false) : std::nullopt;
    if (!is_id || !token) {
      fields->Fail(kName, "an object id -> token with the string 'content'");
      return;
    }
    config->added[id] = *std::move(token);
  }
}

// Reads the field `langs` of an FSMTTokenizer: ["en", "de"].
void ReadLanguagePair(JsonFields* fields, TokenizerConfig* config) {
  constexpr std::string_view kName = "langs";
  const nlohmann::json* languages = fields->Find(kName);
  if (languages == nullptr) return;
  if (!languages->is_array() || languages->size() != 2 || !(*languages)[0].is_string() ||
      !(*languages)[1].is_string()) {
    fields->Fail(kName, "a list of two languages");
    return;
  }
  config->source_language = (*languages)[0].get<std::string>();
  config->target_language = (*languages)[1].get<std::string>();
}

void ReadFields(JsonFields* fields, TokenizerConfig* result) {
  TokenizerConfig& config = *result;
  config.tokenizer_class = fields->String("tokenizer_class", "");
  const nlohmann::json* kwargs = fields->Find("sp_model_kwargs");
  if (kwargs != nullptr && !HoldsNeutral(*kwargs, Neutral::kEmpty)) {
    fields->Unsupported("sp_model_kwargs", "null or empty");
  }
  config.source_language = fields->String("source_lang", "");
  config.target_language = fields->String("target_lang", "");
  ReadLanguagePair(fields, &config);
  config.unk_piece = SpecialPiece(fields, "unk_token");
  config.eos_piece = SpecialPiece(fields, "eos_token");
  config.pad_piece = SpecialPiece(fields, "pad_token");
  config.bos_piece = SpecialPiece(fields, "bos_token");
  config.mask_piece = SpecialPiece(fields, "mask_token");
  config.sentence_mask_piece = SpecialPiece(fields, "mask_token_sent");
  constexpr int64_t kMostOffset = 1 << 20;
  if (const auto offset = fields->OptionalInt("offset", 0, kMostOffset)) {
    config.offset = static_cast<int>(*offset);
  }
  config.model_max_length = fields->OptionalNumber("model_max_length");
  if (const auto extra = fields->OptionalInt("extra_ids", 0, kMostExtraIds)) {
    config.extra_ids = static_cast<int>(*extra);
  }
  if (fields->Has("legacy")) config.legacy = fields->Bool("legacy", true);
  if (fields->Has("add_prefix_space")) {
    config.add_prefix_space = fields->Bool("add_prefix_space", false);
  }
  config.separate_vocabularies = fields->Bool("separate_vocabs", false);
  config.legacy_behaviour = fields->Bool("legacy_behaviour", false);
  const std::string codes = fields->String("language_codes", "m2m100");
  config.is_wmt21 = codes == "wmt21";
  if (codes != "m2m100" && codes != "wmt21") {
    fields->Unsupported("language_codes", "m2m100, wmt21");
  }
  ReadListed(fields, &config);
  ReadAddedDecoder(fields, &config);
}

absl::Status ReadSpecialTokensMap(std::string_view text, TokenizerConfig* config) {
  constexpr std::string_view file = kSpecialTokensMapFile;
  const absl::StatusOr<nlohmann::json> root = ParseConfigObject(text, file);
  if (!root.ok()) return root.status();
  JsonFields fields(file, *root);
  if (config->listed.empty()) ReadListed(&fields, config);
  return fields.status();
}

absl::Status ReadAddedTokens(std::string_view text, TokenizerConfig* config) {
  constexpr std::string_view file = kAddedTokensFile;
  const absl::StatusOr<nlohmann::json> root = ParseConfigObject(text, file);
  if (!root.ok()) return root.status();
  if (config->has_added) return absl::OkStatus();
  config->added_file = std::string(file);
  for (const auto& [piece, value] : root->items()) {
    const bool is_id =
        value.is_number_integer() && value.get<int64_t>() >= 0 && value.get<int64_t>() <= INT32_MAX;
    if (!is_id || piece.empty() || piece.size() > kMaxTokenBytes) {
      return absl::InvalidArgumentError(Concat(file, ": has '", piece.substr(0, 64), "': ",
                                               DescribeJson(value), ", expected piece -> id"));
    }
    AddedToken token{.text = piece, .special = config->NamesSpecial(piece)};
    token.normalized = !token.special;
    config->added[value.get<int>()] = std::move(token);
  }
  return absl::OkStatus();
}

}  // namespace

bool TokenizerConfig::NamesSpecial(std::string_view piece) const {
  for (const auto* named : {&unk_piece, &eos_piece, &pad_piece, &bos_piece, &mask_piece}) {
    if (named->has_value() && **named == piece) return true;
  }
  return std::any_of(listed.begin(), listed.end(),
                     [&](const AddedToken& token) { return token.text == piece; });
}

absl::StatusOr<TokenizerConfigTexts> ReadTokenizerConfigTexts(const ModelFolder& folder) {
  TokenizerConfigTexts texts;
  for (const auto& [file, text] : {std::pair(kTokenizerConfigFile, &texts.config),
                                   std::pair(kSpecialTokensMapFile, &texts.special_tokens_map),
                                   std::pair(kAddedTokensFile, &texts.added_tokens)}) {
    absl::StatusOr<std::optional<std::string>> read = folder.ReadOptional(file, kMaxConfigBytes);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  return texts;
}

absl::StatusOr<TokenizerConfig> ParseTokenizerConfig(const TokenizerConfigTexts& texts) {
  TokenizerConfig config;
  if (texts.config.has_value()) {
    absl::StatusOr<nlohmann::json> root = ParseConfigObject(*texts.config, kTokenizerConfigFile);
    if (!root.ok()) return root.status();
    config.root = *std::move(root);
  }
  JsonFields fields(kTokenizerConfigFile, config.root);
  ReadFields(&fields, &config);
  absl::Status status = fields.status();
  if (status.ok() && texts.special_tokens_map.has_value()) {
    status = ReadSpecialTokensMap(*texts.special_tokens_map, &config);
  }
  if (status.ok() && texts.added_tokens.has_value()) {
    status = ReadAddedTokens(*texts.added_tokens, &config);
  }
  if (!status.ok()) return status;
  return config;
}

absl::StatusOr<TokenizerConfig> ReadTokenizerConfig(const ModelFolder& folder) {
  const absl::StatusOr<TokenizerConfigTexts> texts = ReadTokenizerConfigTexts(folder);
  if (!texts.ok()) return texts.status();
  return ParseTokenizerConfig(*texts);
}

}  // namespace dragoman::engine
