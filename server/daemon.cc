#include "server/daemon.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "engine/engine.h"
#include "server/cpu_budget.h"
#include "server/drain.h"
#include "server/engine_start.h"
#include "server/http.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/serving.h"
#include "server/signals.h"
#include "server/steady_clock.h"
#include "server/version.h"

namespace dragoman {
namespace {

// Beyond the drain limit: for the engine to end and connections to close.
constexpr std::chrono::seconds kExitGrace{15};

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
    if (engine != nullptr && engine->Stats().stalled) return "stalled: busy rows and no step";
    const Serving* serving = state->serving.load();
    return serving == nullptr ? "" : serving->NotLive();
  };
  hooks.not_ready = [state]() -> std::string {
    const Serving* serving = state->serving.load();
    return serving == nullptr ? "loading" : serving->NotReady();
  };
  return hooks;
}

}  // namespace

int RunDaemon(const ServerConfig& config) {
  SetLogLevel(ConfiguredLogLevel(config));
  QuietLibraries();
  Log(LogLevel::kInfo, "starting", {{"version", kVersion}, {"model", config.model_name}});
  const auto fail = [](const char* what, const absl::Status& status) {
    Log(LogLevel::kError, what, {{"error", std::string(status.message())}});
    return 1;
  };

  if (config.profile_steps > 0) {
    const absl::StatusOr<std::string> profile = ProfileEngine(config);
    if (!profile.ok()) return fail("profile", profile.status());
    std::fputs(profile->c_str(), stdout);
    return 0;
  }
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
  auto created = StartEngine(config, CpuBudget(), &clock, &metrics);
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

  const bool by_signal = WaitForEnd(engine.get());
  const std::chrono::seconds limit(by_signal ? config.drain_seconds : 0);
  const HardExitTimer hard_exit(limit + kExitGrace);
  const DrainResult result = DrainUnlessHurried(serving->get(), limit);
  // HTTP goes last of those who look at the engine.
  http.reset();
  metrics.DetachEngine();
  serving->reset();
  engine.reset();
  Log(LogLevel::kInfo, "stopped", {{"clean", result.clean}});
  return by_signal && result.clean ? 0 : 1;
}

}  // namespace dragoman
