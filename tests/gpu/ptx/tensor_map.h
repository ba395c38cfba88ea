// The content that this device's cuTensorMapEncodeTiled writes into a CUtensorMap: a matrix with
// one-byte or two-byte elements that is copied in boxes, with the 128-byte swizzle.
#pragma once

#include <cstdint>

namespace dragoman::ptx {

struct TensorMap {
  static constexpr uint64_t kMagic = 0x50a7'7e45'04a9'0001;

  uint64_t magic = 0;  // kMagic: this is a map
  const uint8_t* data = nullptr;
  uint64_t columns = 0;
  uint64_t rows = 0;
  uint64_t row_stride = 0;  // bytes
  uint32_t box_columns = 0;
  uint32_t box_rows = 0;
  uint32_t element_bytes = 0;
};

}  // namespace dragoman::ptx
