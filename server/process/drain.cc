#include "server/process/drain.h"

#include <unistd.h>

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

void HardExitTimer::Arm(std::chrono::nanoseconds after) {
  // No log line, because it might wait for the part that hangs.
  timer_.Arm(clock_.Now() + after.count(), [] { _exit(kHardExitStatus); });
}

}  // namespace dragoman::server
