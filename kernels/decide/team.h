// Who runs a piece of decision text: one thread on the host, the threads of a block on a device.
//
// A Team has
//   int rank() const, int size() const     this member, 0..size-1
//   void Sync() const                      all members arrive before any goes on; memory is visible
//   T Reduce(T value, Better better) const the best of all members' values, for every member;
//                                          `better(a, b)` must be a strict total order
// Every member of a team runs the same text with the same arguments. Decision text divides loops by
// rank, keeps no state of its own, and never uses the heap.
#pragma once

#include "kernels/decide/host_device.h"

namespace dragoman {

// One thread is the whole team.
struct SoloTeam {
  DRAGOMAN_HD int rank() const { return 0; }
  DRAGOMAN_HD int size() const { return 1; }
  DRAGOMAN_HD void Sync() const {}
  template <class T, class Better>
  DRAGOMAN_HD T Reduce(T value, Better) const {
    return value;
  }
};

}  // namespace dragoman
