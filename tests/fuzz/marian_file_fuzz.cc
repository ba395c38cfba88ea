// Input: a model of Marian, read as an archive of numpy arrays and in Marian's binary format.

#include "engine/model/layouts/marian/file.h"

#include <cstddef>
#include <cstdint>

#include "engine/model/layouts/marian/config.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const auto& model : {dragoman::engine::ParseMarianNpz({data, size}, "fuzz.npz"),
                            dragoman::engine::ParseMarianBinary({data, size}, "fuzz.bin")}) {
    if (!model.ok()) continue;
    dragoman::ReadAll(model->tensors, size);
    const auto network = dragoman::engine::ReadMarianNetwork(*model, model->options, "fuzz",
                                                             dragoman::engine::MarianDecoder());
    dragoman::FuzzCheck(!network.ok() || network->spec.shape.d_model >= 4);
  }
  return 0;
}
