// Vocabularies, special tokens, languages and the tokenizer (layouts/ct2/tokenizer.h) of a CTranslate2
// directory. The converter writes the vocabularies; the tokenizer's files are put beside them by
// whoever converts.
//
// Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/layouts/ct2/config.h"
#include "engine/model/layouts/ct2/network.h"
#include "engine/model/layouts/layout.h"
#include "engine/model/tokenizers/tokenizer_files.h"

namespace dragoman {

// A vocabulary's file: a JSON array of pieces, or one on a line (`file` ends in ".txt").
// INVALID_ARGUMENT names `file` and what is wrong.
absl::StatusOr<std::vector<std::string>> ParseCt2Vocabulary(std::string_view text,
                                                            std::string_view file);

// A model with all but its network: network's spec with the tokens, vocabularies, tokenizer and
// languages. The tokenizer's files are those of `tokenizer`, the vocabularies of `folder`. Errors
// as ModelSource::Load; the path is not in front of all messages.
absl::StatusOr<LoadedModel> ReadCt2Vocabularies(const ModelFolder& folder,
                                                const ModelFolder& tokenizer,
                                                const TokenizerConfig& fields,
                                                TokenizerChoice choice, const Ct2Config& config,
                                                const Ct2Network& network);

}  // namespace dragoman
