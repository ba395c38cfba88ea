// Input: a vocabulary of CTranslate2, read as JSON and as lines, and its config.json. The language
// tags in the pieces become a LanguageMap, and every pair of the map must resolve.

#include "engine/model/layouts/ct2/directory.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/model/tokenizers/fairseq_languages.h"
#include "engine/model/tokenizers/side_vocabularies.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = dragoman::engine::ParseCt2Config(text);
  dragoman::FuzzCheck(!config.ok() || config->norm_epsilon.value_or(0) >= 0);
  for (const char* file : {"fuzz.json", "fuzz.txt"}) {
    auto pieces = dragoman::engine::ParsePieces(text, file);
    if (!pieces.ok()) continue;
    const auto vocabulary = dragoman::engine::Vocabulary::FromPieces(*std::move(pieces), file);
    if (!vocabulary.ok()) continue;
    const auto tags = dragoman::engine::FairseqLanguageTags(*vocabulary);
    if (tags.empty()) continue;
    const dragoman::engine::LanguageMap languages(tags,
                                                  dragoman::engine::LanguageTokenPlacement::kBoth);
    for (const auto& pair : languages.Pairs()) {
      dragoman::FuzzCheck(languages.Resolve(pair.source, pair.target).ok());
    }
  }
  return 0;
}
