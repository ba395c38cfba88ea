// Reads tokenizer_config.json, special_tokens_map.json and added_tokens.json of a Hugging Face
// tokenizer. Model directories of all layouts may have these files. checkpoint_tokenizer.h and
// ct2_tokenizer.h use the result.
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

// The fields that a checkpoint's tokenizer uses as the files have them.
struct TokenizerFields {
  std::optional<int> extra_ids;          // only for T5: the number of tokens <extra_id_N> it adds
  std::optional<bool> add_prefix_space;  // only for BART and T5
  bool separate_vocabularies = false;    // only for MarianMT
  bool is_wmt21 = false;                 // for M2M-100: the field language_codes names WMT 21
  // The tokens of additional_special_tokens, which transformers 5 calls extra_special_tokens.
  std::vector<AddedToken> listed;
  std::string listed_file;  // the file that has the `listed` tokens
  // The tokens of added_tokens_decoder or, if this field is absent, of added_tokens.json.
  AddedTokenMap added;
  std::string added_file;  // the file that has the `added` tokens
};

struct TokenizerConfig : TokenizerFields {
  nlohmann::json root = nlohmann::json::object();  // the content of tokenizer_config.json
  std::string tokenizer_class;                     // "": the file names none
  std::string source_language;
  std::string target_language;
  std::optional<std::string> unk_piece;
  std::optional<std::string> eos_piece;
  std::optional<std::string> pad_piece;
  std::optional<std::string> bos_piece;
  std::optional<std::string> mask_piece;
  std::optional<double> model_max_length;  // in tokens; a value such as 1e30 means no limit
  std::optional<bool> legacy;              // only for T5
  std::optional<int> offset;               // for Pegasus: the number of ids before SentencePiece's
  std::optional<std::string> sentence_mask_piece;  // only for Pegasus
  bool legacy_behaviour = false;  // for NLLB: the source's language token is after EOS
  bool has_added = false;         // whether tokenizer_config.json has added_tokens_decoder

  // Reports whether a piece is a named special token (unk_piece, eos_piece, pad_piece, bos_piece or
  // mask_piece) or a `listed` token.
  bool NamesSpecial(std::string_view piece) const;
};

// The contents of the files; nullopt for a file that does not exist.
struct TokenizerConfigTexts {
  std::optional<std::string> config;
  std::optional<std::string> special_tokens_map;  // used if tokenizer_config.json lists no tokens
  std::optional<std::string> added_tokens;        // used if there is no added_tokens_decoder
};

absl::StatusOr<TokenizerConfigTexts> ReadTokenizerConfigTexts(const ModelFolder& folder);

// Errors are INVALID_ARGUMENT or UNIMPLEMENTED. They name the file and the field.
absl::StatusOr<TokenizerConfig> ParseTokenizerConfig(const TokenizerConfigTexts& texts);
absl::StatusOr<TokenizerConfig> ReadTokenizerConfig(const ModelFolder& folder);

}  // namespace dragoman::engine
