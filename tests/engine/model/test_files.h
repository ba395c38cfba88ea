// Small files made in memory for the tests of engine/model: safetensors, zip archives, and whole
// model directories.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

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

inline std::string ReadTestFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A safetensors file of a header as it is given, and its data.
inline std::string Safetensors(std::string_view header, std::string_view data) {
  return Raw(uint64_t{header.size()}) + std::string(header) + std::string(data);
}

// A directory that goes away with the object.
class TempDirectory {
 public:
  TempDirectory() {
    std::string pattern = ::testing::TempDir() + "/dragoman_model_XXXXXX";
    path_ = mkdtemp(pattern.data()) == nullptr ? "" : pattern;
    EXPECT_FALSE(path_.empty());
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  ~TempDirectory() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  void Write(const std::string& file, std::string_view text) const {
    std::ofstream(path_ + "/" + file, std::ios::binary) << text;
  }
  void Remove(const std::string& file) const { std::filesystem::remove(path_ + "/" + file); }

 private:
  std::string path_;
};

// A zip archive of stored entries. `method` and `flags` are those of every entry.
inline std::string Zip(const std::vector<std::pair<std::string, std::string>>& entries,
                       uint16_t method = 0, uint16_t flags = 0) {
  std::string bytes;
  std::string directory;
  for (const auto& [name, data] : entries) {
    const auto offset = static_cast<uint32_t>(bytes.size());
    const auto size = static_cast<uint32_t>(data.size());
    const std::string common = Raw(uint16_t{20}) + Raw(flags) + Raw(method) + Raw(uint32_t{0}) +
                               Raw(uint32_t{0}) + Raw(size) + Raw(size) +
                               Raw(static_cast<uint16_t>(name.size())) + Raw(uint16_t{0});
    bytes += "PK\x03\x04" + common + name + data;
    directory += "PK\x01\x02" + Raw(uint16_t{20}) + common + Raw(uint16_t{0}) + Raw(uint16_t{0}) +
                 Raw(uint16_t{0}) + Raw(uint32_t{0}) + Raw(offset) + name;
  }
  const auto start = static_cast<uint32_t>(bytes.size());
  const auto count = static_cast<uint16_t>(entries.size());
  return bytes + directory + "PK\x05\x06" + Raw(uint32_t{0}) + Raw(count) + Raw(count) +
         Raw(static_cast<uint32_t>(directory.size())) + Raw(start) + Raw(uint16_t{0});
}

}  // namespace dragoman
