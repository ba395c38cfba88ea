// Builds zip archives in memory: compressed, with checksums, and optionally with errors.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/engine/model/byte_files.h"

namespace dragoman::engine {

inline constexpr uint16_t kZipStored = 0;
inline constexpr uint16_t kZipDeflate = 8;

inline std::string Deflate(const std::string& data) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, data.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct ZipFile {
  ZipFile(std::string file, const std::string& data, uint16_t how = kZipDeflate)
      : name(std::move(file)),
        method(how),
        bytes(how == kZipDeflate ? Deflate(data) : data),
        size(static_cast<uint32_t>(data.size())),
        crc(static_cast<uint32_t>(
            crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()))) {}

  std::string name;
  uint16_t method;
  uint16_t flags = 0;
  std::string bytes;  // as stored
  uint32_t size;      // as stated in the archive
  uint32_t crc;
};

inline std::string ZipOf(const std::vector<ZipFile>& files) {
  std::string bytes;
  std::string directory;
  for (const ZipFile& file : files) {
    const auto offset = static_cast<uint32_t>(bytes.size());
    std::string common = Raw(uint16_t{20});
    for (const uint16_t field : {file.flags, file.method}) common += Raw(field);
    for (const uint32_t field :
         {uint32_t{0}, file.crc, static_cast<uint32_t>(file.bytes.size()), file.size}) {
      common += Raw(field);
    }
    common += Raw(static_cast<uint16_t>(file.name.size())) + Raw(uint16_t{0});
    bytes += "PK\x03\x04" + common + file.name + file.bytes;
    directory +=
        "PK\x01\x02" + Raw(uint16_t{20}) + common + std::string(10, '\0') + Raw(offset) + file.name;
  }
  const auto start = static_cast<uint32_t>(bytes.size());
  const auto count = static_cast<uint16_t>(files.size());
  return bytes + directory + "PK\x05\x06" + Raw(uint32_t{0}) + Raw(count) + Raw(count) +
         Raw(static_cast<uint32_t>(directory.size())) + Raw(start) + Raw(uint16_t{0});
}

}  // namespace dragoman::engine
