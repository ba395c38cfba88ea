// tokenizer_config.json, added_tokens.json and special_tokens_map.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/model/json.h"
#include "engine/model/languages.h"

namespace dragoman {

enum class HfTokenizerKind {
  kMarian,
  kM2m100,    // vocab.json and sentencepiece.bpe.model
  kSmall100,  // the same, with the target's token in the source
  kNllb,      // sentencepiece.bpe.model alone
  kMbart50,   // the same
  kMbart25,   // the same
  kT5,        // spiece.model
  kBart,      // vocab.json and merges.txt
  kPegasus,   // spiece.model, with 103 ids in front
};

struct HfTokenizerConfig {
  HfTokenizerKind kind = HfTokenizerKind::kMarian;
  bool kind_given = false;      // by tokenizer_class
  std::string source_language;  // as written there or in config.json; "" when neither says
  std::string target_language;
  std::string unk_piece = "<unk>";
  std::string eos_piece = "</s>";
  std::string pad_piece = "<pad>";
  bool separate_vocabularies = false;
  int model_max_length = 0;  // tokens; at most the model's positions
  // Of all kinds but Marian's.
  std::string bos_piece = "<s>";
  std::string mask_piece = "<mask>";
  bool is_wmt21 = false;             // languages of M2M-100's variant for WMT 21
  bool legacy = false;               // of NLLB's: the source's language behind its end
  std::vector<std::string> listed;   // additional_special_tokens, which are languages
  std::string listed_file;           // that has them
  std::map<int, std::string> added;  // added_tokens_decoder
  bool add_prefix_space = false;     // of BART's
  // Of T5's.
  std::optional<int> extra_ids;         // tokens <extra_id_0> ... that the tokenizer adds
  std::vector<LanguagePrompt> prompts;  // of config.json's tasks
};

// Overwrites the fields that the file names. Errors are recorded in `fields`. REQUIRES: `kind` and
// model_max_length are those of the model's family and its positions.
void ReadTokenizerConfig(JsonFields* fields, HfTokenizerConfig* tokenizer);

// special_tokens_map.json: the languages, where tokenizer_config.json has not listed them.
absl::Status ReadSpecialTokensMap(std::string_view text, std::string_view file,
                                  HfTokenizerConfig* tokenizer);

// added_tokens.json (piece -> id): UNIMPLEMENTED when it has a token besides the special ones,
// which would be cut out of the text before SentencePiece sees it.
absl::Status CheckAddedTokens(std::string_view text, std::string_view file,
                              const HfTokenizerConfig& tokenizer);

}  // namespace dragoman
