#include "server/process/daemon.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "engine/api/devices.h"
#include "engine/base/out_of_memory.h"
#include "server/api/admin_server.h"
#include "server/base/allocator.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/base/version.h"
#include "server/models/model_manager.h"
#include "server/models/model_table.h"
#include "server/observe/metrics.h"
#include "server/process/cpu_topology.h"
#include "server/process/drain.h"
#include "server/process/engine_start.h"
#include "server/process/memory_limit.h"
#include "server/process/security.h"
#include "server/process/service_manager.h"
#include "server/process/serving.h"
#include "server/process/signals.h"
#include "server/process/startup.h"
#include "server/transport/http.h"

namespace dragoman::server {
namespace {

// The time for the engine and the connections to end after the drain limit.
constexpr std::chrono::seconds kExitGrace{15};

// How long the end of the process waits for a load to end after ModelManager::GiveUp.
constexpr std::chrono::seconds kLoadGrace{2};

// The number of threads of gRPC, of HTTP (at least three) and of the server, in addition to one for
// each CPU. Measured without HTTP: 11. The threads of the port for probes and metrics do not count,
// because they already run when this number is checked.
constexpr int kServingThreads = 15;

// How long the process waits at its end for log lines that are not written yet.
constexpr std::chrono::seconds kLastLines{1};

void LogGrpc(gpr_log_func_args* args) {
  const LogLevel level =
      args->severity == GPR_LOG_SEVERITY_ERROR ? LogLevel::kWarn : LogLevel::kDebug;
  Log(level, "grpc",
      {{"detail", LogsPeers() ? std::string(args->message) : WithoutAddresses(args->message)}});
}

// Keeps libraries from writing to standard error. Protobuf would name each field that is not UTF-8,
// although the client gets an error for it.
void QuietLibraries() {
  gpr_set_log_function(LogGrpc);
  google::protobuf::SetLogHandler(nullptr);
  // Debian's abseil is built to look for deadlocks in gRPC, which costs 4 % of a short call.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

// The state that probes ask for. The pointers are set during the start. Their targets outlive the
// HTTP server.
struct HealthState {
  std::atomic<const ModelTable*> models{nullptr};
  std::atomic<const Serving*> serving{nullptr};
};

HttpHooks MakeHooks(const Metrics* metrics, const HealthState* state) {
  HttpHooks hooks;
  hooks.metrics = [metrics] { return metrics->Scrape(); };
  hooks.not_live = [state]() -> std::string {
    if (const ModelTable* models = state->models.load()) {
      for (const ModelStats& model : models->Stats()) {
        if (!model.stats.stalled) continue;
        return "stalled: a worker of " + model.name + " has busy rows and makes no decode step";
      }
    }
    const Serving* serving = state->serving.load();
    return serving == nullptr ? "" : serving->NotLive();
  };
  hooks.not_ready = [state]() -> std::string {
    const Serving* serving = state->serving.load();
    return serving == nullptr ? "loading" : serving->NotReady();
  };
  return hooks;
}

HttpTls HttpTlsOf(const ServerConfig& config, const Security& security) {
  if (config.metrics_tls == HttpTlsMode::kOff) return {};
  return {security.tls(), config.metrics_tls == HttpTlsMode::kMutual};
}

// Ends the process in the middle of a load, without cleaning up.
[[noreturn]] void EndWhileLoading(bool clean, int status) {
  Log(LogLevel::kInfo, "stopped", {{"clean", clean}, {"while", "loading"}});
  FlushLines(kLastLines);
  _exit(status);
}

// On an error, only logs it. The service manager then waits for its own time limit.
void TellServiceManager(const std::string& state) {
  const absl::Status told = NotifyServiceManager(state);
  if (!told.ok()) {
    Log(LogLevel::kWarn, "service manager", {{"error", std::string(told.message())}});
  }
}

// Ends the process at a signal before any call was accepted. There is nothing to wait for.
void EndAtOnce(int /*signal*/) { EndWhileLoading(true, 0); }

// Reads the configuration and its files again, and applies them. Logs and returns an error, without
// effect, if the configuration cannot be read. Called on the manager's thread.
absl::StatusOr<ReloadReport> ReloadAll(const ServerConfig& config, const ReadConfig& read_again,
                                       Security* security, ModelManager* manager) {
  const absl::StatusOr<ServerConfig> now = read_again ? read_again() : config;
  if (!now.ok()) {
    Log(LogLevel::kError, "configuration not applied, everything stays as it is",
        {{"error", std::string(now.status().message())}});
    return now.status();
  }
  security->ReloadAll();
  ReloadReport report;
  report.models = manager->Apply(*now);
  report.at_next_start = ProcessSettingsThatDiffer(config, *now);
  if (!report.at_next_start.empty()) {
    Log(LogLevel::kWarn, "settings that take effect at the next start",
        {{"settings", report.at_next_start}});
  }
  return report;
}

int Run(const ServerConfig& config, const ReadConfig& read_again, InheritedSockets sockets) {
  const auto fail = [](const char* what, const absl::Status& status) {
    const std::string message(status.message());
    if (isatty(STDERR_FILENO) == 1) {
      // Writes the waiting log lines first, so that they precede the message.
      FlushLines(kLastLines);
      std::fprintf(stderr, "dragomand: %s: %s\n", what, message.c_str());
    } else {
      Log(LogLevel::kError, what, {{"error", message}});
    }
    return 1;
  };
  auto loading = std::make_unique<EarlyEnd>(EndAtOnce);
  std::optional<EndAtEof> end_of_input;
  if (config.exit_at_eof) end_of_input.emplace();

  const SteadyClock clock;
  Metrics metrics(&clock);
  const auto opened = StartSpans(config, &clock);
  if (!opened.ok()) return fail("start", opened.status());
  const std::unique_ptr<OtlpExporter>& spans = *opened;
  if (spans != nullptr) metrics.AttachSpans(&spans->counts());
  HealthState state;
  std::vector<std::string> names;
  for (const ModelSettings& model : config.models) names.push_back(model.model_name);
  ModelTable models(&clock, names, config.pivots);
  metrics.AttachModels([&models] { return models.Stats(); });
  std::unique_ptr<HttpServer> http;
  std::string http_address = "off";
  // Security precedes the ports, which use it.
  auto security = Security::Open(config, &metrics);
  if (!security.ok()) return fail("start", security.status());
  // HTTP starts before the models are loaded, so that probes do not take the process for dead.
  if (config.metrics.has_value()) {
    auto started =
        HttpServer::Start(*config.metrics, MakeHooks(&metrics, &state),
                          HttpConnections(RaiseDescriptorLimit()), HttpTlsOf(config, **security),
                          sockets.For(*config.metrics), HostsOf(config, *config.metrics));
    if (!started.ok()) return fail("start", started.status());
    http = *std::move(started);
    http_address = http->address();
  }

  // The detector is opened before the models are loaded, so that a wrong file is reported at once.
  const auto detector = StartDetection(config);
  if (!detector.ok()) {
    http.reset();
    return fail("start", detector.status());
  }

  const engine::Nanos load_started = clock.Now();
  const ModelResources resources = FindResources(config, detector->memory);
  ModelManager manager(
      &models, &metrics, &clock, resources, config,
      [](const ModelSettings& model, const ModelShare& share, engine::LoadContext* load) {
        return PlanDevices(model, share, load);
      },
      [&clock](const ModelSettings& model, const ModelShare& share,
               engine::EngineObserver* observer, engine::LoadContext* load) {
        return StartEngine(model, share, &clock, observer, load);
      });
  if (const absl::Status status = manager.LoadAll(config.models, config.pivots); !status.ok()) {
    if (engine::AnyDeviceGivenUp()) {
      fail("model", status);
      EndWhileLoading(false, 1);  // the destruction of loaded models would wait for the device
    }
    http.reset();
    return fail("model", status);
  }
  LogMemoryBound(config, detector->memory, resources, models.Stats(), manager.start_peak_bytes());
  state.models = &models;

  HardExitTimer hard_exit;
  if (const absl::Status status = CheckThreads(kServingThreads + CpuBudget()); !status.ok()) {
    return fail("start", status);
  }
  loading.reset();
  auto serving = Serving::Start(config, &models, &clock, &metrics, security->get(), spans.get(),
                                detector->detector.get(), &sockets);
  if (!serving.ok()) {
    http.reset();
    return fail("start", serving.status());
  }
  // Runs on the manager's thread.
  const auto reload_all = [&]() -> absl::StatusOr<ReloadReport> {
    return ReloadAll(config, read_again, security->get(), &manager);
  };
  std::unique_ptr<AdminServer> admin;
  if (config.admin_listen.has_value()) {
    AdminHooks hooks;
    hooks.manager = &manager;
    hooks.models = &models;
    hooks.metrics = &metrics;
    hooks.clock = &clock;
    hooks.drain_limit = std::chrono::seconds(config.drain_seconds);
    hooks.drain = [serving = serving->get()](std::chrono::nanoseconds limit) {
      return serving->DrainAndStay(limit).cut_off;
    };
    hooks.draining = [serving = serving->get()] { return serving->NotReady() == "draining"; };
    hooks.reload_all = reload_all;
    auto started = AdminServer::Start(*config.admin_listen, hooks, (*security)->admin_tls());
    if (!started.ok()) {
      http.reset();
      return fail("start", started.status());
    }
    admin = *std::move(started);
  }
  manager.Start();
  state.serving = serving->get();
  for (const std::string& unused : sockets.Unused()) {
    Log(LogLevel::kWarn, "a socket that was passed is not used: no setting has its address",
        {{"address", unused}});
  }
  // Plain text on standard output, for scripts; the log is on standard error.
  PrintLine(
      absl::StrCat("dragomand listening grpc=", (*serving)->address(), " metrics=", http_address,
                   " admin=", admin == nullptr ? "off" : admin->address(),
                   " http=", (*serving)->http_address(), " model=", absl::StrJoin(names, ",")));
  Log(LogLevel::kInfo, "serving",
      {{"grpc", (*serving)->address()},
       {"metrics", http_address},
       {"http", (*serving)->http_address()},
       {"admin", admin == nullptr ? "off" : admin->address()},
       {"models", names},
       {"load_seconds", ToSeconds(clock.Now() - load_started)}});

  TellServiceManager(absl::StrCat("READY=1\nSTATUS=serving ", absl::StrJoin(names, ", ")));

  // Posts the task, so that the signal loop does not wait for a load.
  const auto reload = [&] {
    const absl::Status posted = manager.Post([&reload_all](bool go_on) {
      if (go_on) reload_all().IgnoreError();  // the log has the error
    });
    if (!posted.ok()) {
      Log(LogLevel::kWarn, "SIGHUP has no effect", {{"because", std::string(posted.message())}});
    }
  };
  const auto dead = [&models] {
    for (const ModelPtr& model : models.models()) {
      if (model->engine->Stats().live_workers > 0) continue;
      Log(LogLevel::kError, "no worker is left", {{"model", model->name}});
      return true;
    }
    return false;
  };
  const int signal = WaitForEnd({.reload = reload, .dead = dead});
  // If a model has lost its workers, the process ends with a drain, so that calls of other models
  // can end.
  const bool others = models.models().size() > 1;
  DrainTimes times;
  if (signal != 0 || others) times.limit = std::chrono::seconds(config.drain_seconds);
  if (signal != 0) times.lame_duck = std::chrono::seconds(config.lame_duck_seconds);
  // The timer is armed before everything that might hang, even a log line.
  hard_exit.Arm(times.lame_duck + times.limit + kExitGrace);
  TellServiceManager("STOPPING=1\nSTATUS=finishing the calls in flight");
  // The model of a load that is still running would no longer serve.
  manager.GiveUp();
  if (signal != 0) Log(LogLevel::kInfo, "signal", {{"number", signal}});
  const DrainResult result = DrainUnlessHurried(serving->get(), times);
  const int status = signal != 0 && result.clean ? 0 : 1;
  // The manager stops first, because it uses `serving`. The wait for a load is limited: a load may
  // sort a glossary or wait for a disk, and all calls have been answered.
  if (!manager.StopWithin(kLoadGrace)) EndWhileLoading(result.clean, status);
  admin.reset();
  http.reset();
  metrics.AttachModels(nullptr);
  serving->reset();
  Log(LogLevel::kInfo, "stopped", {{"clean", result.clean}});
  return status;
}

}  // namespace

int RunDaemon(const ServerConfig& config, const ReadConfig& read_again) {
  InheritedSockets sockets = InheritedSockets::Take();
  ConfigureAllocator();
  SaveAddressSpace();
  SetLogLevel(config.log_level);
  SetLogPeers(config.log_peers);
  QuietLibraries();
  FlushLogOnCrash();
  Log(LogLevel::kInfo, "starting", {{"version", kVersion}, {"model", config.model_name}});
  int status = 1;
  try {
    status = Run(config, read_again, std::move(sockets));
  } catch (const std::exception& e) {
    // The engine catches its own exceptions. These come from the rest of the daemon.
    Log(LogLevel::kError, "failed",
        {{"error", absl::StrCat("memory or a thread is not available (", e.what(),
                                "): ", engine::kWhatLimits)}});
  }
  FlushLines(kLastLines);
  if (engine::AnyDeviceGivenUp()) _exit(status);  // the driver would wait for the device
  return status;
}

}  // namespace dragoman::server
