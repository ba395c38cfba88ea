// The term that attention adds to a scaled score for the distance of a key from its query: the
// relative position bias of T5, one table per head. Plain data that borrows the table. For an
// operation on a device the table is in device memory.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"

namespace dragoman::kernels {

struct RelativeBias {
  const float* table = nullptr;  // [heads, columns], f32; nullptr: nothing is added
  int64_t columns = 0;           // columns of a head's table
  int64_t zero = 0;              // the column of distance 0; keys after the query follow

  // Returns a pointer to the bias of `head` at `distance` = key's position - query's position. The
  // biases for the keys at the next positions follow it. REQUIRES: the table has columns for every
  // distance that attention meets.
  DRAGOMAN_HD const float* At(int64_t head, int64_t distance) const {
    return table + head * columns + zero + distance;
  }
};

}  // namespace dragoman::kernels
