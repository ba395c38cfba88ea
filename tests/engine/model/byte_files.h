// Builds files in memory for tests and fuzz targets: safetensors, zip archives, CTranslate2's
// model.bin and Marian's models.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/formats/tensor_file.h"

namespace dragoman::engine {

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

// Returns the numbers of a tensor. REQUIRES: HoldsNumbers(view).
inline std::vector<float> Floats(const TensorView& view) {
  std::vector<float> values(static_cast<size_t>(view.numel()));
  CopyAsF32(view, values);
  return values;
}

// Returns a safetensors file with this header and data.
inline std::string Safetensors(std::string_view header, std::string_view data) {
  return Raw(uint64_t{header.size()}) + std::string(header) + std::string(data);
}

// Build parts of a model.bin of CTranslate2. `kind` is the code of a variable's type, or before
// version 4 the size of its items. `given` is the variable's bytes or their number.
inline constexpr uint8_t kCt2F32 = 0;
inline constexpr uint8_t kCt2I8 = 1;
inline constexpr uint8_t kCt2I16 = 2;
inline std::string Ct2String(std::string_view text) {
  return Raw(static_cast<uint16_t>(text.size() + 1)) + std::string(text) + '\0';
}
inline std::string Ct2Head(uint32_t version, std::string_view spec, uint32_t revision) {
  return Raw(version) + Ct2String(spec) + Raw(revision);
}
inline std::string Ct2Variable(std::string_view name, const std::vector<uint32_t>& shape,
                               uint8_t kind, uint32_t given, std::string_view data) {
  std::string bytes = Ct2String(name) + Raw(static_cast<uint8_t>(shape.size()));
  for (const uint32_t size : shape) bytes += Raw(size);
  return bytes + Raw(kind) + Raw(given) + std::string(data);
}
inline std::string Ct2Variable(std::string_view name, const std::vector<uint32_t>& shape,
                               uint8_t kind, std::string_view data) {
  return Ct2Variable(name, shape, kind, static_cast<uint32_t>(data.size()), data);
}
inline std::string Ct2List(const std::vector<std::string>& entries) {
  std::string bytes = Raw(static_cast<uint32_t>(entries.size()));
  for (const std::string& entry : entries) bytes += entry;
  return bytes;
}

// Returns numpy's .npy, version 1. `shape` is in Python's syntax: "(2, 3)".
inline std::string Npy(std::string_view type, std::string_view shape, std::string_view data,
                       bool fortran_order = false) {
  const std::string header = "{'descr': '" + std::string(type) +
                             "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                             ", 'shape': " + std::string(shape) + ", }\n";
  return std::string("\x93NUMPY\x01\0", 8) + Raw(static_cast<uint16_t>(header.size())) + header +
         std::string(data);
}

// An item of Marian's binary format.
struct MarianItem {
  std::string name;
  uint64_t type = 0x404;
  std::vector<int32_t> shape;
  std::string data;
};
inline std::string MarianBinary(const std::vector<MarianItem>& items, uint64_t version = 1) {
  std::string bytes = Raw(version) + Raw(uint64_t{items.size()});
  for (const MarianItem& item : items) {
    bytes += Raw(uint64_t{item.name.size() + 1}) + Raw(item.type) +
             Raw(uint64_t{item.shape.size()}) + Raw(uint64_t{item.data.size()});
  }
  for (const MarianItem& item : items) bytes += item.name + '\0';
  for (const MarianItem& item : items) {
    for (const int32_t size : item.shape) bytes += Raw(size);
  }
  bytes += Raw(uint64_t{5}) + std::string(5, '\0');
  for (const MarianItem& item : items) bytes += item.data;
  return bytes;
}

// Returns a zip archive of stored entries. All entries have `method` and `flags`.
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

}  // namespace dragoman::engine
