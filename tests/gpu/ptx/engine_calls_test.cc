// Tests the runtime calls of whole engines with the small model: their order, captures and devices,
// and that everything is freed. Then lets a device error occur at each of these calls in turn.
// After the error every request must be answered, nothing may hang, and nothing may leak.
//
// While a model is loaded, only the kernels of the search, copies, and fills with zeros run. Trials
// of products then take all results for equal, and passes and steps of empty batches compute
// nothing. Once the model is loaded, everything runs. So an engine starts within a second instead
// of half a minute, with calls from the same places.
//
//   DRAGOMAN_PTX_REQUESTS=1000   number of requests of the first test (default 14), of every method
//   DRAGOMAN_PTX_LOADS=whole     everything runs while a model is loaded, too
//   DRAGOMAN_PTX_ERRORS=places   both kinds of error at the first call of every place in the code
//                                (default: one kind at some of them). `all`: both kinds at every
//                                call. A number: both kinds at that call
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/row_check.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/output_layer_cuda.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/models/model_manager.h"
#include "server/models/model_table.h"
#include "server/observe/metrics.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/gpu/ptx/calls.h"
#include "tests/gpu/ptx/small_model.h"

namespace dragoman::testing {
namespace {

using ptx::Call;
using ptx::CallKind;
using ptx::Calls;
using ptx::Device;
using ptx::PlannedError;
using ptx::RecordedCall;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

bool HappensInLoads(const std::string& name) {
  if (name == "a copy" || name == "a fill with 0") return true;
  // This means the FoldMaterializedKernel of the search. The one of logits would read results of
  // products.
  constexpr std::array kSearch = {
      "FormatBatchKernel", "BeginStepKernel",
      "PrepareRowsKernel", "ListMaterializedKernel",
      "StepSlotsKernel",   "FoldMaterializedKernel(dragoman::kernels::BatchTables",
      "DeliverKernel",     "EndStepKernel"};
  return std::any_of(kSearch.begin(), kSearch.end(),
                     [&](const char* kernel) { return name.find(kernel) != std::string::npos; });
}

// Ends the process with a message if something takes longer than anything in this file should.
class Watchdog {
 public:
  static constexpr std::chrono::seconds kMost{300};

