// Tracks the host's memory behind the pages of one free list: what is resident, and what has not
// been used for a while. Gives idle memory back to the system.
//
// The list is an ordered stack with the lowest number on top. So used pages gather at one end of
// the pool, and the other end becomes idle. Memory is given back in chunks of the size of the
// system's large pages. A chunk is idle if none of its pages was in use for a complete period.
//
// Belongs to one thread, or the lock of the list guards it.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::engine {

class PageMemory {
 public:
  static constexpr int64_t kChunkBytes = int64_t{2} << 20;

  // Manages pages that are not in the host's memory. Nothing is resident and nothing is given back.
  PageMemory() = default;

  // Manages the pages `first` .. `first` + `count` - 1 of a pool of `pages` pages of `page_bytes`.
  // Ignores chunks that contain other pages of the pool. REQUIRES: the pool is an untouched mapping
  // of complete chunks; all pages are free.
  PageMemory(void* pool, int64_t page_bytes, int32_t pages, int32_t first, int32_t count);

  // Notes that `pages` have just left the free list.
  void NoteTaken(const int32_t* pages, int32_t count);

  // Sorts the returned pages free[sorted .. count) into free[0 .. sorted). Moves <= 4 bytes a page.
  void PutInOrder(int32_t* free, int32_t sorted, int32_t count);

  // Ends a period. Chunks that were free during all of it become idle. Takes some ns a page.
  void EndPeriod(const int32_t* free, int32_t free_count);

  // Gives `most_bytes` of idle memory, rounded up to chunks, back. Reports whether some is left.
  bool GiveBackIdle(int64_t most_bytes);

  // Returns the resident bytes in complete chunks.
  int64_t resident_bytes() const { return there_ * kChunkBytes; }

 private:
  enum class Chunk : uint8_t { kAbsent, kUsed, kIdle };

  // The tracked chunks [begin, end) of a page.
  struct Range {
    int64_t begin;
    int64_t end;
  };
  Range ChunksOf(int32_t page) const;

  char* pool_ = nullptr;
  int64_t page_bytes_ = 0;
  int32_t first_ = 0;
  int64_t first_chunk_ = 0;        // index in the mapping of chunks_[0]
  std::vector<Chunk> chunks_;      // the tracked chunks
  std::vector<uint8_t> was_used_;  // by page: in this period
  std::vector<int32_t> returned_;  // for PutInOrder
  int64_t there_ = 0;              // chunks with memory
  int64_t idle_ = 0;               // idle chunks
};

}  // namespace dragoman::engine
