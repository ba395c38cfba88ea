#include "server/models/model_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "tests/server/fake_engine.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ModelManagerTest : public ::testing::Test {
 protected:
  ModelManagerTest() {
    SetLogSink([this](std::string_view line) { log_.push_back(nlohmann::json::parse(line)); });
    for (const char* name : {"a", "b"}) Write(name, "one");
  }
  ~ModelManagerTest() override { SetLogSink(nullptr); }

  void Write(const std::string& name, const std::string& weights) const {
    directory_.Write(name + "/model.safetensors", weights);
  }

  ModelSettings Model(const std::string& name) const {
    ModelSettings settings;
    settings.model_name = name;
    settings.model_directory = root_ / name;
    return settings;
  }

  static ServerConfig Config(std::vector<ModelSettings> models) {
    ServerConfig config;
    config.models = std::move(models);
    return config;
  }

  // Returns "NAME KIND VERSION" of each change, separated by commas.
  static std::string TextOf(const std::vector<ModelChange>& changes) {
    constexpr const char* kKinds[] = {"unchanged", "loaded", "reloaded", "unloaded", "failed"};
    std::vector<std::string> out;
    for (const ModelChange& change : changes) {
      EXPECT_EQ(change.status.ok(), change.kind != ModelChange::Kind::kFailed);
      out.push_back(absl::StrCat(change.name, " ", kKinds[static_cast<size_t>(change.kind)], " ",
                                 change.version));
    }
    return absl::StrJoin(out, ", ");
  }

  std::string Names() const {
    return absl::StrJoin(table_.models(), ", ", [](std::string* out, const ModelPtr& model) {
      absl::StrAppend(out, model->name);
    });
  }

  // Makes an engine whose family is the content of the weights file. "broken" cannot be loaded.
  absl::StatusOr<std::unique_ptr<engine::Engine>> MakeEngine(const ModelSettings& settings,
                                                             const ModelShare& share,
                                                             engine::LoadContext* load) {
    loads_.push_back({settings, share});
    load_ = load;
    std::vector<std::string> directories = settings.ensemble.directories;
    directories.push_back(settings.model_directory);
    std::string weights;
    for (const std::string& directory : directories) {
      load->files().Note(directory + "/generation_config.json", false);
      load->files().Note(directory + "/model.safetensors", true);
      weights.clear();
      std::ifstream(directory + "/model.safetensors") >> weights;
    }
    if (while_loading_) while_loading_();
    if (absl::Status status = engine::CheckGoesOn(load); !status.ok()) return status;
    if (weights == "broken") {
      return absl::InvalidArgumentError("model.safetensors: found 6 bytes, expected a header");
    }
    if (weights == "huge") return absl::ResourceExhaustedError("weights of 9 GiB");
    auto engine = std::make_unique<FakeEngine>();
    engine->mutable_info()->name = settings.model_name;
    engine->mutable_info()->family = weights;
    engine->mutable_info()->pairs = {{"de", "en"}, {"en", "fr"}, {"fr", "es"}};
    engines_[settings.model_name] = engine.get();
    return engine;
  }

  // Plans for a machine with one GPU if `has_gpu_`. The GPU takes every model with --device auto
  // except those whose weights file says "cpu". A model whose weights say "unplanned" cannot be
  // read.
  absl::StatusOr<DevicePlan> Plan(const ModelSettings& settings) const {
    std::string weights;
    std::ifstream(settings.model_directory + "/model.safetensors") >> weights;
    if (weights == "unplanned") return absl::InvalidArgumentError("config.json: found no object");
    DevicePlan plan;
    if (settings.devices.automatic && has_gpu_ && weights != "cpu") plan.devices.cuda = {0};
    return plan;
  }

  std::string Family(const std::string& name) const {
    const ModelPtr model = table_.Find(name);
    return model == nullptr ? "none" : model->engine->info().family;
  }

  std::string LastLog(const std::string& message) const {
    for (auto line = log_.rbegin(); line != log_.rend(); ++line) {
      if ((*line)["msg"] == message) return line->dump();
    }
    return "";
  }

  const TempDirectory directory_;
  const fs::path root_ = directory_.path();
  std::vector<nlohmann::json> log_;
  const SteadyClock clock_;
  Metrics metrics_{&clock_};
  ModelTable table_{&clock_, {"a", "b"}, {}};
  std::vector<std::pair<ModelSettings, ModelShare>> loads_;
  std::map<std::string, FakeEngine*> engines_;
  std::function<void()> while_loading_;
  bool has_gpu_ = false;
  engine::LoadContext* load_ = nullptr;  // of the load in progress
  ModelManager manager_{&table_,
                        &metrics_,
                        &clock_,
                        {.cpus = 8,
                         .host_bytes = int64_t{1000} << 20,
                         .serving_bytes = int64_t{100} << 20,
                         .process_bytes = int64_t{40} << 20},
                        ModelSettings{},
                        [this](const ModelSettings& settings, const ModelShare& /*share*/,
                               engine::LoadContext* /*load*/) { return Plan(settings); },
                        [this](const ModelSettings& settings, const ModelShare& share,
                               engine::EngineObserver* /*observer*/, engine::LoadContext* load) {
                          return MakeEngine(settings, share, load);
                        }};
};

