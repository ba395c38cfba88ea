// Tests of devices, memory, streams and events. Without a GPU they must report why they fail and do
// nothing else.
#include "kernels/cuda/device.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/stream.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::kernels::cuda {
namespace {

class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why = WhyNoCuda();
    if (!why.empty()) GTEST_SKIP() << "needs a GPU: " << why;
  }
};

class WithoutGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (WhyNoCuda().empty()) GTEST_SKIP() << "there is a GPU";
  }
};

using DeviceOnCuda = OnGpu;
using NoDeviceTest = WithoutGpu;

TEST_F(NoDeviceTest, SaysWhyThereIsNone) {
  std::string why;
  EXPECT_EQ(DeviceCount(&why), 0);
  EXPECT_FALSE(why.empty());
  if (DriverVersion() == 0) {
    EXPECT_EQ(why, "no CUDA driver: this build needs driver " + std::to_string(LeastDriver()) +
                       " or newer");
  }
  EXPECT_EQ(DeviceCount(nullptr), 0);
}

TEST_F(NoDeviceTest, NothingBeginsEarly) { EXPECT_FALSE(LaunchesEarly()); }

TEST_F(DeviceOnCuda, KernelsBeginEarlyFromHopperOn) {
  DeviceInfo info;
  ASSERT_EQ(Describe(CurrentDevice(), &info), Error::kNone);
  EXPECT_EQ(LaunchesEarly(), info.major >= 9 && EarlyLaunches::allowed());
}

TEST_F(NoDeviceTest, EverythingFailsByValue) {
  DeviceInfo info;
  info.name = "kept";
  EXPECT_NE(Describe(0, &info), Error::kNone);
  EXPECT_EQ(info.name, "kept");
  EXPECT_NE(SetDevice(0), Error::kNone);
  DeviceBuffer buffer;
  EXPECT_NE(buffer.Allocate(64), Error::kNone);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.bytes(), 0);
  PinnedBuffer pinned;
  EXPECT_NE(pinned.Allocate(64), Error::kNone);
  EXPECT_EQ(pinned.host(), nullptr);
  EXPECT_EQ(pinned.bytes(), 0);
  OwnedStream stream;
  EXPECT_NE(stream.Create(StreamPriority::kHigh), Error::kNone);
  Event event;
  EXPECT_NE(event.Create(), Error::kNone);
}

// The runtime stores a thread's last failure. The check after the next launch must not find it.
TEST_F(DeviceOnCuda, FailuresAreNotLeftForTheNextLaunch) {
  EXPECT_NE(SetDevice(1 << 20), Error::kNone);
  DeviceBuffer buffer;
  EXPECT_NE(buffer.Allocate(int64_t{1} << 60), Error::kNone);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST(CudaErrorTest, HasAText) {
  EXPECT_STREQ(ErrorText(static_cast<Error>(cudaErrorMemoryAllocation)), "out of memory");
}

TEST(CudaErrorTest, TheRuntimeHasAVersion) { EXPECT_GE(RuntimeVersion(), 12000); }

TEST(DeviceBufferTest, NoBytesAreNoError) {
  DeviceBuffer buffer;
  EXPECT_EQ(buffer.Allocate(0), Error::kNone);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(Copy(nullptr, nullptr, nullptr, 0), Error::kNone);
  EXPECT_EQ(Fill(nullptr, nullptr, 0, 0), Error::kNone);
}

TEST_F(DeviceOnCuda, IsDescribed) {
  std::string why = "kept";
  const int count = DeviceCount(&why);
  ASSERT_GT(count, 0);
  EXPECT_EQ(why, "kept");
  const int before = CurrentDevice();
  for (int i = 0; i < count; ++i) {
    DeviceInfo info;
    ASSERT_EQ(Describe(i, &info), Error::kNone);
    EXPECT_FALSE(info.name.empty());
    EXPECT_GE(info.major, 3);
    EXPECT_GT(info.multiprocessors, 0);
    EXPECT_GT(info.free_bytes, 0);
    EXPECT_LE(info.free_bytes, info.total_bytes);
  }
  EXPECT_EQ(CurrentDevice(), before);
  DeviceInfo info;
  EXPECT_NE(Describe(count, &info), Error::kNone);
  EXPECT_GE(DriverVersion(), RuntimeVersion() / 1000 * 1000);
}

TEST_F(DeviceOnCuda, BytesGoThereAndBack) {
  OwnedStream stream;
  ASSERT_EQ(stream.Create(StreamPriority::kHigh), Error::kNone);
  std::vector<uint8_t> bytes(1000);
  std::iota(bytes.begin(), bytes.end(), 1);
  DeviceBuffer first;
  DeviceBuffer second;
  PinnedBuffer pinned;
  ASSERT_EQ(first.Allocate(1000), Error::kNone);
  ASSERT_EQ(second.Allocate(1000), Error::kNone);
  ASSERT_EQ(pinned.Allocate(1000), Error::kNone);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(static_cast<const uint8_t*>(pinned.host())[i], 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.data()) % 256, 0U);
  EXPECT_EQ(Copy(stream.get(), first.data(), bytes.data(), 1000), Error::kNone);
  EXPECT_EQ(Copy(stream.get(), second.data(), first.data(), 1000), Error::kNone);
  EXPECT_EQ(Fill(stream.get(), second.data(), 0xab, 10), Error::kNone);
  // The copy uses the device's address, as kernels will.
  EXPECT_EQ(Copy(stream.get(), pinned.device(), second.data(), 1000), Error::kNone);
  ASSERT_EQ(stream.Wait(), Error::kNone);
  std::memset(bytes.data(), 0xab, 10);
  EXPECT_EQ(std::memcmp(pinned.host(), bytes.data(), 1000), 0);
}

