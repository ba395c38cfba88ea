// Input: vocab.json. Its language tags become a LanguageMap, and every pair of the map must
// resolve.

#include "engine/model/tokenizers/vocabulary.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/model/formats/json.h"
#include "engine/model/tokenizers/languages.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The vocabulary size that config.json would have to state.
  const auto root = dragoman::engine::ParseJson(text, "fuzz", {});
  const int entries = root.ok() ? static_cast<int>(root->size()) : 1;
  const auto vocabulary = dragoman::engine::Vocabulary::Parse(text, "fuzz", entries);
  if (!vocabulary.ok()) return 0;
  dragoman::FuzzCheck(vocabulary->size() == entries);
  for (int id = 0; id < entries; ++id) {
    dragoman::FuzzCheck(vocabulary->IdOf(vocabulary->PieceOf(id)) == id);
  }

  const auto tags = dragoman::engine::LanguageTags(*vocabulary);
  const dragoman::engine::LanguageMap languages("en", "mul", tags);
  dragoman::FuzzCheck(languages.Pairs().size() == (tags.empty() ? 1 : tags.size()));
  for (size_t i = 0; i < tags.size(); ++i) {
    const auto& pair = languages.Pairs()[i];
    const auto resolved = languages.Resolve(pair.source, pair.target);
    dragoman::FuzzCheck(resolved.ok() && resolved->tag == tags[i].id);
  }
  return 0;
}