// An ensemble is reloaded when the files of any member have changed.
TEST_F(ModelManagerTest, WatchesEveryMemberOfAnEnsemble) {
  Write("c", "one");
  ModelSettings settings = Model("a");
  settings.ensemble.directories = {(root_ / "b").string(), (root_ / "c").string()};
  ASSERT_TRUE(manager_.LoadAll({settings}).ok());
  const ModelPtr before = table_.Find("a");
  EXPECT_EQ(before->directory, absl::StrCat(settings.model_directory, ",",
                                            absl::StrJoin(settings.ensemble.directories, ",")));
  EXPECT_FALSE(manager_.Reload("a", true)->changed);
  Write("c", "two");
  const auto reloaded = ExpectOk(manager_.Reload("a", true));
  EXPECT_TRUE(reloaded->changed);
  EXPECT_NE(reloaded->model->checksum, before->checksum);
  while_loading_ = [this] { Write("b", "while"); };
  EXPECT_THAT(std::string(manager_.Reload("a", false).status().message()),
              HasSubstr((root_ / "b" / "model.safetensors").string() + ": changed while"));
}

TEST_F(ModelManagerTest, LoadsAllWithTheirShares) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  ASSERT_EQ(loads_.size(), 2U);
  EXPECT_EQ(loads_[0].second.cpus, 4);
  EXPECT_EQ(loads_[0].second.first_cpu, 0);
  EXPECT_EQ(loads_[0].second.memory.models_to_come, int64_t{450} << 20);
  EXPECT_EQ(loads_[0].second.memory.reserved, int64_t{100} << 20);
  EXPECT_EQ(loads_[1].second.cpus, 4);
  EXPECT_EQ(loads_[1].second.first_cpu, 4);
  EXPECT_EQ(table_.Find("a")->version, 1);
  EXPECT_EQ(table_.Find("a")->checksum.size(), 64U);
}

// Both models have the setting `auto`. The machine is divided according to where each runs.
TEST_F(ModelManagerTest, AModelThatNoGpuTakesHasAShareOfTheCpuAndNoneOfTheGpu) {
  has_gpu_ = true;
  Write("b", "cpu");
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  ASSERT_EQ(loads_.size(), 2U);
  const auto& [a, on_gpu] = loads_[0];
  EXPECT_EQ(on_gpu.plan->devices.cuda, std::vector<int>{0});
  EXPECT_DOUBLE_EQ(on_gpu.device_memory_fraction, 0.9);
  EXPECT_EQ(on_gpu.cpus, 1);
  EXPECT_EQ(on_gpu.text_cpus, 8);
  EXPECT_TRUE(a.devices.automatic);  // a reload chooses the device again
  const ModelShare& on_cpu = loads_[1].second;
  EXPECT_TRUE(on_cpu.plan->devices.cuda.empty());
  EXPECT_EQ(on_cpu.cpus, 7);
  EXPECT_EQ(on_cpu.first_cpu, 1);
}

