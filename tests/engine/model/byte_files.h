// Files made in memory for tests and fuzz targets: safetensors and zip archives.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman {

inline std::span<const uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

template <typename Number>
std::string Raw(Number number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

inline std::string RawFloats(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += Raw(value);
  return bytes;
}

// A safetensors file of a header as it is given, and its data.
inline std::string Safetensors(std::string_view header, std::string_view data) {
  return Raw(uint64_t{header.size()}) + std::string(header) + std::string(data);
}

// A zip archive of stored entries. `method` and `flags` are those of every entry.
inline std::string Zip(const std::vector<std::pair<std::string, std::string>>& entries,
                       uint16_t method = 0, uint16_t flags = 0) {
  std::string bytes;
  std::string directory;
  for (const auto& [name, data] : entries) {
    const auto offset = static_cast<uint32_t>(bytes.size());
    const auto size = static_cast<uint32_t>(data.size());
    std::string common = Raw(uint16_t{20});
    for (const uint16_t field : {flags, method}) common += Raw(field);
    for (const uint32_t field : {uint32_t{0}, uint32_t{0}, size, size}) common += Raw(field);
    common += Raw(static_cast<uint16_t>(name.size()));
    common += Raw(uint16_t{0});
    for (const std::string& part : {std::string("PK\x03\x04"), common, name, data}) bytes += part;
    for (const std::string& part : {std::string("PK\x01\x02"), Raw(uint16_t{20}), common,
                                    std::string(10, '\0'), Raw(offset), name}) {
      directory += part;
    }
  }
  const auto start = static_cast<uint32_t>(bytes.size());
  const auto count = static_cast<uint16_t>(entries.size());
  return bytes + directory + "PK\x05\x06" + Raw(uint32_t{0}) + Raw(count) + Raw(count) +
         Raw(static_cast<uint32_t>(directory.size())) + Raw(start) + Raw(uint16_t{0});
}

}  // namespace dragoman
