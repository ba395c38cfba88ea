// Models of one daemon on a machine with a GPU, by the settings that an operator writes. The GPU is
// imagined: what it does not take has to be served by the CPU, and to say so.
#include "server/process/engine_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/steady_clock.h"
#include "tests/engine/support/fakes.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::CountingObserver;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string DirectoryOf(const std::string& model) {
  return absl::StrCat(DRAGOMAN_SOURCE_DIR, "/tests/data/models/", model);
}

class EngineStart : public ::testing::Test {
 protected:
  EngineStart() {
    SetLogSink([this](std::string_view line) { absl::StrAppend(&log_, std::string(line), "\n"); });
  }
  ~EngineStart() override { SetLogSink(nullptr); }

  // The settings in a configuration file of this text, by model.
  std::map<std::string, ModelSettings> Read(const std::string& file) {
    const auto parsed = ParseCommandLine({"--config", directory_.Write("config.json", file)});
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    std::map<std::string, ModelSettings> models;
    if (!parsed.ok()) return models;
    for (const ModelSettings& model : parsed->config.models) models[model.model_name] = model;
    return models;
  }

  absl::StatusOr<std::unique_ptr<Engine>> Start(const ModelSettings& model, CudaProbe probe,
                                                LoadContext* load = nullptr) {
    const ModelShare share{.cpus = 1};
    LoadContext own;
    return StartEngine(model, share, &clock_, &observer_, load == nullptr ? &own : load,
                       [probe = std::move(probe)] { return probe; });
  }

  const TempDirectory directory_;
  const SteadyClock clock_;
  CountingObserver observer_;
  std::string log_;
};

const CudaProbe kOneGpu{"", {""}};

TEST_F(EngineStart, WhatGpusDoNotTakeIsServedByTheCpuBesideTheOthers) {
  const std::map<std::string, ModelSettings> models = Read(absl::StrCat(
      R"({"models": [{"name": "heads", "directory": ")", DirectoryOf("tiny-a2"),
      R"("}, {"name": "short", "lexical-shortlist": "on", "directory": ")",
      DirectoryOf("marian-firefox"), R"("}, {"name": "pair", "directory": ")",
      DirectoryOf("tiny-a"), R"(", "ensemble-with": ")", DirectoryOf("tiny-a2"), R"("}]})"));
  ASSERT_EQ(models.size(), 3U);
  const std::map<std::string, std::string> reasons = {
      {"heads", ""},  // 12 wide; a build without CUDA has another
      {"short", "lexical-shortlist: found the device cuda:0, expected the CPU"},
      {"pair", "an ensemble on a GPU: member 2 has K and V of 24 dimensions"}};
  for (const auto& [name, settings] : models) {
    const auto engine = Start(settings, kOneGpu);
    ASSERT_TRUE(engine.ok()) << name << ": " << engine.status();
    const ModelInfo& info = (*engine)->info();
    EXPECT_EQ(info.device, "cpu") << name;
    EXPECT_EQ(info.compute_type, "int8") << name;
    EXPECT_THAT(info.notes, Contains(AllOf(HasSubstr("an NVIDIA card that is not used"),
                                           HasSubstr(reasons.at(name)), HasSubstr("cuda:0"))))
        << name;
  }
  EXPECT_THAT(log_, AllOf(HasSubstr("\"level\":\"warn\""), HasSubstr(reasons.at("pair"))));
}

// The first try on the GPU has given back what it read, which is not counted beside the second's.
TEST_F(EngineStart, TheSecondTryIsAccountedForAlone) {
  ModelSettings settings = Read(absl::StrCat(R"({"models": [{"name": "heads", "directory": ")",
                                             DirectoryOf("tiny-a2"), R"("}]})"))
                               .at("heads");
  const auto workspace = [&](const CudaProbe& probe) {
    LoadContext load;
    const auto engine = Start(settings, probe, &load);
    EXPECT_TRUE(engine.ok()) << engine.status();
    EXPECT_GT(load.memory().kept(), 0);
    return engine.ok() ? (*engine)->Stats().memory.at(0).workspace : -1;
  };
  const int64_t fallen_back = workspace(kOneGpu);
  settings.devices = DeviceRequest{};
  EXPECT_EQ(fallen_back, workspace(kOneGpu));
}

// Nothing is replaced that was asked for.
TEST_F(EngineStart, AGpuThatWasNamedDoesNotGiveWayToTheCpu) {
  ModelSettings settings =
      Read(absl::StrCat(R"({"models": [{"name": "pair", "directory": ")", DirectoryOf("tiny-a"),
                        R"(", "ensemble-with": ")", DirectoryOf("tiny-a2"), R"("}]})"))
          .at("pair");
  settings.devices = DeviceRequest{.cuda = {0}};
  EXPECT_EQ(Start(settings, kOneGpu).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(EngineStart, ACardThatTheDriverHidesIsWarnedOf) {
  const ModelSettings settings = Read(absl::StrCat(R"({"models": [{"name": "a", "directory": ")",
                                                   DirectoryOf("tiny-a"), R"("}]})"))
                                     .at("a");
  const CudaProbe old{"the CUDA driver is too old: it knows CUDA 12.2, this build is 13.0",
                      {},
                      false,
                      {},
                      "/dev/nvidia0",
                      "found NVIDIA driver 535.183.01, expected 580 or newer"};
  const auto engine = Start(settings, old);
  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_EQ((*engine)->info().device, "cpu");
  EXPECT_THAT((*engine)->info().notes,
              Contains(AllOf(HasSubstr("/dev/nvidia0"), HasSubstr("found NVIDIA driver 535.183.01, "
                                                                  "expected 580 or newer"))));
  EXPECT_THAT(log_, HasSubstr("535.183.01"));
  // And nothing is said of a machine that has none.
  const auto without = Start(settings, {"no CUDA driver", {}});
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_THAT((*without)->info().notes, IsEmpty());
}

}  // namespace
}  // namespace dragoman
