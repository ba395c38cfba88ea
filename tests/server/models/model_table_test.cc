#include "server/models/model_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/base/steady_clock.h"
#include "tests/server/fake_engine.h"
#include "tests/server/models/collected.h"

namespace dragoman::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// An engine that counts the living instances.
class MortalEngine final : public FakeEngine {
 public:
  explicit MortalEngine(std::atomic<int>* alive) : alive_(alive) { ++*alive_; }
  ~MortalEngine() override { --*alive_; }

 private:
  std::atomic<int>* const alive_;
};

class ModelTableTest : public ::testing::Test {
 protected:
  ServedModel Make(const std::string& name,
                   std::vector<engine::LanguagePair> pairs = {{"de", "en"}}) {
    auto engine = std::make_shared<MortalEngine>(&alive_);
    engine->mutable_info()->name = name;
    engine->mutable_info()->pairs = std::move(pairs);
    latest_ = engine.get();
    ServedModel model;
    model.name = name;
    model.engine = std::move(engine);
    return model;
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const ModelPtr& model : table_->models()) names.push_back(model->name);
    return names;
  }

  std::vector<std::pair<std::string, ModelState>> States() const {
    std::vector<std::pair<std::string, ModelState>> states;
    for (const ModelTable::Entry& entry : table_->Entries()) {
      states.emplace_back(entry.name, entry.state);
    }
    return states;
  }

  // Submits a job that the engine holds. The job's sink holds the model, as a call does.
  static std::shared_ptr<Collected> Submit(ModelPtr model) {
    auto sink = std::make_shared<Collected>();
    engine::Engine* const engine = model->engine.get();
    sink->held = std::move(model);
    engine::TranslationJob job;
    job.contents = {"a", "b"};
    EXPECT_TRUE(engine->Translate(std::move(job), sink).status.ok());
    return sink;
  }

  engine::SegmentCounts Counts(const std::string& name) const {
    for (const ModelStats& stats : table_->Stats()) {
      if (stats.name == name) return stats.stats.segments;
    }
    return {};
  }

  std::atomic<int> alive_{0};
  const SteadyClock clock_;
  MortalEngine* latest_ = nullptr;
  std::unique_ptr<ModelTable> table_ = std::make_unique<ModelTable>(
      &clock_, std::vector<std::string>{"b", "a"}, std::vector<PivotSettings>{{"a+c", "a", "c"}});
};

TEST_F(ModelTableTest, ListsInItsOrderWhateverComesFirst) {
  for (const char* name : {"z", "a", "b"}) ASSERT_TRUE(table_->Put(Make(name)).ok());
  EXPECT_THAT(Names(), ElementsAre("b", "a", "z"));
  EXPECT_EQ(table_->Find("a")->name, "a");
  EXPECT_EQ(table_->Find("x"), nullptr);
}

TEST_F(ModelTableTest, ACallKeepsTheVersionThatItBeganWith) {
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  MortalEngine* const old = latest_;
  old->HoldJobs();
  const auto sink = Submit(table_->Find("a"));
  const engine::JobId job = old->WaitHeld().id;
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  EXPECT_EQ(table_->Find("a")->version, 2);
  EXPECT_THAT(States(),
              ElementsAre(Pair("a", ModelState::kServing), Pair("a", ModelState::kDraining)));
  EXPECT_EQ(alive_, 2);
  EXPECT_FALSE(table_->WaitEnded(milliseconds(1)));

  old->Finish(job, absl::OkStatus());
  EXPECT_TRUE(sink->WaitDone().ok());
  sink->held.reset();
  EXPECT_TRUE(table_->WaitEnded(seconds(60)));
  EXPECT_EQ(alive_, 1);
  EXPECT_THAT(States(), ElementsAre(Pair("a", ModelState::kServing)));
}

