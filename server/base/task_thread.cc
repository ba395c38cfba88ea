#include "server/base/task_thread.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/thread_name.h"

namespace dragoman::server {

void TaskThread::Start() {
  thread_ = std::thread([this] { Run(); });
}

absl::Status TaskThread::Post(Task task) {
  engine::MutexLock lock(&mu_);
  if (stop_) return absl::UnavailableError("the daemon is ending");
  if (tasks_.size() >= capacity_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("found ", capacity_, " changes that wait, expected fewer: try again"));
  }
  tasks_.push_back(std::move(task));
  changed_.NotifyAll();
  return absl::OkStatus();
}

void TaskThread::Stop() {
  {
    engine::MutexLock lock(&mu_);
    stop_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
  std::deque<Task> left;
  {
    engine::MutexLock lock(&mu_);
    left.swap(tasks_);
  }
  for (const Task& task : left) task(false);
}

bool TaskThread::StopWithin(std::chrono::nanoseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  {
    engine::MutexLock lock(&mu_);
    stop_ = true;
    changed_.NotifyAll();
    while (runs_) {
      if (!changed_.WaitUntil(&mu_, end)) return false;
    }
  }
  Stop();
  return true;
}

void TaskThread::Run() {
  engine::NameThisThread(name_);
  while (true) {
    Task task;
    {
      engine::MutexLock lock(&mu_);
      runs_ = false;
      changed_.NotifyAll();
      while (tasks_.empty() && !stop_) changed_.Wait(&mu_);
      if (stop_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      runs_ = true;
    }
    task(true);
  }
}

}  // namespace dragoman::server