TEST_F(ModelManagerTest, ModelsOfTheGpuLeaveTheHostsMemoryToThoseOfTheCpu) {
  has_gpu_ = true;
  Write("a", "cpu");
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  EXPECT_EQ(loads_[0].second.memory.models_to_come, 0);
}

TEST_F(ModelManagerTest, ModelsThatComeLaterAreCountedWhereTheyRun) {
  has_gpu_ = true;
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  EXPECT_DOUBLE_EQ(loads_[0].second.device_memory_fraction, 0.45);
  Write("c", "cpu");
  ASSERT_TRUE(manager_.Load("c", (root_ / "c").string(), {}).ok());
  EXPECT_EQ(loads_.back().second.cpus, 6);  // the models on the GPU have one each
  // The older version of the same model is not counted as another model.
  ASSERT_TRUE(manager_.Reload("c", false).ok());
  EXPECT_EQ(loads_.back().second.cpus, 6);
  Write("d", "cpu");
  ASSERT_TRUE(manager_.Load("d", (root_ / "d").string(), {}).ok());
  EXPECT_EQ(loads_.back().second.cpus, 3);
  Write("e", "one");
  ASSERT_TRUE(manager_.Load("e", (root_ / "e").string(), {}).ok());
  EXPECT_EQ(loads_.back().second.cpus, 1);
  EXPECT_EQ(loads_.back().second.plan->devices.cuda, std::vector<int>{0});
}

// At the start, model "a" runs on the GPU and has one processor, for its text.
TEST_F(ModelManagerTest, AReloadThatMovesAModelToTheCpuGivesItProcessors) {
  has_gpu_ = true;
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  Write("a", "cpu");
  ASSERT_TRUE(manager_.Reload("a", true).ok());
  EXPECT_TRUE(loads_.back().second.plan->devices.cuda.empty());
  EXPECT_EQ(loads_.back().second.cpus, 7);
  // Shared with the models that have processors of their own.
  EXPECT_EQ(loads_.back().second.first_cpu, 8);
  // The next reload moves the model back to its old share.
  Write("a", "two");
  ASSERT_TRUE(manager_.Reload("a", true).ok());
  EXPECT_EQ(loads_.back().second.cpus, 1);
  EXPECT_DOUBLE_EQ(loads_.back().second.device_memory_fraction, 0.45);
}

TEST_F(ModelManagerTest, WhatCannotBePlannedIsReportedLikeALoadThatFails) {
  Write("b", "unplanned");
  const absl::Status start = manager_.LoadAll({Model("a"), Model("b")});
  EXPECT_EQ(start.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(start.message()),
              AllOf(HasSubstr("model b: "), HasSubstr("config.json: found no object")));
  EXPECT_TRUE(loads_.empty());  // planning fails before any model is loaded
  Write("b", "one");
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  Write("b", "unplanned");
  EXPECT_EQ(manager_.Reload("b", true).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Family("b"), "one");
  EXPECT_THAT(LastLog("model not loaded"), HasSubstr("config.json: found no object"));
  EXPECT_EQ(loads_.size(), 2U);
}

TEST_F(ModelManagerTest, TheStartEndsWithTheFirstThatCannotBeLoaded) {
  Write("b", "broken");
  const absl::Status status = manager_.LoadAll({Model("a"), Model("b")});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("model b"), HasSubstr("found 6 bytes, expected a header")));
}

