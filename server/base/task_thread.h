// A thread that runs tasks one after another, in the order in which they were posted.
//
// Thread-safe, except that only one thread may call Start and Stop.
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
  // `name` is for NameThisThread. At most `capacity` tasks may wait.
  TaskThread(const char* name, size_t capacity) : name_(name), capacity_(capacity) {}
  ~TaskThread() { Stop(); }
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  // Starts the thread, which calls each posted task with `true`. A task that still waits at Stop is
  // called with `false` instead and must not change anything.
  void Start();
  using Task = std::function<void(bool go_on)>;
  // Returns RESOURCE_EXHAUSTED if too many tasks wait, UNAVAILABLE after Stop; drops the task then.
  absl::Status Post(Task task);
  // Waits for the running task and calls the waiting tasks with `false`. May be called again.
  void Stop();
  // Stop, but waits at most `patience` for the running task. Returns false if the task still runs
  // then. In that case the waiting tasks are not called, and the thread runs until the task or the
  // process ends. After false, the destructor would wait for the task without a limit.
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
