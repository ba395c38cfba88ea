#include "engine/base/load_memory.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace dragoman::engine {
namespace {

// Returns the size in MiB, rounded up.
int64_t MiB(int64_t bytes) { return bytes / (1 << 20) + (bytes % (1 << 20) == 0 ? 0 : 1); }

}  // namespace

void LoadMemory::SetLimit(int64_t most, std::string because) {
  MutexLock lock(&mu_);
  most_ = most;
  because_ = std::move(because);
}

absl::Status LoadMemory::CheckRoom(int64_t bytes, std::string_view what) const {
  const int64_t taken = held_ + kept_;
  if (bytes <= most_ && taken <= most_ - bytes) return absl::OkStatus();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const int64_t both = bytes > kMost - taken ? kMost : taken + bytes;
  const std::string sum = taken == 0 ? ""
                                     : absl::StrCat(", ", MiB(both), " MiB with the ", MiB(taken),
                                                    " MiB that the load has taken before");
  return absl::ResourceExhaustedError(
      absl::StrCat(absl::string_view(what.data(), what.size()), ": takes ", MiB(bytes),
                   " MiB of memory while the model is loaded", sum, "; expected at most ",
                   MiB(std::max<int64_t>(most_, 0)), " MiB: ", because_));
}

absl::StatusOr<LoadMemory::Hold> LoadMemory::Reserve(int64_t bytes, std::string_view what) {
  MutexLock lock(&mu_);
  if (absl::Status status = CheckRoom(bytes, what); !status.ok()) return status;
  Take(bytes);
  return Hold(this, bytes);
}

absl::Status LoadMemory::Keep(int64_t bytes, std::string_view what) {
  MutexLock lock(&mu_);
  if (absl::Status status = CheckRoom(bytes, what); !status.ok()) return status;
  kept_ += bytes;
  peak_ = std::max(peak_, held_ + kept_);
  return absl::OkStatus();
}

LoadMemory::Hold LoadMemory::Count(int64_t bytes) {
  MutexLock lock(&mu_);
  Take(bytes);
  return {this, bytes};
}

void LoadMemory::Take(int64_t bytes) {
  held_ += bytes;
  peak_ = std::max(peak_, held_ + kept_);
}

void LoadMemory::Give(int64_t bytes) {
  MutexLock lock(&mu_);
  held_ -= bytes;
}

int64_t LoadMemory::held() const {
  MutexLock lock(&mu_);
  return held_;
}

int64_t LoadMemory::kept() const {
  MutexLock lock(&mu_);
  return kept_;
}

int64_t LoadMemory::peak() const {
  MutexLock lock(&mu_);
  return peak_;
}

}  // namespace dragoman::engine
