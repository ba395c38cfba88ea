// The memory that one load of a model takes, against a limit: every file that is unpacked or read
// into memory is counted before its first byte is there.
//
// Thread-safe. Sizes are bytes.
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
  // Counted bytes, which are no longer counted when it goes. Movable; its LoadMemory outlives it.
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

  // From now on Reserve refuses what would bring the sum above `most`. `because` says where that
  // comes from, for people: "the machine has 1024 MiB, of which ...". Without it there is no limit.
  void SetLimit(int64_t most, std::string because);

  // Counts `bytes`, or RESOURCE_EXHAUSTED with the arithmetic: what `what` takes, what the load
  // holds already, and what there is. REQUIRES: bytes >= 0.
  absl::StatusOr<Hold> Reserve(int64_t bytes, std::string_view what);

  // The same without a limit, for what is judged elsewhere.
  Hold Count(int64_t bytes);

  // The same as Reserve, but the bytes count until the load ends: for vocabularies, and what they
  // are made into.
  absl::Status Keep(int64_t bytes, std::string_view what);

  int64_t held() const;  // by Holds, now
  int64_t kept() const;
  int64_t peak() const;  // the most that was held and kept at once

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
