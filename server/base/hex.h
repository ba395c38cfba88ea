// Reads hexadecimal digits. (abseil's function for this is deprecated in later versions, and its
// successor does not exist in the version of Debian 12.)
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::server {

// Returns the bytes that pairs of digits stand for. REQUIRES: an even number of hexadecimal digits.
inline std::string BytesOfHex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

}  // namespace dragoman::server
