#include "client/clock.h"

#include <grpcpp/alarm.h>

#include <memory>
#include <utility>

namespace dragoman::client {
namespace {

class RealClock : public ClientClock {
 public:
  TimePoint Now() override { return std::chrono::steady_clock::now(); }
  std::function<void()> RunAfter(std::chrono::nanoseconds delay,
                                 std::function<void()> task) override {
    auto alarm = std::make_shared<grpc::Alarm>();
    grpc::Alarm* const set = alarm.get();
    std::function<void()> hurry = [weak = std::weak_ptr<grpc::Alarm>(alarm)] {
      if (const auto waiting = weak.lock()) waiting->Cancel();
    };
    // The alarm and the callback own each other. To break this cycle, the callback releases the
    // alarm when it runs. It does so before the task, because a client's destructor may wait only
    // for the task.
    set->Set(std::chrono::system_clock::now() +
                 std::chrono::duration_cast<std::chrono::system_clock::duration>(delay),
             [alarm = std::move(alarm), task = std::move(task)](bool) mutable {
               alarm.reset();
               std::exchange(task, nullptr)();
             });
    return hurry;
  }
};

}  // namespace

ClientClock* ClientClock::Real() {
  // Never destroyed, because alarms may still run after main.
  static RealClock* const clock = new RealClock;
  return clock;
}

}  // namespace dragoman::client
