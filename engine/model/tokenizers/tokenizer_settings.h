// The settings of a checkpoint's tokenizer: tokenizer_config.json and the files beside it, over the
// defaults of the family.
//
// Plain values.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/formats/json.h"
#include "engine/model/tokenizers/languages.h"
#include "engine/model/tokenizers/tokenizer_config.h"
#include "engine/model/tokenizers/tokenizer_scheme.h"

namespace dragoman {

struct TokenizerSettings {
  const TokenizerScheme* scheme = &kMarianTokenizer;
  bool scheme_given = false;    // tokenizer_class gives it
  bool is_backend = false;      // the class is tokenizer.json as it is (IsTokenizersBackend)
  std::string source_language;  // as written there or in config.json; "" when neither says
  std::string target_language;
  std::string unk_piece = "<unk>";
  std::string eos_piece = "</s>";
  std::string pad_piece = "<pad>";
  bool separate_vocabularies = false;
  int model_max_length = 0;  // tokens; at most the model's positions
  // All kinds but Marian's have these.
  std::string bos_piece = "<s>";
  std::string mask_piece = "<mask>";
  bool is_wmt21 = false;  // languages of M2M-100's variant for WMT 21
  bool legacy = false;    // NLLB's: the source's language is after its end
  // The same as in TokenizerConfig.
  std::vector<AddedToken> listed;
  std::string listed_file;
  AddedTokenMap added;
  std::string added_file;
  std::optional<bool> add_prefix_space;  // BART's and T5's
  // T5's settings.
  bool is_legacy_t5 = true;             // `legacy`: SentencePiece alone cuts texts
  std::optional<int> extra_ids;         // tokens <extra_id_0> ... that the tokenizer adds
  std::vector<LanguagePrompt> prompts;  // from config.json's tasks
};

// Overwrites the settings that the files give; the scheme becomes that of the class that they name, one
// of `classes`. Errors in tokenizer_config.json are recorded in `fields`. REQUIRES: the scheme is the
// family's default and model_max_length is the number of positions.
void ApplyTokenizerConfig(TokenizerConfig config, std::span<const TokenizerClass> classes,
                          JsonFields* fields, TokenizerSettings* tokenizer);

}  // namespace dragoman
