#include "engine/decode/cuda/narrow_layers.h"

#include <algorithm>
#include <variant>

#include "kernels/ops/linear_cuda.h"
#include "kernels/ops/narrow_linear.h"

namespace dragoman {
namespace {

constexpr int64_t Aligned(int64_t bytes) {
  return (bytes + kNarrowAlignment - 1) / kNarrowAlignment * kNarrowAlignment;
}

}  // namespace

int64_t NarrowScalesAt(const Program& program, const ProductOp& product) {
  return Aligned(product.rows * program.weight(product.weight).cols);
}

int64_t NarrowWeightBytes(const Program& program, const ProductOp& product) {
  return NarrowScalesAt(program, product) +
         Aligned(product.rows * static_cast<int64_t>(sizeof(float)));
}

int64_t NarrowWeightBytes(const Program& program) {
  int64_t bytes = 0;
  for (const OpSequence* stage : {&program.encoder, &program.decoder}) {
    for (const Op& op : stage->ops) {
      const auto* product = std::get_if<ProductOp>(&op.what);
      if (product != nullptr) bytes += NarrowWeightBytes(program, *product);
    }
  }
  return bytes;
}

int64_t ProductWorkspaceBytes(const Program& program, const OpSequence& stage, int64_t rows,
                              bool narrow) {
  int64_t bytes = cuda::Blas::kWorkspaceBytes;
  if (!narrow) return bytes;
  for (const Op& op : stage.ops) {
    const auto* product = std::get_if<ProductOp>(&op.what);
    if (product == nullptr) continue;
    bytes = std::max(bytes, cuda::NarrowWorkspaceBytes(rows, program.weight(product->weight).cols));
  }
  return bytes;
}

}  // namespace dragoman
