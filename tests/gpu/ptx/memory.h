// The memory that kernels can access: device allocations, host memory that the device sees, and the
// memory of a block or a thread. Each piece knows its bounds, which of its bytes were written, and
// who accessed them.
//
// Device memory has made-up addresses that are far apart, so that an access beyond the end of a
// piece does not hit another piece. The host cannot access these addresses. Host memory has the
// host's addresses. Two windows above both stand for the shared and the local memory of the
// accessing thread, as in the generic addresses of a card.
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
  kBarrier = 2,  // a part of an mbarrier, which only mbarrier instructions may access
};

// A piece of memory with bounds. Owns its bytes, or borrows them from the host.
class Piece {
 public:
  // Owns its bytes, all unwritten. They hold a pattern that is a NaN in every floating-point type.
  Piece(size_t bytes, size_t alignment, uint64_t address = 0);
  // Borrows bytes of the host, all of which count as written. They must outlive this.
  Piece(void* bytes, size_t size);
  ~Piece();
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  // The address of the bytes on the host and on the device.
  uint8_t* bytes() const { return bytes_; }
  uint64_t address() const { return address_; }
  size_t size() const { return size_; }
  AccessHistory& history() { return history_; }

  // Whether `count` bytes from an offset are within the bounds.
  bool Holds(uint64_t offset, uint64_t count) const {
    return offset <= size_ && count <= size_ - offset;
  }
  // REQUIRES: the range is within the bounds.
  void Mark(size_t offset, size_t count, ByteState state);
  // Whether all bytes of a range have this state.
  bool Is(size_t offset, size_t count, ByteState state) const;
  ByteState At(size_t offset) const { return static_cast<ByteState>(states_[offset]); }
  // Marks all bytes as unwritten, and forgets all accesses.
  void Reset();

  bool writable = true;
  // The device that owns the memory. kAnyDevice: the host's memory, or a launch's own.
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
  // Allocates device memory, aligned to 256 bytes as by cudaMalloc.
  Piece& Allocate(size_t bytes, int device = Piece::kAnyDevice);
  // Makes host memory visible to the device.
  Piece& Map(void* bytes, size_t size);
  // Returns false if no piece begins at the address.
  bool Free(uint64_t address);

  // Returns the piece that contains an address. Returns nullptr if there is none, or if it belongs
  // to another device than the reader.
  Piece* Find(uint64_t address);
  // Sets the device whose kernels run now, which cannot access other devices' memory. kAnyDevice:
  // the host, or a copy.
  void SetReader(int device) { reader_ = device; }
  // Describes the place of an address that is in no piece. The text is for error reports.
  std::string Nearest(uint64_t address) const;
  // The bytes and the number of pieces of a device, or of the host memory that devices see
  // (kAnyDevice).
  size_t allocated_bytes(int device) const;
  size_t allocations(int device) const;

  // Orders all accesses so far before all later ones.
  void ForgetAccesses();

 private:
  bool Reaches(const Piece& piece) const {
    return reader_ == Piece::kAnyDevice || piece.device == Piece::kAnyDevice ||
           piece.device == reader_;
  }

  std::map<uint64_t, std::unique_ptr<Piece>> pieces_;
  int reader_ = Piece::kAnyDevice;
  uint64_t next_ = uint64_t{1} << 48;  // an address that a process does not use itself
  Piece* last_ = nullptr;              // the result of the last search
};

}  // namespace dragoman::ptx
