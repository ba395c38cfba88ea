// Sizes of the layers' quantized products (the setting layer-products). Pure. Sizes are bytes.
#pragma once

#include <cstdint>

#include "engine/network/program.h"

namespace dragoman::engine {

// The alignment of each quantized weight, and of its scales, which follow it.
inline constexpr int64_t kQuantizedAlignment = 256;

// QuantizedWeightBytes: the size of a product's int8 weight with its scales. QuantizedScalesAt: the
// offset of the scales from the start of the weight.
int64_t QuantizedWeightBytes(const Program& program, const ProductOp& product);
int64_t QuantizedScalesAt(const Program& program, const ProductOp& product);

// Returns the size of the int8 weights of all products of encoder and decoder.
int64_t QuantizedWeightBytes(const Program& program);

// Returns the size of the workspace that a stage's products of up to `rows` rows need: cuBLASLt's
// workspace or, if `quantized`, the larger of it and the workspace of the quantized products.
int64_t ProductWorkspaceBytes(const Program& program, const OpSequence& stage, int64_t rows,
                              bool quantized);

}  // namespace dragoman::engine
