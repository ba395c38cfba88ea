// Counts the memory of one load of a model against a limit. A file that is unpacked or read into
// memory is counted before its first byte is read. Thread-safe. Sizes are bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/mutex.h"

namespace dragoman::engine {

class LoadMemory {
 public:
  // Counts bytes until it is destroyed. Movable. Its LoadMemory must outlive it.
  class Hold {
   public:
    Hold() = default;
    Hold(LoadMemory* memory, int64_t bytes) : memory_(memory), bytes_(bytes) {}
    ~Hold() { Release(); }
    Hold(Hold&& other) noexcept
        : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
    Hold& operator=(Hold&& other) noexcept {
      if (this == &other) return *this;
      Release();
      memory_ = std::exchange(other.memory_, nullptr);
      bytes_ = other.bytes_;
      return *this;
    }
    void Release() {
      if (memory_ != nullptr) std::exchange(memory_, nullptr)->Give(bytes_);
    }

   private:
    LoadMemory* memory_ = nullptr;
    int64_t bytes_ = 0;
  };

  LoadMemory() = default;
  LoadMemory(const LoadMemory&) = delete;
  LoadMemory& operator=(const LoadMemory&) = delete;

  // Makes Reserve and Keep refuse bytes that would bring the sum above `most`. `because` explains
  // the limit in messages: "the machine has 1024 MiB, of which ...". By default there is no limit.
  void SetLimit(int64_t most, std::string because);

  // Counts `bytes` for `what`, or returns RESOURCE_EXHAUSTED. REQUIRES: bytes >= 0.
  absl::StatusOr<Hold> Reserve(int64_t bytes, std::string_view what);

  // The same without the limit, for memory that is checked elsewhere.
  Hold Count(int64_t bytes);

  // Like Reserve, but the bytes count until the load ends. Used for vocabularies and their data.
  absl::Status Keep(int64_t bytes, std::string_view what);

  int64_t held() const;  // by Holds at present
  int64_t kept() const;
  int64_t peak() const;  // the largest sum of both so far

 private:
  absl::Status CheckRoom(int64_t bytes, std::string_view what) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Take(int64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Give(int64_t bytes);

  mutable Mutex mu_;
  int64_t most_ ABSL_GUARDED_BY(mu_) = INT64_MAX;
  std::string because_ ABSL_GUARDED_BY(mu_);
  int64_t held_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t kept_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t peak_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace dragoman::engine
