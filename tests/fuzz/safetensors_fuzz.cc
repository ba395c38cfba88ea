// Input: a safetensors file.

#include "engine/model/formats/tensor_file.h"

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tensors = dragoman::engine::ParseSafetensors({data, size}, "fuzz");
  if (tensors.ok()) dragoman::ReadAll(*tensors, size);
  return 0;
}
