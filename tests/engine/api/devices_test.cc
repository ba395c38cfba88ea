// Tests on which device a model runs, given the operator's request and the machine's devices.
#include "engine/api/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

DeviceRequest Asked(const std::string& device, const std::string& type = "auto") {
  const auto request = ExpectOk(ParseDevices(device, type));
  return request.value_or(DeviceRequest{});
}

std::string ParseError(const std::string& device, const std::string& type = "auto") {
  const auto request = ParseDevices(device, type);
  EXPECT_EQ(request.status().code(), absl::StatusCode::kInvalidArgument) << device << " " << type;
  return std::string(request.status().message());
}

TEST(ParseDevices, KnowsEveryForm) {
  EXPECT_TRUE(Asked("auto").automatic);
  EXPECT_FALSE(Asked("cpu").automatic);
  EXPECT_THAT(Asked("cpu").cuda, IsEmpty());
  EXPECT_THAT(Asked("cuda:3").cuda, ElementsAre(3));
  EXPECT_THAT(Asked("cuda:1,cuda:0").cuda, ElementsAre(1, 0));
  EXPECT_EQ(Asked("auto").compute_type, std::nullopt);
  EXPECT_EQ(Asked("auto", "float16").compute_type, kernels::ComputeType::kFloat16);
  EXPECT_EQ(Asked("cuda:0", "bfloat16").compute_type, kernels::ComputeType::kBFloat16);
  EXPECT_EQ(Asked("cpu", "float32").compute_type, kernels::ComputeType::kFloat32);
  EXPECT_EQ(Asked("cpu", "bfloat16").compute_type, kernels::ComputeType::kBFloat16);
  EXPECT_EQ(Asked("cpu", "int8").compute_type, kernels::ComputeType::kInt8);
  EXPECT_EQ(Asked("auto", "int8").compute_type, kernels::ComputeType::kInt8);
}

TEST(ParseDevices, RefusesByName) {
  for (const char* device : {"", "gpu", "cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:0,",
                             "cuda:0,cpu", "cuda:0 ,cuda:1", "cuda:99999999999", "CPU"}) {
    EXPECT_THAT(ParseError(device), AllOf(HasSubstr("device: found '" + std::string(device) + "'"),
                                          HasSubstr("expected auto, cpu, or cuda:N")));
  }
  EXPECT_THAT(ParseError("cuda:0,cuda:0"), HasSubstr("each device once"));
  EXPECT_THAT(ParseError("auto", "int4"),
              AllOf(HasSubstr("compute-type: found 'int4'"),
                    HasSubstr("auto, float32, float16, bfloat16 or int8")));
  EXPECT_THAT(ParseError("cpu", "float16"),
              HasSubstr("'float16', expected auto, float32, bfloat16 or int8 on the CPU"));
  EXPECT_THAT(ParseError("cuda:0", "int8"),
              HasSubstr("'int8', expected auto, float32, float16 or bfloat16 on a GPU"));
}

TEST(ChooseDevices, TakesWhatWasAskedForOrSaysWhyNot) {
  const CudaProbe two{"", {"", "its compute capability is 7.0"}};
  const auto first = ExpectOk(ChooseDevices(Asked("cuda:0"), two));
  EXPECT_THAT(first->cuda, ElementsAre(0));
  EXPECT_EQ(first->compute_type, kernels::ComputeType::kFloat16);
  EXPECT_EQ(DeviceNames(*first), "cuda:0");
  const auto error = [](const char* device, const CudaProbe& probe) {
    const auto choice = ChooseDevices(Asked(device), probe);
    EXPECT_EQ(choice.status().code(), absl::StatusCode::kFailedPrecondition);
    return std::string(choice.status().message());
  };
  EXPECT_THAT(error("cuda:0,cuda:1", two),
              AllOf(HasSubstr("cuda:1 cannot be used"), HasSubstr("7.0")));
  EXPECT_THAT(error("cuda:2", two), HasSubstr("this machine has 2 CUDA devices"));
  EXPECT_THAT(
      error("cuda:1", {"", {""}, true}),
      HasSubstr("cuda:1 cannot be used: this machine has 1 CUDA device to show, because a process "
                "sees one part of a card that is divided (MIG)"));
  EXPECT_THAT(error("cuda:0", {"no CUDA driver", {}}),
              AllOf(HasSubstr("cuda:0 cannot be used"), HasSubstr("no CUDA driver")));
}

TEST(ChooseDevices, AutoTakesAllThatAreFitAndSaysWhatIsNot) {
  const auto choice = ExpectOk(ChooseDevices(Asked("auto"), {"", {"", "too old", ""}}));
  EXPECT_THAT(choice->cuda, ElementsAre(0, 2));
  EXPECT_EQ(choice->compute_type, kernels::ComputeType::kFloat16);
  EXPECT_EQ(choice->note, "cuda:1: too old");
  EXPECT_EQ(DeviceNames(*choice), "cuda:0,cuda:2");
}

