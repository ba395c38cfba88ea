// The daemon's reactions to signals: SIGTERM and SIGINT end the daemon, SIGHUP makes it read its
// files again.
//
// Used on the daemon's main thread. No signal has a handler. Threads wait for signals instead.
#pragma once

#include <functional>
#include <thread>

#include "server/process/drain.h"
#include "server/process/serving.h"

namespace dragoman::server {

// Blocks SIGTERM, SIGINT and SIGHUP for this thread and the threads that it starts, and ignores
// SIGPIPE. REQUIRES: called before any thread is started.
void PrepareSignals();

// While this object exists, a thread waits for SIGTERM and SIGINT, and calls `end` with the first
// one that arrives. The daemon uses it before there are calls to drain. SIGHUP stays pending.
// REQUIRES: PrepareSignals was called.
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

// While this object exists, a thread reads standard input, discards what it reads, and sends this
// process SIGTERM at the end of the input. REQUIRES: PrepareSignals was called.
class EndAtEof {
 public:
  EndAtEof();
  ~EndAtEof();
  EndAtEof(const EndAtEof&) = delete;
  EndAtEof& operator=(const EndAtEof&) = delete;

 private:
  const int stop_;  // a descriptor
  std::thread thread_;
};

struct SignalHooks {
  std::function<void()> reload;  // called for SIGHUP
  std::function<bool()> dead;    // called every second; true ends the wait
};

// Waits for SIGTERM or SIGINT and returns its number. Returns 0 as soon as `dead` returns true.
int WaitForEnd(const SignalHooks& hooks);

// Calls DrainCalls. SIGTERM or SIGINT ends the waits of DrainCalls. SIGHUP has no effect during the
// drain.
DrainResult DrainUnlessHurried(Serving* serving, const DrainTimes& times);

}  // namespace dragoman::server
