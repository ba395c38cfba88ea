// The term that attention adds to a scaled score for the distance of a key from its query: the
// relative position bias of T5, one table per head. Plain data, borrowed; device memory on a
// device.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"

namespace dragoman::kernels {

struct RelativeBias {
  const float* table = nullptr;  // [heads, columns], f32; nullptr: nothing is added
  int64_t columns = 0;           // a head's
  int64_t zero = 0;              // the column of distance 0; keys after the query follow

  // Returns the bias of a head at `distance` = key's position - query's. The biases of the next
  // keys follow. REQUIRES: a table with columns for every distance that attention meets.
  DRAGOMAN_HD const float* At(int64_t head, int64_t distance) const {
    return table + head * columns + zero + distance;
  }
};

}  // namespace dragoman::kernels
