// The host's memory behind the pages of one free list: which of it is resident, which of it nothing has
// used for a while, and giving that back.
//
// The list is a stack in order, the lowest number on top, so that what is used gathers at one end
// of the pool and the other end becomes idle. Memory goes in chunks as large as the system's large
// pages: a chunk is idle when none of its pages was in use for a whole period, and is given back
// when its turn comes.
//
// Of one thread, or guarded by the lock of the list.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::engine {

class PageMemory {
 public:
  static constexpr int64_t kChunkBytes = int64_t{2} << 20;

  // A list of pages whose memory is not the host's: nothing is resident, nothing is given back.
  PageMemory() = default;

  // The pages `first` .. `first` + `count` - 1 of a pool of `pages`, `page_bytes` each: a mapping of
  // whole chunks that nothing has touched yet. All pages are free. A chunk that is shared with other
  // pages of the pool is not looked at.
  PageMemory(void* pool, int64_t page_bytes, int32_t pages, int32_t first, int32_t count);

  // These have just left the free list.
  void NoteTaken(const int32_t* pages, int32_t count);

  // Puts free[sorted .. count), which have come back, in their places among free[0 .. sorted). Moves
  // the numbers that are lower than those: 4 bytes for each page of the pool at most.
  void PutInOrder(int32_t* free, int32_t sorted, int32_t count);

  // Ends a period: what was free throughout is idle from now on. Takes some nanoseconds a page.
  void EndPeriod(const int32_t* free, int32_t free_count);

  // Gives idle memory back to the system, `most_bytes` of it or one chunk more. Whether some is
  // left.
  bool GiveBackIdle(int64_t most_bytes);

  // The bytes that are resident, in whole chunks.
  int64_t resident_bytes() const { return there_ * kChunkBytes; }

 private:
  enum class Chunk : uint8_t { kAbsent, kUsed, kIdle };

  // The chunks that a page lies in, [begin, end), among those that are looked at.
  struct Range {
    int64_t begin;
    int64_t end;
  };
  Range ChunksOf(int32_t page) const;

  char* pool_ = nullptr;
  int64_t page_bytes_ = 0;
  int32_t first_ = 0;
  int64_t first_chunk_ = 0;        // of the mapping
  std::vector<Chunk> chunks_;      // from that one on
  std::vector<uint8_t> was_used_;  // by page: in this period
  std::vector<int32_t> returned_;  // PutInOrder's own
  int64_t there_ = 0;              // chunks with memory
  int64_t idle_ = 0;               // of them
};

}  // namespace dragoman::engine
