#include "engine/decode/kv_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dragoman::engine {
namespace {

uintptr_t RoundUp(uintptr_t bytes, uintptr_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

absl::StatusOr<std::unique_ptr<KvMemory>> KvMemory::Create(const kernels::KvLayout& layout,
                                                           int32_t self_pages,
                                                           int32_t cross_pages) {
  const int64_t bytes = (int64_t{self_pages} + cross_pages) * layout.HostPageBytes();
  // The pool begins and ends at the boundaries of the system's large pages.
  constexpr auto kAlignment = static_cast<uintptr_t>(PageMemory::kChunkBytes);
  const uintptr_t rounded = RoundUp(static_cast<uintptr_t>(bytes), kAlignment);
  const size_t mapped = rounded + kAlignment;
  // Does not set MAP_NORESERVE: a system that does not overcommit then refuses too much memory
  // here, and not when a page is first used.
  void* const mapping =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("K/V memory: ", bytes >> 20, " MiB (", self_pages, " self + ", cross_pages,
                     " cross pages) cannot be allocated: ", std::strerror(errno)));
  }
  const uintptr_t address = reinterpret_cast<uintptr_t>(mapping);
  auto* const pool = static_cast<char*>(mapping) + (RoundUp(address, kAlignment) - address);
  // Asks for large pages, because attention reads scattered pages and would miss the TLB often. An
  // error of madvise is harmless.
  madvise(pool, rounded, MADV_HUGEPAGE);
  const auto unmap = [mapping, mapped](void*) { munmap(mapping, mapped); };
  return std::unique_ptr<KvMemory>(
      new KvMemory(layout, self_pages, cross_pages, KvBlock{pool, bytes, unmap}, true));
}

KvMemory::KvMemory(const kernels::KvLayout& layout, int32_t self_pages, int32_t cross_pages,
                   KvBlock block, bool is_lazy)
    : layout_(layout),
      self_pages_(self_pages),
      cross_pages_(cross_pages),
      block_(std::move(block)),
      is_lazy_(is_lazy) {
  // Fills a stack that hands out the lowest numbers first.
  free_cross_.reserve(static_cast<size_t>(cross_pages));
  for (int32_t i = cross_pages; i-- > 0;) free_cross_.push_back(self_pages + i);
  if (is_lazy) {
    cross_memory_ = PageMemory(block_.data, layout.HostPageBytes(), self_pages + cross_pages,
                               self_pages, cross_pages);
  }
}

KvMemory::~KvMemory() { block_.free(block_.data); }

std::vector<int32_t> KvMemory::TakeCross(int32_t count) {
  MutexLock lock(&mu_);
  const auto wanted = static_cast<size_t>(count);
  while (!closed_ && free_cross_.size() < wanted) freed_.Wait(&mu_);
  if (closed_) return {};
  std::vector<int32_t> pages(free_cross_.end() - count, free_cross_.end());
  free_cross_.resize(free_cross_.size() - wanted);
  cross_memory_.NoteTaken(pages.data(), count);
  return pages;
}

int32_t KvMemory::WaitForCross(int32_t count) {
  MutexLock lock(&mu_);
  while (!closed_ && free_cross_.size() < static_cast<size_t>(count)) freed_.Wait(&mu_);
  return static_cast<int32_t>(free_cross_.size());
}

void KvMemory::GiveBackCross(const std::vector<int32_t>& pages) {
  MutexLock lock(&mu_);
  const auto sorted = static_cast<int32_t>(free_cross_.size());
  free_cross_.insert(free_cross_.end(), pages.begin(), pages.end());
  cross_memory_.PutInOrder(free_cross_.data(), sorted, static_cast<int32_t>(free_cross_.size()));
  freed_.NotifyAll();
}

int32_t KvMemory::cross_pages_free() const {
  MutexLock lock(&mu_);
  return static_cast<int32_t>(free_cross_.size());
}

PageMemory KvMemory::SelfPageMemory() const {
  if (!is_lazy_) return PageMemory();
  return PageMemory(block_.data, layout_.HostPageBytes(), self_pages_ + cross_pages_, 0,
                    self_pages_);
}

void KvMemory::EndCrossPeriod() {
  MutexLock lock(&mu_);
  cross_memory_.EndPeriod(free_cross_.data(), static_cast<int32_t>(free_cross_.size()));
}

bool KvMemory::GiveBackIdleCross(int64_t most_bytes) {
  MutexLock lock(&mu_);
  return cross_memory_.GiveBackIdle(most_bytes);
}

int64_t KvMemory::cross_resident_bytes() const {
  MutexLock lock(&mu_);
  return cross_memory_.resident_bytes();
}

void KvMemory::Close() {
  MutexLock lock(&mu_);
  closed_ = true;
  freed_.NotifyAll();
}

}  // namespace dragoman::engine
