// Reads numbers and ranges of bytes from the bytes of a file, from the beginning to the end.
//
// Borrows the bytes, and returns spans that are views of them. Not thread-safe. Numbers are
// little-endian and may have any alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace dragoman::engine {

class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : all_(bytes.size()), rest_(bytes) {}

  size_t place() const { return all_ - rest_.size(); }
  size_t left() const { return rest_.size(); }

  // Read copies the next number. Take sets *bytes to a view of the next `size` bytes. If too few
  // bytes are left, both read nothing and return false.
  template <class Number>
  bool Read(Number* number) {
    std::span<const uint8_t> bytes;
    if (!Take(sizeof(Number), &bytes)) return false;
    std::memcpy(number, bytes.data(), sizeof(Number));
    return true;
  }
  bool Take(uint64_t size, std::span<const uint8_t>* bytes) {
    if (size > rest_.size()) return false;
    *bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return true;
  }

 private:
  size_t all_;
  std::span<const uint8_t> rest_;
};

}  // namespace dragoman::engine
