#include "server/process/drain.h"

#include <unistd.h>

#include "engine/base/thread_name.h"
#include "server/base/log.h"

namespace dragoman::server {
namespace {

// How long to wait for the end of cancelled calls. They need only the engine's next step and the
// time to send their answers.
constexpr std::chrono::seconds kAfterCancel{2};
constexpr int kHardExitStatus = 3;

}  // namespace

DrainResult Drain(const DrainSteps& steps, const DrainTimes& times) {
  DrainResult result;
  steps.leave();
  if (times.lame_duck > std::chrono::nanoseconds::zero()) {
    const double seconds = std::chrono::duration<double>(times.lame_duck).count();
    Log(LogLevel::kInfo, "lame duck", {{"seconds", seconds}, {"in_flight", steps.in_flight()}});
    const bool hurried = steps.linger(times.lame_duck);
    if (hurried) Log(LogLevel::kInfo, "lame duck cut short");
  }
  steps.stop_taking();
  Log(LogLevel::kInfo, "draining", {{"in_flight", steps.in_flight()}});
  if (!steps.wait_idle(times.limit)) {
    result.clean = false;
    result.cut_off = steps.in_flight();
    Log(LogLevel::kWarn, "drain limit", {{"cut_off", result.cut_off}});
    steps.cancel_rest();
    steps.wait_idle(kAfterCancel);
  }
  steps.shutdown();
  Log(LogLevel::kInfo, "drained", {{"clean", result.clean}, {"in_flight", steps.in_flight()}});
  return result;
}

HardExitTimer::HardExitTimer() : thread_([this] { Run(); }) {}

void HardExitTimer::Arm(std::chrono::nanoseconds after) {
  engine::MutexLock lock(&mu_);
  end_ = std::chrono::steady_clock::now() + after;
  changed_.NotifyAll();
}

HardExitTimer::~HardExitTimer() {
  {
    engine::MutexLock lock(&mu_);
    done_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void HardExitTimer::Run() {
  engine::NameThisThread("hard exit");
  {
    engine::MutexLock lock(&mu_);
    while (!done_) {
      if (!end_.has_value()) {
        changed_.Wait(&mu_);
        continue;
      }
      const auto left = *end_ - std::chrono::steady_clock::now();
      if (left <= std::chrono::nanoseconds::zero()) break;
      changed_.WaitFor(&mu_, left);
    }
    if (done_) return;
  }
  // Writes no log line, because the log might wait for the part that hangs.
  _exit(kHardExitStatus);
}

}  // namespace dragoman::server
