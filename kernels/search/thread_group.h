// The threads that run a piece of the search: one host thread, or a block of a device.
//
// A ThreadGroup has
//   int rank() const, int size() const     this member, 0..size-1
//   void Sync() const                      all members arrive before any goes on; memory is visible
//   bool Any(bool mine) const              whether any member's is true, for every member
//   T Reduce(T value, Better better) const the best of all members' values, for every member;
//                                          `better(a, b)` must be a strict total order
//   T ExclusiveSum(T value, T* total) const
//                                          the sum of the values of all members of lower rank;
//                                          *total is that of all. T: an integer
//   void Add(uint64_t& sum, uint64_t value) const
//                                          adds, while other members may add to `sum` too
//   void Sort(T* data, int n, Better better) const
//                                          best first, in memory that all see; begins and ends
//                                          with a Sync
// Any, Reduce and ExclusiveSum are also a Sync. T is trivially copyable, of up to 64 bytes, a
// multiple of 4.
//
// Every member of a group runs the same code with the same arguments. That code divides loops by
// rank, keeps no state of its own, and never uses the heap.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"

namespace dragoman::kernels {

// Sorts best first. By one thread, in place, no recursion.
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
  // Moves the worst, which is on top of the heap, to the end. So the best is first.
  for (int i = n / 2; i-- > 0;) sink(i, n);
  for (int end = n; end-- > 1;) {
    const T worst = data[0];
    data[0] = data[end];
    data[end] = worst;
    sink(0, end);
  }
}

// A member's share of a list 0 .. count - 1.
struct Share {
  int32_t begin = 0;
  int32_t end = 0;
};

// Shares are runs in the order of ranks, for results that must be in the order of the items.
template <class ThreadGroup>
DRAGOMAN_HD Share ShareOf(const ThreadGroup& group, int32_t count) {
  const int32_t each = (count + group.size() - 1) / group.size();
  const int32_t begin = group.rank() * each;
  return {begin < count ? begin : count, begin + each < count ? begin + each : count};
}

// A few members that process an item of a list together: a warp of a block.
struct Subgroup {
  int32_t number = 0;  // of the group's `count` subgroups
  int32_t count = 0;
  int32_t rank = 0;  // this member's, 0 .. size - 1
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

// Writes `item(i)` to `to` for all i < count with `keep(i)`, in order. Returns their number. `keep`
// is called twice and must not depend on `to`. A Sync before and after.
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

// One thread is the whole group.
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
