// Canaries in the table of models, and what the manager keeps of changes in the models file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/models/model_manager.h"
#include "server/settings/models_file.h"
#include "tests/server/fake_engine.h"
#include "tests/server/models/collected.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CanaryTest : public ::testing::Test {
 protected:
  CanaryTest() {
    SetLogLevel(LogLevel::kOff);
    for (const char* name : {"a", "b", "c"}) {
      directory_.Write(std::string(name) + "/model.safetensors", name);
    }
    config_.models = {Model("a"), Model("b")};
    config_.configured = config_.models;
  }
  ~CanaryTest() override { SetLogLevel(LogLevel::kInfo); }

  std::string Path(const std::string& name) const { return (root_ / name).string(); }
  ModelSettings Model(const std::string& name) const {
    ModelSettings settings;
    settings.model_name = name;
    settings.model_directory = Path(name);
    return settings;
  }

  // An engine whose family is the file's content; "few" has a language less.
  absl::StatusOr<std::unique_ptr<Engine>> MakeEngine(const ModelSettings& settings,
                                                     LoadContext* load) {
    last_ = settings;
    std::string content;
    std::ifstream(settings.model_directory + "/model.safetensors") >> content;
    load->files().Note(settings.model_directory + "/model.safetensors", true);
    if (content == "broken") return absl::InvalidArgumentError("broken");
    auto engine = std::make_unique<FakeEngine>();
    engine->mutable_info()->name = settings.model_name;
    engine->mutable_info()->family = content;
    engine->mutable_info()->pairs = {{"de", "en"}};
    if (content != "few") engine->mutable_info()->pairs.push_back({"fr", "en"});
    return engine;
  }

  void Start(bool writes) {
    config_.models_file = Path("models.json");
    config_.admin_writes = writes;
    config_.desired = *ReadModelsFile(config_.models_file);
    ASSERT_TRUE(manager_.LoadAll(config_.models).ok());
    manager_.UseModelsFile(config_);
  }

  DesiredModels Kept() const { return *ReadModelsFile(config_.models_file); }

  const TempDirectory directory_;
  const fs::path root_ = directory_.path();
  ServerConfig config_;
  ModelSettings last_;
  const SteadyClock clock_;
  Metrics metrics_{&clock_};
  ModelTable table_{&clock_, {"a", "b"}, {}};
  ModelManager manager_{&table_,
                        &metrics_,
                        &clock_,
                        {.cpus = 8, .host_bytes = int64_t{1000} << 20},
                        ModelSettings{},
                        [](const ModelSettings& /*settings*/, const ModelShare& /*share*/,
                           LoadContext* /*load*/) { return DevicePlan(); },
                        [this](const ModelSettings& settings, const ModelShare& /*share*/,
                               EngineObserver* /*observer*/,
                               LoadContext* load) { return MakeEngine(settings, load); }};
};

TEST_F(CanaryTest, GetsItsShareOfTheCallsOfItsNameAlone) {
  Start(false);
  const auto canary = manager_.SetCanary("a", Path("c"), {}, 10);
  ASSERT_TRUE(canary.ok()) << canary.status();
  EXPECT_EQ(canary->model->version, 2);
  const ModelPtr serves = table_.Find("a");
  EXPECT_EQ(serves->version, 1);  // what asks for the model finds the version that serves
  int taken = 0;
  for (int i = 0; i < 1000; ++i) {
    const ModelPtr chosen = table_.ForCall(serves);
    EXPECT_TRUE(chosen == serves || chosen == canary->model);
    taken += chosen == canary->model ? 1 : 0;
    EXPECT_EQ(table_.ForCall(table_.Find("b"))->name, "b");
  }
  EXPECT_NEAR(taken, 100, 3);
  ASSERT_TRUE(manager_.SetCanary("a", "", {}, 0).ok());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(table_.ForCall(serves), serves);
  const auto entries = table_.Entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[2].state, ModelState::kCanary);
  EXPECT_EQ(entries[2].share, 0);
}

