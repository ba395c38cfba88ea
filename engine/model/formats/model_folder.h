// The files of a model, in a directory or in an archive. Records files that are looked for or read
// in the load's FileRecord, and counts memory in its LoadMemory.
//
// Thread-safe. Borrows the LoadContext.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/load_context.h"
#include "engine/model/formats/mapped_file.h"

namespace dragoman::engine {

// The largest configuration file.
inline constexpr size_t kMaxConfigBytes = 1 << 20;

// Returns the last part of the path, which may end with a slash.
std::string NameOf(const std::string& directory);

// Returns the status with the path in front of its message, unless the message begins with it.
absl::Status InDirectory(const std::string& directory, const absl::Status& status);

std::string PathOf(const std::string& directory, std::string_view file);

class ModelFolder {
 public:
  virtual ~ModelFolder() = default;
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  // The path, which messages put in front of the names of files.
  const std::string& path() const { return path_; }
  LoadContext* load() const { return load_; }

  virtual bool Has(std::string_view file) const = 0;
  // Reads a file. Errors are those of OpenedFile::Open and ReadWhole, and RESOURCE_EXHAUSTED if the
  // load's memory is too small: for the bytes, before any is read, or for the values that the text
  // is parsed into, before it is parsed. Both count until the load ends.
  virtual absl::StatusOr<std::string> Read(std::string_view file, size_t max_bytes) const = 0;
  // Maps a file. Errors are those of MappedFile::Open.
  virtual absl::StatusOr<MappedFile> Map(std::string_view file, size_t max_bytes) const = 0;

  // Returns nullopt if there is no such file.
  absl::StatusOr<std::optional<std::string>> ReadOptional(std::string_view file,
                                                          size_t max_bytes) const;

 protected:
  ModelFolder(std::string path, LoadContext* load) : path_(std::move(path)), load_(load) {}

  // Count for Read the bytes of a file, and the values that its text is parsed into.
  absl::Status CountFile(const std::string& path, uint64_t bytes) const;
  absl::Status CountParsed(const std::string& path, std::string_view text) const;

 private:
  const std::string path_;
  LoadContext* const load_;
};

class DiskFolder : public ModelFolder {
 public:
  explicit DiskFolder(std::string path, LoadContext* load = nullptr)
      : ModelFolder(std::move(path), load) {}

  bool Has(std::string_view file) const override;
  absl::StatusOr<std::string> Read(std::string_view file, size_t max_bytes) const override;
  absl::StatusOr<MappedFile> Map(std::string_view file, size_t max_bytes) const override;

  // Returns up to `most` first bytes of a file, "" if it cannot be read. Does not record the file.
  std::string FirstBytes(std::string_view file, size_t most) const;

  // Returns the names that end in one of `endings`, sorted; none if the folder cannot be read.
  std::vector<std::string> Names(const std::vector<std::string>& endings) const;

 private:
  // Records the file and returns its path.
  std::string Noted(std::string_view file, bool is_read) const;
};

}  // namespace dragoman::engine
