#include "server/signals.h"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <string>
#include <thread>

#include "server/log.h"

namespace dragoman {
namespace {

sigset_t AwaitedSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

// The number of a signal that came within the time, or 0.
int WaitSignal(std::chrono::milliseconds timeout) {
  const sigset_t set = AwaitedSignals();
  const timespec time{timeout.count() / 1000, (timeout.count() % 1000) * 1'000'000};
  const int signal = sigtimedwait(&set, nullptr, &time);
  return signal > 0 ? signal : 0;
}

void ReloadGlossaries(Engine* engine) {
  const absl::Status status = engine->ReloadGlossaries();
  if (status.ok()) {
    Log(LogLevel::kInfo, "glossaries reloaded");
  } else {
    Log(LogLevel::kError, "glossaries not reloaded, the old ones stay",
        {{"error", std::string(status.message())}});
  }
}

}  // namespace

void PrepareSignals() {
  const sigset_t set = AwaitedSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool WaitForEnd(Engine* engine) {
  while (true) {
    const int signal = WaitSignal(std::chrono::seconds(1));
    if (signal == SIGHUP) {
      ReloadGlossaries(engine);
    } else if (signal != 0) {
      Log(LogLevel::kInfo, "signal", {{"number", signal}});
      return true;
    }
    if (engine->Stats().live_workers < 1) {
      Log(LogLevel::kError, "no worker is left");
      return false;
    }
  }
}

DrainResult DrainUnlessHurried(Serving* serving, std::chrono::seconds limit) {
  std::atomic<bool> done{false};
  std::thread second([serving, &done] {
    while (!done) {
      const int signal = WaitSignal(std::chrono::milliseconds(100));
      if (signal == 0 || signal == SIGHUP) continue;
      Log(LogLevel::kWarn, "second signal");
      serving->Hurry();
    }
  });
  const DrainResult result = serving->DrainCalls(limit);
  done = true;
  second.join();
  return result;
}

}  // namespace dragoman
