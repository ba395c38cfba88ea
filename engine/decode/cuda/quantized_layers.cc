#include "engine/decode/cuda/quantized_layers.h"

#include <algorithm>
#include <variant>

#include "kernels/ops/linear_cuda.h"
#include "kernels/ops/quantized_linear.h"

namespace dragoman::engine {
namespace {

constexpr int64_t Aligned(int64_t bytes) {
  return (bytes + kQuantizedAlignment - 1) / kQuantizedAlignment * kQuantizedAlignment;
}

}  // namespace

int64_t QuantizedScalesAt(const Program& program, const ProductOp& product) {
  return Aligned(product.rows * program.weight(product.weight).cols);
}

int64_t QuantizedWeightBytes(const Program& program, const ProductOp& product) {
  return QuantizedScalesAt(program, product) +
         Aligned(product.rows * static_cast<int64_t>(sizeof(float)));
}

int64_t QuantizedWeightBytes(const Program& program) {
  int64_t bytes = 0;
  for (const OpSequence* stage : {&program.encoder, &program.decoder}) {
    for (const Op& op : stage->ops) {
      const auto* product = std::get_if<ProductOp>(&op.what);
      if (product != nullptr) bytes += QuantizedWeightBytes(program, *product);
    }
  }
  return bytes;
}

int64_t ProductWorkspaceBytes(const Program& program, const OpSequence& stage, int64_t rows,
                              bool quantized) {
  int64_t bytes = kernels::cuda::Blas::kWorkspaceBytes;
  if (!quantized) return bytes;
  for (const Op& op : stage.ops) {
    const auto* product = std::get_if<ProductOp>(&op.what);
    if (product == nullptr) continue;
    bytes = std::max(
        bytes, kernels::cuda::QuantizedWorkspaceBytes(rows, program.weight(product->weight).cols));
  }
  return bytes;
}

}  // namespace dragoman::engine
