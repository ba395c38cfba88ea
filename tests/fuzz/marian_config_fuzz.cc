// Input: YAML in the style of Marian. It is read as the options of a model, as a decoder's
// configuration and as a vocabulary.

#include "engine/model/layouts/marian/config.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/model/formats/yaml.h"
#include "engine/model/tokenizers/side_vocabularies.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto map = dragoman::engine::ParseYaml(text, "fuzz.yml");
  if (map.ok()) {
    for (const auto& [key, value] : *map) {
      dragoman::FuzzCheck(value.line > 0 && (value.is_list || value.items.empty()));
    }
  }
  const auto decoder = dragoman::engine::ParseMarianDecoder(text, "fuzz.yml");
  dragoman::FuzzCheck(!decoder.ok() || !decoder->normalize || *decoder->normalize >= 0);
  const dragoman::engine::MarianFile model;
  const auto network = dragoman::engine::ReadMarianNetwork(model, text, "fuzz.npz",
                                                           dragoman::engine::MarianDecoder());
  dragoman::FuzzCheck(!network.ok());  // because the model has no tensors
  auto pieces = dragoman::engine::ParsePieces(text, "fuzz.yml");
  if (pieces.ok()) {
    const auto vocabulary =
        dragoman::engine::Vocabulary::FromPieces(*std::move(pieces), "fuzz.yml");
    dragoman::FuzzCheck(!vocabulary.ok() || vocabulary->size() >= 0);
  }
  return 0;
}