TEST_F(ModelTableTest, TheEngineEndsThoughItsOwnThreadLetsGoLast) {
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  MortalEngine* const old = latest_;
  old->HoldJobs();
  Submit(table_->Find("a"));  // only the engine keeps the sink
  const engine::JobId job = old->WaitHeld().id;
  EXPECT_TRUE(table_->Remove("a"));
  old->Finish(job, absl::OkStatus());
  EXPECT_TRUE(table_->WaitEnded(seconds(60)));
  EXPECT_EQ(alive_, 0);
}

TEST_F(ModelTableTest, CountsOfAllVersionsStayAndNeverFall) {
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  MortalEngine* const old = latest_;
  EXPECT_TRUE(Submit(table_->Find("a"))->WaitDone().ok());
  old->HoldJobs();
  const auto sink = Submit(table_->Find("a"));
  const engine::JobId job = old->WaitHeld().id;
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  EXPECT_TRUE(Submit(table_->Find("a"))->WaitDone().ok());
  engine::SegmentCounts counts = Counts("a");
  EXPECT_EQ(counts.accepted, 6);
  EXPECT_EQ(counts.eos, 4);
  EXPECT_EQ(counts.running, 2);
  old->Finish(job, absl::OkStatus());
  EXPECT_TRUE(sink->WaitDone().ok());
  sink->held.reset();
  ASSERT_TRUE(table_->WaitEnded(seconds(60)));
  counts = Counts("a");
  EXPECT_EQ(counts.accepted, 6);
  EXPECT_EQ(counts.eos, 6);
  EXPECT_EQ(counts.running, 0);
  const std::vector<ModelStats> stats = table_->Stats();
  ASSERT_EQ(stats.size(), 1U);
  EXPECT_EQ(stats[0].version, 2);
  EXPECT_EQ(stats[0].stats.memory[0].weights, 10);  // of the only version that is left

  // The table keeps no counts for a name that is gone. When the name comes back, its counts begin
  // at 0, as in a new process. Its version is still one that the name never had.
  table_->Remove("a");
  ASSERT_TRUE(table_->WaitEnded(seconds(60)));
  EXPECT_THAT(table_->Stats(), IsEmpty());
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  EXPECT_EQ(Counts("a").accepted, 0);
  EXPECT_EQ(table_->Find("a")->version, 3);
}

// Returns stats in which every field has a distinct value. A field that is added to EngineStats
// does not compile here until it gets a value. The test below then fails until the table adds the
// field up.
engine::EngineStats EveryNumber(int64_t times) {
  engine::EngineStats stats;
  auto& [segments, requests_waiting, requests_running, queue_segments, queue_tokens,
         queue_segment_capacity, queue_token_capacity, queue_oldest_age, encoded_segments,
         encoded_tokens, encoded_segment_capacity, encoded_oldest_age, rows, row_capacity,
         kv_self_usage, kv_cross_usage, memory, detokenize_backlog, last_step, stalled,
         live_workers] = stats;
  int64_t number = 0;
  for (int64_t* sum :
       {&requests_waiting, &requests_running, &queue_segments, &queue_tokens,
        &queue_segment_capacity, &queue_token_capacity, &encoded_segments, &encoded_tokens,
        &encoded_segment_capacity, &rows, &row_capacity, &detokenize_backlog}) {
    *sum = times * ++number;
  }
  auto& [accepted, eos, length, constraints_unmet, no_output, cancelled, deadline, error, waiting,
         running] = segments;
  for (int64_t* sum : {&accepted, &eos, &length, &constraints_unmet, &no_output, &cancelled,
                       &deadline, &error, &waiting, &running}) {
    *sum = times * ++number;
  }
  memory.resize(1);
  auto& [device, device_name, weights, kv, workspace, kv_resident] = memory[0];
  device = "cpu";
  device_name = "a processor";
  for (int64_t* sum : {&weights, &kv, &workspace, &kv_resident}) *sum = times * ++number;
  live_workers = static_cast<int>(times * ++number);
  // AddStats takes the maximum of these, so they do not depend on `times`.
  queue_oldest_age = ++number;
  encoded_oldest_age = ++number;
  last_step = ++number;
  kv_self_usage = 0.25;
  kv_cross_usage = 0.5;
  stalled = true;
  return stats;
}

