#include "tests/gpu/ptx/fat_binary.h"

#include <cstdint>
#include <cstring>

#include "tests/gpu/ptx/program.h"

namespace dragoman::ptx {
namespace {

// The layouts are those of the toolkit's fatbinary_section.h and those that cuobjdump reads.
struct Wrapper {
  uint32_t magic;
  uint32_t version;
  const uint8_t* data;
  const void* unused;
};
constexpr uint32_t kWrapperMagic = 0x466243b1;

struct Header {
  uint32_t magic;
  uint16_t version;
  uint16_t header_bytes;
  uint64_t bytes;
};
constexpr uint32_t kMagic = 0xba55ed50;

struct EntryHeader {
  uint16_t kind;  // 1 is PTX
  uint16_t version;
  uint32_t header_bytes;
  uint64_t bytes;
  uint32_t compressed_bytes;
};
constexpr uint16_t kPtx = 1;

template <class T>
T ReadAt(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace

std::vector<std::string> PtxTexts(const void* wrapper) {
  const auto outer = ReadAt<Wrapper>(static_cast<const uint8_t*>(wrapper));
  if (outer.magic != kWrapperMagic) throw BadProgram("not a fat binary of nvcc");
  const auto header = ReadAt<Header>(outer.data);
  if (header.magic != kMagic) throw BadProgram("not a fat binary of nvcc");
  std::vector<std::string> texts;
  const uint8_t* at = outer.data + header.header_bytes;
  const uint8_t* const end = at + header.bytes;
  while (at < end) {
    const auto entry = ReadAt<EntryHeader>(at);
    if (entry.kind == kPtx) {
      const char* const text = reinterpret_cast<const char*>(at + entry.header_bytes);
      std::string found(text, entry.bytes);
      found.resize(std::strlen(found.c_str()));
      if (found.find(".version") == std::string::npos) {
        throw BadProgram("the PTX is compressed, expected objects compiled with --no-compress");
      }
      texts.push_back(std::move(found));
    }
    at += entry.header_bytes + entry.bytes;
  }
  return texts;
}

}  // namespace dragoman::ptx
