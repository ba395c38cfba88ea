// Tests which compute type is chosen for a model on GPUs whose tensor cores do not support all
// types.
#include "engine/worker_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GpuType : public ::testing::Test {
 protected:
  static LoadedModel Load(const std::string& name) {
    auto loaded = ExpectOk(LoadModel(DRAGOMAN_SOURCE_DIR "/tests/data/models/" + name));
    return *std::move(loaded);
  }

  // Returns the device choice for GPUs with these compute capabilities if the operator asks for
  // `asked`.
  static DeviceChoice On(std::vector<int> capability, const std::string& asked = "auto") {
    CudaProbe probe;
    probe.unfit.assign(capability.size(), "");
    probe.capability = std::move(capability);
    const auto request = ExpectOk(ParseDevices("auto", asked));
    const auto choice = ExpectOk(ChooseDevices(*request, probe));
    return *choice;
  }
};

TEST_F(GpuType, IsBFloat16WhereFloat16IsTooSmallAndTheCardHasIt) {
  const LoadedModel t5 = Load("tiny-t5");
  for (const int capability : {80, 89, 90}) {
    std::string why;
    EXPECT_EQ(GpuTypeFor(On({capability}), t5.program, &why), kernels::ComputeType::kBFloat16);
    EXPECT_THAT(why, AllOf(HasSubstr("served in bfloat16"), HasSubstr("range of float16"),
                           Not(HasSubstr("compute capability"))));
  }
}

// The tensor cores of a T4 support float16 but not bfloat16.
TEST_F(GpuType, IsFloat32WhereTheCardLacksBFloat16) {
  const LoadedModel t5 = Load("tiny-t5");
  for (const auto& capabilities : {std::vector<int>{75}, std::vector<int>{90, 75}}) {
    std::string why;
    const DeviceChoice devices = On(capabilities);
    EXPECT_EQ(GpuTypeFor(devices, t5.program, &why), kernels::ComputeType::kFloat32);
    EXPECT_THAT(why, AllOf(HasSubstr("served in float32"), HasSubstr("range of float16"),
                           HasSubstr("compute capability 7.5 has no bfloat16")));
    // The memory planned on the host for the weights is that of float32.
    EngineConfig config;
    config.devices = devices;
    EngineConfig in_16_bits;
    in_16_bits.devices = On({90});
    EXPECT_GT(HostWeightBytes(config, t5), HostWeightBytes(in_16_bits, t5));
  }
}

TEST_F(GpuType, IsFloat16WhereThatIsLargeEnough) {
  const LoadedModel marian = Load("tiny-a");
  std::string why;
  EXPECT_EQ(GpuTypeFor(On({75}), marian.program, &why), kernels::ComputeType::kFloat16);
  EXPECT_EQ(GpuTypeFor(On({90}), marian.program, nullptr), kernels::ComputeType::kFloat16);
  EXPECT_EQ(why, "");
}

// FitToGpus reads only the files but decides the same as a load.
TEST_F(GpuType, IsKnownFromTheFilesAlone) {
  const auto fit = [](const std::string& name, const DeviceChoice& devices) {
    EngineConfig config;
    config.devices = devices;
    const auto found =
        ExpectOk(FitToGpus(DRAGOMAN_SOURCE_DIR "/tests/data/models/" + name, config));
    return found.value_or(GpuFit());
  };
  const GpuFit t5 = fit("tiny-t5", On({90}));
  EXPECT_EQ(t5.why_not, "");
  EXPECT_EQ(t5.compute_type, kernels::ComputeType::kBFloat16);
  EXPECT_THAT(t5.type_note, HasSubstr("served in bfloat16"));
  EXPECT_EQ(fit("tiny-a", On({90})).compute_type, kernels::ComputeType::kFloat16);
  EXPECT_EQ(fit("tiny-a", On({90})).type_note, "");
  EXPECT_THAT(fit("tiny-a2", On({90})).why_not, HasSubstr("heads of 12 dimensions"));
  EngineConfig config;
  config.devices = On({90});
  EXPECT_EQ(FitToGpus("/nonexistent", config).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(GpuType, IsTheOneThatWasAskedFor) {
  const LoadedModel t5 = Load("tiny-t5");
  std::string why;
  EXPECT_EQ(GpuTypeFor(On({75}, "bfloat16"), t5.program, &why), kernels::ComputeType::kBFloat16);
  // Honours the request for float16. MakeWeightImage then refuses it.
  EXPECT_EQ(GpuTypeFor(On({75}, "float16"), t5.program, &why), kernels::ComputeType::kFloat16);
  EXPECT_EQ(why, "");
}

}  // namespace
}  // namespace dragoman::engine
