// Reads and writes files that are plain, gzip or Zstandard.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dragoman::client {

enum class Compression { kNone, kGzip, kZstd };

// Returns the compression that the name's extension says: ".gz", ".zst", or none of them.
Compression CompressionOf(std::string_view name);

// A running SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void Add(std::string_view bytes);
  // Returns the digest of what was added so far, in hexadecimal.
  std::string Hex() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

// Returns the SHA-256 of a file's bytes.
absl::StatusOr<std::string> Sha256Of(const std::string& path);

class Decompressor {
 public:
  // Borrows the descriptor.
  static std::unique_ptr<Decompressor> Create(int fd, Compression compression);
  virtual ~Decompressor() = default;

  // Appends some of the content to `out`; nothing at its end. Blocks if the descriptor is not
  // readable and nothing is buffered. Returns DATA_LOSS if the file is cut off or damaged.
  absl::Status Read(std::string* out);
  bool ended() const { return ended_; }
  // Reports whether Read has content left that needs no reading of the descriptor.
  bool has_buffered() const { return at_ < raw_.size() || has_more_; }
  int fd() const { return fd_; }

  // Return the number and the SHA-256 of the file's own bytes that were read so far.
  int64_t raw_bytes() const { return raw_bytes_; }
  std::string raw_sha256() const { return digest_.Hex(); }

 protected:
  explicit Decompressor(int fd) : fd_(fd) {}
  // Takes bytes from the front of `raw` and appends a block of content to `out`. Sets `has_more` if
  // it could append more without further bytes.
  virtual absl::Status Decode(std::string_view* raw, std::string* out, bool* has_more) = 0;
  // Returns DATA_LOSS if the content cannot end here.
  virtual absl::Status End() = 0;

 private:
  const int fd_;
  std::string raw_;  // what was read; the bytes before at_ are decoded
  size_t at_ = 0;
  bool has_more_ = false;  // what Decode has said
  bool ended_ = false;
  int64_t raw_bytes_ = 0;
  Sha256 digest_;
};

// Returns `content` as a complete gzip member or Zstandard frame, or as it is. Such pieces one after
// another are a valid file.
std::string Compress(std::string_view content, Compression compression);

}  // namespace dragoman::client
