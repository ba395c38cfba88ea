// Who read and wrote each byte of a piece of memory during a launch, and the races that come out of it.
//
// Two accesses race if one of them writes, neither is known to the other to have happened before
// (vector_clock.h), and not both are strong. Writers of the same bits do not race with each other, and
// who knows of one of them may read: kernels here do that by design (rows of one lane write the K and V
// of its earlier positions, each for itself). Exact to the byte, but for two things: of one byte's
// readers, and of its writers of the same bits, since its last change at most kRemembered are remembered,
// and what happened before the last Forget is.
//
// Not thread-safe. Takes memory only where something is accessed.
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

  // A new launch, or a new block in the same shared memory: nothing has been accessed.
  void Forget() {
    ++era_;
    lists_.resize(1);
    free_.clear();
  }

  // Notes an access to `bytes` (1, 2, 4, 8 or 16) at an offset that is a multiple of them, and
  // returns one that it races with.
  std::optional<Race> Read(size_t offset, uint32_t bytes, const VectorClock& clock, int lane,
                           bool strong);
  // `same_bits`: the write changes nothing.
  std::optional<Race> Write(size_t offset, uint32_t bytes, const VectorClock& clock, int lane,
                            bool strong, bool same_bits);
  // Notes a write that was checked already, in place of everything before it.
  void Replace(size_t offset, uint32_t bytes, const VectorClock& clock, int lane);

 private:
  static constexpr size_t kPageBytes = 1024;
  static constexpr uint32_t kCoarsest = 4;  // granules of 16 bytes

  // The bytes that an access so far to its page had at least.
  struct Granule {
    Moment write;
    Moment read;
    uint32_t readers = 0;  // index in lists_, of further ones; 0: none
    uint32_t writers = 0;  // the same of further writers of the same bits
  };
  struct Page {
    uint64_t era = 0;
    uint32_t shift = kCoarsest;  // a granule is 1 << shift bytes
    std::vector<Granule> granules;
  };

  // The granules of an access; `count` is how many.
  Granule* Find(size_t offset, uint32_t bytes, uint32_t* count);
  void AddReader(Granule& granule, const Moment& now, const VectorClock& clock, int lane);
  // Adds to a list, in place of an earlier moment of the same agent, or of one that the clock knows.
  void Remember(uint32_t* list, const Moment& now, const VectorClock& clock, int lane);
  uint32_t NewList();
  void Recycle(uint32_t list);
  // Whether the clock knows a moment of a list.
  bool KnowsOne(uint32_t list, const VectorClock& clock, int lane) const;

  uint64_t era_ = 1;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<std::vector<Moment>> lists_{1};
  std::vector<uint32_t> free_;  // of lists_
};

}  // namespace dragoman::ptx