TEST_F(ModelManagerTest, ABrokenDirectoryChangesNothing) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  const ModelPtr before = table_.Find("a");
  Write("a", "broken");
  const auto reloaded = manager_.Reload("a", false);
  EXPECT_EQ(reloaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(table_.Find("a"), before);
  EXPECT_EQ(table_.Entries().back().state, ModelState::kFailed);
  EXPECT_THAT(LastLog("model not loaded"), HasSubstr("the version before"));
  fs::remove_all(root_ / "a");
  EXPECT_EQ(manager_.Reload("a", true).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(table_.Find("a"), before);
  EXPECT_THAT(metrics_.Scrape(),
              HasSubstr(R"(dragoman_model_reloads_total{model="a",result="failed"} 2)"));
  Write("a", "two");
  EXPECT_TRUE(manager_.Reload("a", true).ok());
  EXPECT_EQ(Family("a"), "two");
  EXPECT_EQ(table_.Find("a")->version, 2);
  // The failure note is gone; `before` keeps the old version.
  EXPECT_EQ(table_.Entries().size(), 3U);
}

// Names that were never served or are no longer served add nothing to scrapes.
TEST_F(ModelManagerTest, ASeriesGoesWithItsModelAndAFailedLoadLeavesNone) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  const std::string before = metrics_.Scrape();
  Write("c", "broken");
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(manager_.Load("c" + std::to_string(i), (root_ / "c").string(), {}).ok());
  }
  EXPECT_FALSE(manager_.Load("c", (root_ / "none").string(), {}).ok());
  const std::string after = metrics_.Scrape();
  EXPECT_THAT(after, Not(HasSubstr("model=\"c")));
  EXPECT_THAT(after, HasSubstr("dragoman_model_reloads_total{model=\"\",result=\"failed\"} 101"));
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'),
            std::count(before.begin(), before.end(), '\n'));

  Write("c", "good");
  ASSERT_TRUE(manager_.Load("c", (root_ / "c").string(), {}).ok());
  EXPECT_THAT(metrics_.Scrape(),
              HasSubstr("dragoman_model_reloads_total{model=\"c\",result=\"ok\"} 1"));
  // A version with calls in flight keeps the series until it ends.
  ModelPtr held = table_.Find("c");
  ASSERT_TRUE(manager_.Unload("c").ok());
  EXPECT_THAT(metrics_.Scrape(), HasSubstr("dragoman_source_tokens_total{model=\"c\"}"));
  held.reset();
  ASSERT_TRUE(table_.WaitEnded(std::chrono::seconds(60)));
  EXPECT_THAT(metrics_.Scrape(), Not(HasSubstr("model=\"c\"")));
  // The counts of a model that is loaded again start from 0, as in a new process.
  ASSERT_TRUE(manager_.Load("c", (root_ / "c").string(), {}).ok());
  EXPECT_THAT(metrics_.Scrape(),
              HasSubstr("dragoman_model_reloads_total{model=\"c\",result=\"ok\"} 1"));
}

TEST_F(ModelManagerTest, OnlyTheLastFailuresOfNamesThatAreNotServedAreKept) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  Write("b", "broken");
  EXPECT_FALSE(manager_.Reload("b", false).ok());
  const int many = 3 * static_cast<int>(ModelTable::kMaxFailures);
  for (int i = 0; i < many; ++i) {
    EXPECT_FALSE(manager_.Load("c" + std::to_string(i), (root_ / "none").string(), {}).ok());
  }
  const auto entries = table_.Entries();
  EXPECT_EQ(entries.size(), 2 + 1 + ModelTable::kMaxFailures);
  const auto has = [&entries](const std::string& name) {
    return std::any_of(entries.begin(), entries.end(), [&name](const ModelTable::Entry& entry) {
      return entry.name == name && entry.state == ModelState::kFailed;
    });
  };
  EXPECT_TRUE(has("b"));  // is served
  EXPECT_TRUE(has("c" + std::to_string(many - 1)));
  EXPECT_FALSE(has("c0"));
}

