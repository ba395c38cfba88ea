// A thread that does one task after another, in the order in which they were posted.
//
// Thread-safe; Start and Stop are for one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <thread>

#include "absl/status/status.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

class TaskThread {
 public:
  // `name` of the thread: NameThisThread. At most `capacity` tasks wait.
  TaskThread(const char* name, size_t capacity) : name_(name), capacity_(capacity) {}
  // Stops.
  ~TaskThread() { Stop(); }
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  // From now on tasks that are posted are called with `true`; with `false`, meaning that they must
  // not change anything, if Stop comes first.
  void Start();
  using Task = std::function<void(bool go_on)>;
  // RESOURCE_EXHAUSTED: too many wait. UNAVAILABLE: it has been stopped. The task is then never
  // called.
  absl::Status Post(Task task);
  // Waits for the task under way, and calls those that have not begun with `false`. Calling it
  // again has no effect.
  void Stop();
  // The same, but waits no longer than `patience` for the task under way. False: it still is, and
  // so is the thread; the process can only end as a whole.
  bool StopWithin(std::chrono::nanoseconds patience);

 private:
  void Run();

  const char* const name_;
  const size_t capacity_;
  engine::Mutex mu_;
  engine::CondVar changed_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mu_);
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  bool runs_ ABSL_GUARDED_BY(mu_) = false;  // a task is running
  std::thread thread_;
};

}  // namespace dragoman::server
