// Tests that no operation allocates after Warm and Reserve. This binary counts every allocation.
#include <malloc.h>

#include "kernels/ops/decode_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"
#include "kernels/ops/gate.h"
#include "kernels/ops/linear.h"
#include "kernels/ops/output_layer.h"
#include "kernels/ops/row_norm.h"
#include "tests/engine/support/allocations.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

// Returns the bytes in use by glibc's statistics, which also show direct calls of malloc.
size_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

class Allocation : public ::testing::TestWithParam<ComputeType> {};

TEST_P(Allocation, NoneAfterWarm) {
  const int rows = 200;
  const int d = 64;
  const int vocabulary = 1100;
  const auto w = RandomFloats(size_t(d) * vocabulary, 1);
  const auto x = RandomFloats(size_t(rows) * vocabulary, 2);
  std::vector<float> y(size_t(rows) * vocabulary);
  const auto linear = Linear::Create(w.data(), nullptr, d, 3 * d, Activation::kGelu, GetParam());
  const auto output = OutputLayer::Create(w.data(), nullptr, d, vocabulary, GetParam());
  std::vector<LogitRequest> requests(rows, LogitRequest{.k = 4, .need_normaliser = true});
  std::vector<TokenScore> top(size_t(rows) * 4);
  std::vector<LogitSummary> summaries(rows);
  for (int r = 0; r < rows; ++r) summaries[r].top = top.data() + size_t(r) * 4;
  const int32_t offsets[] = {0, 150, 200};

  std::vector<int32_t> words(700);
  for (int i = 0; i < 700; ++i) words[i] = i + i / 2;
  const IdList list{words.data(), 700};
  const cpu::FloatBuffer memory = cpu::AllocateFloats(output->SelectedFloats(700));
  const OutputLayer::Selection selection{list, memory.get()};
  const std::vector<const OutputLayer::Selection*> selections(rows, &selection);

  OpContext context(1);
  context.Reserve(linear->ScratchFloats(rows));
  context.Reserve(output->ScratchFloats(rows));
  context.Reserve(EncoderAttentionScratch(150, 16));
  const int64_t before = testing::Allocations();
  const size_t in_use = BytesInUse();
  for (const int n : {1, 7, 64, 129, 200}) {
    linear->Run(context, x.data(), n, y.data());
    output->Fold(context, x.data(), n, requests.data(), summaries.data());
    output->Select(list, memory.get());
    output->FoldSelected(context, x.data(), n, selections.data(), requests.data(),
                         summaries.data());
    AddLayerNorm(context, x.data(), nullptr, w.data(), w.data(), 1e-5F, n, d, y.data());
    AddRmsNorm(context, x.data(), nullptr, w.data(), 1e-5F, n, d, y.data());
    GateRows(context, Activation::kGeluTanh, x.data(), n, d, y.data());
  }
  EncoderAttention(context, x.data(), offsets, 2, 4, 16, y.data());
  const int64_t after = testing::Allocations();
  const size_t in_use_after = BytesInUse();
  EXPECT_EQ(after, before);
  EXPECT_EQ(in_use_after, in_use);
}

INSTANTIATE_TEST_SUITE_P(Types, Allocation,
                         ::testing::Values(ComputeType::kFloat32, ComputeType::kBFloat16,
                                           ComputeType::kInt8),
                         [](const auto& info) { return std::string(ComputeTypeName(info.param)); });

}  // namespace
}  // namespace dragoman::kernels
