// Starts the models of one daemon with the settings that an operator writes, on a machine with an
// imagined GPU. The CPU must serve what the GPU does not take, and the server must say so. Models
// that the GPU takes are planned for it but not started.
#include "server/process/engine_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/models/model_table.h"
#include "server/observe/metrics.h"
#include "tests/engine/support/fakes.h"
#include "tests/server/fake_engine.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::CountingObserver;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string DirectoryOf(const std::string& model) {
  return absl::StrCat(DRAGOMAN_SOURCE_DIR, "/tests/data/models/", model);
}

class EngineStart : public ::testing::Test {
 protected:
  EngineStart() {
    SetLogSink([this](std::string_view line) { absl::StrAppend(&log_, std::string(line), "\n"); });
  }
  ~EngineStart() override { SetLogSink(nullptr); }

  // Returns the models' settings from a configuration file with this text, by model name.
  std::map<std::string, ModelSettings> Read(const std::string& file) {
    const auto parsed =
        ExpectOk(ParseCommandLine({"--config", directory_.Write("config.json", file)}));
    std::map<std::string, ModelSettings> models;
    if (!parsed.ok()) return models;
    for (const ModelSettings& model : parsed->config.models) models[model.model_name] = model;
    return models;
  }

  static absl::StatusOr<DevicePlan> Plan(const ModelSettings& model,
                                         const engine::CudaProbe& probe) {
    engine::LoadContext load;
    return PlanDevices(model, ModelShare(), &load, [&] { return probe; });
  }

  absl::StatusOr<std::unique_ptr<engine::Engine>> Start(const ModelSettings& model,
                                                        const engine::CudaProbe& probe) {
    const ModelShare share{.plan = Plan(model, probe), .cpus = 1};
    if (!share.plan.ok()) return share.plan.status();
    engine::LoadContext load;
    return StartEngine(model, share, &clock_, &observer_, &load);
  }

  // Returns a configuration entry for the model in directory `model`, with more fields of its own.
  std::string Entry(const std::string& name, const std::string& model,
                    const std::string& more = "") {
    return absl::StrCat(R"({"name": ")", name, R"(", "directory": ")", DirectoryOf(model), "\"",
                        more, "}");
  }
  ModelSettings ReadOne(const std::string& model, const std::string& more = "") {
    return Read(absl::StrCat(R"({"models": [)", Entry("m", model, more), "]}")).at("m");
  }

  const TempDirectory directory_;
  const SteadyClock clock_;
  CountingObserver observer_;
  std::string log_;
};

// A GPU of compute capability 9.0, which supports bfloat16.
const engine::CudaProbe kOneGpu{"", {""}, false, {90}};

TEST_F(EngineStart, WhatGpusDoNotTakeIsServedByTheCpuBesideTheOthers) {
  const std::map<std::string, ModelSettings> models =
      Read(absl::StrCat(R"({"models": [{"name": "heads", "directory": ")", DirectoryOf("tiny-a2"),
                        R"("}, {"name": "short", "lexical-shortlist": "on", "directory": ")",
                        DirectoryOf("marian-firefox"), R"("}, {"name": "pair", "directory": [")",
                        DirectoryOf("tiny-a"), R"(", ")", DirectoryOf("tiny-a2"), R"("]}]})"));
  ASSERT_EQ(models.size(), 3U);
  const std::map<std::string, std::string> reasons = {
      {"heads", "has heads of 12 dimensions, expected a multiple of 8"},
      {"short", "lexical-shortlist: found the device cuda:0, expected the CPU"},
      {"pair", "an ensemble on a GPU: member 2 has K and V of 24 dimensions"}};
  for (const auto& [name, settings] : models) {
    const auto engine = Start(settings, kOneGpu);
    ASSERT_TRUE(engine.ok()) << name << ": " << engine.status();
    const engine::ModelInfo& info = (*engine)->info();
    EXPECT_EQ(info.device, "cpu") << name;
    EXPECT_EQ(info.compute_type, "int8") << name;
    EXPECT_THAT(info.notes, Contains(AllOf(HasSubstr("an NVIDIA card that is not used"),
                                           HasSubstr(reasons.at(name)), HasSubstr("cuda:0"))))
        << name;
  }
  EXPECT_THAT(log_, AllOf(HasSubstr("\"level\":\"warn\""), HasSubstr(reasons.at("pair"))));
}