TEST_F(ModelManagerTest, FilesThatChangeWhileTheyAreReadAreRefused) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  while_loading_ = [this] { Write("a", "three"); };
  const auto torn = manager_.Reload("a", false);
  EXPECT_EQ(torn.status().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(torn.status().message()),
              HasSubstr("a/model.safetensors: changed while it was read"));
  EXPECT_EQ(Family("a"), "one");
}

// The checksum is not computed before the loader has accepted the model, since the directory may
// hold a file of any size.
TEST_F(ModelManagerTest, WhatCannotBeLoadedIsNotReadForItsChecksum) {
  Write("a", "broken");
  std::error_code error;
  std::ofstream(root_ / "a" / "giant").put('x');
  fs::resize_file(root_ / "a" / "giant", uintmax_t{1} << 40, error);
  if (error) GTEST_SKIP() << "no sparse file of a tebibyte: " << error.message();
  EXPECT_EQ(manager_.LoadAll({Model("a")}).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ModelManagerTest, WithoutAChangeNothingIsLoaded) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  const auto same = manager_.Reload("a", true);
  ASSERT_TRUE(same.ok());
  EXPECT_FALSE(same->changed);
  EXPECT_EQ(loads_.size(), 2U);
  EXPECT_EQ(manager_.Reload("c", true).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ModelManagerTest, AppliesWhatChangedOnDisk) {
  const ServerConfig config = Config({Model("a"), Model("b")});
  ASSERT_TRUE(manager_.LoadAll(config.models).ok());
  Write("b", "two");
  FakeEngine* const a = engines_["a"];
  a->SetReload(absl::InvalidArgumentError("names.tsv:3: found one cell"));
  const std::vector<ModelChange> changes = manager_.Apply(config);
  EXPECT_EQ(Family("a"), "one");
  EXPECT_EQ(Family("b"), "two");
  EXPECT_EQ(a->reloads(), 1);
  EXPECT_THAT(LastLog("glossaries not reloaded, the old ones stay in use"),
              AllOf(HasSubstr("names.tsv:3"), HasSubstr(R"("model":"a")")));
  EXPECT_EQ(TextOf(changes), "a failed 1, b reloaded 2");
  EXPECT_THAT(LastLog("configuration applied"), HasSubstr(R"("reloaded":1)"));
  a->SetReload(absl::OkStatus());
  EXPECT_EQ(TextOf(manager_.Apply(config)), "a unchanged 1, b unchanged 2");
  EXPECT_THAT(LastLog("glossaries reloaded"), HasSubstr(R"("model":"b")"));
}

TEST_F(ModelManagerTest, AppliesModelsThatAreNewGoneOrHaveOtherSettings) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  Write("c", "three");
  ModelSettings b = Model("b");
  b.max_rows = 8;
  EXPECT_EQ(TextOf(manager_.Apply(Config({Model("c"), b}))),
            "c loaded 1, b reloaded 2, a unloaded 0");
  EXPECT_EQ(Names(), "c, b");  // in the order of the configuration: the first is the default
  EXPECT_EQ(loads_.back().first.max_rows, 8);
  EXPECT_EQ(TextOf(manager_.Apply(Config({b, Model("c")}))), "b unchanged 2, c unchanged 1");
  EXPECT_EQ(Names(), "b, c");
}

