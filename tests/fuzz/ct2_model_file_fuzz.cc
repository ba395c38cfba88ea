// Input: a model.bin of CTranslate2.

#include "engine/model/layouts/ct2/model_file.h"

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto model = dragoman::engine::ParseCt2ModelFile({data, size}, "fuzz");
  if (model.ok()) dragoman::ReadAll(model->tensors, size);
  return 0;
}
