#include "kernels/base/helper_threads.h"

#include <pthread.h>

#include <algorithm>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace dragoman::kernels {
namespace {

// A helper that polls for work reads the clock once in this many polls. A poll takes about 50 ns.
constexpr int kLooksPerClock = 32;
// A thread that waits for its helpers this long (2048 polls, about 100 microseconds) yields its
// core: the helper that is late may not be running because it needs this core.
constexpr int kLooksBeforeYield = 2048;
// Waking a helper costs about 35 microseconds. A helper whose core runs something else costs more
// than it helps. So a thread sends away helpers that delay it, and calls helpers again after a
// pause. The pause doubles with each call, until helpers have joined the thread's work
// kWorksToBeOfUse times between two calls.
constexpr int kWorksToBeOfUse = 16;
constexpr std::chrono::milliseconds kFirstRetry{1};
constexpr std::chrono::milliseconds kLastRetry{64};
// Work is divided into one part for each thread. A thread takes its part in this many portions, so
// that other threads can take the remaining portions if it is late. The wait for the last portion
// is then short: 30 microseconds for the output layer.
constexpr int64_t kTakesPerPart = 16;

void Relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  // `yield` does nothing on most processors. `isb` takes about as long as the pause of x86-64.
  __asm__ volatile("isb" ::: "memory");
#endif
}

// The state of a SharedWork is one word: a bit for each thread number that is in use, a bit that
// says whether another thread may join, and the number of the work, which every call of Do
// increments.
constexpr uint64_t kThreads = (uint64_t{1} << HelpedThread::kMostThreads) - 1;
constexpr uint64_t kOpen = kThreads + 1;
constexpr uint64_t kNextWork = kOpen << 1;

uint64_t WorkOf(uint64_t state) { return state / kNextWork; }
constexpr uint64_t kNoWork = ~uint64_t{0};

}  // namespace

struct HelperThreads::SharedWork {
  // Joins the open work and returns this thread's number in it, which is > 0. Sets *done to the
  // number of the work. Returns 0 if no work is open, if the open work has the number *done
  // already, or if all thread numbers are taken.
  int Join(uint64_t* done) {
    uint64_t seen = state.load(std::memory_order_acquire);
    while ((seen & kOpen) != 0 && WorkOf(seen) != *done) {
      const int thread = std::countr_one((seen & kThreads) | 1);
      if (thread >= HelpedThread::kMostThreads) return 0;
      if (!state.compare_exchange_weak(seen, seen | (uint64_t{1} << thread),
                                       std::memory_order_acq_rel, std::memory_order_acquire)) {
        continue;
      }
      // `pieces` cannot change before this thread calls Leave.
      *done = WorkOf(seen);
      if (thread < pieces.threads) {
        joined.fetch_add(1, std::memory_order_relaxed);
        return thread;
      }
      Leave(thread);
    }
    return 0;
  }

  void Leave(int thread) { state.fetch_and(~(uint64_t{1} << thread), std::memory_order_release); }

  // Does the pieces that no thread has taken, those of this thread's own part first, while
  // `may_stay` returns true.
  template <class MayStay>
  void Work(int thread, const MayStay& may_stay) {
    for (int i = 0; i < parts; ++i) {
      Part& from = part[(thread + i) % parts];
      while (from.next.load(std::memory_order_relaxed) < from.end) {
        if (!may_stay()) return;
        const int64_t begin = from.next.fetch_add(take, std::memory_order_relaxed);
        if (begin >= from.end) break;
        pieces.work(pieces.data, begin, std::min(begin + take, from.end), thread);
      }
    }
  }

  struct alignas(64) Part {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  alignas(64) std::atomic<uint64_t> state{0};
  std::atomic<int64_t> joined{0};           // how often helpers have joined, in all works
  alignas(64) std::atomic<int> helpers{0};  // number of helpers; changes under the mutex