TEST_F(ModelManagerTest, AModelThatCannotBeAppliedServesOnAndIsTriedAgain) {
  ASSERT_TRUE(manager_.LoadAll({Model("a")}).ok());
  Write("c", "broken");
  ModelSettings a = Model("a");
  a.model_directory = root_ / "c";
  const std::vector<ModelChange> failed = manager_.Apply(Config({a}));
  EXPECT_EQ(TextOf(failed), "a failed 1");
  EXPECT_THAT(std::string(failed[0].status.message()), HasSubstr("expected a header"));
  EXPECT_EQ(Family("a"), "one");
  Write("c", "mended");
  EXPECT_EQ(TextOf(manager_.Apply(Config({a}))), "a reloaded 2");
  EXPECT_EQ(Family("a"), "mended");
  // The only model that could be loaded is not unloaded for one that could not.
  Write("d", "broken");
  EXPECT_EQ(TextOf(manager_.Apply(Config({Model("d")}))), "d failed 0, a failed 2");
  EXPECT_EQ(Family("a"), "mended");
  Write("d", "four");
  EXPECT_EQ(TextOf(manager_.Apply(Config({Model("d")}))), "d loaded 1, a unloaded 0");
}

TEST_F(ModelManagerTest, WhatTheAdministratorChangedStaysUntilItsConfigurationChanges) {
  const ServerConfig config = Config({Model("a"), Model("b")});
  ASSERT_TRUE(manager_.LoadAll(config.models).ok());
  Write("c", "three");
  ASSERT_TRUE(manager_.Load("c", (root_ / "c").string(), {}).ok());
  ASSERT_TRUE(manager_.Load("a", (root_ / "c").string(), {}).ok());
  ASSERT_TRUE(manager_.Unload("b").ok());
  EXPECT_EQ(TextOf(manager_.Apply(config)), "a unchanged 2, b unchanged 0, c unchanged 1");
  EXPECT_EQ(Names(), "a, c");
  EXPECT_EQ(Family("a"), "three");
  ModelSettings b = Model("b");
  b.max_rows = 8;
  EXPECT_EQ(TextOf(manager_.Apply(Config({Model("a"), b}))),
            "a unchanged 2, b loaded 2, c unchanged 1");
}

TEST_F(ModelManagerTest, AppliesPivots) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  ServerConfig config = Config({Model("a"), Model("b")});
  config.pivots = {{"over", "a", "b"}};
  manager_.Apply(config);
  EXPECT_EQ(Names(), "a, b, over");
  config.pivots = {{"under", "b", "a"}};
  manager_.Apply(config);
  EXPECT_EQ(Names(), "a, b, under");
  // A pivot must not have the name of a served model.
  ASSERT_TRUE(manager_.Load("c", (root_ / "a").string(), {}).ok());
  config.pivots = {{"c", "a", "b"}};
  const std::vector<ModelChange> changes = manager_.Apply(config);
  EXPECT_EQ(TextOf(changes), "a unchanged 1, b unchanged 1, c unchanged 1, --pivot failed 0");
  EXPECT_THAT(std::string(changes.back().status.message()), HasSubstr("pivot: found 'c'"));
}

TEST_F(ModelManagerTest, ANewModelComesWithSettingsOfItsOwn) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  Write("c", "new");
  const auto added = ExpectOk(manager_.Load("c", (root_ / "c").string(), {{"max-rows", "8"}}));
  EXPECT_EQ(Family("c"), "new");
  EXPECT_EQ(loads_.back().first.max_rows, 8);
  // A third of the 8 processors; the other models keep theirs.
  EXPECT_EQ(loads_.back().second.cpus, 2);
  EXPECT_EQ(loads_.back().second.first_cpu, 8);  // no processor is left that no other model has
  // Loading the same name again makes a new version. Settings that are not given stay as they were.
  Write("d", "other");
  ASSERT_TRUE(manager_.Load("c", (root_ / "d").string(), {{"kv-memory-mb", "3"}}).ok());
  EXPECT_EQ(Family("c"), "other");
  EXPECT_EQ(table_.Find("c")->version, 2);
  EXPECT_EQ(loads_.back().first.max_rows, 8);
  EXPECT_EQ(loads_.back().first.kv_memory_mb, 3);
  EXPECT_EQ(table_.Find("c")->directory, (root_ / "d").string());
}

