// The attention memory of one worker: equal pages in one block, split between cross-attention
// (written by the encoder thread) and self-attention (the decode thread's).
//
// On the host the address space is taken at construction and the memory behind a page when the page
// is first used; free pages are given out again before new ones, so that what is resident is what
// was in use at a time. Memory that nothing has used for a while can be given back to the system
// (page_memory.h). A device's is taken at construction. The block is
// shared by both threads (a device's by the streams that they drive); which page belongs to whom is
// settled by the free lists. Pages are numbered over both kinds: self pages 0 .. self_pages - 1,
// cross pages after them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/mutex.h"
#include "engine/decode/page_memory.h"
#include "kernels/base/kv_pages.h"

namespace dragoman::engine {

// Memory of the pages, wherever it is. `free` is called once, with `data`.
struct KvBlock {
  void* data = nullptr;
  int64_t bytes = 0;
  std::function<void(void*)> free;
};

class KvMemory {
 public:
  // Allocates memory of the host. RESOURCE_EXHAUSTED when the system does not give it.
  static absl::StatusOr<std::unique_ptr<KvMemory>> Create(const kernels::KvLayout& layout,
                                                          int32_t self_pages, int32_t cross_pages);
  // Takes over memory for this many pages, all of it there.
  KvMemory(const kernels::KvLayout& layout, int32_t self_pages, int32_t cross_pages, KvBlock block)
      : KvMemory(layout, self_pages, cross_pages, std::move(block), false) {}
  ~KvMemory();
  KvMemory(const KvMemory&) = delete;
  KvMemory& operator=(const KvMemory&) = delete;

  void* pool() const { return block_.data; }
  const kernels::KvLayout& layout() const { return layout_; }
  int32_t self_pages() const { return self_pages_; }
  int32_t cross_pages() const { return cross_pages_; }
  int64_t bytes() const { return block_.bytes; }
  // Whether memory is there only as it is used, and goes again.
  bool is_lazy() const { return is_lazy_; }

  // Takes `count` cross pages; waits until they are free or Close was called, and is then empty.
  // REQUIRES: count <= cross_pages().
  std::vector<int32_t> TakeCross(int32_t count);
  // Waits until `count` cross pages are free or Close was called. How many are: the one who takes
  // may take them without waiting. REQUIRES: count <= cross_pages().
  int32_t WaitForCross(int32_t count);
  void GiveBackCross(const std::vector<int32_t>& pages);
  int32_t cross_pages_free() const;

  // The memory of the self pages, whose free list is the batch's; nothing on a device. Call once,
  // while all of them are free.
  PageMemory SelfPageMemory() const;
  // The same as PageMemory's functions of these names, for the cross pages; any thread.
  void EndCrossPeriod();
  bool GiveBackIdleCross(int64_t most_bytes);
  int64_t cross_resident_bytes() const;

  // Wakes all threads that wait for pages, for good.
  void Close();

 private:
  KvMemory(const kernels::KvLayout& layout, int32_t self_pages, int32_t cross_pages, KvBlock block,
           bool is_lazy);

  const kernels::KvLayout layout_;
  const int32_t self_pages_;
  const int32_t cross_pages_;
  const KvBlock block_;
  const bool is_lazy_;

  mutable Mutex mu_;
  CondVar freed_;
  std::vector<int32_t> free_cross_ ABSL_GUARDED_BY(mu_);
  PageMemory cross_memory_ ABSL_GUARDED_BY(mu_);
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

// A segment's cross-attention pages; gives them back when it goes.
class CrossPages {
 public:
  CrossPages() = default;
  CrossPages(KvMemory* memory, std::vector<int32_t> pages)
      : memory_(memory), pages_(std::move(pages)) {}
  CrossPages(CrossPages&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), pages_(std::move(other.pages_)) {}
  CrossPages& operator=(CrossPages&& other) noexcept {
    if (this != &other) {
      Release();
      memory_ = std::exchange(other.memory_, nullptr);
      pages_ = std::move(other.pages_);
    }
    return *this;
  }
  ~CrossPages() { Release(); }

  const std::vector<int32_t>& pages() const { return pages_; }

  void Release() {
    if (memory_ != nullptr) memory_->GiveBackCross(pages_);
    memory_ = nullptr;
    pages_.clear();
  }

 private:
  KvMemory* memory_ = nullptr;  // borrowed: outlives every segment of its worker
  std::vector<int32_t> pages_;
};

}  // namespace dragoman::engine
