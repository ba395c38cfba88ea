// A group of host threads that replaces a block's threads.
#pragma once

#include <barrier>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "kernels/base/atomic.h"
#include "kernels/search/thread_group.h"

namespace dragoman::testing {

class HostThreadGroup {
 public:
  struct Shared {
    explicit Shared(int size) : barrier(size), values(static_cast<size_t>(size) * kValueBytes) {}
    std::barrier<> barrier;
    std::vector<unsigned char> values;
  };
  HostThreadGroup(int rank, int size, Shared* shared) : rank_(rank), size_(size), shared_(shared) {}

  int rank() const { return rank_; }
  int size() const { return size_; }
  void Sync() const { shared_->barrier.arrive_and_wait(); }
  bool Any(bool mine) const {
    return Reduce(mine, [](bool a, bool b) { return a && !b; });
  }

  template <class T, class Better>
  T Reduce(T value, Better better) const {
    static_assert(sizeof(T) <= kValueBytes);
    const auto place = [this](int i) {
      return shared_->values.data() + static_cast<size_t>(i) * kValueBytes;
    };
    std::memcpy(place(rank_), &value, sizeof(T));
    Sync();
    T best = value;
    for (int i = 0; i < size_; ++i) {
      T other;
      std::memcpy(&other, place(i), sizeof(T));
      if (better(other, best)) best = other;
    }
    Sync();
    return best;
  }

  template <class T>
  T ExclusiveSum(T value, T* total) const {
    T before = 0;
    *total = 0;
    std::memcpy(shared_->values.data() + static_cast<size_t>(rank_) * kValueBytes, &value,
                sizeof(T));
    Sync();
    for (int i = 0; i < size_; ++i) {
      T other;
      std::memcpy(&other, shared_->values.data() + static_cast<size_t>(i) * kValueBytes, sizeof(T));
      if (i < rank_) before += other;
      *total += other;
    }
    Sync();
    return before;
  }

  void Add(uint64_t& sum, uint64_t value) const { kernels::AtomicAdd(sum, value); }

  template <class T, class Better>
  void Sort(T* data, int n, Better better) const {
    Sync();
    if (rank_ == 0) kernels::HeapSort(data, n, better);
    Sync();
  }

 private:
  static constexpr size_t kValueBytes = 64;
  int rank_;
  int size_;
  Shared* shared_;
};

// Runs `body` on a group of this size. Returns when all members have finished.
inline void RunGroup(int size, const std::function<void(const HostThreadGroup&)>& body) {
  HostThreadGroup::Shared shared(size);
  std::vector<std::thread> members;
  members.reserve(static_cast<size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    members.emplace_back([&, rank] { body(HostThreadGroup(rank, size, &shared)); });
  }
  for (std::thread& member : members) member.join();
}

}  // namespace dragoman::testing