// A configuration whose first model is an ensemble passes the ensemble's members on as defaults.
TEST_F(ModelManagerTest, ANewModelHasNoMembersOfTheDefaultEnsemble) {
  ModelSettings ensemble = Model("a");
  ensemble.ensemble.directories = {(root_ / "b").string()};
  ServerConfig config = Config({ensemble});
  config.ensemble = ensemble.ensemble;
  ASSERT_TRUE(manager_.LoadAll(config.models).ok());
  manager_.Apply(config);
  Write("c", "three");
  ASSERT_TRUE(manager_.Load("c", (root_ / "c").string(), {}).ok());
  EXPECT_TRUE(loads_.back().first.ensemble.directories.empty());
}

TEST_F(ModelManagerTest, WhatCannotBeLoadedIsSaid) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  const auto code = [this](const std::string& name, const std::string& directory,
                           const std::map<std::string, std::string>& settings = {}) {
    return manager_.Load(name, directory, settings).status().code();
  };
  EXPECT_EQ(code("x y", "/m"), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(".", (root_ / "a").string()), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("..", (root_ / "a").string()), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("c", "relative"), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("c", ""), absl::StatusCode::kNotFound);
  EXPECT_EQ(code("c", (root_ / "none").string()), absl::StatusCode::kNotFound);
  EXPECT_EQ(code("c", (root_ / "a").string(), {{"listen", "x:1"}}),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(table_.models().size(), 2U);
  Write("c", "huge");
  engines_["a"]->HoldJobs();
  const absl::Status huge = manager_.Load("c", (root_ / "c").string(), {}).status();
  EXPECT_EQ(huge.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(huge.message()), HasSubstr("weights of 9 GiB"));
}

TEST_F(ModelManagerTest, AFailureIsForgottenOnceItsFilesAreRightOrItIsUnloaded) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  Write("a", "broken");
  EXPECT_FALSE(manager_.Reload("a", true).ok());
  EXPECT_EQ(table_.Entries().back().state, ModelState::kFailed);
  // The files are the same as those of the served version, so nothing is loaded.
  Write("a", "one");
  const auto unchanged = manager_.Reload("a", true);
  ASSERT_TRUE(unchanged.ok());
  EXPECT_FALSE(unchanged->changed);
  EXPECT_EQ(table_.Entries().size(), 2U);

  EXPECT_FALSE(manager_.Load("c", (root_ / "none").string(), {}).ok());
  EXPECT_EQ(table_.Entries().size(), 3U);
  EXPECT_EQ(manager_.Unload("c").value_or(-1), 0);
  EXPECT_EQ(table_.Entries().size(), 2U);
  EXPECT_EQ(manager_.Unload("c").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ModelManagerTest, UnloadsAllButTheLast) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  EXPECT_EQ(manager_.Unload("x").status().code(), absl::StatusCode::kNotFound);
  const auto calls = manager_.Unload("a");
  ASSERT_TRUE(calls.ok());
  EXPECT_EQ(*calls, 0);
  EXPECT_EQ(table_.Find("a"), nullptr);
  EXPECT_EQ(manager_.Unload("b").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Family("b"), "one");
}

TEST_F(ModelManagerTest, WhatIsPostedIsDoneInOrderOrTold) {
  std::vector<std::string> done;
  // Nothing runs before Start, so the queue fills.
  for (size_t i = 0; i < ModelManager::kMaxPosted; ++i) {
    EXPECT_TRUE(manager_
                    .Post([&done, i](bool go_on) {
                      done.push_back((go_on ? "+" : "-") + std::to_string(i));
                    })
                    .ok());
  }
  EXPECT_EQ(manager_.Post([](bool) { FAIL(); }).code(), absl::StatusCode::kResourceExhausted);
  manager_.Stop();
  EXPECT_EQ(done.size(), ModelManager::kMaxPosted);
  EXPECT_EQ(done[0], "-0");
  EXPECT_EQ(manager_.Post([](bool) { FAIL(); }).code(), absl::StatusCode::kUnavailable);
}