  Watchdog() : thread_([this] { Run(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Starts timing `what`, which must end within kMost: at the next call of Begin or with the
  // watchdog.
  void Begin(std::string what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
    ++number_;
    changed_.notify_all();
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      const int64_t number = number_;
      const bool changed =
          changed_.wait_for(lock, kMost, [&] { return ends_ || number_ != number; });
      if (changed) continue;
      std::cerr << "hangs: " << what_ << "\n" << std::flush;
      std::_Exit(EXIT_FAILURE);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  int64_t number_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

std::vector<std::string> TakeFindings() {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  std::vector<std::string> texts;
  for (const ptx::Finding& finding : device.TakeFindings()) texts.push_back(finding.Text());
  return texts;
}

void SetDevices(int count) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  device.SetCount(count);
}

SmallSettings SettingsOn(std::vector<int> devices) {
  SmallSettings settings;
  settings.devices = std::move(devices);
  settings.max_rows = 4;
  settings.kv_megabytes = 1;
  return settings;
}

absl::StatusOr<std::unique_ptr<engine::Engine>> Start(const SmallSettings& settings,
                                                      engine::LoadContext* load = nullptr) {
  if (Setting("DRAGOMAN_PTX_LOADS", "") == "whole") {
    return StartSmallEngine(kernels::ComputeType::kFloat16, settings, load);
  }
  const ptx::Only only(&HappensInLoads);
  return StartSmallEngine(kernels::ComputeType::kFloat16, settings, load);
}

// Returns `count` requests of a few sentences, limited to few tokens.
std::vector<engine::TranslationJob> Jobs(size_t count) {
  constexpr size_t kSentences = 40;
  constexpr int kTokens = 3;
  const std::vector<engine::TranslationJob> sentences = SmallJobs(std::min(count, kSentences));
  std::vector<engine::TranslationJob> jobs;
  for (size_t i = 0; i < count; ++i) {
    jobs.push_back(sentences[i % sentences.size()]);
    jobs.back().decoding.max_output_tokens = kTokens;
  }
  return jobs;
}

// Returns `count` requests of every method, limited to few tokens. The small vocabulary lacks
// tokens that some of them need.
std::vector<engine::TranslationJob> MixedJobs(size_t count) {
  constexpr int kTokens = 12;
  MixedRequests requests(1);
  std::vector<engine::TranslationJob> jobs;
  while (jobs.size() < count) {
    int kind = 0;
    jobs.push_back(requests.Next(&kind));
    jobs.back().decoding.max_output_tokens = kTokens;
  }
  return jobs;
}

// The end of a request: its texts, or the error.
struct Answer {
  absl::Status status;
  std::vector<std::string> texts;

  friend bool operator==(const Answer& a, const Answer& b) {
    return a.status == b.status && a.texts == b.texts;
  }
};

// Submits all jobs and waits for each. Expects one answer for each.
std::vector<Answer> Translate(engine::Engine& engine,
                              const std::vector<engine::TranslationJob>& jobs) {
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  std::vector<Answer> answers(jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    answers[i].status = engine.Translate(jobs[i], sinks[i]).status;
  }
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!answers[i].status.ok()) continue;  // refused, so no callback comes
    answers[i].status = sinks[i]->Wait();
    EXPECT_EQ(sinks[i]->done_calls(), 1);
    if (!answers[i].status.ok()) continue;
    EXPECT_EQ(sinks[i]->item_calls(), 1);
    if (sinks[i]->items().empty()) continue;
    const engine::ItemResult& item = sinks[i]->items()[0];
    answers[i].status = item.status;
    for (const engine::Hypothesis& hypothesis : item.hypotheses)
      answers[i].texts.push_back(hypothesis.text);
  }
  return answers;
}

// Returns two requests of beam 1, which go into one batch.
std::vector<engine::TranslationJob> FewJobs() {
  std::vector<engine::TranslationJob> jobs = Jobs(2);
  for (engine::TranslationJob& job : jobs) {
    job.decoding.beam_size = 1;
    job.decoding.num_alternatives = 1;
  }
  return jobs;
}

// The results of an engine from its start to its end.
struct Life {
  absl::Status start;
  uint64_t calls_of_start = 0;
  std::vector<Answer> answers;
};
Life Live(const SmallSettings& settings, const std::vector<engine::TranslationJob>& jobs) {
  Life life;
  const uint64_t before = Calls::Get().total();
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine = Start(settings);
  life.start = engine.status();
  life.calls_of_start = Calls::Get().total() - before;
  if (engine.ok()) life.answers = Translate(**engine, jobs);
  return life;
}

class PtxEngineCalls : public ::testing::Test {
 protected:
  void TearDown() override {
    Calls::Get().StopPlanned();
    Calls::Get().Before(nullptr);
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    SetDevices(1);
  }

  // Returns the translations of a run without errors.
  static const std::vector<Answer>& Expected() {
    static const std::vector<Answer> expected = [] {
      Life life = Live(SettingsOn({0}), FewJobs());
      EXPECT_TRUE(life.start.ok()) << life.start;
      for (const Answer& answer : life.answers) {
        EXPECT_TRUE(answer.status.ok()) << answer.status;
        EXPECT_FALSE(answer.texts.empty());
      }
      return life.answers;
    }();
    return expected;
  }

  // Expects that each request got its translation or an error with a message.
  static void ExpectAnswered(const std::vector<Answer>& answers, int* translated, int* failed) {
    for (size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].status.ok()) {
        EXPECT_EQ(answers[i].texts, Expected()[i % Expected().size()].texts);
        ++*translated;
      } else {
        EXPECT_FALSE(answers[i].status.message().empty());
        EXPECT_NE(answers[i].status.code(), absl::StatusCode::kUnknown);
        ++*failed;
      }
    }
  }