TEST_F(DeviceOnCuda, BuffersMove) {
  DeviceBuffer first;
  ASSERT_EQ(first.Allocate(100), Error::kNone);
  void* data = first.data();
  DeviceBuffer second = std::move(first);
  EXPECT_EQ(second.data(), data);
  DeviceBuffer third;
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.bytes(), 100);
  third.Free();
  EXPECT_EQ(third.data(), nullptr);
}

TEST_F(DeviceOnCuda, AnEventIsWaitedForAtMostSoLong) {
  OwnedStream stream;
  ASSERT_EQ(stream.Create(StreamPriority::kLow), Error::kNone);
  Event event;
  ASSERT_EQ(event.Create(), Error::kNone);
  ASSERT_EQ(event.Record(stream.get()), Error::kNone);
  bool came = false;
  EXPECT_EQ(event.WaitAtMost(std::chrono::hours(1), &came), Error::kNone);
  EXPECT_TRUE(came);
}

TEST_F(DeviceOnCuda, EventsOrderStreams) {
  OwnedStream early;
  OwnedStream late;
  ASSERT_EQ(early.Create(StreamPriority::kLow), Error::kNone);
  ASSERT_EQ(late.Create(StreamPriority::kHigh), Error::kNone);
  Event begin;
  Event end;
  ASSERT_EQ(begin.Create(Event::Timing::kOn), Error::kNone);
  ASSERT_EQ(end.Create(Event::Timing::kOn), Error::kNone);
  const int64_t bytes = int64_t{64} << 20;
  DeviceBuffer buffer;
  PinnedBuffer last;
  ASSERT_EQ(buffer.Allocate(bytes), Error::kNone);
  ASSERT_EQ(last.Allocate(1), Error::kNone);
  EXPECT_EQ(begin.Record(early.get()), Error::kNone);
  for (int value = 1; value <= 50; ++value) {
    EXPECT_EQ(Fill(early.get(), buffer.data(), static_cast<uint8_t>(value), bytes), Error::kNone);
  }
  EXPECT_EQ(end.Record(early.get()), Error::kNone);
  EXPECT_EQ(end.Before(late.get()), Error::kNone);
  EXPECT_EQ(
      Copy(late.get(), last.host(), static_cast<const uint8_t*>(buffer.data()) + bytes - 1, 1),
      Error::kNone);
  ASSERT_EQ(late.Wait(), Error::kNone);
  EXPECT_EQ(*static_cast<const uint8_t*>(last.host()), 50);
  bool done = false;
  EXPECT_EQ(end.Done(&done), Error::kNone);
  EXPECT_TRUE(done);
  EXPECT_EQ(end.Wait(), Error::kNone);
  float milliseconds = -1.0F;
  EXPECT_EQ(end.MillisecondsSince(begin, &milliseconds), Error::kNone);
  EXPECT_GT(milliseconds, 0.0F);
}

}  // namespace
}  // namespace dragoman::kernels::cuda