// A sparse file of any size next to a model is not one of the model's files. Neither is a link to
// an endless file.
TEST_F(ModelManagerTest, OnlyTheModelsOwnFilesAreReadForItsChecksum) {
  std::error_code error;
  std::ofstream(root_ / "a" / "giant").put('x');
  fs::resize_file(root_ / "a" / "giant", uintmax_t{1} << 40, error);
  if (error) GTEST_SKIP() << "no sparse file of a tebibyte: " << error.message();
  fs::create_symlink("/proc/kmsg", root_ / "a" / "messages");
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  const ModelPtr model = table_.Find("a");
  ASSERT_EQ(model->files.files.size(), 2U);
  EXPECT_EQ(model->files.files[1].path, (root_ / "a" / "model.safetensors").string());
  EXPECT_EQ(model->checksum, table_.Find("b")->checksum);
  EXPECT_FALSE(manager_.Reload("a", true)->changed);
}

// The next load would read a file that the loader looked for and did not find. When the file
// appears, the model has changed.
TEST_F(ModelManagerTest, AFileThatWasLookedForAndAppearsIsAChange) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  EXPECT_FALSE(manager_.Reload("a", true)->changed);
  directory_.Write("a/README.md", "no file of the model");
  EXPECT_FALSE(manager_.Reload("a", true)->changed);
  directory_.Write("a/generation_config.json", "{}");
  EXPECT_TRUE(manager_.Reload("a", true)->changed);
  EXPECT_FALSE(manager_.Reload("a", true)->changed);
  fs::remove(root_ / "a" / "generation_config.json");
  EXPECT_TRUE(manager_.Reload("a", true)->changed);
}

TEST_F(ModelManagerTest, ALoadIsGivenUpAtTheEnd) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  const ModelPtr before = table_.Find("a");
  while_loading_ = [this] { manager_.GiveUp(); };
  const absl::Status given_up = manager_.Reload("a", false).status();
  EXPECT_EQ(given_up.code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(std::string(given_up.message()), HasSubstr("because the daemon is ending"));
  EXPECT_EQ(table_.Find("a"), before);
  // No checksum is computed any more either, because one may take as long as a load.
  Write("a", "one");
  EXPECT_EQ(manager_.Reload("a", true).status().code(), absl::StatusCode::kCancelled);
}

// At the start there are no calls. Later, calls may take the memory reserved for them at any time,
// so a load must leave it free.
TEST_F(ModelManagerTest, WhileCallsAreTakenALoadLeavesThemTheirMemory) {
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  EXPECT_EQ(loads_.back().second.memory.reserved_now, int64_t{40} << 20);
  ASSERT_TRUE(manager_.Reload("a", false).ok());
  EXPECT_EQ(loads_.back().second.memory.reserved_now, int64_t{100} << 20);
  EXPECT_EQ(loads_.back().second.memory.process, int64_t{40} << 20);
}

TEST_F(ModelManagerTest, TheStartsPeakIsWhatModelsHeldAtOnce) {
  while_loading_ = [this] {
    const auto unpacked = load_->memory().Reserve(int64_t{300} << 20, "model.bin");
    EXPECT_TRUE(unpacked.ok());
  };
  ASSERT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
  EXPECT_GE(manager_.start_peak_bytes(), int64_t{300} << 20);
  EXPECT_LT(manager_.start_peak_bytes(), int64_t{301} << 20);
  while_loading_ = [this] {
    const auto unpacked = load_->memory().Reserve(int64_t{500} << 20, "model.bin");
    EXPECT_TRUE(unpacked.ok());
  };
  ASSERT_TRUE(manager_.Reload("a", false).ok());
  EXPECT_LT(manager_.start_peak_bytes(), int64_t{301} << 20);
}

}  // namespace
}  // namespace dragoman::server
