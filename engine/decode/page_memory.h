// Tracks the physical memory of the K/V pages in one free list on the CPU: which part is resident,
// and which part has been unused for a while. Gives idle memory back to the system.
//
// The free list is a stack of page numbers, sorted with the lowest number on top. So the pages in
// use gather at the low end of the pool, and the high end becomes idle. A period is the time
// between two calls of EndPeriod. Memory is given back in chunks of 2 MiB, the size of the system's
// large pages. A chunk is idle if none of its pages was in use during a complete period.
//
// Not thread-safe. Either one thread owns the object, or the mutex of the free list guards it.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::engine {

class PageMemory {
 public:
  static constexpr int64_t kChunkBytes = int64_t{2} << 20;

  // Tracks nothing, for pages in a GPU's memory.
  PageMemory() = default;

  // Tracks the pages first .. first + count - 1 of a pool of `pages` pages, each of page_bytes
  // bytes. Does not track chunks that contain bytes of other pages of the pool. REQUIRES: the pool
  // is a mapping of complete chunks that was not accessed yet; all pages are free.
  PageMemory(void* pool, int64_t page_bytes, int32_t pages, int32_t first, int32_t count);

  // Notes that `pages` have just left the free list.
  void NoteTaken(const int32_t* pages, int32_t count);

  // Sorts the free list `free` of `count` pages, whose first `sorted` pages are in order. The
  // others were returned after the last sort.
  void PutInOrder(int32_t* free, int32_t sorted, int32_t count);

  // Ends a period. Chunks of which no page was in use during the period become idle. Takes some
  // nanoseconds for each page.
  void EndPeriod(const int32_t* free, int32_t free_count);

  // Gives at most `most_bytes` of idle memory, rounded up to chunks, back to the system. Reports
  // whether idle memory is left.
  bool GiveBackIdle(int64_t most_bytes);

  // Returns the size of all tracked chunks that are resident, in bytes.
  int64_t resident_bytes() const { return there_ * kChunkBytes; }

 private:
  enum class Chunk : uint8_t { kAbsent, kUsed, kIdle };

  // The tracked chunks that a page overlaps: [begin, end), indexes into chunks_.
  struct Range {
    int64_t begin;
    int64_t end;
  };
  Range ChunksOf(int32_t page) const;

  char* pool_ = nullptr;
  int64_t page_bytes_ = 0;
  int32_t first_ = 0;
  int64_t first_chunk_ = 0;        // the chunk of the pool that chunks_[0] is
  std::vector<Chunk> chunks_;      // the tracked chunks
  std::vector<uint8_t> was_used_;  // by page: whether it was in use during this period
  std::vector<int32_t> returned_;  // scratch memory of PutInOrder
  int64_t there_ = 0;              // number of resident chunks
  int64_t idle_ = 0;               // number of idle chunks
};

}  // namespace dragoman::engine
