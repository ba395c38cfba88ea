// host_bench loop | serve [--name value]...
//
// Measures the host's work for a text when decoding costs nothing (null_device.h).
//
//   loop    the decode loop alone on one thread, with more segments waiting than fit: microseconds
//           per step and per segment, and occupancy, by rows, beam and mean length
//   serve   the complete daemon except for the model's arithmetic, with `dragoman load` as its
//           client: processor time per text, by thread. --client PROGRAM, --input FILE,
//           --command TEXT (a shell command in place of `dragoman load`, with DRAGOMAN_SERVER set),
//           --step-us N (the duration of a step of the device), --max-rows N, --beam K,
//           --in-flight N, --seconds S, --tokenizers N, --detokenizers N, --log-level LEVEL (the
//           daemon's default is info)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "engine/create_loaded_engine.h"
#include "engine/decode/device_batch.h"
#include "engine/model/layouts/model_source.h"
#include "engine/schedule/decode_loop.h"
#include "server/base/steady_clock.h"
#include "server/observe/metrics.h"
#include "server/process/serving.h"
#include "tests/bench/arguments.h"
#include "tests/bench/host/null_device.h"

namespace dragoman::bench {
namespace {

constexpr int kPositions = 258;

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "host_bench: %s\n", std::string(status.message()).c_str());
  return 1;
}

class CountingOwner final : public engine::SegmentOwner {
 public:
  explicit CountingOwner(engine::Ledger* ledger) : ledger_(ledger) {}
  std::optional<engine::CancelCause> abandoned() const override { return std::nullopt; }
  void OnStarted() override {}
  void OnDeadline() override {}
  void OnPartial(const engine::Segment&, std::span<const int32_t>) override {}
  void OnDecoded(std::unique_ptr<engine::Segment> segment,
                 std::vector<engine::DecodedHypothesis>) override {
    ledger_->End(segment->running, engine::Outcome::kEos);
    ++ended;
  }
  void OnFailed(std::unique_ptr<engine::Segment> segment, const absl::Status&) override {
    ledger_->End(segment->running, engine::Outcome::kError);
    ++ended;
  }
  int64_t ended = 0;

 private:
  engine::Ledger* const ledger_;
};

struct LoopTimes {
  double segments_per_step = 0;
  double nanos_per_step = 0;
  double occupancy = 0;
};

// Lengths are uniformly distributed from 1/4 to 7/4 of `tokens`. `capacity` is the scheduler's, in
// rows.
absl::StatusOr<LoopTimes> RunLoop(int max_rows, int beam, int tokens, int capacity) {
  const server::SteadyClock clock;
  server::Metrics metrics(&clock);
  engine::Ledger ledger;
  engine::SchedulerOptions options;
  options.capacity = capacity;
  const engine::Policy policy(options);
  NullDeviceTotals totals;
  const auto backend = CreateNullBackend({0, &totals});
  const int64_t slots = max_rows / beam;
  const int64_t segments = 20 * slots;
  const auto memory = *backend->CreateKvMemory({100, static_cast<int32_t>(2 * segments)});
  engine::BatchConfig config;
  config.max_rows = max_rows;
  config.max_positions = kPositions;
  config.vocabulary = 6000;
  auto batch = backend->CreateBatch(config, 1, memory.get());
  if (!batch.ok()) return batch.status();
  engine::EncodedQueue queue(segments, &clock);
  const auto series = metrics.ForModel("null");
  engine::DecodeLoop loop(batch->get(), &queue, &policy, {&ledger, series.get()}, &clock);
  const auto owner = std::make_shared<CountingOwner>(&ledger);
  std::mt19937 random(1);
  ledger.Accept(segments);
  for (int64_t i = 0; i < segments; ++i) {
    auto segment = std::make_unique<engine::Segment>();
    segment->owner = owner;
    segment->source.resize(static_cast<size_t>(tokens) / 4 + random() % (tokens * 3 / 2 + 1));
    segment->search.beam = beam;
    segment->search.max_tokens = 3 * static_cast<int>(segment->source.size()) + 20;
    segment->divisor = engine::LengthDivisors(segment->search.max_tokens, 1.0F);
    segment->cross = engine::CrossPages(
        memory.get(), memory->TakeCross(segment->tokens() > kernels::kPagePositions ? 2 : 1));
    queue.Push(std::move(segment));
  }
  // The slots' lengths are not mixed until the first batch has ended, so this part is not timed.
  while (owner->ended < 2 * slots) {
    if (const auto stepped = loop.RunOnce(); !stepped.ok()) return stepped.status();
  }
  const int64_t ended = owner->ended;
  const int64_t steps = totals.steps;
  const int64_t rows = totals.rows;
  const int64_t simulation = totals.simulation;
  const int64_t begun = ThreadCpuNanos();
  while (queue.stats().segments > 0) {
    if (const auto stepped = loop.RunOnce(); !stepped.ok()) return stepped.status();
  }
  const auto took =
      static_cast<double>(ThreadCpuNanos() - begun - (totals.simulation - simulation));
  const auto made = static_cast<double>(totals.steps - steps);
  LoopTimes times;
  times.segments_per_step = static_cast<double>(owner->ended - ended) / made;
  times.nanos_per_step = took / made;
  times.occupancy = static_cast<double>(totals.rows - rows) / (made * max_rows);
  return times;
}

