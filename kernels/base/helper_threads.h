// Threads that lend the idle cores of a model to the threads that compute.
//
// A thread that computes for an encoder or a decode loop is a HelpedThread. It divides its work
// into pieces. Helpers are threads on the cores that have no computing thread. They do pieces of
// the work of computing threads, which share the helpers evenly. So one sentence uses all cores,
// and under full load each computing thread has a core of its own.
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

// Work that is divided into pieces, which have the numbers 0 .. count - 1.
struct WorkPieces {
  // Does the pieces begin .. end - 1. `thread` is a number below `threads`, unique among the
  // threads that do this work at the same time; the HelpedThread has number 0.
  void (*work)(const void* data, int64_t begin, int64_t end, int thread) = nullptr;
  const void* data = nullptr;
  int64_t count = 0;
  // A thread takes pieces in groups whose size is a multiple of this number. REQUIRES: > 0.
  int64_t multiple = 1;
  // The largest number of threads that are worth using for this work, including the HelpedThread.
  // REQUIRES: > 0.
  int threads = 1;
};

class HelperThreads {
 public:
  // A helper that has found no work for this long sleeps until it is called.
  static constexpr std::chrono::microseconds kPatience{200};

  // Starts cores - 1 threads. Throws std::system_error if that fails. REQUIRES: cores > 0.
  explicit HelperThreads(int cores);
  // REQUIRES: all its HelpedThreads are destroyed.
  ~HelperThreads();
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;

  int cores() const { return cores_; }
  // Returns the number of helpers that are awake.
  int awake() const { return awake_.load(std::memory_order_relaxed); }

 private:
  friend class HelpedThread;
  // The work of a computing thread and its helpers. HelperThreads keeps every SharedWork until it
  // is destroyed itself, because a helper may still read it after its HelpedThread is destroyed.
  struct SharedWork;
  struct Helper;

  SharedWork* TakeWork();
  void ReturnWork(SharedWork* shared);

  // Returns how many helpers one computing thread may have.
  int Share() const;
  // Sets the number of helpers of `shared` to `wanted`, or to fewer if too few helpers are free.
  void Assign(SharedWork* shared, int wanted);

  void Run(Helper& helper);
  void Help(Helper& helper);
  bool TooManyAwake() const;
  // Reports whether the calling helper may stay awake. If not, it is no longer counted in awake_.
  bool MayStay();
  void FallAsleep(Helper& helper);
  void Close();

  const int cores_;

  std::atomic<int> computing_{0};   // number of HelpedThreads between Begin and End
  std::atomic<int> awake_{0};       // number of helpers that are awake
  std::atomic<int> unassigned_{0};  // number of helpers without work; changes under mu_
  std::atomic<bool> closing_{false};

  std::mutex mu_;
  std::vector<std::unique_ptr<SharedWork>> works_;  // guarded by mu_
  std::vector<SharedWork*> free_works_;             // guarded by mu_
  std::vector<std::unique_ptr<Helper>> helpers_;
};

// A thread that computes and shares its work with helpers. Not thread-safe.
class HelpedThread {
 public:
  // `most_threads` is the largest number of threads that do this thread's work at the same time,
  // this thread included; at most kMostThreads.
  static constexpr int kMostThreads = 32;
  HelpedThread(HelperThreads* helpers, int most_threads);
  ~HelpedThread();
  HelpedThread(const HelpedThread&) = delete;
  HelpedThread& operator=(const HelpedThread&) = delete;

  int most_threads() const { return most_threads_; }

  // Marks this thread as computing: it needs a core and may be helped.
  void Begin();
  // Marks this thread as not computing: helpers may use its core, and its own helpers may help
  // others.
  void End();

  // Does all pieces and returns. If this thread is not between Begin and End, it does all of them
  // alone.
  void Do(const WorkPieces& pieces);

 private:
  // Asks for up to `wanted` helpers. Returns the number of helpers that this thread now has.
  int Helpers(int wanted);
  // Reports whether this thread may call helpers now. It may if the helpers were useful since the
  // last call: they have joined its work at least kWorksToBeOfUse times. Otherwise it must wait
  // before it calls again. The wait doubles with each call.
  bool MayCall();
  // Removes all helpers from this thread's work, because they delay it. Sets the earliest time at
  // which it may call helpers again.
  void SendAway();

  HelperThreads* const helpers_;
  HelperThreads::SharedWork* const shared_;
  const int most_threads_;
  bool begun_ = false;

  int64_t joined_before_ = 0;  // value of SharedWork::joined when helpers were last called
  std::chrono::steady_clock::time_point retry_at_;
  std::chrono::nanoseconds retry_;
};

}  // namespace dragoman::kernels
