// Tests of the SSRU of decoding on the CPU, on a device and emulated. A search with random reorders
// calls the operation itself, so that the operation reads the states that it wrote in earlier
// steps.
#include "kernels/ops/recurrence.h"

#include <cmath>
#include <map>
#include <utility>

#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/random_beams.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using RecurrenceDeviceTest = OnOpDevice;
class RecurrenceLaunchTest : public OnOpDevice {};  // for what the CPU does not have

constexpr int kSteps = 68;  // reaches the third page
constexpr int kLayers = 2;

// Returns pages full of NaN, which shows in the results if memory is read that was not written.
OpArray<float> Pool(const OpDevice& device, const KvLayout& layout, int64_t pages) {
  const int64_t bytes = device.launches()
                            ? pages * layout.ElementsPerPage() * ElementBytes(device.type)
                            : pages * layout.HostPageBytes();
  return {device, std::vector<float>(static_cast<size_t>(bytes) / sizeof(float), NAN)};
}

void Apply(const OpDevice& device, const KvLayout& layout, int layer, const cuda::StepRows& step,
           const DecodeRows& rows, const SelfKvTables& tables, const OpNumbers& gate_x,
           const OpNumbers& y) {
  if (device.launches()) {
    const auto recur = DRAGOMAN_LAUNCHER(device, Recur);
    EXPECT_LAUNCHED(
        recur(kTestStream, device.type, layout, layer, step, tables, gate_x.data(), y.data()));
    return;
  }
  OpContext context(device.threads, 1);
  Recur(context, layout, layer, rows, tables, static_cast<const float*>(gate_x.data()),
        static_cast<float*>(y.data()));
}

void ExpectStatesFollow(const OpDevice& device, const KvLayout& layout) {
  const auto d = static_cast<size_t>(layout.width());
  RandomBeams beams({{1, 0}, {4, 3}, {5, 0}, {3, 40}});
  const OpArray<float> pool = Pool(device, layout, beams.pages());
  // The states after the previous position, by layer, slot and lane.
  std::map<std::pair<int, std::pair<int, int>>, std::vector<double>> states;
  for (; beams.step() < kSteps; beams.Reorder()) {
    beams.Plan();
    const size_t rows = beams.rows().size();
    const size_t bucket = rows + rows % 3;
    const auto before = states;
    for (int layer = 0; layer < kLayers; ++layer) {
      const auto numbers =
          Rounded(RandomFloats(rows * 2 * d, 100 + uint32_t(beams.step() * kLayers + layer), 2.0F),
                  device.type);
      std::vector<double> expected;
      for (size_t r = 0; r < rows; ++r) {
        const StepRow& row = beams.rows()[r];
        std::vector<double> state(d);
        if (row.position > 0) {
          state = before.at({layer, {row.slot, beams.Writer(row, row.position - 1)}});
        }
        for (size_t i = 0; i < d; ++i) {
          const double keep = 1 / (1 + std::exp(-double{numbers[2 * r * d + i]}));
          state[i] = keep * state[i] + (1 - keep) * numbers[(2 * r + 1) * d + i];
          expected.push_back(std::max(0.0, state[i]));
        }
        states[{layer, {row.slot, row.lane}}] = state;
      }
      const OpNumbers gate_x(device, RowsOf(numbers, 0, rows, bucket, 2 * d));
      const RandomBeams::OnDevice at(device, beams, 0, rows, bucket);
      for (const bool by_table : {false, true}) {
        const OpNumbers y(device, std::vector<float>(bucket * d, 7.0F));
        Apply(device, layout, layer, at.Step(by_table), at.Cpu(), at.Tables(pool.data()), gate_x,
              y);
        std::vector<float> found = y.Download();
        for (size_t i = rows * d; i < found.size(); ++i) ASSERT_EQ(found[i], 7.0F);
        found.resize(rows * d);
        ASSERT_LT(WorstError(found, expected), 4e-6 + device.unit())
            << d << " step " << beams.step();
      }
    }
  }
}

TEST_P(RecurrenceDeviceTest, StatesFollowTheAncestryOverPages) {
  const OpDevice device = GetParam();
  for (const int head_dim : {8, 40, 264}) {
    ExpectStatesFollow(device, {.layers = kLayers, .heads = 1, .head_dim = head_dim});
  }
  if (device.launches()) return;
  // The CPU keeps states in f32, in pages of every type.
  for (const ComputeType type :
       {ComputeType::kFloat32, ComputeType::kBFloat16, ComputeType::kInt8}) {
    const KvLayout layout = {.layers = kLayers, .heads = 1, .head_dim = 52, .host_element = type};
    ASSERT_GE(layout.HostPageBytes(),
              (StateAt(layout, 1, kLayers - 1) + layout.width()) * int64_t{sizeof(float)});
    ExpectStatesFollow(device, layout);
  }
}