TEST_F(CanaryTest, IsMeasuredApartUntilItIsPromoted) {
  Start(false);
  EXPECT_THAT(metrics_.Scrape(), Not(HasSubstr("@canary")));
  metrics_.AttachModels([this] { return table_.Stats(); });
  const auto canary = manager_.SetCanary("a", Path("c"), {}, 50);
  ASSERT_TRUE(canary.ok());
  canary->model->observer->OnSegmentTranslated(3, 5);
  EXPECT_EQ(canary->model->metrics_label(), "a@canary");
  std::string scrape = metrics_.Scrape();
  EXPECT_THAT(scrape, HasSubstr("dragoman_target_tokens_total{model=\"a@canary\"} 5"));
  EXPECT_THAT(scrape, HasSubstr("dragoman_target_tokens_total{model=\"a\"} 0"));
  EXPECT_THAT(scrape, HasSubstr("dragoman_model_version{model=\"a@canary\"} 2"));
  const auto ended = manager_.EndCanary("a", true);
  ASSERT_TRUE(ended.ok()) << ended.status();
  EXPECT_EQ(ended->model, table_.Find("a"));
  EXPECT_EQ(ended->model->version, 2);
  EXPECT_EQ(table_.FindCanary("a"), std::nullopt);
  ended->model->observer->OnSegmentTranslated(3, 7);
  scrape = metrics_.Scrape();
  EXPECT_THAT(scrape, Not(HasSubstr("@canary")));
  EXPECT_THAT(scrape, HasSubstr("dragoman_target_tokens_total{model=\"a\"} 7"));
  metrics_.AttachModels(nullptr);
}

// Counters of the name do not jump by what the canary had counted.
TEST_F(CanaryTest, CountsOfBeforeThePromotionStayWithTheCanary) {
  Start(false);
  const auto canary = manager_.SetCanary("a", Path("c"), {}, 50);
  ASSERT_TRUE(canary.ok());
  auto* const engine = static_cast<FakeEngine*>(canary->model->engine.get());
  EngineStats stats;
  stats.segments.accepted = 10;
  stats.segments.eos = 7;
  stats.segments.running = 3;
  engine->SetStats(stats);
  const auto counts = [this](const std::string& label) {
    for (const ModelStats& stats : table_.Stats()) {
      if (stats.name == label) return stats.stats.segments;
    }
    return SegmentCounts();
  };
  EXPECT_EQ(counts("a@canary").accepted, 10);
  EXPECT_EQ(counts("a").accepted, 0);
  ASSERT_TRUE(manager_.EndCanary("a", true).ok());
  EXPECT_EQ(counts("a").accepted, 3);
  EXPECT_EQ(counts("a").eos, 0);
  EXPECT_EQ(counts("a").running, 3);
  stats.segments.eos = 10;
  stats.segments.running = 0;
  engine->SetStats(stats);
  EXPECT_EQ(counts("a").accepted, 3);
  EXPECT_EQ(counts("a").eos, 3);
}

