#include "engine/base/load_memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dragoman {
namespace {

// Rounded up.
int64_t MiB(int64_t bytes) { return bytes / (1 << 20) + (bytes % (1 << 20) == 0 ? 0 : 1); }

}  // namespace

void LoadMemory::SetLimit(int64_t most, std::string because) {
  MutexLock lock(&mu_);
  most_ = most;
  because_ = std::move(because);
}

absl::StatusOr<LoadMemory::Hold> LoadMemory::Reserve(int64_t bytes, std::string_view what) {
  MutexLock lock(&mu_);
  if (bytes > most_ || held_ > most_ - bytes) {
    const std::string sum =
        held_ == 0 ? ""
                   : absl::StrCat(", with the ", MiB(held_), " MiB that the load holds already ",
                                  MiB(held_) + MiB(bytes), " MiB");
    return absl::ResourceExhaustedError(
        absl::StrCat(absl::string_view(what.data(), what.size()), " takes ", MiB(bytes),
                     " MiB of memory while the model is loaded", sum, ", and ", because_));
  }
  Take(bytes);
  return Hold(this, bytes);
}

LoadMemory::Hold LoadMemory::Count(int64_t bytes) {
  MutexLock lock(&mu_);
  Take(bytes);
  return {this, bytes};
}

void LoadMemory::Take(int64_t bytes) {
  held_ += bytes;
  peak_ = std::max(peak_, held_);
}

void LoadMemory::Give(int64_t bytes) {
  MutexLock lock(&mu_);
  held_ -= bytes;
}

int64_t LoadMemory::held() const {
  MutexLock lock(&mu_);
  return held_;
}

int64_t LoadMemory::peak() const {
  MutexLock lock(&mu_);
  return peak_;
}

}  // namespace dragoman
