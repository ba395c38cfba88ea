// Memory that kernels reach: allocations of the device, the host's that it sees, and what a block or a
// thread has of its own. Each knows its bounds, which of its bytes were ever written, and who accessed
// them.
//
// Addresses of the device's own memory are made up, far from each other, so that an access beyond the end of
// a piece does not hit another one; nothing is there for the host to see. Memory of the host has the host's
// addresses. Windows above both stand for the shared and the local memory of whoever asks, as they do in
// generic addresses of a card.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/gpu/ptx/access_history.h"

namespace dragoman::ptx {

inline constexpr uint64_t kSharedWindow = 0x00f1'0000'0000'0000;
inline constexpr uint64_t kLocalWindow = 0x00f2'0000'0000'0000;
inline constexpr uint64_t kWindowBytes = uint64_t{1} << 32;

// The content of a byte.
enum class ByteState : uint8_t {
  kUnwritten = 0,
  kData = 1,
  kBarrier = 2,  // a part of an mbarrier, which only its own instructions may touch
};

// A piece of memory with bounds. Owns its bytes, unless they are another's.
class Piece {
 public:
  // Own bytes, none of them written. They hold a pattern that is a NaN in every floating type.
  Piece(size_t bytes, size_t alignment, uint64_t address = 0);
  // Bytes of the host that outlive this, all of them written.
  Piece(void* bytes, size_t size);
  ~Piece();
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  // Where the host has them, and where the device does.
  uint8_t* bytes() const { return bytes_; }
  uint64_t address() const { return address_; }
  size_t size() const { return size_; }
  AccessHistory& history() { return history_; }

  // Whether an offset and what follows it is within the bounds.
  bool Holds(uint64_t offset, uint64_t count) const {
    return offset <= size_ && count <= size_ - offset;
  }
  // REQUIRES: both are within the bounds.
  void Mark(size_t offset, size_t count, ByteState state);
  // Whether all bytes of a range have this state.
  bool Is(size_t offset, size_t count, ByteState state) const;
  ByteState At(size_t offset) const { return static_cast<ByteState>(states_[offset]); }
  // Nothing is written, and nothing was accessed.
  void Reset();

  bool writable = true;

 private:
  const size_t size_;
  const bool owned_;
  uint8_t* bytes_;
  const uint64_t address_;
  std::vector<uint8_t> states_;
  AccessHistory history_;
};

class DeviceMemory {
 public:
  // Aligned to 256 bytes, as cudaMalloc does.
  Piece& Allocate(size_t bytes);
  // Shows memory of the host to the device.
  Piece& Map(void* bytes, size_t size);
  // False: no piece begins there.
  bool Free(uint64_t address);

  // The piece that holds an address, or nullptr.
  Piece* Find(uint64_t address);
  // Where an address that no piece holds lies, for a report.
  std::string Nearest(uint64_t address) const;
  size_t allocated_bytes() const { return allocated_bytes_; }

  // Orders every access so far before everything that comes.
  void ForgetAccesses();

 private:
  std::map<uint64_t, std::unique_ptr<Piece>> pieces_;
  uint64_t next_ = uint64_t{1} << 44;  // address
  Piece* last_ = nullptr;              // found last
  size_t allocated_bytes_ = 0;
};

}  // namespace dragoman::ptx