TEST_F(CanaryTest, WithdrawnItTakesNoCallAndThoseInFlightEndWithIt) {
  Start(false);
  const auto canary = manager_.SetCanary("a", Path("c"), {}, 100);
  ASSERT_TRUE(canary.ok());
  ModelPtr call = table_.ForCall(table_.Find("a"));
  ASSERT_EQ(call, canary->model);
  const auto ended = manager_.EndCanary("a", false);
  ASSERT_TRUE(ended.ok()) << ended.status();
  EXPECT_EQ(ended->model->version, 1);
  EXPECT_EQ(table_.ForCall(table_.Find("a"))->version, 1);
  EXPECT_EQ(call->engine->info().family, "c");  // still there
  EXPECT_EQ(manager_.EndCanary("a", false).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(CanaryTest, OneThatCannotServeAsTheModelDoesIsRefused) {
  Start(false);
  directory_.Write("c/model.safetensors", "few");
  EXPECT_THAT(std::string(manager_.SetCanary("a", Path("c"), {}, 10).status().message()),
              HasSubstr("found no translation from fr to en in the canary"));
  directory_.Write("c/model.safetensors", "broken");
  EXPECT_THAT(std::string(manager_.SetCanary("a", Path("c"), {}, 10).status().message()),
              HasSubstr("canary of model a: broken"));
  EXPECT_EQ(manager_.SetCanary("x", Path("c"), {}, 10).status().code(),
            absl::StatusCode::kNotFound);
  for (const auto& [directory, percent, expected] :
       {std::tuple(Path("b"), 101.0, "percent: found 101"), std::tuple(Path("b"), 0.001, "percent"),
        std::tuple(std::string("relative"), 1.0, "expected an absolute path"),
        std::tuple(std::string(), 1.0, "model a has none yet")}) {
    EXPECT_THAT(std::string(manager_.SetCanary("a", directory, {}, percent).status().message()),
                HasSubstr(expected));
  }
  EXPECT_EQ(table_.FindCanary("a"), std::nullopt);
  EXPECT_THAT(metrics_.Scrape(), Not(HasSubstr("@canary")));
}

TEST_F(CanaryTest, ChangesAreKept) {
  Start(true);
  ASSERT_TRUE(manager_.Load("c", Path("c"), {{"max-rows", "64"}}).ok());
  ASSERT_TRUE(manager_.Load("c", "", {{"cpu-workers", "2"}}).ok());
  EXPECT_EQ(Kept().models.at("c"),
            (DesiredModel{Path("c"), {{"cpu-workers", "2"}, {"max-rows", "64"}}, std::nullopt}));
  ASSERT_TRUE(manager_.Unload("b").ok());
  EXPECT_EQ(Kept().unloaded, std::set<std::string>{"b"});
  ASSERT_TRUE(manager_.SetCanary("a", Path("c"), {{"max-rows", "8"}}, 10).ok());
  ASSERT_TRUE(manager_.SetCanary("a", "", {}, 20).ok());
  EXPECT_EQ(Kept().models.at("a"),
            (DesiredModel{"", {}, DesiredCanary{Path("c"), {{"max-rows", "8"}}, 2000}}));
  ASSERT_TRUE(manager_.EndCanary("a", true).ok());
  EXPECT_EQ(Kept().models.at("a"), (DesiredModel{Path("c"), {{"max-rows", "8"}}, std::nullopt}));
  ASSERT_TRUE(manager_.SetCanary("c", Path("b"), {}, 10).ok());
  ASSERT_TRUE(manager_.EndCanary("c", false).ok());
  EXPECT_EQ(Kept().models.at("c").canary, std::nullopt);
  ASSERT_TRUE(manager_.Unload("c").ok());
  EXPECT_FALSE(Kept().models.contains("c"));
  EXPECT_FALSE(Kept().unloaded.contains("c"));  // no flag would bring it back
}

TEST_F(CanaryTest, NothingChangesWhereItCannotBeKept) {
  Start(true);
  // Somebody has written the file, and nobody has said so.
  DesiredModels other;
  other.unloaded = {"b"};
  ASSERT_TRUE(WriteModelsFile(config_.models_file, other).ok());
  const absl::Status load = manager_.Load("c", Path("c"), {}).status();
  EXPECT_EQ(load.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(load.message()),
              AllOf(HasSubstr("models.json"), HasSubstr("expected SIGHUP")));
  EXPECT_EQ(manager_.Unload("a").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(manager_.SetCanary("a", Path("c"), {}, 1).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(table_.Find("c"), nullptr);
  EXPECT_NE(table_.Find("a"), nullptr);
  manager_.ReloadChanged();  // SIGHUP
  EXPECT_EQ(table_.Find("b"), nullptr);
  EXPECT_TRUE(manager_.Load("c", Path("c"), {}).ok());
}

TEST_F(CanaryTest, HangUpMakesTheChangesOfTheFile) {
  Start(false);
  DesiredModels file;
  file.models["c"] = {Path("c"), {{"max-rows", "16"}}, std::nullopt};
  file.models["a"] = {"", {}, DesiredCanary{Path("b"), {}, 500}};
  file.unloaded = {"b"};
  ASSERT_TRUE(WriteModelsFile(config_.models_file, file).ok());
  manager_.ReloadChanged();
  EXPECT_NE(table_.Find("c"), nullptr);
  EXPECT_EQ(table_.Find("b"), nullptr);
  EXPECT_EQ(table_.FindCanary("a")->share, 500);
  EXPECT_EQ(table_.Find("a")->version, 1);  // it was not loaded again
  // The share alone: the canary is not loaded again.
  const int version = table_.FindCanary("a")->model->version;
  file.models["a"].canary->share = 700;
  file.models["c"].directory = Path("b");
  file.models["c"].settings = {};
  ASSERT_TRUE(WriteModelsFile(config_.models_file, file).ok());
  manager_.ReloadChanged();
  EXPECT_EQ(table_.FindCanary("a")->share, 700);
  EXPECT_EQ(table_.FindCanary("a")->model->version, version);
  EXPECT_EQ(table_.Find("c")->engine->info().family, "b");
  EXPECT_EQ(last_.max_rows, 0);  // what the file no longer says is as the flags say
  // A mistake changes nothing, and is tried again.
  directory_.Write("d/model.safetensors", "broken");
  file.models["c"].directory = Path("d");
  ASSERT_TRUE(WriteModelsFile(config_.models_file, file).ok());
  manager_.ReloadChanged();
  EXPECT_EQ(table_.Find("c")->engine->info().family, "b");
  directory_.Write("d/model.safetensors", "d");
  manager_.ReloadChanged();
  EXPECT_EQ(table_.Find("c")->engine->info().family, "d");
  // An empty file: all is as the flags say.
  ASSERT_TRUE(WriteModelsFile(config_.models_file, {}).ok());
  manager_.ReloadChanged();
  EXPECT_EQ(table_.Find("c"), nullptr);
  EXPECT_NE(table_.Find("b"), nullptr);
  EXPECT_EQ(table_.FindCanary("a"), std::nullopt);
}

}  // namespace
}  // namespace dragoman
