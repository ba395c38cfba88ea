// A group of one thread that counts a larger group's synchronisations and additions to shared sums.
#pragma once

#include <cstdint>

#include "kernels/search/thread_group.h"

namespace dragoman::testing {

class CountingGroup {
 public:
  struct Counts {
    int64_t meetings = 0;  // Sync, Any, Reduce, ExclusiveSum, Sort
    int64_t additions = 0;
  };
  explicit CountingGroup(Counts* counts) : counts_(counts) {}

  int rank() const { return 0; }
  int size() const { return 1; }
  void Sync() const { ++counts_->meetings; }
  bool Any(bool mine) const {
    ++counts_->meetings;
    return mine;
  }
  template <class T, class Better>
  T Reduce(T value, Better) const {
    ++counts_->meetings;
    return value;
  }
  template <class T>
  T ExclusiveSum(T value, T* total) const {
    ++counts_->meetings;
    *total = value;
    return 0;
  }
  void Add(uint64_t& sum, uint64_t value) const {
    ++counts_->additions;
    sum += value;
  }
  template <class T, class Better>
  void Sort(T* data, int n, Better better) const {
    ++counts_->meetings;
    kernels::HeapSort(data, n, better);
  }

 private:
  Counts* const counts_;
};

}  // namespace dragoman::testing
