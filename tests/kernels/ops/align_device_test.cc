// Tests of alignment on the CPU, on a device and emulated.
#include "kernels/ops/align.h"

#include "tests/kernels/ops/attention_reference.h"
#include "tests/kernels/ops/cross_pages.h"
#include "tests/kernels/ops/step_rows.h"

namespace dragoman::kernels {
namespace {

using AlignDeviceTest = OnOpDevice;

constexpr int kLayers = 2;
constexpr int kStride = 6;
constexpr uint16_t kUntouched = 4711;

// The alignment options of one slot.
struct Asked {
  bool align = false;
  int layer = 0;
  uint64_t heads = ~uint64_t{0};
};

// Returns the answer of each row, or kUntouched if it has none. `slots` are the options of each
// slot. The rows of a slot are its lanes 0, 1, ...
std::vector<uint16_t> Align(const OpDevice& device, const KvLayout& layout, int layer,
                            const CrossPages& pages, const std::vector<Asked>& slots,
                            const std::vector<StepRow>& rows, const std::vector<float>& q) {
  const auto d = static_cast<size_t>(layout.width());
  const size_t bucket = rows.size() + 3;
  const RowsOnDevice on_device(device, rows, bucket);
  const OpNumbers in(device, RowsOf(q, 0, rows.size(), bucket, d));
  std::vector<uint16_t> answers;
  if (device.launches()) {
    // The slots use the batch's lanes in reverse order.
    const size_t lanes = slots.size() * kMaxSlotLanes;
    std::vector<int32_t> numbers(lanes);
    for (size_t i = 0; i < lanes; ++i) numbers[i] = static_cast<int32_t>(lanes - 1 - i);
    const OpArray<int32_t> lanes_on_device(device, numbers);
    const OpArray<uint16_t> aligned(device, std::vector<uint16_t>(lanes * kStride, kUntouched));
    std::vector<SlotState> states(slots.size());
    for (size_t s = 0; s < slots.size(); ++s) {
      states[s].options.align = slots[s].align;
      states[s].options.alignment_layer = slots[s].layer;
      states[s].options.alignment_heads = slots[s].heads;
    }
    const OpArray<SlotState> states_on_device(device, states);
    std::vector<SlotView> views(slots.size());
    for (size_t s = 0; s < slots.size(); ++s) {
      views[s].state = states_on_device.data() + s;
      views[s].lanes = lanes_on_device.data() + s * kMaxSlotLanes;
      views[s].arrays.aligned = aligned.data();
      views[s].arrays.stride = kStride;
    }
    const OpArray<SlotView> views_on_device(device, views);
    const auto align = DRAGOMAN_LAUNCHER(device, AlignRows);
    EXPECT_LAUNCHED(align(kTestStream, device.type, layout, layer, on_device.Step(), pages.Tables(),
                          views_on_device.data(), in.data()));
    std::vector<uint16_t> all = aligned.Download();
    for (const StepRow& row : rows) {
      const auto number =
          static_cast<size_t>(numbers[size_t(row.slot) * kMaxSlotLanes + size_t(row.lane)]);
      uint16_t& answer = all[number * kStride + size_t(row.position)];
      answers.push_back(answer);
      answer = kUntouched;
    }
    for (const uint16_t x : all) EXPECT_EQ(x, kUntouched);
    return answers;
  }
  std::vector<AlignRow> wanted;
  for (size_t r = 0; r < rows.size(); ++r) {
    const Asked& asked = slots[size_t(rows[r].slot)];
    if (asked.align) wanted.push_back({int32_t(r), asked.layer, asked.heads});
  }
  std::vector<uint16_t> found(wanted.size(), kUntouched);
  OpContext context(device.threads, 1);
  AlignRows(context, layout, layer, on_device.Cpu(), pages.Tables(),
            static_cast<const float*>(in.data()), wanted.data(), int64_t(wanted.size()),
            found.data());
  answers.assign(rows.size(), kUntouched);
  for (size_t i = 0; i < wanted.size(); ++i) answers[size_t(wanted[i].row)] = found[i];
  return answers;
}

// Returns the sum of the chosen heads' weights, which is proportional to their mean, without the
// last position.
std::vector<double> MeanWeights(const float* q, const std::vector<const float*>& k, Heads shape,
                                uint64_t heads) {
  std::vector<double> mean(k.size() - 1, 0.0);
  for (int h = 0; h < shape.heads; ++h) {
    if ((heads >> h & 1U) == 0) continue;
    const auto weights = AttentionWeights(q, k, h, shape.head_dim);
    for (size_t p = 0; p < mean.size(); ++p) mean[p] += weights[p];
  }
  return mean;
}

TEST_P(AlignDeviceTest, FindsThePositionOfTheLargestMeanForThoseWhoAsk) {
  const OpDevice device = GetParam();
  const std::vector<int32_t> lengths = {1, 2, 32, 33, 34, 100, 17, 65};
  const std::vector<Asked> slots = {{true, 1}, {true, 1, 2}, {true, 1, 5}, {true, 1},
                                    {false},   {true, 1, 7}, {true, 0},    {true, 1, 4}};
  for (const Heads s : {Heads{3, 64}, {3, 24}, {3, 128}}) {
    const KvLayout layout = {.layers = kLayers, .heads = s.heads, .head_dim = s.head_dim};
    const auto d = static_cast<size_t>(layout.width());
    const CrossPages pages(device, layout, lengths);
    std::vector<StepRow> rows;
    for (int slot = 7; slot >= 0; --slot) {
      for (int lane = 0; lane < 3; ++lane) rows.push_back({slot, lane, slot % kStride});
    }
    const auto q = Rounded(RandomFloats(rows.size() * d, 2, 1.5F), device.type);
    const auto found = Align(device, layout, 1, pages, slots, rows, q);
    for (size_t r = 0; r < rows.size(); ++r) {
      const Asked& asked = slots[size_t(rows[r].slot)];
      if (!asked.align || asked.layer != 1) {
        EXPECT_EQ(found[r], kUntouched);
        continue;
      }
      if (lengths[size_t(rows[r].slot)] == 1) {
        EXPECT_EQ(found[r], 0);
        continue;
      }
      const auto mean = MeanWeights(q.data() + r * d, pages.K(rows[r].slot, 1), s, asked.heads);
      const auto best = std::max_element(mean.begin(), mean.end());
      // The two largest means must differ enough that rounding cannot swap them.
      std::vector<double> sorted = mean;
      std::sort(sorted.rbegin(), sorted.rend());
      if (sorted.size() > 1) {
        ASSERT_GT(sorted[0], sorted[1] * (1 + 1e-5));
      }
      EXPECT_EQ(found[r], best - mean.begin()) << r;
    }
  }
}

TEST_P(AlignDeviceTest, TiesGoToTheLeft) {
  const OpDevice device = GetParam();
  const KvLayout layout = {.layers = kLayers, .heads = 1, .head_dim = 32};
  const CrossPages pages(device, layout, {70});
  // With a query of zeros, every position has the same weight.
  const auto found =
      Align(device, layout, 0, pages, {{true, 0}}, {{0, 0, 2}}, std::vector<float>(32, 0.0F));
  EXPECT_EQ(found[0], 0);
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(AlignDeviceTest);

}  // namespace
}  // namespace dragoman::kernels
