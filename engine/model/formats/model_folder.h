// The files of a model, in a directory or in an archive. Records in the FileRecord of the
// LoadContext which files are looked for or read. Reserves memory for them in the LoadMemory of the
// LoadContext.
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

// The maximum size of a configuration file in bytes.
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

  // Returns the path. Error messages put it in front of the names of files.
  const std::string& path() const { return path_; }
  LoadContext* load() const { return load_; }

  virtual bool Has(std::string_view file) const = 0;
  // Reads a file. Errors are those of OpenedFile::Open and ReadWhole. Before the file is read,
  // reserves memory for its bytes, and then memory for the values that its text will be parsed
  // into. Both stay reserved until the load ends. Returns RESOURCE_EXHAUSTED if they exceed the
  // load's memory limit.
  virtual absl::StatusOr<std::string> Read(std::string_view file, size_t max_bytes) const = 0;
  // Maps a file. Errors are those of MappedFile::Open.
  virtual absl::StatusOr<MappedFile> Map(std::string_view file, size_t max_bytes) const = 0;

  // Returns nullopt if there is no such file.
  absl::StatusOr<std::optional<std::string>> ReadOptional(std::string_view file,
                                                          size_t max_bytes) const;

 protected:
  ModelFolder(std::string path, LoadContext* load) : path_(std::move(path)), load_(load) {}

  // Read calls these to reserve memory: CountFile for the bytes of a file, CountParsed for the
  // values that its text will be parsed into.
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

  // Returns the first bytes of a file, at most `most`, or "" if it cannot be read. Does not record
  // the file.
  std::string FirstBytes(std::string_view file, size_t most) const;

  // Returns the names of files that end in one of `endings`, sorted. Returns none if the folder
  // cannot be read.
  std::vector<std::string> Names(const std::vector<std::string>& endings) const;

 private:
  // Records in the FileRecord that the file was looked for or, if `is_read`, read. Returns its path.
  std::string Noted(std::string_view file, bool is_read) const;
};

}  // namespace dragoman::engine
