// A thread pool that starts tasks in the order of arrival. If the pool has 0 threads, Post runs the
// task itself.
//
// Thread-safe. A caller of Post must hold no lock that a task takes. The destructor runs the queued
// tasks, then joins the threads.
//
// The pool does not limit the number of queued tasks, but its users do. The tokenizer pool has one
// task for each job that holds a reservation of the request queue. The detokenizer pool has at most
// two tasks for each segment, one for its newest partial and one for its final result. Such a
// segment is in a slot of the batch, or has left the slot and waits for its text.
#pragma once

#include <deque>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/thread_name.h"

namespace dragoman::engine {

class WorkerPool {
 public:
  // Names the threads by NameThisThread. Throws std::system_error if one cannot be started.
  WorkerPool(const char* name, int threads) : name_(name) {
    try {
      for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
    } catch (...) {
      End();
      throw;
    }
  }

  ~WorkerPool() { End(); }

  void Post(std::function<void()> task) {
    if (threads_.empty()) return task();
    MutexLock lock(&mu_);
    tasks_.push_back(std::move(task));
    changed_.NotifyOne();
  }

  // Returns the number of tasks that no thread has begun yet.
  int64_t backlog() const {
    MutexLock lock(&mu_);
    return static_cast<int64_t>(tasks_.size());
  }

 private:
  void End() {
    {
      MutexLock lock(&mu_);
      closing_ = true;
      changed_.NotifyAll();
    }
    for (std::thread& thread : threads_) thread.join();
  }

  void Run() {
    NameThisThread(name_);
    for (;;) {
      std::function<void()> task;
      {
        MutexLock lock(&mu_);
        while (tasks_.empty() && !closing_) changed_.Wait(&mu_);
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  const char* const name_;
  mutable Mutex mu_;
  CondVar changed_;
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(mu_);
  bool closing_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace dragoman::engine
