// Tests of embedding from tables of every type.
#include <memory>

#include "kernels/ops/embed.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using EmbeddingTableTest = PerIsaAndType;

// Quantized tables hold their rows rounded as the operands of products are.
TEST_P(EmbeddingTableTest, ScalesAndAddsPositions) {
  const int d = 21;
  const auto table = RandomFloats(7 * d, 1);
  const auto held = AsOperand(type(), table, d);
  const auto positions = RandomFloats(4 * d, 2);
  const std::vector<int32_t> token = {6, 0, -1, 3, 3};
  const std::vector<int32_t> position = {3, 0, 2, 1, 1};
  for (const int threads : kThreadCounts) {
    std::unique_ptr<QuantizedEmbedding> quantized;
    if (type() != ComputeType::kFloat32) {
      OpContext packing(threads, 1);
      quantized = std::make_unique<QuantizedEmbedding>(packing, type(),
                                                       RowsInMemory(table.data(), d), 7, d);
    }
    const FloatEmbedding wide(table.data(), d);
    const EmbeddingTable& view = quantized ? static_cast<const EmbeddingTable&>(*quantized) : wide;
    for (const bool with_positions : {true, false}) {
      OpContext context(threads, 1);
      std::vector<float> y(5 * d);
      EmbedTokens(context, view, with_positions ? positions.data() : nullptr, 4.5F, token.data(),
                  position.data(), 5, y.data());
      for (int r = 0; r < 5; ++r) {
        for (int i = 0; i < d; ++i) {
          const float embedded = token[r] < 0 ? 0.0F : held[token[r] * d + i] * 4.5F;
          const float added = with_positions ? positions[position[r] * d + i] : 0.0F;
          EXPECT_EQ(y[r * d + i], embedded + added);
        }
      }
    }
  }
}

DRAGOMAN_FOR_EVERY_ISA_AND_TYPE(EmbeddingTableTest);

}  // namespace
}  // namespace dragoman::kernels
