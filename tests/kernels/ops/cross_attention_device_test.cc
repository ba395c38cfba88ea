// Tests of cross-attention and its pages on the CPU, on a device and emulated.
#include "kernels/ops/cross_attention.h"

#include "tests/kernels/ops/attention_reference.h"
#include "tests/kernels/ops/attention_result.h"
#include "tests/kernels/ops/cross_pages.h"
#include "tests/kernels/ops/step_rows.h"

namespace dragoman::kernels {
namespace {

using CrossAttentionDeviceTest = OnOpDevice;

// Attends with the rows of q [rows.size(), d], in a launch for `bucket` rows.
AttentionResult AttendTo(const OpDevice& device, const KvLayout& layout, int layer,
                         const CrossPages& pages, const std::vector<StepRow>& rows, size_t bucket,
                         const std::vector<float>& q) {
  const auto d = static_cast<size_t>(layout.width());
  const RowsOnDevice on_device(device, rows, bucket);
  const OpNumbers in(device, RowsOf(q, 0, rows.size(), bucket, d));
  const OpNumbers out(device, std::vector<float>(bucket * d, 7.0F));
  if (device.launches()) {
    const auto attend = DRAGOMAN_LAUNCHER(device, CrossAttention);
    EXPECT_LAUNCHED(attend(kTestStream, device.type, layout, layer, on_device.Step(),
                           pages.Tables(), in.data(), out.data()));
  } else {
    OpContext context(device.threads, 1);
    CrossAttention(context, layout, layer, on_device.Cpu(), pages.Tables(),
                   static_cast<const float*>(in.data()), static_cast<float*>(out.data()));
  }
  return {out, d};
}

std::vector<StepRow> RowsOfSlots(const std::vector<std::pair<int, int>>& slot_and_width) {
  std::vector<StepRow> rows;
  for (const auto& [slot, width] : slot_and_width) {
    for (int lane = 0; lane < width; ++lane) rows.push_back({slot, lane, 0});
  }
  return rows;
}

TEST_P(CrossAttentionDeviceTest, AgreesWithDoubleForFewRowsAndForMany) {
  const OpDevice device = GetParam();
  const std::vector<int32_t> lengths = {1, 5, 32, 33, 64, 100};
  for (const Heads s : AttentionShapes(device)) {
    const KvLayout layout = {.layers = 2, .heads = s.heads, .head_dim = s.head_dim};
    const auto d = static_cast<size_t>(layout.width());
    const CrossPages pages(device, layout, lengths);
    std::vector<std::pair<int, int>> widths = {{5, 2}, {4, 3}, {3, 4}, {2, 5}, {1, 64}, {0, 1}};
    // Adds slots so that blocks of the CPU's rows have every height.
    if (!device.launches()) widths.insert(widths.end(), {{5, 6}, {4, 7}});
    const auto rows = RowsOfSlots(widths);
    const auto q = Rounded(RandomFloats(rows.size() * d, 2, 1.5F), device.type);
    std::vector<double> expected;
    for (size_t r = 0; r < rows.size(); ++r) {
      const auto row =
          Attend(q.data() + r * d, pages.K(rows[r].slot, 1), pages.V(rows[r].slot, 1), s);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    // The size of the bucket decides how many rows a warp takes.
    for (const size_t bucket : {rows.size() + 1, size_t{300}}) {
      std::vector<float> y = AttendTo(device, layout, 1, pages, rows, bucket, q).values;
      for (size_t i = expected.size(); i < y.size(); ++i) ASSERT_EQ(y[i], 7.0F);
      y.resize(expected.size());
      EXPECT_LT(WorstError(y, expected), AttentionTolerance(device))
          << s.heads << "x" << s.head_dim << " " << bucket;
    }
  }
}

TEST_P(CrossAttentionDeviceTest, WritingLayerByLayerOrByThreadsIsTheSameAndLeavesNoGap) {
  const OpDevice device = GetParam();
  const KvLayout layout = {.layers = 3, .heads = 2, .head_dim = 24};
  const std::vector<int32_t> lengths = {40, 7, 32, 65};
  const CrossPages at_once(Alone(device), layout, lengths);
  const CrossPages by_layer(device, layout, lengths, true);
  const CrossPages by_threads(device, layout, lengths);
  for (const float x : at_once.pool().Download()) ASSERT_FALSE(std::isnan(x));
  EXPECT_EQ(at_once.pool().Bits(), by_layer.pool().Bits());
  EXPECT_EQ(at_once.pool().Bits(), by_threads.pool().Bits());
}

TEST_P(CrossAttentionDeviceTest, RowsAreBitEqualInAnyCompany) {
  const OpDevice device = GetParam();
  for (const Heads s : {Heads{1, 64}, {1, 16}, {1, 128}}) {
    const KvLayout layout = {.layers = 1, .heads = s.heads, .head_dim = s.head_dim};
    const auto d = static_cast<size_t>(layout.width());
    std::vector<int32_t> lengths(13);
    for (int i = 0; i < 13; ++i) lengths[size_t(i)] = 1 + i * 37 % 90;
    const CrossPages pages(device, layout, lengths);
    std::vector<std::pair<int, int>> widths;
    for (int i = 0; i < 12; ++i) widths.emplace_back(i, 1 + i % 9);
    auto rows = RowsOfSlots(widths);
    // Adds the positions of a forced prefix, which are rows of one lane.
    for (int position = 0; position < 5; ++position) rows.push_back({12, 0, position});
    const auto q = RandomFloats(rows.size() * d, 2);
    std::vector<uint8_t> alone;
    for (size_t r = 0; r < rows.size(); ++r) {
      const auto bits =
          AttendTo(Alone(device), layout, 0, pages, {rows[r]}, 1, RowsOf(q, r, 1, 1, d)).bits;
      alone.insert(alone.end(), bits.begin(), bits.end());
    }
    const size_t row_bytes = alone.size() / rows.size();
    // Takes the rows from `first` on, so that each row is seen at many indices and next to other
    // rows.
    for (size_t first = 0; first < rows.size(); first += 1 + first / 4) {
      const size_t count = rows.size() - first;
      for (const size_t bucket : {count, size_t{257}}) {
        const AttentionResult y =
            AttendTo(device, layout, 0, pages, {rows.begin() + std::ptrdiff_t(first), rows.end()},
                     bucket, RowsOf(q, first, count, count, d));
        ASSERT_EQ(
            y.RowBits(0, count),
            std::vector<uint8_t>(alone.begin() + std::ptrdiff_t(first * row_bytes), alone.end()))
            << first << " " << bucket;
      }
    }
  }
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(CrossAttentionDeviceTest);

}  // namespace
}  // namespace dragoman::kernels