TEST_P(RecurrenceDeviceTest, RowsAreBitEqualWhateverElseIsInTheStep) {
  const OpDevice device = GetParam();
  const KvLayout layout = {.layers = kLayers, .heads = 2, .head_dim = 40};
  const auto d = static_cast<size_t>(layout.width());
  RandomBeams beams({{4, 0}, {64, 30}, {1, 20}, {9, 0}});
  const OpArray<float> pool = Pool(device, layout, beams.pages());
  for (; beams.step() < 40; beams.Reorder()) {
    beams.Plan();
    const auto numbers =
        Rounded(RandomFloats(beams.rows().size() * 2 * d, 3 + uint32_t(beams.step())), device.type);
    const auto run = [&](size_t first, size_t count, size_t bucket) {
      const OpDevice by = count == 1 ? Alone(device) : device;
      const OpNumbers gate_x(device, RowsOf(numbers, first, count, bucket, 2 * d));
      const OpNumbers y(device, std::vector<float>(bucket * d, 7.0F));
      const RandomBeams::OnDevice at(device, beams, first, count, bucket);
      Apply(by, layout, 1, at.Step(true), at.Cpu(), at.Tables(pool.data()), gate_x, y);
      std::vector<uint8_t> bits = y.Bits();
      bits.resize(bits.size() / bucket * count);
      return bits;
    };
    const size_t rows = beams.rows().size();
    const std::vector<uint8_t> together = run(0, rows, rows);
    const size_t row_bytes = together.size() / rows;
    if (beams.step() % 13 != 12) continue;
    for (size_t first = 0; first < rows; first += 1 + first / 2) {
      for (const size_t count : {size_t{1}, rows - first}) {
        const auto begin = together.begin() + std::ptrdiff_t(first * row_bytes);
        ASSERT_EQ(run(first, count, count + 5),
                  std::vector<uint8_t>(begin, begin + std::ptrdiff_t(count * row_bytes)))
            << first << ", " << count;
      }
    }
  }
}

// The positions of a forced prefix are rows of one lane in one call. They must give the bits of
// calls with one position each.
TEST_P(RecurrenceDeviceTest, PositionsOfALaneAtOnceHaveTheBitsOfOneByOne) {
  const OpDevice device = GetParam();
  constexpr int kPositions = 45;  // reaches the second page
  const KvLayout layout = {.layers = 1, .heads = 2, .head_dim = 40};
  const auto d = static_cast<size_t>(layout.width());
  const auto numbers = Rounded(RandomFloats(kPositions * 2 * d, 8, 2.0F), device.type);
  const LaneOnDevice lane(device);
  const auto run = [&](const std::vector<size_t>& counts, bool by_table) {
    const OpArray<float> pool = Pool(device, layout, LaneOnDevice::kPages);
    std::vector<uint8_t> bits;
    size_t position = 0;
    while (position < kPositions) {
      for (const size_t most : counts) {
        const size_t count = std::min(most, kPositions - position);
        if (count == 0) break;
        const RowsOnDevice rows = lane.Rows(int(position), count, count + 2);
        cuda::StepRows step = rows.Step();
        if (by_table) lane.ByTable(&step);
        const OpNumbers gate_x(device, RowsOf(numbers, position, count, count + 2, 2 * d));
        const OpNumbers y(device, std::vector<float>((count + 2) * d, 7.0F));
        Apply(device, layout, 0, step, rows.Cpu(), lane.Tables(pool.data()), gate_x, y);
        const std::vector<uint8_t> all = y.Bits();
        bits.insert(bits.end(), all.begin(),
                    all.begin() + std::ptrdiff_t(all.size() / (count + 2) * count));
        position += count;
      }
    }
    return bits;
  };
  const std::vector<uint8_t> expected = run({1}, true);
  for (const bool by_table : {false, true}) {
    EXPECT_EQ(run({4, 1, 11, 17, 12}, by_table), expected);
    EXPECT_EQ(run({kPositions}, by_table), expected);
  }
}

// A gate far from zero keeps or replaces all of the state, and a NaN stays NaN.
TEST_P(RecurrenceDeviceTest, GatesSaturateAndNanStays) {
  const OpDevice device = GetParam();
  const KvLayout layout = {.layers = 1, .heads = 1, .head_dim = 8};
  const OpArray<float> pool = Pool(device, layout, LaneOnDevice::kPages);
  const LaneOnDevice lane(device);
  std::vector<float> numbers(32, 3.0F);
  std::fill_n(numbers.begin(), 8, -200.0F);
  std::fill_n(numbers.begin() + 16, 8, 200.0F);
  std::fill_n(numbers.begin() + 24, 8, -7.0F);
  numbers[16 + 3] = NAN;
  const RowsOnDevice rows = lane.Rows(0, 2, 2);
  const OpNumbers gate_x(device, numbers);
  const OpNumbers y(device, std::vector<float>(16, 7.0F));
  Apply(device, layout, 0, rows.Step(), rows.Cpu(), lane.Tables(pool.data()), gate_x, y);
  const std::vector<float> found = y.Download();
  EXPECT_EQ(found[3], 3.0F);
  EXPECT_TRUE(std::isnan(found[8 + 3]));
  EXPECT_EQ(found[8 + 5], 3.0F);
}

TEST_P(RecurrenceLaunchTest, OtherWidthsAreRefused) {
  const OpDevice device = GetParam();
  const auto recur = DRAGOMAN_LAUNCHER(device, Recur);
  for (const int width : {0, 12}) {
    EXPECT_NE(recur(kTestStream, device.type, {.layers = 1, .heads = 1, .head_dim = width}, 0,
                    {.rows = 1}, {}, nullptr, nullptr),
              cuda::Error::kNone);
  }
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(RecurrenceDeviceTest);
DRAGOMAN_FOR_LAUNCH_DEVICES(RecurrenceLaunchTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
