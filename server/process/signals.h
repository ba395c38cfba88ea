// The daemon's reactions to signals: SIGTERM and SIGINT end it, SIGHUP makes it read again what may
// have changed on disk.
//
// For the daemon's main thread. Signals are taken by waiting for them, never by a handler.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "server/process/drain.h"
#include "server/process/serving.h"

namespace dragoman::server {

// Blocks SIGTERM, SIGINT and SIGHUP and ignores SIGPIPE, for this thread and those it starts. Call it
// before any thread is started.
void PrepareSignals();

// While it lives, a thread waits for SIGTERM and SIGINT and calls `end` with the first one's
// number: for the time in which there is nothing to drain. SIGHUP stays pending. REQUIRES:
// PrepareSignals was called.
class EarlyEnd {
 public:
  explicit EarlyEnd(std::function<void(int signal)> end);
  ~EarlyEnd();
  EarlyEnd(const EarlyEnd&) = delete;
  EarlyEnd& operator=(const EarlyEnd&) = delete;

 private:
  const int signals_;  // descriptors
  const int stop_;
  std::thread thread_;
};

struct SignalHooks {
  std::function<void()> reload;  // SIGHUP
  std::function<bool()> dead;    // called every second
};

// Waits for SIGTERM or SIGINT and returns its number, or until `dead` and returns 0.
int WaitForEnd(const SignalHooks& hooks);

// Drains; SIGTERM or SIGINT ends the waiting, SIGHUP has no effect any more.
DrainResult DrainUnlessHurried(Serving* serving, const DrainTimes& times);

}  // namespace dragoman::server
