#include "server/daemon.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/create_engine.h"
#include "engine/engine.h"
#include "server/cpu_budget.h"
#include "server/drain.h"
#include "server/http.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/serving.h"
#include "server/steady_clock.h"
#include "server/version.h"

namespace dragoman {
namespace {

// Beyond the drain limit: for the engine to end and connections to close.
constexpr std::chrono::seconds kExitGrace{15};

sigset_t EndSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

// The number of a signal that came within the time, or 0.
int WaitSignal(std::chrono::milliseconds timeout) {
  const sigset_t set = EndSignals();
  const timespec time{timeout.count() / 1000, (timeout.count() % 1000) * 1'000'000};
  const int signal = sigtimedwait(&set, nullptr, &time);
  return signal > 0 ? signal : 0;
}

void LogGrpc(gpr_log_func_args* args) {
  const LogLevel level =
      args->severity == GPR_LOG_SEVERITY_ERROR ? LogLevel::kWarn : LogLevel::kDebug;
  Log(level, "grpc", {{"detail", args->message}});
}

// Libraries would write lines of their own to standard error. Protobuf's name fields that are not
// UTF-8, which the client is told anyway.
void QuietLibraries() {
  gpr_set_log_function(LogGrpc);
  google::protobuf::SetLogHandler(nullptr);
}

EngineConfig MakeEngineConfig(const ServerConfig& config) {
  const int cpus = CpuBudget();
  const WorkerPlan plan = PlanWorkers(cpus, config.cpu_workers, config.threads_per_worker);
  EngineConfig out;
  out.model_name = config.model_name;
  out.max_rows = config.max_rows;
  out.workers = plan.workers;
  out.threads_per_worker = plan.threads_per_worker;
  out.tokenizer_threads = TextThreads(cpus, config.tokenizer_threads);
  out.detokenizer_threads = out.tokenizer_threads;
  out.max_queue_segments = config.max_queue_segments;
  out.max_queue_tokens = config.max_queue_tokens;
  out.encoded_queue_segments = config.encoded_queue_segments;
  out.kv_memory_mb = config.kv_memory_mb;
  out.watchdog = config.watchdog_seconds * kNanosPerSecond;
  Log(LogLevel::kInfo, "workers",
      {{"cpus", cpus},
       {"workers", out.workers},
       {"threads_per_worker", out.threads_per_worker},
       {"text_threads", out.tokenizer_threads}});
  return out;
}

// What HTTP asks; the pointers appear as the daemon comes up and outlive the HTTP server.
struct HealthState {
  std::atomic<const Engine*> engine{nullptr};
  std::atomic<const Serving*> serving{nullptr};
};

HttpHooks MakeHooks(const Metrics* metrics, const HealthState* state) {
  HttpHooks hooks;
  hooks.metrics = [metrics] { return metrics->Scrape(); };
  hooks.not_live = [state]() -> std::string {
    const Engine* engine = state->engine.load();
    return engine != nullptr && engine->Stats().stalled ? "stalled: busy rows and no step" : "";
  };
  hooks.not_ready = [state]() -> std::string {
    const Serving* serving = state->serving.load();
    return serving == nullptr ? "loading" : serving->NotReady();
  };
  return hooks;
}

// Until a signal, or until the engine cannot work any more. True: a signal.
bool WaitForEnd(const Engine& engine) {
  while (true) {
    const int signal = WaitSignal(std::chrono::seconds(1));
    if (signal != 0) {
      Log(LogLevel::kInfo, "signal", {{"number", signal}});
      return true;
    }
    if (engine.Stats().live_workers < 1) {
      Log(LogLevel::kError, "no worker is left");
      return false;
    }
  }
}

DrainResult DrainOnSignal(Serving* serving, std::chrono::seconds limit) {
  std::atomic<bool> done{false};
  std::thread second([serving, &done] {
    while (!done) {
      if (WaitSignal(std::chrono::milliseconds(100)) != 0) {
        Log(LogLevel::kWarn, "second signal");
        serving->Hurry();
      }
    }
  });
  const DrainResult result = serving->DrainCalls(limit);
  done = true;
  second.join();
  return result;
}

}  // namespace

void PrepareSignals() {
  const sigset_t set = EndSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int RunDaemon(const ServerConfig& config) {
  SetLogLevel(ConfiguredLogLevel(config));
  QuietLibraries();
  Log(LogLevel::kInfo, "starting", {{"version", kVersion}, {"model", config.model_name}});
  const auto fail = [](const char* what, const absl::Status& status) {
    Log(LogLevel::kError, what, {{"error", std::string(status.message())}});
    return 1;
  };

  const SteadyClock clock;
  Metrics metrics(config.model_name, &clock);
  HealthState state;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<HttpServer> http;
  std::string http_address = "off";
  if (config.metrics != "off") {
    // First, so that probes see a process that loads, and not one that is dead.
    auto started = HttpServer::Start(config.metrics, MakeHooks(&metrics, &state));
    if (!started.ok()) return fail("start", started.status());
    http = *std::move(started);
    http_address = http->address();
  }

  const Nanos load_started = clock.Now();
  auto created = CreateEngine(config.model_directory, MakeEngineConfig(config), &clock, &metrics);
  if (!created.ok()) return fail("model", created.status());
  engine = *std::move(created);
  metrics.AttachEngine(engine.get(), clock.Now() - load_started);
  state.engine = engine.get();

  auto serving = Serving::Start(config, engine.get(), &clock, &metrics);
  if (!serving.ok()) {
    http.reset();
    return fail("start", serving.status());
  }
  state.serving = serving->get();
  // Plain text on standard output, for scripts; the log is on standard error.
  std::printf("dragomand listening grpc=%s metrics=%s model=%s\n", (*serving)->address().c_str(),
              http_address.c_str(), config.model_name.c_str());
  std::fflush(stdout);
  Log(LogLevel::kInfo, "serving",
      {{"grpc", (*serving)->address()},
       {"metrics", http_address},
       {"model", config.model_name},
       {"load_seconds", ToSeconds(clock.Now() - load_started)}});

  const bool by_signal = WaitForEnd(*engine);
  const std::chrono::seconds limit(by_signal ? config.drain_seconds : 0);
  const HardExitTimer hard_exit(limit + kExitGrace);
  const DrainResult result = DrainOnSignal(serving->get(), limit);
  // HTTP goes last of those who look at the engine.
  http.reset();
  metrics.DetachEngine();
  serving->reset();
  engine.reset();
  Log(LogLevel::kInfo, "stopped", {{"clean", result.clean}});
  return by_signal && result.clean ? 0 : 1;
}

}  // namespace dragoman
