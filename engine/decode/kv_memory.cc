#include "engine/decode/kv_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dragoman {

absl::StatusOr<std::unique_ptr<KvMemory>> KvMemory::Create(const KvLayout& layout,
                                                           int32_t self_pages,
                                                           int32_t cross_pages) {
  const int64_t bytes = (int64_t{self_pages} + cross_pages) * layout.HostPageBytes();
  // Neither touched now nor MAP_NORESERVE: a system that does not overcommit counts it at once.
  void* pool = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pool == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("K/V memory: ", bytes >> 20, " MiB (", self_pages, " self + ", cross_pages,
                     " cross pages) cannot be had: ", std::strerror(errno)));
  }
  // Rows are read from pages all over: fewer TLB misses. A refusal changes nothing.
  madvise(pool, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  const auto unmap = [bytes](void* data) { munmap(data, static_cast<size_t>(bytes)); };
  return std::make_unique<KvMemory>(layout, self_pages, cross_pages, KvBlock{pool, bytes, unmap});
}

KvMemory::KvMemory(const KvLayout& layout, int32_t self_pages, int32_t cross_pages, KvBlock block)
    : layout_(layout),
      self_pages_(self_pages),
      cross_pages_(cross_pages),
      block_(std::move(block)) {
  // A stack: the lowest numbers leave first.
  free_cross_.reserve(static_cast<size_t>(cross_pages));
  for (int32_t i = cross_pages; i-- > 0;) free_cross_.push_back(self_pages + i);
}

KvMemory::~KvMemory() { block_.free(block_.data); }

std::vector<int32_t> KvMemory::TakeCross(int32_t count) {
  MutexLock lock(&mu_);
  const auto wanted = static_cast<size_t>(count);
  while (!closed_ && free_cross_.size() < wanted) freed_.Wait(&mu_);
  if (closed_) return {};
  std::vector<int32_t> pages(free_cross_.end() - count, free_cross_.end());
  free_cross_.resize(free_cross_.size() - wanted);
  return pages;
}

int32_t KvMemory::WaitForCross(int32_t count) {
  MutexLock lock(&mu_);
  while (!closed_ && free_cross_.size() < static_cast<size_t>(count)) freed_.Wait(&mu_);
  return static_cast<int32_t>(free_cross_.size());
}

void KvMemory::GiveBackCross(const std::vector<int32_t>& pages) {
  MutexLock lock(&mu_);
  free_cross_.insert(free_cross_.end(), pages.begin(), pages.end());
  freed_.NotifyAll();
}

int32_t KvMemory::cross_pages_free() const {
  MutexLock lock(&mu_);
  return static_cast<int32_t>(free_cross_.size());
}

void KvMemory::Close() {
  MutexLock lock(&mu_);
  closed_ = true;
  freed_.NotifyAll();
}

}  // namespace dragoman
