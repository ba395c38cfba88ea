// The output of one input file: a file that appears complete or not at all, and its manifest.
//
// While PATH is being written, its blocks are in DIR/.NAME.part and what is known of them is in
// DIR/.NAME.part.json. A later run continues after the last complete block. PATH and
// PATH.manifest.json appear at the end by rename.
//
// Not thread-safe. While this object exists, no other process has one for the same path: the file
// .NAME.part is locked (flock).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/corpus/compressed_file.h"

namespace dragoman::client {

// A model as the server lists it.
struct ModelIdentity {
  std::string checksum;  // of its files
  int32_t version = 0;   // increases with every load; for people alone

  // Compares the checksums.
  bool operator==(const ModelIdentity& other) const { return checksum == other.checksum; }
};
using ModelIdentities = std::map<std::string, ModelIdentity>;  // by name

// Reports whether the model is the same in `models`, or neither listed there nor known (no
// checksum).
bool IsUnchanged(const ModelIdentities& models, const std::string& name,
                 const ModelIdentity& identity);

// Counts what has been done of a shard.
struct ShardProgress {
  int64_t lines = 0;
  int64_t texts = 0;
  int64_t sent = 0;  // texts that were sent; the others were empty or repeated
  int64_t characters = 0;
  int64_t failures = 0;  // lines that failed
  // The bytes of the input after decompression that are done, and their SHA-256.
  int64_t content_bytes = 0;
  std::string content_sha256;
  double seconds = 0;
  // The models that have answered.
  ModelIdentities models;
};

class ShardOutput {
 public:
  // Begins to write `path`, or continues an earlier run whose `options` were equal and whose models
  // are the same in `models`. Returns UNAVAILABLE if another process writes the same
  // path or the disk refuses, and NOT_FOUND if the folder does not exist.
  static absl::StatusOr<std::unique_ptr<ShardOutput>> Open(const std::string& path,
                                                           const nlohmann::ordered_json& options,
                                                           const ModelIdentities& models);
  ~ShardOutput();
  ShardOutput(const ShardOutput&) = delete;
  ShardOutput& operator=(const ShardOutput&) = delete;

  // Returns what the file has from an earlier run; nothing done if there was none.
  const ShardProgress& kept() const { return kept_; }
  // Forgets what an earlier run has written.
  absl::Status Restart();

  // Appends bytes and waits until the disk has them. `progress` includes what they stand for.
  // Returns UNAVAILABLE if the disk is full or fails.
  absl::Status WriteBlock(std::string_view bytes, const ShardProgress& progress);

  // Makes the file and its manifest visible. The manifest has `input`, `options`, `progress`, and
  // the output's size and digest.
  absl::Status Finish(const nlohmann::ordered_json& input, const ShardProgress& progress);

 private:
  ShardOutput(std::string path, nlohmann::ordered_json options, int fd);
  absl::Status Continue(const ModelIdentities& models);

  const std::string path_;
  const std::string part_;  // the name of the file that is being written
  const nlohmann::ordered_json options_;
  const int fd_;
  ShardProgress kept_;
  int64_t bytes_ = 0;
  std::unique_ptr<Sha256> digest_;  // of the output
};

// Describes a file for a manifest: "path", "bytes", "modified" (nanoseconds since 1970).
absl::StatusOr<nlohmann::ordered_json> DescribeFile(const std::string& path);

// Reports whether `path` is the complete output of the file `input` with `options`, and all models
// that its manifest names are the same in `models` (nullptr: not asked). A file whose
// size and time of modification are those of the manifest counts as unchanged. Otherwise its digest
// decides.
bool IsComplete(const std::string& path, const std::string& input,
                const nlohmann::ordered_json& options, const ModelIdentities* models);

// Writes a small file by rename. Returns UNAVAILABLE if the disk refuses.
absl::Status ReplaceFile(const std::string& path, std::string_view content);

}  // namespace dragoman::client
