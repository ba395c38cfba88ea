// Readers of the parts of a tokenizer.json that say how a text is normalized and cut. Private to
// tokenizer_json*.cc.
//
// Errors as ParseTokenizerJson.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "absl/status/status.h"
#include "engine/model/tokenizers/tokenizer_json_fields.h"
#include "engine/text/pipeline_model.h"

namespace dragoman {

using PieceIds = std::unordered_map<std::string, int32_t>;

// Reads `model`: its kind, pieces and merges; `ids` receives the ids by piece.
absl::Status ReadTokenizerJsonModel(const nlohmann::json& root, const TokenizerJsonFields& fields,
                                    PipelineSpec* spec, PieceIds* ids);

// Reads `normalizer`.
absl::Status ReadTokenizerJsonNormalizer(const nlohmann::json& root,
                                         const TokenizerJsonFields& fields, PipelineSpec* spec);

}  // namespace dragoman
