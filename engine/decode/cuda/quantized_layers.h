// The memory that products of the layers in int8 take (cuda: layer-products), from the program alone.
//
// Pure. Bytes.
#pragma once

#include <cstdint>

#include "engine/network/program.h"

namespace dragoman::engine {

// Where each quantized weight, its scales after its bytes, begins in their block.
inline constexpr int64_t kQuantizedAlignment = 256;

// A product's quantized weight takes so many bytes; its scales begin there in it.
int64_t QuantizedWeightBytes(const Program& program, const ProductOp& product);
int64_t QuantizedScalesAt(const Program& program, const ProductOp& product);

// The quantized weights of all products of both stages.
int64_t QuantizedWeightBytes(const Program& program);

// The workspace of a stage's products, of `rows` at most: cuBLASLt's, or where they are quantized and need
// more, theirs.
int64_t ProductWorkspaceBytes(const Program& program, const OpSequence& stage, int64_t rows,
                              bool quantized);

}  // namespace dragoman::engine