  // The fields below change only while no thread works.
  WorkPieces pieces;
  int64_t take = 1;
  int parts = 1;
  Part part[HelpedThread::kMostThreads];
};

struct HelperThreads::Helper {
  alignas(64) std::atomic<SharedWork*> shared{nullptr};  // changes under the mutex
  bool asleep = true;                                    // guarded by the mutex
  std::condition_variable wake;
  std::thread thread;
};

HelperThreads::HelperThreads(int cores) : cores_(std::max(cores, 1)) {
  for (int i = 1; i < cores_; ++i) helpers_.push_back(std::make_unique<Helper>());
  unassigned_.store(cores_ - 1);
  try {
    for (const auto& helper : helpers_) {
      helper->thread = std::thread([this, &own = *helper] {
        pthread_setname_np(pthread_self(), "helper");
        Run(own);
      });
    }
  } catch (...) {
    Close();
    throw;
  }
}

HelperThreads::~HelperThreads() { Close(); }

void HelperThreads::Close() {
  {
    const std::lock_guard lock(mu_);
    closing_.store(true);
  }
  for (const auto& helper : helpers_) {
    helper->wake.notify_one();
    if (helper->thread.joinable()) helper->thread.join();
  }
}

HelperThreads::SharedWork* HelperThreads::TakeWork() {
  const std::lock_guard lock(mu_);
  if (free_works_.empty()) {
    works_.push_back(std::make_unique<SharedWork>());
    free_works_.reserve(works_.size());
    return works_.back().get();
  }
  SharedWork* const shared = free_works_.back();
  free_works_.pop_back();
  return shared;
}

void HelperThreads::ReturnWork(SharedWork* shared) {
  Assign(shared, 0);
  const std::lock_guard lock(mu_);
  free_works_.push_back(shared);
}

int HelperThreads::Share() const {
  const int computing = std::max(1, computing_.load(std::memory_order_relaxed));
  return std::max(0, cores_ / computing - 1);
}

void HelperThreads::Assign(SharedWork* shared, int wanted) {
  std::condition_variable* woken[HelpedThread::kMostThreads];
  int count = 0;
  {
    const std::lock_guard lock(mu_);
    int have = shared->helpers.load(std::memory_order_relaxed);
    for (const auto& helper : helpers_) {
      if (have == wanted) break;
      SharedWork* const at = helper->shared.load(std::memory_order_relaxed);
      if (have > wanted && at == shared) {
        helper->shared.store(nullptr, std::memory_order_relaxed);
        unassigned_.fetch_add(1, std::memory_order_relaxed);
        --have;
      } else if (have < wanted && at == nullptr) {
        helper->shared.store(shared, std::memory_order_release);
        unassigned_.fetch_sub(1, std::memory_order_relaxed);
        ++have;
        if (helper->asleep) {
          helper->asleep = false;
          awake_.fetch_add(1, std::memory_order_relaxed);
          woken[count++] = &helper->wake;
        }
      }
    }
    shared->helpers.store(have, std::memory_order_relaxed);
  }
  for (int i = 0; i < count; ++i) woken[i]->notify_one();
}

void HelperThreads::Run(Helper& helper) {
  for (;;) {
    {
      std::unique_lock lock(mu_);
      helper.wake.wait(lock, [&] { return !helper.asleep || closing_.load(); });
      if (closing_.load()) return;
    }
    Help(helper);
  }
}

bool HelperThreads::TooManyAwake() const {
  return computing_.load(std::memory_order_relaxed) + awake_.load(std::memory_order_relaxed) >
         cores_;
}

bool HelperThreads::MayStay() {
  int awake = awake_.load(std::memory_order_relaxed);
  while (computing_.load(std::memory_order_relaxed) + awake > cores_) {
    if (awake_.compare_exchange_weak(awake, awake - 1, std::memory_order_relaxed)) return false;
  }
  return true;
}

void HelperThreads::FallAsleep(Helper& helper) {
  const std::lock_guard lock(mu_);
  helper.asleep = true;
  SharedWork* const shared = helper.shared.load(std::memory_order_relaxed);
  if (shared == nullptr) return;
  helper.shared.store(nullptr, std::memory_order_relaxed);
  shared->helpers.fetch_sub(1, std::memory_order_relaxed);
  unassigned_.fetch_add(1, std::memory_order_relaxed);
}

void HelperThreads::Help(Helper& helper) {
  SharedWork* shared = nullptr;
  uint64_t done = kNoWork;
  std::chrono::steady_clock::time_point idle_since;
  for (int looks = 1;; ++looks) {
    SharedWork* const at = helper.shared.load(std::memory_order_acquire);
    if (at != shared) {
      shared = at;
      done = kNoWork;
      looks = 1;
    }
    if (shared != nullptr) {
      if (const int thread = shared->Join(&done); thread > 0) {
        shared->Work(thread, [this] { return !TooManyAwake(); });
        shared->Leave(thread);
        looks = 0;
      }
    }
    if (!MayStay()) break;
    if (looks % kLooksPerClock == 0 && looks > 0) {
      const auto now = std::chrono::steady_clock::now();
      if (looks == kLooksPerClock) idle_since = now;
      if (now - idle_since > kPatience || closing_.load(std::memory_order_relaxed)) {
        awake_.fetch_sub(1, std::memory_order_relaxed);
        break;
      }
    }
    Relax();
  }
  FallAsleep(helper);
}

HelpedThread::HelpedThread(HelperThreads* helpers, int most_threads)
    : helpers_(helpers),
      shared_(helpers->TakeWork()),
      most_threads_(std::clamp(most_threads, 1, kMostThreads)),
      retry_(kFirstRetry) {}

HelpedThread::~HelpedThread() {
  if (begun_) End();
  helpers_->ReturnWork(shared_);
}

void HelpedThread::Begin() {
  begun_ = true;
  helpers_->computing_.fetch_add(1, std::memory_order_relaxed);
}

void HelpedThread::End() {
  begun_ = false;
  helpers_->computing_.fetch_sub(1, std::memory_order_relaxed);
  if (shared_->helpers.load(std::memory_order_relaxed) > 0) helpers_->Assign(shared_, 0);
}

int HelpedThread::Helpers(int wanted) {
  int have = shared_->helpers.load(std::memory_order_relaxed);
  const int share = std::min(helpers_->Share(), most_threads_ - 1);
  wanted = std::min(wanted, share);
  if (have > share) {
    helpers_->Assign(shared_, share);
  } else if (have >= wanted || helpers_->unassigned_.load(std::memory_order_relaxed) == 0 ||
             !MayCall()) {
    return have;
  } else {
    helpers_->Assign(shared_, wanted);
  }
  return shared_->helpers.load(std::memory_order_relaxed);
}

bool HelpedThread::MayCall() {
  const auto now = std::chrono::steady_clock::now();
  const int64_t joined = shared_->joined.load(std::memory_order_relaxed);
  if (joined - joined_before_ >= kWorksToBeOfUse) {
    retry_ = kFirstRetry;
  } else if (now < retry_at_) {
    return false;
  }
  joined_before_ = joined;
  retry_at_ = now + retry_;
  retry_ = std::min<std::chrono::nanoseconds>(2 * retry_, kLastRetry);
  return true;
}

void HelpedThread::SendAway() {
  helpers_->Assign(shared_, 0);
  joined_before_ = shared_->joined.load(std::memory_order_relaxed);
  retry_at_ = std::chrono::steady_clock::now() + retry_;
  retry_ = std::min<std::chrono::nanoseconds>(2 * retry_, kLastRetry);
}

void HelpedThread::Do(const WorkPieces& pieces) {
  const int64_t units = (pieces.count + pieces.multiple - 1) / pieces.multiple;
  const int most = static_cast<int>(std::min<int64_t>({pieces.threads, most_threads_, units}));
  const int have = begun_ && most > 1 ? Helpers(most - 1) : 0;
  const int parts = std::min(have + 1, most);
  if (parts <= 1) {
    if (pieces.count > 0) pieces.work(pieces.data, 0, pieces.count, 0);
    return;
  }
  HelperThreads::SharedWork& shared = *shared_;
  shared.pieces = pieces;
  shared.pieces.threads = most;
  shared.parts = parts;
  shared.take = std::max<int64_t>(1, units / (parts * kTakesPerPart)) * pieces.multiple;
  for (int i = 0; i < parts; ++i) {
    shared.part[i].next.store(units * i / parts * pieces.multiple, std::memory_order_relaxed);
    shared.part[i].end = std::min(units * (i + 1) / parts * pieces.multiple, pieces.count);
  }
  const uint64_t work = WorkOf(shared.state.load(std::memory_order_relaxed)) + 1;
  shared.state.store(work * kNextWork | kOpen, std::memory_order_release);
  shared.Work(0, [] { return true; });
  uint64_t left = shared.state.fetch_and(~kOpen, std::memory_order_acquire) & kThreads;
  int looks = 0;
  for (; left != 0; ++looks) {
    looks < kLooksBeforeYield ? Relax() : std::this_thread::yield();
    left = shared.state.load(std::memory_order_acquire) & kThreads;
  }
  if (looks > kLooksBeforeYield) SendAway();
}

}  // namespace dragoman::kernels
