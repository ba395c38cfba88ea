// Reads tokenizer_config.json, special_tokens_map.json and added_tokens.json of a Hugging Face
// tokenizer, in any layout. checkpoint_tokenizer.h and ct2_tokenizer.h use the result.
//
// Thread-safety: pure functions.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/formats/json.h"
#include "engine/model/formats/model_folder.h"
#include "engine/text/token_splitter.h"

namespace dragoman::engine {

inline constexpr std::string_view kTokenizerConfigFile = "tokenizer_config.json";
inline constexpr std::string_view kSpecialTokensMapFile = "special_tokens_map.json";
inline constexpr std::string_view kAddedTokensFile = "added_tokens.json";

using AddedTokenMap = std::map<int, AddedToken>;  // by id

struct TokenizerConfig {
  nlohmann::json root = nlohmann::json::object();  // tokenizer_config.json, for messages
  std::string tokenizer_class;                     // "": not given
  std::string source_language;
  std::string target_language;
  std::optional<std::string> unk_piece;
  std::optional<std::string> eos_piece;
  std::optional<std::string> pad_piece;
  std::optional<std::string> bos_piece;
  std::optional<std::string> mask_piece;
  std::optional<double> model_max_length;  // in tokens; may be 1e30, which means no limit
  std::optional<int> extra_ids;            // T5's
  std::optional<bool> legacy;              // T5's
  std::optional<int> offset;               // Pegasus's: number of ids before SentencePiece's
  std::optional<std::string> sentence_mask_piece;  // Pegasus's
  std::optional<bool> add_prefix_space;            // BART's and T5's
  bool separate_vocabularies = false;              // Marian's
  bool legacy_behaviour = false;  // NLLB's: the language token is after the source's end
  bool is_wmt21 = false;          // language_codes, of M2M-100
  // additional_special_tokens, called extra_special_tokens by transformers 5.
  std::vector<AddedToken> listed;
  std::string listed_file;  // the file of the listed tokens
  // added_tokens_decoder, or added_tokens.json if that is absent.
  AddedTokenMap added;
  bool has_added = false;  // the file has added_tokens_decoder
  std::string added_file;  // the file of the added tokens

  // Reports whether a piece is named as a special token: one of the five above, or a listed one.
  bool NamesSpecial(std::string_view piece) const;
};

// The contents of the files that exist.
struct TokenizerConfigTexts {
  std::optional<std::string> config;
  std::optional<std::string> special_tokens_map;  // used if tokenizer_config.json lists no tokens
  std::optional<std::string> added_tokens;        // used without added_tokens_decoder
};

absl::StatusOr<TokenizerConfigTexts> ReadTokenizerConfigTexts(const ModelFolder& folder);

// Returns INVALID_ARGUMENT or UNIMPLEMENTED naming the file and the field.
absl::StatusOr<TokenizerConfig> ParseTokenizerConfig(const TokenizerConfigTexts& texts);
absl::StatusOr<TokenizerConfig> ReadTokenizerConfig(const ModelFolder& folder);

}  // namespace dragoman::engine
