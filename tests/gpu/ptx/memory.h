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
  // Whose memory it is; kAnyDevice: the host's, or a launch's own.
  static constexpr int kAnyDevice = -1;
  int device = kAnyDevice;

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
  Piece& Allocate(size_t bytes, int device = Piece::kAnyDevice);
  // Shows memory of the host to the device.
  Piece& Map(void* bytes, size_t size);
  // False: no piece begins there.
  bool Free(uint64_t address);

  // The piece that holds an address, or nullptr; also for memory of another device than the reader.
  Piece* Find(uint64_t address);
  // The device whose kernels run now, which reach no other device's memory; kAnyDevice: the host, or a copy.
  void SetReader(int device) { reader_ = device; }
  // Where an address that no piece holds lies, for a report.
  std::string Nearest(uint64_t address) const;
  // Bytes and pieces of a device, or of the host's memory as the devices see it (kAnyDevice).
  size_t allocated_bytes(int device) const;
  size_t allocations(int device) const;

  // Orders every access so far before everything that comes.
  void ForgetAccesses();

 private:
  bool Reaches(const Piece& piece) const {
    return reader_ == Piece::kAnyDevice || piece.device == Piece::kAnyDevice ||
           piece.device == reader_;
  }

  std::map<uint64_t, std::unique_ptr<Piece>> pieces_;
  int reader_ = Piece::kAnyDevice;
  uint64_t next_ = uint64_t{1} << 48;  // address; a process has none of its own there
  Piece* last_ = nullptr;              // found last
};

}  // namespace dragoman::ptx
