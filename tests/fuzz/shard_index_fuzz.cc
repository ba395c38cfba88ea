// Input: model.safetensors.index.json.

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/model/layouts/hf/directory.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto index = dragoman::engine::ParseShardIndex({reinterpret_cast<const char*>(data), size},
                                                       "fuzz", ".safetensors");
  if (!index.ok()) return 0;
  dragoman::FuzzCheck(!index->files.empty() && !index->file_of.empty());
  for (const std::string& file : index->files) {
    dragoman::FuzzCheck(file.ends_with(".safetensors") && file.find('/') == std::string::npos);
  }
  for (const auto& [tensor, file] : index->file_of) {
    dragoman::FuzzCheck(file < index->files.size());
  }
  return 0;
}
