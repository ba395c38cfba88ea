// The memory of the layers' products in int8 (setting cuda: layer-products). Pure. Sizes are bytes.
#pragma once

#include <cstdint>

#include "engine/network/program.h"

namespace dragoman::engine {

// The alignment of each quantized weight, and of its scales, which follow it.
inline constexpr int64_t kQuantizedAlignment = 256;

// Return the size of a product's quantized weight with its scales, and the offset of the scales.
int64_t QuantizedWeightBytes(const Program& program, const ProductOp& product);
int64_t QuantizedScalesAt(const Program& program, const ProductOp& product);

// Returns the size of the quantized weights of all products of both stages.
int64_t QuantizedWeightBytes(const Program& program);

// Returns the workspace of a stage's products of up to `rows` rows: that of cuBLASLt, or that of
// quantized products if it is larger.
int64_t ProductWorkspaceBytes(const Program& program, const OpSequence& stage, int64_t rows,
                              bool quantized);

}  // namespace dragoman::engine