  Watchdog watchdog_;
};

TEST_F(PtxEngineCalls, AStartRequestsAndAnEndAreLegalAndAllIsFreed) {
  const size_t count = std::strtoull(Setting("DRAGOMAN_PTX_REQUESTS", "14").c_str(), nullptr, 10);
  const std::vector<engine::TranslationJob> jobs = MixedJobs(count);
  // Not timed: a whole load takes long, and so do many requests.
  watchdog_.Begin("");
  Calls::Get().Record(true);
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine = Start(SmallSettings{});
  ASSERT_TRUE(engine.ok()) << engine.status();
  const uint64_t of_start = Calls::Get().recorded().size();
  constexpr size_t kTogether = 20;
  size_t translated = 0;
  for (size_t first = 0; first < jobs.size(); first += kTogether) {
    watchdog_.Begin("requests from number " + std::to_string(first) + " on");
    const std::vector<engine::TranslationJob> some(
        jobs.begin() + static_cast<int64_t>(first),
        jobs.begin() + static_cast<int64_t>(std::min(first + kTogether, jobs.size())));
    for (const Answer& answer : Translate(**engine, some)) {
      translated += answer.status.ok() ? 1 : 0;
      ASSERT_TRUE(answer.status.ok() || absl::IsInvalidArgument(answer.status)) << answer.status;
      EXPECT_EQ(answer.texts.empty(), !answer.status.ok());
    }
  }
  EXPECT_GE(translated, count * 3 / 4);
  const uint64_t of_requests = Calls::Get().recorded().size() - of_start;
  engine->reset();
  Calls::Get().Record(false);
  const std::vector<RecordedCall> calls = Calls::Get().recorded();

  // Only these calls may be in a capture. While requests are served, nothing may be made, allocated
  // or set.
  std::map<std::string, int64_t> captured;
  std::map<std::string, int64_t> of_serving;
  std::set<uint32_t> threads;
  uint64_t most_threads = 0;
  uint64_t most_shared = 0;
  for (const RecordedCall& call : calls) {
    if (call.captures) ++captured[std::string(call.function)];
    if (&call - calls.data() >= static_cast<int64_t>(of_start) &&
        &call - calls.data() < static_cast<int64_t>(of_start + of_requests)) {
      ++of_serving[std::string(call.function)];
      threads.insert(call.thread);
    }
    most_threads = std::max<uint64_t>(
        most_threads, uint64_t{call.grid.threads.x} * call.grid.threads.y * call.grid.threads.z);
    most_shared = std::max<uint64_t>(most_shared, call.grid.dynamic_shared_bytes);
  }
  const auto names = [](const std::map<std::string, int64_t>& counts) {
    std::vector<std::string> all;
    for (const auto& [name, times] : counts) all.push_back(name);
    return all;
  };
  EXPECT_THAT(
      names(captured),
      ::testing::IsSubsetOf({"cublasLtMatmul", "cudaDeviceGetAttribute", "cudaGetDevice",
                             "cudaLaunchKernel", "cudaLaunchKernelExC", "cudaStreamEndCapture"}));
  EXPECT_THAT(names(captured), Contains("cudaLaunchKernelExC"));
  EXPECT_THAT(
      names(of_serving),
      ElementsAre("cublasLtMatmul", "cudaDeviceGetAttribute", "cudaEventElapsedTime",
                  "cudaEventRecord", "cudaEventSynchronize", "cudaGetDevice", "cudaGraphLaunch",
                  "cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaSetDevice"));
  EXPECT_EQ(threads.size(), 2U);  // the encoder's and the decoder's threads
  EXPECT_LE(most_threads, 1024U);
  EXPECT_EQ(Calls::Left(), (std::vector<std::pair<std::string, std::string>>{}));
  int64_t in_captures = 0;
  for (const auto& [name, times] : captured) in_captures += times;
  std::cout << of_start << " calls of a start, " << in_captures << " of them in captures, "
            << of_requests << " of " << count << " requests, of which " << translated
            << " were translated, " << calls.size() - of_start - of_requests
            << " of the end; a launch has up to " << most_threads << " threads and " << most_shared
            << " bytes of shared memory beside its own\n";
}

TEST_F(PtxEngineCalls, AnEngineRunsOnASecondDeviceAndOnBoth) {
  const std::vector<Answer>& expected = Expected();
  SetDevices(2);
  for (const std::vector<int>& devices : {std::vector<int>{1}, std::vector<int>{0, 1}}) {
    watchdog_.Begin("an engine on device 1");
    Calls::Get().Record(true);
    const Life life = Live(SettingsOn(devices), FewJobs());
    Calls::Get().Record(false);
    ASSERT_TRUE(life.start.ok()) << life.start;
    EXPECT_EQ(life.answers, expected);
    EXPECT_THAT(TakeFindings(), IsEmpty());
    EXPECT_THAT(Calls::Left(), IsEmpty());
    std::set<int> launched;
    for (const RecordedCall& call : Calls::Get().recorded()) {
      if (call.kind == CallKind::kWork) launched.insert(call.device);
    }
    EXPECT_EQ(launched, std::set<int>(devices.begin(), devices.end()));
  }
}

// One of two devices is lost while requests are served. The other one continues to serve.
TEST_F(PtxEngineCalls, OneOfTwoDevicesMayFail) {
  const std::vector<Answer>& expected = Expected();
  SetDevices(2);
  watchdog_.Begin("an engine on two devices, one of which fails");
  {
    absl::StatusOr<std::unique_ptr<engine::Engine>> engine = Start(SettingsOn({0, 1}));
    ASSERT_TRUE(engine.ok()) << engine.status();
    Calls::Get().Plan(
        {.function = "cudaGraphLaunch", .error = cudaErrorIllegalAddress, .lasting = true});
    int translated = 0;
    int failed = 0;
    ExpectAnswered(Translate(**engine, FewJobs()), &translated, &failed);
    EXPECT_EQ(Calls::Get().StopPlanned(), "cudaGraphLaunch");
    EXPECT_GT(failed, 0);
    while ((*engine)->Stats().live_workers > 1) std::this_thread::yield();
    EXPECT_EQ(Translate(**engine, FewJobs()), expected);
  }
  EXPECT_THAT(TakeFindings(), IsEmpty());
  EXPECT_THAT(Calls::Left(), IsEmpty());
}

// Returns the calls at which an error is tried, each with whether the error is a lasting one. If
// only some are tried, at most `most`.
std::vector<std::pair<uint64_t, bool>> Picked(const std::vector<uint64_t>& places, size_t most) {
  const std::string which = Setting("DRAGOMAN_PTX_ERRORS", "some");
  if (const uint64_t at = std::strtoull(which.c_str(), nullptr, 10); at > 0) {
    return {{at, false}, {at, true}};
  }
  EXPECT_THAT((std::vector<std::string>{"some", "places", "all"}), Contains(which));
  std::vector<uint64_t> first;
  std::set<uint64_t> seen;
  for (size_t i = 0; i < places.size(); ++i) {
    if (which == "all" || seen.insert(places[i]).second) first.push_back(i + 1);
  }
  std::vector<std::pair<uint64_t, bool>> picked;
  if (which == "some") {
    const size_t step = (first.size() + most - 1) / most;
    for (size_t i = 0; i < first.size(); i += step)
      picked.emplace_back(first[i], i / step % 2 == 1);
  } else {
    for (const uint64_t at : first) picked.insert(picked.end(), {{at, false}, {at, true}});
  }
  return picked;
}

TEST_F(PtxEngineCalls, AnErrorAtAnyCallIsAnsweredAndLeavesNothing) {
  ASSERT_FALSE(Expected().empty());
  watchdog_.Begin("the run without an error");
  Calls::Get().WatchPlaces(true);
  const Life whole = Live(SettingsOn({0}), FewJobs());
  Calls::Get().WatchPlaces(false);
  ASSERT_TRUE(whole.start.ok());
  const std::vector<uint64_t> places = Calls::Get().places();
  const std::set<uint64_t> different(places.begin(), places.end());
  constexpr size_t kMost = 20;
  const auto picked = Picked(places, kMost);
  int starts = 0;
  int translated = 0;
  int failed = 0;
  int reached = 0;
  std::map<std::string, int> functions;
  for (const auto& [at, lasting] : picked) {
    const std::string what = std::string(lasting ? "a lasting error" : "an error") + " at call " +
                             std::to_string(at) + " of " + std::to_string(places.size());
    SCOPED_TRACE(what);
    watchdog_.Begin(what);
    Calls::Get().Plan({.at = at,
                       .error = lasting ? cudaErrorIllegalAddress : cudaErrorMemoryAllocation,
                       .lasting = lasting});
    const Life life = Live(SettingsOn({0}), FewJobs());
    const std::string of = Calls::Get().StopPlanned();
    SCOPED_TRACE(of);
    reached += of.empty() ? 0 : 1;
    ++functions[of];
    if (life.start.ok()) {
      ++starts;
      ExpectAnswered(life.answers, &translated, &failed);
    } else {
      EXPECT_THAT(std::string(life.start.message()), HasSubstr("cuda:0: "));
    }
    EXPECT_THAT(TakeFindings(), IsEmpty());
    ASSERT_THAT(Calls::Left(), IsEmpty());
    // An engine that failed may not have waited for all work that it put on streams.
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  std::cout << places.size() << " calls that may fail, of " << different.size() << " places; "
            << picked.size() << " runs with an error at one of them, which " << reached
            << " reached: " << picked.size() - static_cast<size_t>(starts)
            << " did not start; of the others' requests " << translated << " were translated and "
            << failed << " ended with an error\n";
  EXPECT_GT(reached, 0);
}

// A model manager that serves the small model.
class Served {
 public:
  Served() {
    server::SetLogSink([](std::string_view) {});
    server::ModelSettings settings;
    settings.model_name = "small";
    settings.model_directory = SmallModel();
    start_ = manager_.LoadAll({settings});
  }
  ~Served() { server::SetLogSink(nullptr); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  const absl::Status& start() const { return start_; }
  absl::Status Reload() {
    const absl::Status status = manager_.Reload("small", false).status();
    EXPECT_TRUE(table_.WaitEnded(Watchdog::kMost));
    return status;
  }
  server::ModelPtr Model() const { return table_.Find("small"); }

 private:
  const server::SteadyClock clock_;
  server::Metrics metrics_{&clock_};
  server::ModelTable table_{&clock_, {"small"}, {}};
  server::ModelManager manager_{
      &table_,
      &metrics_,
      &clock_,
      server::ModelResources{},
      server::ModelSettings{},
      [](const server::ModelSettings&, const server::ModelShare&, engine::LoadContext*) {
        return server::DevicePlan{.devices = {.cuda = {0}}};
      },
      [](const server::ModelSettings&, const server::ModelShare&, engine::EngineObserver*,
         engine::LoadContext* load) { return Start(SettingsOn({0}), load); }};
  absl::Status start_;
};

// Requests to the old version are served between the calls of a load: at some of these calls, and
// while a step is captured.
TEST_F(PtxEngineCalls, AReloadTakesOverWhileRequestsAreServed) {
  const std::vector<Answer>& expected = Expected();
  {
    Served served;
    ASSERT_TRUE(served.start().ok()) << served.start();
    const auto before = Calls::Left();
    constexpr int kEvery = 8000;
    int calls = 0;
    int served_between = 0;
    int served_in_captures = 0;
    Calls::Get().Before([&, loads = std::this_thread::get_id()](const Call&) {
      if (std::this_thread::get_id() != loads) return;
      const bool captures = ptx::Capturing() != nullptr && served_in_captures == 0;
      if (++calls % kEvery != 0 && !captures) return;
      watchdog_.Begin("requests at call " + std::to_string(calls) + " of a reload");
      ++(captures ? served_in_captures : served_between);
      EXPECT_EQ(Translate(*served.Model()->engine, FewJobs()), expected);
    });
    EXPECT_TRUE(served.Reload().ok());
    Calls::Get().Before(nullptr);
    EXPECT_GT(served_between, 0);
    EXPECT_EQ(served_in_captures, 1);
    EXPECT_EQ(served.Model()->version, 2);
    EXPECT_EQ(Translate(*served.Model()->engine, FewJobs()), expected);
    EXPECT_EQ(Calls::Left(), before);
    std::cout << calls << " calls of a reload, 2 requests at " << served_between
              << " of them and at one in a capture\n";
  }
  EXPECT_THAT(TakeFindings(), IsEmpty());
  EXPECT_THAT(Calls::Left(), IsEmpty());
}

// A version that cannot be loaded leaves the old version unchanged and leaks nothing. A version
// that loads despite an error may have chosen other products, and so has other descriptors of
// cuBLASLt. The next version does not keep these descriptors.
TEST_F(PtxEngineCalls, AnErrorInAReloadLeavesTheVersionBefore) {
  const std::vector<Answer>& expected = Expected();
  {
    Served served;
    ASSERT_TRUE(served.start().ok()) << served.start();
    const auto without_errors = Calls::Left();
    auto before = without_errors;
    watchdog_.Begin("a reload without an error");
    Calls::Get().WatchPlaces(true);
    ASSERT_TRUE(served.Reload().ok());
    Calls::Get().WatchPlaces(false);
    constexpr size_t kMost = 10;
    int refused = 0;
    int loaded = 0;
    std::set<uint64_t> tried;
    for (const auto& [at, lasting] : Picked(Calls::Get().places(), kMost)) {
      // Only errors that do not last: a lasting error belongs to the device, which both versions
      // use.
      if (!tried.insert(at).second) continue;
      SCOPED_TRACE("an error at call " + std::to_string(at) + " of a reload");
      watchdog_.Begin("an error at call " + std::to_string(at) + " of a reload");
      const int version = served.Model()->version;
      Calls::Get().Plan({.at = at});
      const absl::Status status = served.Reload();
      SCOPED_TRACE(Calls::Get().StopPlanned());
      EXPECT_EQ(served.Model()->version, status.ok() ? version + 1 : version);
      EXPECT_EQ(Translate(*served.Model()->engine, FewJobs()), expected);
      const auto after = Calls::Left();
      if (!status.ok()) {
        EXPECT_EQ(after, before);
      }
      before = after;
      EXPECT_THAT(TakeFindings(), IsEmpty());
      ++(status.ok() ? loaded : refused);
    }
    EXPECT_GT(refused, 0);
    watchdog_.Begin("the last reload");
    ASSERT_TRUE(served.Reload().ok());
    EXPECT_EQ(Calls::Left(), without_errors);
    std::cout << refused << " reloads failed, " << loaded
              << " succeeded in spite of an error; the model was served after each\n";
  }
  EXPECT_THAT(Calls::Left(), IsEmpty());
}

// Two models on one device whose fused output layers share their kernels. The second model needs
// less shared memory, and must not lower the first one's limit.
TEST_F(PtxEngineCalls, FusedLayersOfTwoWidthsGoTogether) {
  constexpr int kVocabulary = 256;
  constexpr int kRows = 4;
  const ptx::Only nothing([](const std::string&) { return false; });
  kernels::cuda::OwnedStream stream;
  kernels::cuda::DeviceBuffer weight;
  kernels::cuda::DeviceBuffer hidden;
  kernels::cuda::DeviceBuffer workspace;
  ASSERT_EQ(stream.Create(kernels::cuda::StreamPriority::kHigh), kernels::cuda::Error::kNone);
  std::vector<std::unique_ptr<kernels::cuda::FusedOutput>> layers;
  constexpr int64_t kWidest = 1024;
  ASSERT_EQ(weight.Allocate(kWidest * kVocabulary * 2), kernels::cuda::Error::kNone);
  ASSERT_EQ(hidden.Allocate(kWidest * kRows * 2), kernels::cuda::Error::kNone);
  for (const int d : {512, 1024, 64}) {
    std::string why;
    layers.push_back(kernels::cuda::FusedOutput::Create(
        kernels::ComputeType::kFloat16, kernels::QuantizedType::kNone, weight.data(), nullptr, d,
        kVocabulary, &why));
    ASSERT_NE(layers.back(), nullptr) << why;
  }
  ASSERT_EQ(workspace.Allocate(layers[0]->WorkspaceBytes(kRows)), kernels::cuda::Error::kNone);
  kernels::cuda::StepRows rows;
  rows.rows = kRows;
  for (const auto& layer : layers) {
    EXPECT_EQ(layer->Fold(stream.get(), workspace.data(), hidden.data(), rows, nullptr, 4, nullptr,
                          nullptr),
              kernels::cuda::Error::kNone);
  }
}

// Plants calls among those of the product.

// Calls `act` once, at the first launch that is captured.
void AtACapturedLaunch(const std::function<void()>& act) {
  auto done = std::make_shared<std::atomic<bool>>(false);
  Calls::Get().Before([done, act](const Call& call) {
    if (ptx::Capturing() == nullptr || call.kind != CallKind::kWork || done->exchange(true)) return;
    act();
  });
}

TEST_F(PtxEngineCalls, AnAllocationInTheCaptureOfAStepIsFound) {
  watchdog_.Begin("an allocation in a capture");
  AtACapturedLaunch([] {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
  });
  const Life life = Live(SettingsOn({0}), FewJobs());
  EXPECT_THAT(std::string(life.start.message()), HasSubstr("cuda:0: recording a step"));
  EXPECT_THAT(TakeFindings(), ElementsAre(HasSubstr("illegal in a capture: an allocation")));
  EXPECT_THAT(Calls::Left(), IsEmpty());
}

TEST_F(PtxEngineCalls, AnAttributeThatIsSetInTheCaptureOfAStepIsFound) {
  watchdog_.Begin("an attribute in a capture");
  AtACapturedLaunch([] {
    const int no_kernel = 0;
    EXPECT_EQ(cudaFuncSetAttribute(&no_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64),
              cudaErrorInvalidDeviceFunction);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  });
  const Life life = Live(SettingsOn({0}), FewJobs());
  EXPECT_EQ(life.answers, Expected());
  EXPECT_THAT(TakeFindings(),
              ElementsAre(HasSubstr("illegal in a capture: setting an attribute of a kernel")));
}

TEST_F(PtxEngineCalls, TheFirstLaunchOfAKernelInACaptureIsFound) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  const auto capture = [&] {
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_EQ(kernels::cuda::FillRandom(stream, kernels::ComputeType::kBFloat16, 32, memory),
              kernels::cuda::Error::kNone);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  };
  capture();
  EXPECT_THAT(TakeFindings(), ElementsAre(HasSubstr("FillRandomKernel<__nv_bfloat16>")));
  capture();
  EXPECT_THAT(TakeFindings(), IsEmpty());
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(PtxEngineCalls, AThreadThatHasAnotherDeviceIsFound) {
  SetDevices(2);
  watchdog_.Begin("a wrong device");
  auto engine = Start(SettingsOn({0}));
  ASSERT_TRUE(engine.ok()) << engine.status();
  auto done = std::make_shared<std::atomic<bool>>(false);
  Calls::Get().Before([done](const Call& call) {
    if (std::string_view(call.function) != "cudaGraphLaunch" || done->exchange(true)) return;
    EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  });
  static_cast<void>(Translate(**engine, FewJobs()));
  engine->reset();
  Calls::Get().Before(nullptr);
  const std::vector<std::string> found = TakeFindings();
  EXPECT_THAT(found, Contains("wrong device: stream of device 0 while device 1 is the thread's "
                              "current one; call cudaGraphLaunch; 2 times"));
  EXPECT_THAT(found, ::testing::Each(HasSubstr("wrong device: ")));
  EXPECT_THAT(Calls::Left(), IsEmpty());
}

TEST_F(PtxEngineCalls, AStreamThatIsNotDestroyedIsFound) {
  watchdog_.Begin("a stream that is left");
  cudaStream_t stream = nullptr;
  auto done = std::make_shared<std::atomic<bool>>(false);
  Calls::Get().Before([&stream, done](const Call& call) {
    if (std::string_view(call.function) != "cudaStreamCreateWithPriority" || done->exchange(true))
      return;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  });
  EXPECT_EQ(Live(SettingsOn({0}), FewJobs()).answers, Expected());
  Calls::CheckFreed();
  EXPECT_THAT(TakeFindings(), ElementsAre(HasSubstr("not freed: 1 streams")));
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace dragoman::testing
