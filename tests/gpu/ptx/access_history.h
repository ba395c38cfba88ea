// Records who read and wrote each byte of a piece of memory during a launch, and finds races.
//
// Two accesses race if one of them writes, neither is known to have happened before the other
// (vector_clock.h), and they are not both strong. Writes of the same bits do not race with each
// other, and a read needs to know only one of them: kernels here rely on that (rows of one lane
// write the K and V of its earlier positions, each for itself). The check is exact to the byte,
// with two exceptions. At most kRemembered readers, and writers of the same bits, of a byte are
// remembered since its last change. And nothing is remembered from before the last Forget.
//
// Not thread-safe. Allocates memory only for bytes that are accessed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tests/gpu/ptx/vector_clock.h"

namespace dragoman::ptx {

struct Race {
  Moment earlier;
  bool earlier_wrote = false;
};

class AccessHistory {
 public:
  static constexpr size_t kRemembered = 16;

  explicit AccessHistory(size_t bytes) : pages_((bytes + kPageBytes - 1) / kPageBytes) {}

  // Forgets all accesses: for a new launch, or a new block in the same shared memory.
  void Forget() {
    ++era_;
    lists_.resize(1);
    free_.clear();
  }

  // Records an access to `bytes` (1, 2, 4, 8 or 16) bytes at an offset that is a multiple of
  // `bytes`. Returns an access that races with it, if there is one.
  std::optional<Race> Read(size_t offset, uint32_t bytes, const VectorClock& clock, int lane,
                           bool strong);
  // `same_bits`: the write does not change the bytes.
  std::optional<Race> Write(size_t offset, uint32_t bytes, const VectorClock& clock, int lane,
                            bool strong, bool same_bits);
  // Records a write that was already checked, and forgets all earlier accesses to its bytes.
  void Replace(size_t offset, uint32_t bytes, const VectorClock& clock, int lane);

 private:
  static constexpr size_t kPageBytes = 1024;
  static constexpr uint32_t kCoarsest = 4;  // granules of 16 bytes

  // The history of a granule: the smallest unit that accesses to its page have distinguished so
  // far.
  struct Granule {
    Moment write;
    Moment read;
    uint32_t readers = 0;  // index in lists_ of further reads; 0: none
    uint32_t writers = 0;  // index in lists_ of further writes of the same bits; 0: none
  };
  struct Page {
    uint64_t era = 0;
    uint32_t shift = kCoarsest;  // a granule is 1 << shift bytes
    std::vector<Granule> granules;
  };

  // Returns the granules of an access, and their number in `count`.
  Granule* Find(size_t offset, uint32_t bytes, uint32_t* count);
  void AddReader(Granule& granule, const Moment& now, const VectorClock& clock, int lane);
  // Adds a moment to a list. Replaces an earlier moment of the same agent, or one that the clock
  // knows.
  void Remember(uint32_t* list, const Moment& now, const VectorClock& clock, int lane);
  uint32_t NewList();
  void Recycle(uint32_t list);
  // Whether the clock knows at least one moment of a list.
  bool KnowsOne(uint32_t list, const VectorClock& clock, int lane) const;

  uint64_t era_ = 1;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<std::vector<Moment>> lists_{1};
  std::vector<uint32_t> free_;  // unused indices of lists_
};

}  // namespace dragoman::ptx
