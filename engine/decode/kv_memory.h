// The K/V memory of one worker: a block of pages of equal size. The encoder thread writes cross
// pages (K and V of sources), the decode thread writes self pages (K and V of hypotheses). Self
// pages are numbered from 0, cross pages follow.
//
// On the CPU, construction reserves address space, and a page gets physical memory when it is first
// written. Unused memory can be given back to the system (page_memory.h). On a GPU, construction
// takes memory for all pages.
//
// The encoder thread and the decode thread both access the block, on a GPU through their streams. A
// page belongs to the thread that took it from its free list.
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

// The memory of the pages, on the CPU or on a GPU. KvMemory calls free(data) once.
struct KvBlock {
  void* data = nullptr;
  int64_t bytes = 0;
  std::function<void(void*)> free;
};

class KvMemory {
 public:
  // Allocates memory of the host. Returns RESOURCE_EXHAUSTED if the system refuses it.
  static absl::StatusOr<std::unique_ptr<KvMemory>> Create(const kernels::KvLayout& layout,
                                                          int32_t self_pages, int32_t cross_pages);
  // Takes ownership of allocated memory for this many pages.
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
  // Reports whether pages get physical memory at their first use and can give it back.
  bool is_lazy() const { return is_lazy_; }

  // Waits until `count` cross pages are free, takes them and returns their numbers. Returns an
  // empty list if Close was called. REQUIRES: count <= cross_pages().
  std::vector<int32_t> TakeCross(int32_t count);
  // Waits until `count` cross pages are free or Close was called. Returns the number of free cross
  // pages. A caller that is the only thread that takes pages can then take this many without
  // waiting. REQUIRES: count <= cross_pages().
  int32_t WaitForCross(int32_t count);
  void GiveBackCross(const std::vector<int32_t>& pages);
  int32_t cross_pages_free() const;

  // Returns an object that tracks the memory of the self pages. The batch, which owns the free list
  // of the self pages, keeps the object. On a GPU it tracks nothing. REQUIRES: called once, while
  // all self pages are free.
  PageMemory SelfPageMemory() const;
  // Call EndPeriod, GiveBackIdle and resident_bytes of the PageMemory of the cross pages. Any
  // thread may call them.
  void EndCrossPeriod();
  bool GiveBackIdleCross(int64_t most_bytes);
  int64_t cross_resident_bytes() const;

  // Wakes all threads that wait for pages, and makes later calls return at once.
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

// The cross-attention pages of a segment. The destructor gives them back.
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