int Loop() {
  struct Case {
    int rows, beam, tokens;
  };
  std::printf(
      "| rows | beam | tokens | capacity | segments/step | us/step | us/segment | occupancy |\n");
  std::printf("|--|--|--|--|--|--|--|--|\n");
  for (const Case& c : {Case{256, 4, 30}, Case{1024, 4, 30}, Case{4096, 4, 30}, Case{4096, 4, 12},
                        Case{4096, 1, 30}}) {
    for (const int capacity : {c.rows, c.rows * 17 / 16, c.rows * 9 / 8}) {
      const auto times = RunLoop(c.rows, c.beam, c.tokens, capacity);
      if (!times.ok()) return Fail(times.status());
      const double micros = times->nanos_per_step * 1e-3;
      std::printf("| %d | %d | %d | %d | %.1f | %.1f | %.2f | %.1f %% |\n", c.rows, c.beam,
                  c.tokens, capacity, times->segments_per_step, micros,
                  micros / times->segments_per_step, times->occupancy * 100);
    }
  }
  return 0;
}

double Seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}
double CpuSeconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

int Serve(Arguments arguments) {
  const std::string client = arguments.Text("client", "build/release/client/dragoman");
  const std::string input = arguments.Text("input", "tests/data/german.txt");
  const std::string command = arguments.Text("command", "");
  NullDeviceTotals totals;
  NullDeviceOptions options{arguments.Number("step-us", 5000) * 1000, &totals};
  engine::EngineConfig config;
  config.max_rows = static_cast<int>(arguments.Number("max-rows", 1024));
  const std::string beam = arguments.Text("beam", "4");
  const std::string in_flight = arguments.Text("in-flight", "1024");
  const std::string seconds = arguments.Text("seconds", "5");
  config.tokenizer_threads = static_cast<int>(arguments.Number("tokenizers", 1));
  config.detokenizer_threads = static_cast<int>(arguments.Number("detokenizers", 1));
  const auto log_level = server::ParseLogLevel(arguments.Text("log-level", "warn"));
  arguments.RefuseOthers();
  if (!log_level.has_value()) return Fail(absl::InvalidArgumentError("unknown --log-level"));
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);  // as in dragomand
  config.max_queue_segments = 1'000'000;
  config.max_queue_tokens = 100'000'000;

  const server::SteadyClock clock;
  server::Metrics metrics(&clock);
  auto loaded = engine::LoadModel("deploy/models/de-en");
  if (!loaded.ok()) return Fail(loaded.status());
  const auto series = metrics.ForModel("null");
  auto engine = engine::CreateEngine(*std::move(loaded), {{CreateNullBackend(options), 1}}, config,
                                     &clock, series.get());
  if (!engine.ok()) return Fail(engine.status());
  server::ModelTable models(&clock, {}, {});
  server::ServedModel model;
  model.name = "null";
  model.engine = *std::move(engine);
  const server::ModelPtr served = models.Put(std::move(model)).value();
  metrics.AttachModels([&models] { return models.Stats(); });
  server::ServerConfig server;
  server.listen = {.host = "127.0.0.1"};
  server::SetLogLevel(*log_level);
  auto serving = server::Serving::Start(server, &models, &clock, &metrics);
  if (!serving.ok()) return Fail(serving.status());

  const double before = CpuSeconds(RUSAGE_SELF);
  const engine::Nanos begun = clock.Now();
  const pid_t child = fork();
  if (child == 0) {
    if (!command.empty()) {
      setenv("DRAGOMAN_SERVER", (*serving)->address().c_str(), 1);
      execl("/bin/sh", "/bin/sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      std::perror("/bin/sh");
      _exit(127);
    }
    execl(client.c_str(), client.c_str(), "load", "--server", (*serving)->address().c_str(),
          "--input", input.c_str(), "--concurrency", in_flight.c_str(), "--connections", "4",
          "--duration", seconds.c_str(), "--beam", beam.c_str(), "--split", "none",
          "--count-tokens=false", static_cast<char*>(nullptr));
    std::perror(client.c_str());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const double wall = server::ToSeconds(clock.Now() - begun);
  const double all = CpuSeconds(RUSAGE_SELF) - before;
  const auto texts = static_cast<double>(served->engine->Stats().segments.eos);
  const double decode = static_cast<double>(totals.decode) * 1e-9;
  const double encode = static_cast<double>(totals.encode) * 1e-9;
  const double simulation = static_cast<double>(totals.simulation) * 1e-9;
  const double rest = all - decode - encode - simulation;
  (*serving)->DrainCalls({std::chrono::seconds(1)});
  metrics.AttachModels(nullptr);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || texts == 0) {
    return Fail(absl::InternalError(client + " failed"));
  }
  std::printf("%.0f texts in %.1f s; %.1f texts a step\n\n", texts, wall,
              texts / static_cast<double>(totals.steps));
  std::printf("| thread | us/text | texts/s of one core |\n|--|--|--|\n");
  const auto row = [texts](const char* name, double cpu) {
    std::printf("| %s | %.1f | %.0f |\n", name, cpu / texts * 1e6, texts / cpu);
  };
  row("decode", decode);
  row("encode", encode);
  row("text and gRPC", rest);
  row("all of the server", decode + encode + rest);
  row("client", CpuSeconds(RUSAGE_CHILDREN));
  return 0;
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "loop" && argc == 2) return dragoman::bench::Loop();
  if (command == "serve") return dragoman::bench::Serve(dragoman::bench::Arguments(argc, argv, 2));
  std::fprintf(stderr, "usage: host_bench loop | serve [--name value]...\n");
  return 2;
}
