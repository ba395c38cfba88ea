// Tests how an NVIDIA GPU is found, in directories that replace the root of the file system.
#include "engine/api/nvidia_card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_directory.h"

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kVersion[] =
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n"
    "GCC version:  gcc version 12.2.0\n";

TEST(FindNvidiaCard, SeesNoneWhereThereIsNone) {
  const TempDirectory root;
  EXPECT_EQ(FindNvidiaCard(root.path()).seen_at, "");
  // The driver's control nodes are not a GPU. Neither are other vendors' GPUs or the sound device
  // of an NVIDIA card.
  root.Write("dev/nvidiactl", "");
  root.Write("dev/nvidia-uvm", "");
  root.Write("sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
  root.Write("sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n");
  root.Write("sys/bus/pci/devices/0000:01:00.1/vendor", "0x10de\n");
  root.Write("sys/bus/pci/devices/0000:01:00.1/class", "0x040300\n");
  EXPECT_EQ(FindNvidiaCard(root.path()).seen_at, "");
  EXPECT_EQ(FindNvidiaCard(root.path()).driver, "");
}

TEST(FindNvidiaCard, SeesTheNodeThatADriverMakes) {
  const TempDirectory root;
  root.Write("dev/nvidia3", "");
  root.Write("proc/driver/nvidia/version", kVersion);
  const NvidiaCard card = FindNvidiaCard(root.path());
  EXPECT_EQ(card.seen_at, "/dev/nvidia3");
  EXPECT_EQ(card.driver, "535.183.01");
}

// A container that was started without its host's GPUs sees the host's /proc but no device node.
TEST(FindNvidiaCard, SeesTheCardOfAHostWhoseNodesAreHidden) {
  const TempDirectory root;
  root.Write("proc/driver/nvidia/gpus/0000:65:00.0/information", "Model: L4\n");
  root.Write("proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n");
  const NvidiaCard card = FindNvidiaCard(root.path());
  EXPECT_EQ(card.seen_at, "/proc/driver/nvidia/gpus/0000:65:00.0");
  EXPECT_EQ(card.driver, "580.65.06");
}

TEST(FindNvidiaCard, SeesACardWithoutADriver) {
  for (const char* kind : {"0x030000\n", "0x030200\n"}) {
    const TempDirectory root;
    root.Write("sys/bus/pci/devices/0000:00:1e.0/vendor", "0x10de\n");
    root.Write("sys/bus/pci/devices/0000:00:1e.0/class", kind);
    const NvidiaCard card = FindNvidiaCard(root.path());
    EXPECT_EQ(card.seen_at, "/sys/bus/pci/devices/0000:00:1e.0");
    EXPECT_EQ(card.driver, "");
  }
}

TEST(FindNvidiaCard, SeesTheOneThatWindowsLends) {
  const TempDirectory root;
  root.Write("usr/lib/wsl/lib/libcuda.so.1", "");
  EXPECT_EQ(FindNvidiaCard(root.path()).seen_at, "/usr/lib/wsl/lib/libcuda.so.1");
}

TEST(RemedyFor, NamesTheDriverThatWasFoundAndTheOneThatIsExpected) {
  EXPECT_THAT(RemedyFor({"/dev/nvidia0", "535.183.01"}, 580),
              AllOf(HasSubstr("found NVIDIA driver 535.183.01, expected 580 or newer"),
                    HasSubstr("docker/README.md")));
  EXPECT_THAT(RemedyFor({"/sys/bus/pci/devices/0000:00:1e.0", ""}, 525),
              HasSubstr("no NVIDIA driver is loaded: install driver 525 or newer"));
  EXPECT_THAT(RemedyFor({"/dev/nvidia0", "580.65.06"}, 580),
              AllOf(HasSubstr("580.65.06 is new enough"), HasSubstr("--gpus all")));
}

TEST(RemedyFor, SaysOfABuildWithoutCudaWhichOneHasIt) {
  EXPECT_THAT(RemedyFor({"/dev/nvidia0", "580.65.06"}, 0),
              AllOf(HasSubstr("docker/Dockerfile.cuda"), Not(HasSubstr("580"))));
}

}  // namespace
}  // namespace dragoman::engine