// Returns all fields, in order, as one value that can be compared.
std::vector<double> NumbersOf(const engine::EngineStats& stats) {
  const auto& [segments, requests_waiting, requests_running, queue_segments, queue_tokens,
               queue_segment_capacity, queue_token_capacity, queue_oldest_age, encoded_segments,
               encoded_tokens, encoded_segment_capacity, encoded_oldest_age, rows, row_capacity,
               kv_self_usage, kv_cross_usage, memory, detokenize_backlog, last_step, stalled,
               live_workers] = stats;
  const auto& [accepted, eos, length, constraints_unmet, no_output, cancelled, deadline, error,
               waiting, running] = segments;
  std::vector<double> numbers;
  for (const int64_t number : {requests_waiting,
                               requests_running,
                               queue_segments,
                               queue_tokens,
                               queue_segment_capacity,
                               queue_token_capacity,
                               queue_oldest_age,
                               encoded_segments,
                               encoded_tokens,
                               encoded_segment_capacity,
                               encoded_oldest_age,
                               rows,
                               row_capacity,
                               detokenize_backlog,
                               last_step,
                               int64_t{stalled},
                               int64_t{live_workers},
                               accepted,
                               eos,
                               length,
                               constraints_unmet,
                               no_output,
                               cancelled,
                               deadline,
                               error,
                               waiting,
                               running}) {
    numbers.push_back(static_cast<double>(number));
  }
  numbers.push_back(kv_self_usage);
  numbers.push_back(kv_cross_usage);
  for (const engine::DeviceMemory& of : memory) {
    const auto& [device, device_name, weights, kv, workspace, kv_resident] = of;
    for (const int64_t number : {weights, kv, workspace, kv_resident}) {
      numbers.push_back(static_cast<double>(number));
    }
  }
  return numbers;
}

TEST_F(ModelTableTest, TwoVersionsAddUpInEveryField) {
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  latest_->SetStats(EveryNumber(1));
  const ModelPtr first = table_->Find("a");
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  latest_->SetStats(EveryNumber(2));
  const std::vector<ModelStats> stats = table_->Stats();
  ASSERT_EQ(stats.size(), 1U);
  EXPECT_EQ(NumbersOf(stats[0].stats), NumbersOf(EveryNumber(3)));
}

TEST_F(ModelTableTest, NoNameHasAVersionTwice) {
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  ASSERT_TRUE(table_->Put(Make("b")).ok());
  EXPECT_EQ(table_->Find("b")->version, 1);
  // This holds both if the last version of the name has ended by then and if it is still held.
  for (int version = 2; version < 6; ++version) {
    const ModelPtr held = version % 2 == 0 ? table_->Find("b") : nullptr;
    EXPECT_TRUE(table_->Remove("b"));
    if (held == nullptr) {
      ASSERT_TRUE(table_->WaitEnded(seconds(60)));
    }
    ASSERT_TRUE(table_->Put(Make("b")).ok());
    EXPECT_EQ(table_->Find("b")->version, version);
  }
  // The versions of another name are independent.
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  EXPECT_EQ(table_->Find("a")->version, 2);
}

TEST_F(ModelTableTest, ReadersAreAlwaysAnsweredWhileVersionsChange) {
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  std::atomic<bool> stop{false};
  std::atomic<int64_t> answered{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!stop) {
        ASSERT_TRUE(Submit(table_->Find("a"))->WaitDone().ok());
        ++answered;
      }
    });
  }
  std::thread scraper([&] {
    int64_t before = 0;
    while (!stop) {
      const engine::SegmentCounts s = Counts("a");
      ASSERT_EQ(s.accepted, s.eos + s.cancelled + s.waiting + s.running);
      ASSERT_GE(s.accepted, before);
      before = s.accepted;
    }
  });
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(table_->Put(Make("a")).ok());
  stop = true;
  for (std::thread& caller : callers) caller.join();
  scraper.join();
  EXPECT_TRUE(table_->WaitEnded(seconds(60)));
  EXPECT_EQ(alive_, 1);
  EXPECT_EQ(Counts("a").eos, 2 * answered);
  EXPECT_EQ(Counts("a").cancelled, 0);
}

