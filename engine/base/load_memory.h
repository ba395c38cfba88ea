// Counts the memory that one load of a model takes, and keeps it below a limit. A file that is
// unpacked or read into memory is counted before its first byte is read. Thread-safe. Sizes are
// bytes.
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
  // A number of bytes that counts until this object is destroyed. Movable. The LoadMemory must
  // outlive it.
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

  // Limits the sum of all counted bytes: Reserve and Keep refuse bytes that would exceed `most`.
  // `because` explains the limit in messages: "the machine has 1024 MiB, of which ...". By default
  // there is no limit.
  void SetLimit(int64_t most, std::string because);

  // Counts `bytes` until the Hold is destroyed. If they exceed the limit, returns
  // RESOURCE_EXHAUSTED. `what` names the use of the bytes for the message. REQUIRES: bytes >= 0.
  absl::StatusOr<Hold> Reserve(int64_t bytes, std::string_view what);

  // Counts `bytes` until the Hold is destroyed, even above the limit. For memory that was checked
  // elsewhere.
  Hold Count(int64_t bytes);

  // Like Reserve, but the bytes count as long as this object lives. Used for vocabularies,
  // tokenizers and glossaries.
  absl::Status Keep(int64_t bytes, std::string_view what);

  int64_t held() const;  // the sum of all Holds at present
  int64_t kept() const;  // the sum of all calls of Keep
  int64_t peak() const;  // the largest value of held() + kept() so far

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
