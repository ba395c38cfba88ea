// The languages of a CTranslate2 directory whose tokenizer is one of fairseq's: which pieces they are,
// and where their tokens go.
//
// Pure functions; thread-safe.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/layouts/ct2/config.h"
#include "engine/model/tokenizers/languages.h"
#include "engine/model/tokenizers/tokenizer_files.h"
#include "engine/model/tokenizers/vocabulary.h"

namespace dragoman {

// The languages that have tokens among the pieces, by id: of M2M-100 ("__de__"), NLLB-200
// ("deu_Latn") and mBART ("de_DE").
std::vector<LanguageTag> FairseqLanguageTags(const Vocabulary& vocabulary);

bool AreOfMbart(const std::vector<LanguageTag>& languages);

// Where the tokenizer's class puts the source's language, and where CTranslate2 puts a target that is
// given as a prefix. UNIMPLEMENTED where CTranslate2 would add the source's end after its language.
// REQUIRES: `languages` is not empty.
absl::StatusOr<LanguageTokenPlacement> PlacementOfLanguageTokens(
    const std::vector<LanguageTag>& languages, const TokenizerConfig& fields,
    const Ct2Config& config);

}  // namespace dragoman