TEST(ChooseDevices, AutoFallsBackToTheCpuAndSaysWhy) {
  const auto none = ExpectOk(ChooseDevices(Asked("auto"), {"no CUDA driver", {}}));
  EXPECT_THAT(none->cuda, IsEmpty());
  EXPECT_EQ(none->compute_type, kernels::ComputeType::kInt8);
  EXPECT_EQ(none->note, "no CUDA driver");
  EXPECT_THAT(none->type_note, HasSubstr("the fastest on a CPU"));
  EXPECT_EQ(DeviceNames(*none), "cpu");
  const auto unfit = ExpectOk(ChooseDevices(Asked("auto"), {"", {"too old"}}));
  EXPECT_THAT(unfit->cuda, IsEmpty());
  EXPECT_EQ(unfit->note, "cuda:0: too old");
}

// An unused GPU costs its owner money, so the log warns of it. A machine without a GPU gets only a
// note.
TEST(ChooseDevices, AutoWarnsOfACardThatIsThereAndNotUsed) {
  const CudaProbe old{"the CUDA driver is too old", {}, false, {}, "/dev/nvidia0", "update it"};
  const auto choice = ExpectOk(ChooseDevices(Asked("auto"), old));
  EXPECT_THAT(choice->cuda, IsEmpty());
  EXPECT_THAT(choice->warning,
              AllOf(HasSubstr("has an NVIDIA card that is not used"), HasSubstr("too old"),
                    HasSubstr("/dev/nvidia0"), HasSubstr("update it"), HasSubstr("cpu")));
  // The same warning if only one of several GPUs is unused.
  EXPECT_THAT(ChooseDevices(Asked("auto"), {"", {"", "no code for it"}})->warning,
              HasSubstr("not used: cuda:1: no code for it"));
  // If the operator names the device, the error has the same text.
  const auto named = ChooseDevices(Asked("cuda:0"), old);
  EXPECT_THAT(std::string(named.status().message()),
              AllOf(HasSubstr("cuda:0 cannot be used: the CUDA driver is too old"),
                    HasSubstr("update it")));
}

TEST(ChooseDevices, NothingIsWarnedOfWhereNoCardIsLeftUnused) {
  EXPECT_EQ(ChooseDevices(Asked("auto"), {"no CUDA driver", {}})->warning, "");
  EXPECT_EQ(ChooseDevices(Asked("auto"), {"", {"", ""}})->warning, "");
  // No warning if the operator chose other devices.
  EXPECT_EQ(
      ChooseDevices(Asked("cpu"), {"too old", {}, false, {}, "/dev/nvidia0", "update it"})->warning,
      "");
  EXPECT_EQ(ChooseDevices(Asked("cuda:0"), {"", {"", "no code for it"}})->warning, "");
}

TEST(ChooseDevices, AutoDoesNotChangeTheComputeTypeThatWasAskedFor) {
  const auto choice = ChooseDevices(Asked("auto", "float16"), {"no CUDA driver", {}});
  EXPECT_EQ(choice.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(choice.status().message()),
              AllOf(HasSubstr("'float16'"), HasSubstr("no CUDA driver")));
  // Only the CPU supports int8, so `auto` chooses the CPU.
  const auto int8 = ExpectOk(ChooseDevices(Asked("auto", "int8"), {"", {""}}));
  EXPECT_THAT(int8->cuda, IsEmpty());
  EXPECT_EQ(int8->compute_type, kernels::ComputeType::kInt8);
  EXPECT_THAT(int8->note, HasSubstr("found int8"));
  EXPECT_THAT(int8->warning, AllOf(HasSubstr("not used"), HasSubstr("(cuda:0)")));
  DeviceRequest named = Asked("cuda:0");
  named.compute_type = kernels::ComputeType::kInt8;
  EXPECT_EQ(ChooseDevices(named, {"", {""}}).status().code(), absl::StatusCode::kInvalidArgument);
  const auto float32 = ExpectOk(ChooseDevices(Asked("cpu", "float32"), {"no CUDA driver", {}}));
  EXPECT_EQ(float32->compute_type, kernels::ComputeType::kFloat32);
  EXPECT_THAT(float32->type_note, IsEmpty());
}

TEST(ChooseDevices, ACpuInsteadOfGpusHasItsOwnTypeAndWarnsOfThem) {
  const auto gpus = ExpectOk(ChooseDevices(Asked("auto"), {"", {"", ""}}));
  const auto cpu = ExpectOk(ChooseCpuInstead(Asked("auto"), *gpus, "heads of 12 dimensions"));
  EXPECT_THAT(cpu->cuda, IsEmpty());
  EXPECT_EQ(cpu->compute_type, kernels::ComputeType::kInt8);
  EXPECT_EQ(cpu->note, "heads of 12 dimensions");
  EXPECT_THAT(cpu->warning,
              AllOf(HasSubstr("not used: heads of 12 dimensions"), HasSubstr("cuda:0,cuda:1")));
  const auto float16 = ChooseCpuInstead(Asked("auto", "float16"), *gpus, "heads of 12");
  EXPECT_EQ(float16.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ProbeCuda, SaysWhyThereIsNothingOrNamesWhatThereIs) {
  const CudaProbe probe = ProbeCuda();
  EXPECT_NE(probe.why_none.empty(), probe.unfit.empty());
}

}  // namespace
}  // namespace dragoman::engine
