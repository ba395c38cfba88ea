// Reads the vocabularies, special tokens, languages and the tokenizer (layouts/ct2/tokenizer.h) of a
// CTranslate2 directory. The converter writes the vocabularies; the user who converts a model puts the
// tokenizer's files beside them.
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

// Reads a vocabulary's file: a JSON array of pieces, or one piece on each line if `file` ends in ".txt".
// INVALID_ARGUMENT names `file` and what is wrong.
absl::StatusOr<std::vector<std::string>> ParseCt2Vocabulary(std::string_view text,
                                                            std::string_view file);

// Makes a model that lacks only its network: network's spec with the tokens, the vocabularies, tokenizer
// and languages. The tokenizer's files are in `tokenizer`, the vocabularies in `folder`. Errors as
// ModelSource::Load; not all messages begin with the path.
absl::StatusOr<LoadedModel> ReadCt2Vocabularies(const ModelFolder& folder,
                                                const ModelFolder& tokenizer,
                                                const TokenizerConfig& fields,
                                                TokenizerChoice choice, const Ct2Config& config,
                                                const Ct2Network& network);

}  // namespace dragoman
