// Threads that lend the idle cores of a model to the threads that compute.
//
// A thread that computes (an encoder's, a decode loop's) is a HelpedThread. It says when it begins
// and when it has ended, and has divisible work done in pieces: by itself, and by as many helpers
// as there are cores on which no such thread computes, divided evenly among those that do. So a
// lone sentence has all cores, and under full load each thread has the core that it runs on.
//
//   * No thread waits for a helper to come: a helped thread takes piece after piece itself, and
//     waits
//     at the end only for pieces that helpers are in the middle of.
//   * A helper whose core is needed sleeps after its current piece; so does one that others' work
//     on its core keeps from helping, and it is called less and less often.
//   * A helper without work for kPatience sleeps. Until then it spins: the work that a step divides
//     takes from two microseconds on, and waking a thread takes tens of them.
//
// Thread-safe. Owns its threads and joins them. Which thread does a piece is chance: results must
// not depend on it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace dragoman::kernels {

// Pieces 0 .. count - 1 of some work.
struct WorkPieces {
  // Does consecutive pieces [begin, end). Threads that work at once have different numbers below
  // `threads`; 0 is the number of the helped thread itself.
  void (*work)(const void* data, int64_t begin, int64_t end, int thread) = nullptr;
  const void* data = nullptr;
  int64_t count = 0;
  // Pieces are taken this many at a time, or a multiple of it. REQUIRES: > 0.
  int64_t multiple = 1;
  // The most threads that are worth waking. REQUIRES: > 0.
  int threads = 1;
};

class HelperThreads {
 public:
  static constexpr std::chrono::microseconds kPatience{200};

  // Starts cores - 1 threads. Throws std::system_error when one cannot be started. REQUIRES: cores > 0.
  explicit HelperThreads(int cores);
  // REQUIRES: no HelpedThread of it is left.
  ~HelperThreads();
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;

  int cores() const { return cores_; }
  // The number of helpers that do not sleep.
  int awake() const { return awake_.load(std::memory_order_relaxed); }

 private:
  friend class HelpedThread;
  // Work that a computing thread shares with its helpers. It lives as long as the helpers, which may
  // look at it late.
  struct SharedWork;
  struct Helper;

  SharedWork* TakeWork();
  void ReturnWork(SharedWork* shared);

  // How many helpers one of the threads that compute may have.
  int Share() const;
  // Assigns up to `wanted` helpers to the work, as far as there are any without one.
  void Assign(SharedWork* shared, int wanted);

  void Run(Helper& helper);
  void Help(Helper& helper);
  bool TooManyAwake() const;
  // Whether this one may stay; if not, it is no longer counted among those awake.
  bool MayStay();
  void FallAsleep(Helper& helper);
  void Close();

  const int cores_;

  std::atomic<int> computing_{0};   // helped threads that have begun
  std::atomic<int> awake_{0};       // helpers
  std::atomic<int> unassigned_{0};  // helpers; changes under mu_
  std::atomic<bool> closing_{false};

  std::mutex mu_;
  std::vector<std::unique_ptr<SharedWork>> works_;  // guarded by mu_
  std::vector<SharedWork*> free_works_;             // guarded by mu_
  std::vector<std::unique_ptr<Helper>> helpers_;
};

// A thread that computes. It must not be used by two threads at once.
class HelpedThread {
 public:
  // `most_threads`: the most threads that work for it at once, this one included; at most
  // kMostThreads.
  static constexpr int kMostThreads = 32;
  HelpedThread(HelperThreads* helpers, int most_threads);
  ~HelpedThread();
  HelpedThread(const HelpedThread&) = delete;
  HelpedThread& operator=(const HelpedThread&) = delete;

  int most_threads() const { return most_threads_; }

  // From here on it needs a core, and may be helped.
  void Begin();
  // From here on others may have its core and its helpers.
  void End();

  // Returns when all pieces are done. Before Begin it does them alone.
  void Do(const WorkPieces& pieces);

 private:
  // The number of helpers that it has, after it has asked for `wanted` if so many are available.
  int Helpers(int wanted);
  // Whether to call helpers now, after they have been of little use.
  bool MayCall();
  // Sends the helpers away, because they hold the work up.
  void SendAway();

  HelperThreads* const helpers_;
  HelperThreads::SharedWork* const shared_;
  const int most_threads_;
  bool begun_ = false;

  int64_t joined_before_ = 0;  // works that helpers joined in, when it called them last
  std::chrono::steady_clock::time_point retry_at_;
  std::chrono::nanoseconds retry_;
};

}  // namespace dragoman::kernels