TEST_F(EngineStart, AutoTakesTheGpuForWhatItTakes) {
  const auto plan = ExpectOk(Plan(ReadOne("tiny-a"), kOneGpu));
  EXPECT_EQ(engine::DeviceNames(plan->devices), "cuda:0");
  EXPECT_EQ(plan->compute_type, kernels::ComputeType::kFloat16);
  EXPECT_EQ(plan->compute_type_because, "the fastest on a GPU");
  ModelSettings twice = ReadOne("tiny-a");
  twice.ensemble.directories = {twice.model_directory};
  const auto pair = ExpectOk(Plan(twice, kOneGpu));
  EXPECT_EQ(engine::DeviceNames(pair->devices), "cuda:0");
}

// T5's activations exceed the range of float16, the usual type on GPUs. This holds for a GPU that
// is named as well as for `auto`.
TEST_F(EngineStart, ThePlanHasTheTypeThatTheModelIsServedIn) {
  engine::CudaProbe t4 = kOneGpu;
  t4.capability = {75};
  for (const char* device : {"auto", "cuda:0"}) {
    const ModelSettings t5 = ReadOne("tiny-t5", absl::StrCat(R"(, "device": ")", device, "\""));
    const auto plan = ExpectOk(Plan(t5, kOneGpu));
    EXPECT_EQ(engine::DeviceNames(plan->devices), "cuda:0");
    EXPECT_EQ(plan->compute_type, kernels::ComputeType::kBFloat16);
    EXPECT_THAT(plan->compute_type_because, HasSubstr("beyond the range of float16"));
    EXPECT_EQ(Plan(t5, t4)->compute_type, kernels::ComputeType::kFloat32);
  }
  // The log names the type before the model is loaded. Loading fails here, because it needs a real
  // GPU.
  const ModelSettings t5 = ReadOne("tiny-t5");
  EXPECT_FALSE(Start(t5, kOneGpu).ok());
  EXPECT_THAT(log_, AllOf(HasSubstr(R"("device":"cuda:0","compute_type":"bfloat16")"),
                          HasSubstr("activations of this model are beyond the range"),
                          Not(HasSubstr("float16\",\"compute_type_because\":\"the fastest"))));
}

