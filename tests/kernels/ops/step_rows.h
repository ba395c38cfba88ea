// The rows of a decoding step in a device's memory, in a bucket that may be larger.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/kv_pages.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::kernels {

struct StepRow {
  int32_t slot = 0;
  int32_t lane = 0;
  int32_t position = 0;
};

// Rows beyond the count hold numbers that are outside of every table. There is no list of slots,
// because attention does not read it.
class RowsOnDevice {
 public:
  RowsOnDevice(const OpDevice& device, const std::vector<StepRow>& rows, size_t bucket)
      : count_(static_cast<int32_t>(rows.size())),
        bucket_(bucket),
        slot_(device, Column(rows, &StepRow::slot, bucket)),
        lane_(device, Column(rows, &StepRow::lane, bucket)),
        position_(device, Column(rows, &StepRow::position, bucket)),
        count_on_device_(device, {count_}) {}

  cuda::StepRows Step() const {
    return {.rows = static_cast<int64_t>(bucket_),
            .count = count_on_device_.data(),
            .slot = slot_.data(),
            .lane = lane_.data(),
            .position = position_.data()};
  }
  DecodeRows Cpu() const { return {count_, slot_.data(), lane_.data(), position_.data()}; }

 private:
  static std::vector<int32_t> Column(const std::vector<StepRow>& rows, int32_t StepRow::*member,
                                     size_t bucket) {
    std::vector<int32_t> column(bucket, 1 << 30);
    for (size_t r = 0; r < rows.size(); ++r) column[r] = rows[r].*member;
    return column;
  }

  const int32_t count_;
  const size_t bucket_;
  OpArray<int32_t> slot_;
  OpArray<int32_t> lane_;
  OpArray<int32_t> position_;
  OpArray<int32_t> count_on_device_;
};

// Returns rows `first` .. first + count - 1 of d columns, padded with NaN up to `bucket`.
inline std::vector<float> RowsOf(const std::vector<float>& all, size_t first, size_t count,
                                 size_t bucket, size_t d) {
  std::vector<float> rows(bucket * d, NAN);
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(first * d), count * d, rows.begin());
  return rows;
}

}  // namespace dragoman::kernels
