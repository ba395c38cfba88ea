// Who runs a piece of decision text: one thread on the host, the threads of a block on a device.
//
// A Team has
//   int rank() const, int size() const     this member, 0..size-1
//   void Sync() const                      all members arrive before any goes on; memory is visible
//   T Reduce(T value, Better better) const the best of all members' values, for every member;
//                                          `better(a, b)` must be a strict total order
//   void Sort(T* data, int n, Better better) const
//                                          best first, in shared memory; begins and ends with a
//                                          Sync
// Every member of a team runs the same text with the same arguments. Decision text divides loops by
// rank, keeps no state of its own, and never uses the heap.
#pragma once

#include "kernels/decide/host_device.h"

namespace dragoman {

// Best first; by one thread, in place, no recursion.
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
  // The worst on top of the heap goes to the end: the order comes out best first.
  for (int i = n / 2; i-- > 0;) sink(i, n);
  for (int end = n; end-- > 1;) {
    const T worst = data[0];
    data[0] = data[end];
    data[end] = worst;
    sink(0, end);
  }
}

// One thread is the whole team.
struct SoloTeam {
  DRAGOMAN_HD int rank() const { return 0; }
  DRAGOMAN_HD int size() const { return 1; }
  DRAGOMAN_HD void Sync() const {}
  template <class T, class Better>
  DRAGOMAN_HD T Reduce(T value, Better) const {
    return value;
  }
  template <class T, class Better>
  DRAGOMAN_HD void Sort(T* data, int n, Better better) const {
    HeapSort(data, n, better);
  }
};

}  // namespace dragoman