TEST_F(ModelTableTest, PivotsComeAndGoWithTheirModels) {
  std::vector<std::string> changes;
  table_->OnChange([&](const std::string& name, bool served) {
    changes.push_back((served ? "+" : "-") + name);
  });
  ASSERT_TRUE(table_->Put(Make("a", {{"de", "en"}})).ok());
  EXPECT_THAT(Names(), ElementsAre("a"));
  ASSERT_TRUE(table_->Put(Make("c", {{"en", "fr"}})).ok());
  EXPECT_THAT(Names(), ElementsAre("a", "c", "a+c"));
  const ModelPtr pivot = table_->Find("a+c");
  EXPECT_TRUE(pivot->is_pivot());
  EXPECT_TRUE(pivot->engine->FindLanguages("de", "fr").ok());
  // A pivot has no counts of its own.
  EXPECT_EQ(table_->Stats().size(), 2U);
  // With a new version of one of its models, the pivot is made again and uses that version.
  ASSERT_TRUE(table_->Put(Make("c", {{"en", "fr"}})).ok());
  EXPECT_NE(table_->Find("a+c"), pivot);
  EXPECT_EQ(table_->Find("a+c")->legs[1]->version, 2);
  EXPECT_EQ(table_->Find("a+c")->legs[0], pivot->legs[0]);
  changes.clear();
  EXPECT_TRUE(table_->Remove("a"));
  EXPECT_THAT(changes, ElementsAre("-a", "-a+c", "+c"));
  EXPECT_FALSE(table_->Remove("a"));
  table_->OnChange(nullptr);
}

TEST_F(ModelTableTest, AModelThatLeavesAPivotNoLanguageIsRefusedAndChangesNothing) {
  ASSERT_TRUE(table_->Put(Make("a", {{"de", "en"}})).ok());
  ASSERT_TRUE(table_->Put(Make("c", {{"en", "fr"}})).ok());
  const auto wrong = table_->Put(Make("c", {{"it", "fr"}}));
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(wrong.status().message()),
              ::testing::AllOf(::testing::HasSubstr("a translates de-en"),
                               ::testing::HasSubstr("c translates it-fr")));
  EXPECT_EQ(table_->Find("c")->version, 1);
  EXPECT_THAT(Names(), ElementsAre("a", "c", "a+c"));
  EXPECT_TRUE(table_->WaitEnded(seconds(60)));
  EXPECT_EQ(alive_, 2);
}

TEST_F(ModelTableTest, NotesSayWhatIsComingAndWhatHasFailed) {
  table_->Note("a", ModelState::kLoading);
  EXPECT_THAT(States(), ElementsAre(Pair("a", ModelState::kLoading)));
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  EXPECT_THAT(States(), ElementsAre(Pair("a", ModelState::kServing)));
  table_->Note("a", ModelState::kFailed);
  EXPECT_THAT(States(),
              ElementsAre(Pair("a", ModelState::kServing), Pair("a", ModelState::kFailed)));
  table_->Remove("a");
  EXPECT_TRUE(table_->WaitEnded(seconds(60)));
  EXPECT_THAT(States(), IsEmpty());
}

TEST_F(ModelTableTest, ItsEndEndsWhatIsLeft) {
  ASSERT_TRUE(table_->Put(Make("a")).ok());
  latest_->HoldJobs();
  const auto sink = Submit(table_->Find("a"));
  std::thread caller([sink] {
    EXPECT_EQ(sink->WaitDone().code(), absl::StatusCode::kUnavailable);
    sink->held.reset();
  });
  table_.reset();
  EXPECT_EQ(alive_, 0);
  caller.join();
}

}  // namespace
}  // namespace dragoman::server