TEST_F(EngineStart, Int8IsServedByTheCpuBesideAGpu) {
  const auto engine = ExpectOk(Start(ReadOne("tiny-a", R"(, "compute-type": "int8")"), kOneGpu));
  EXPECT_EQ((*engine)->info().device, "cpu");
  EXPECT_EQ((*engine)->info().compute_type, "int8");
  EXPECT_THAT((*engine)->info().notes, Contains(HasSubstr("compute-type: found int8")));
  EXPECT_THAT(log_, HasSubstr(R"("not_used":"compute-type: found int8)"));
}

// The machine is divided among the models by where they run, which depends on their files.
TEST_F(EngineStart, ModelsWithAutoAreDividedByWhereTheyRun) {
  const std::map<std::string, ModelSettings> models = Read(
      absl::StrCat(R"({"models": [)", Entry("gpu", "tiny-a"), ", ", Entry("heads", "tiny-a2"), ", ",
                   Entry("short", "marian-firefox", R"(, "lexical-shortlist": "on")"), "]}"));
  ASSERT_EQ(models.size(), 3U);
  Metrics metrics(&clock_);
  ModelTable table(&clock_, {"gpu", "heads", "short"}, {});
  std::map<std::string, ModelShare> shares;
  ModelManager manager(
      &table, &metrics, &clock_, {.cpus = 9}, ModelSettings{},
      [](const ModelSettings& model, const ModelShare& share, engine::LoadContext* load) {
        return PlanDevices(model, share, load, [] { return kOneGpu; });
      },
      [&](const ModelSettings& model, const ModelShare& share, engine::EngineObserver* /*observer*/,
          engine::LoadContext* load) -> absl::StatusOr<std::unique_ptr<engine::Engine>> {
        shares[model.model_name] = share;
        load->files().Note(model.model_directory + "/config.json", false);
        return std::make_unique<FakeEngine>();
      });
  const absl::Status loaded =
      manager.LoadAll({models.at("gpu"), models.at("heads"), models.at("short")});
  ASSERT_TRUE(loaded.ok()) << loaded;
  EXPECT_DOUBLE_EQ(shares["gpu"].device_memory_fraction, 0.9);
  EXPECT_EQ(shares["gpu"].cpus, 1);
  EXPECT_EQ(shares["heads"].cpus, 4);
  EXPECT_EQ(shares["short"].cpus, 4);
}

// Settings alone keep the second model off the GPU, so --check-config requires no share of the
// GPU's memory for that model either.
TEST_F(EngineStart, ModelsThatCannotBeOnAGpuLeaveAllOfItsMemory) {
  const auto check = [&](const std::string& more) {
    const auto parsed = ExpectOk(ParseCommandLine(
        {"--config",
         directory_.Write("config.json",
                          absl::StrCat(R"({"models": [)",
                                       Entry("gpu", "tiny-a", R"(, "device-memory-fraction": 0.9)"),
                                       ", ", Entry("other", "marian-firefox", more), "]}"))}));
    return parsed.ok() ? CheckEngineSettings(parsed->config) : parsed.status();
  };
  EXPECT_EQ(check(R"(, "lexical-shortlist": "on")"), absl::OkStatus());
  EXPECT_EQ(check(R"(, "compute-type": "int8")"), absl::OkStatus());
  EXPECT_EQ(check("").code(), absl::StatusCode::kInvalidArgument);
}

// An unknown model type is an error, which serving on the CPU would not fix.
TEST_F(EngineStart, AModelThatIsUnknownIsNotLeftToTheCpu) {
  ModelSettings model = ReadOne("tiny-a");
  model.model_directory = directory_.path();
  directory_.Write("config.json", R"({"model_type": "imagined"})");
  const absl::Status status = Plan(model, kOneGpu).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("imagined"));
}

// A device that was named in the settings is never replaced.
TEST_F(EngineStart, AGpuThatWasNamedDoesNotGiveWayToTheCpu) {
  ModelSettings settings =
      Read(absl::StrCat(R"({"models": [{"name": "pair", "directory": [")", DirectoryOf("tiny-a"),
                        R"(", ")", DirectoryOf("tiny-a2"), R"("]}]})"))
          .at("pair");
  settings.devices = engine::DeviceRequest{.cuda = {0}};
  const absl::Status status = Start(settings, kOneGpu).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("member 2 has K and V of 24 dimensions"));
}

TEST_F(EngineStart, ACardThatTheDriverHidesIsWarnedOf) {
  const ModelSettings settings = Read(absl::StrCat(R"({"models": [{"name": "a", "directory": ")",
                                                   DirectoryOf("tiny-a"), R"("}]})"))
                                     .at("a");
  const engine::CudaProbe old{"the CUDA driver is too old: it knows CUDA 12.2, this build is 13.0",
                              {},
                              false,
                              {},
                              "/dev/nvidia0",
                              "found NVIDIA driver 535.183.01, expected 580 or newer"};
  const auto engine = ExpectOk(Start(settings, old));
  EXPECT_EQ((*engine)->info().device, "cpu");
  EXPECT_THAT((*engine)->info().notes,
              Contains(AllOf(HasSubstr("/dev/nvidia0"), HasSubstr("found NVIDIA driver 535.183.01, "
                                                                  "expected 580 or newer"))));
  EXPECT_THAT(log_, HasSubstr("535.183.01"));
  // A machine without a CUDA driver gets no note.
  const auto without = ExpectOk(Start(settings, {"no CUDA driver", {}}));
  EXPECT_THAT((*without)->info().notes, IsEmpty());
}

}  // namespace
}  // namespace dragoman::server
