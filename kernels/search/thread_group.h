// The threads that run a piece of the search together: one host thread, or a thread block of a
// device.
//
// A ThreadGroup has
//   int rank() const, int size() const     number of this member, 0..size-1; number of members
//   void Sync() const                      no member goes on before all have arrived; each member
//                                          then sees what the others wrote before
//   bool Any(bool mine) const              returns to every member whether any passed true
//   T Reduce(T value, Better better) const returns the best of all members' values to every member;
//                                          `better(a, b)` must be a strict total order
//   T ExclusiveSum(T value, T* total) const
//                                          returns the sum of the values of all members of lower
//                                          rank; *total is the sum of all values. T: an integer
//   void Add(uint64_t& sum, uint64_t value) const
//                                          adds atomically, while other members may add to `sum`
//   void Sort(T* data, int n, Better better) const
//                                          sorts best first, in memory that all members see; begins
//                                          and ends with a Sync
// Any, Reduce and ExclusiveSum are also a Sync. T is trivially copyable, of up to 64 bytes, a
// multiple of 4.
//
// Every member of a group runs the same code with the same arguments. The code divides loops by
// rank, keeps no state of its own, and never uses the heap.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"

namespace dragoman::kernels {

// Sorts best first, on one thread, in place, without recursion.
template <class T, class Better>
DRAGOMAN_HD void HeapSort(T* data, int n, Better better) {
  const auto sink = [&](int root, int end) {
    const T value = data[root];
    for (;;) {
      int child = 2 * root + 1;
      if (child >= end) break;
      if (child + 1 < end && better(data[child], data[child + 1])) ++child;
      if (!better(value, data[child])) break;
      data[root] = data[child];
      root = child;
    }
    data[root] = value;
  };
  // `sink` keeps the worst element on top of the heap. The second loop moves it to the end of the
  // heap each time, so the best is first in the end.
  for (int i = n / 2; i-- > 0;) sink(i, n);
  for (int end = n; end-- > 1;) {
    const T worst = data[0];
    data[0] = data[end];
    data[end] = worst;
    sink(0, end);
  }
}

// A member's share of a list: the indices begin .. end - 1.
struct Share {
  int32_t begin = 0;
  int32_t end = 0;
};

// Returns the share of the calling member. Members of higher rank have later indices, so results
// can be written in the order of the items.
template <class ThreadGroup>
DRAGOMAN_HD Share ShareOf(const ThreadGroup& group, int32_t count) {
  const int32_t each = (count + group.size() - 1) / group.size();
  const int32_t begin = group.rank() * each;
  return {begin < count ? begin : count, begin + each < count ? begin + each : count};
}

// Up to 32 members that process an item of a list together. On a device they are a warp of the
// block.
struct Subgroup {
  int32_t number = 0;  // number of this subgroup, 0 .. count - 1
  int32_t count = 0;
  int32_t rank = 0;  // number of this member, 0 .. size - 1
  int32_t size = 0;
};

template <class ThreadGroup>
DRAGOMAN_HD Subgroup SubgroupOf(const ThreadGroup& group) {
  constexpr int32_t kMembers = 32;
  const int32_t number = group.rank() / kMembers;
  const int32_t left = group.size() - number * kMembers;
  return {number, (group.size() + kMembers - 1) / kMembers, group.rank() % kMembers,
          left < kMembers ? left : kMembers};
}

// Writes `item(i)` to `to` for each i < count with `keep(i)`, in ascending order of i. Returns the
// number of items written. Calls `keep` twice for each i, so it must not depend on `to`. There is a
// Sync before `to` is written and after.
template <class ThreadGroup, class Keep, class Item>
DRAGOMAN_HD int32_t Collect(const ThreadGroup& group, int32_t count, Keep keep, Item item,
                            int32_t* to) {
  const Share mine = ShareOf(group, count);
  int32_t kept = 0;
  for (int32_t i = mine.begin; i < mine.end; ++i) kept += keep(i) ? 1 : 0;
  int32_t total = 0;
  int32_t at = group.ExclusiveSum(kept, &total);
  for (int32_t i = mine.begin; i < mine.end; ++i) {
    if (keep(i)) to[at++] = item(i);
  }
  group.Sync();
  return total;
}

// A group of one thread.
struct SingleThread {
  DRAGOMAN_HD int rank() const { return 0; }
  DRAGOMAN_HD int size() const { return 1; }
  DRAGOMAN_HD void Sync() const {}
  DRAGOMAN_HD bool Any(bool mine) const { return mine; }
  template <class T, class Better>
  DRAGOMAN_HD T Reduce(T value, Better) const {
    return value;
  }
  template <class T>
  DRAGOMAN_HD T ExclusiveSum(T value, T* total) const {
    *total = value;
    return 0;
  }
  DRAGOMAN_HD void Add(uint64_t& sum, uint64_t value) const { sum += value; }
  template <class T, class Better>
  DRAGOMAN_HD void Sort(T* data, int n, Better better) const {
    HeapSort(data, n, better);
  }
};

}  // namespace dragoman::kernels
