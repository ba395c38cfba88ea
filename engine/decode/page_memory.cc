#include "engine/decode/page_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <functional>

namespace dragoman::engine {
namespace {

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

PageMemory::PageMemory(void* pool, int64_t page_bytes, int32_t pages, int32_t first, int32_t count)
    : pool_(static_cast<char*>(pool)),
      page_bytes_(page_bytes),
      first_(first),
      first_chunk_(CeilDivide(first * page_bytes, kChunkBytes)),
      was_used_(static_cast<size_t>(count)) {
  returned_.reserve(static_cast<size_t>(count));
  const int64_t end = (int64_t{first} + count) * page_bytes;
  // A chunk at the end of the range is tracked only if it is complete, because the rest of it
  // belongs to other pages. The last chunk of the pool contains no other pages, so it is always
  // tracked.
  const int64_t end_chunk =
      first + count == pages ? CeilDivide(end, kChunkBytes) : end / kChunkBytes;
  chunks_.resize(static_cast<size_t>(std::max<int64_t>(0, end_chunk - first_chunk_)));
}

PageMemory::Range PageMemory::ChunksOf(int32_t page) const {
  const auto all = static_cast<int64_t>(chunks_.size());
  const int64_t begin = page * page_bytes_ / kChunkBytes - first_chunk_;
  const int64_t last = ((page + 1) * page_bytes_ - 1) / kChunkBytes - first_chunk_;
  return {std::max<int64_t>(begin, 0), std::min(last + 1, all)};
}

void PageMemory::NoteTaken(const int32_t* pages, int32_t count) {
  if (pool_ == nullptr) return;
  for (int32_t i = 0; i < count; ++i) {
    was_used_[static_cast<size_t>(pages[i] - first_)] = 1;
    const Range range = ChunksOf(pages[i]);
    for (int64_t c = range.begin; c < range.end; ++c) {
      Chunk& chunk = chunks_[static_cast<size_t>(c)];
      if (chunk == Chunk::kAbsent) ++there_;
      if (chunk == Chunk::kIdle) --idle_;
      chunk = Chunk::kUsed;
    }
  }
}

void PageMemory::PutInOrder(int32_t* free, int32_t sorted, int32_t count) {
  if (pool_ == nullptr) return;
  returned_.assign(free + sorted, free + count);
  std::sort(returned_.begin(), returned_.end(), std::greater<>());
  // Merges both lists from their ends, which have the lowest numbers.
  int32_t to = count;
  for (auto left = static_cast<int32_t>(returned_.size()); left > 0;) {
    const int32_t next = returned_[static_cast<size_t>(left - 1)];
    if (sorted > 0 && free[sorted - 1] < next) {
      free[--to] = free[--sorted];
    } else {
      free[--to] = next;
      --left;
    }
  }
}

void PageMemory::EndPeriod(const int32_t* free, int32_t free_count) {
  if (pool_ == nullptr) return;
  constexpr uint8_t kFree = 2;
  for (int32_t i = 0; i < free_count; ++i)
    was_used_[static_cast<size_t>(free[i] - first_)] |= kFree;
  for (Chunk& chunk : chunks_) {
    if (chunk != Chunk::kUsed) continue;
    chunk = Chunk::kIdle;
    ++idle_;
  }
  for (size_t i = 0; i < was_used_.size(); ++i) {
    const bool was_free = was_used_[i] == kFree;
    // A page that is in use now counts as used in the next period too.
    was_used_[i] = (was_used_[i] & kFree) != 0 ? 0 : 1;
    if (was_free) continue;
    const Range range = ChunksOf(static_cast<int32_t>(i) + first_);
    for (int64_t c = range.begin; c < range.end; ++c) {
      Chunk& chunk = chunks_[static_cast<size_t>(c)];
      if (chunk != Chunk::kIdle) continue;
      chunk = Chunk::kUsed;
      --idle_;
    }
  }
}

bool PageMemory::GiveBackIdle(int64_t most_bytes) {
  // Starts at the high end of the pool, which becomes idle first.
  for (auto end = static_cast<int64_t>(chunks_.size()); idle_ > 0 && most_bytes > 0;) {
    while (chunks_[static_cast<size_t>(end - 1)] != Chunk::kIdle) --end;
    int64_t begin = end;
    while (begin > 0 && most_bytes > 0 && chunks_[static_cast<size_t>(begin - 1)] == Chunk::kIdle) {
      --begin;
      most_bytes -= kChunkBytes;
    }
    const int64_t count = end - begin;
    // The system does not take locked memory back. Such chunks count as used again.
    const bool given = madvise(pool_ + (first_chunk_ + begin) * kChunkBytes,
                               static_cast<size_t>(count * kChunkBytes), MADV_DONTNEED) == 0;
    std::fill(chunks_.begin() + begin, chunks_.begin() + end,
              given ? Chunk::kAbsent : Chunk::kUsed);
    idle_ -= count;
    if (given) there_ -= count;
    end = begin;
  }
  return idle_ > 0;
}

}  // namespace dragoman::engine
