// The files of a model, in a directory or in an archive. A layout that reads them through this does
// not know which. Files that are looked for and read are recorded in the load's FileRecord, and what is
// held in memory is counted in its LoadMemory.
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

// The last part of the path, with and without a slash at the end.
std::string NameOf(const std::string& directory);

// The status with the path in front of its message, unless the message begins with it.
absl::Status InDirectory(const std::string& directory, const absl::Status& status);

std::string PathOf(const std::string& directory, std::string_view file);

class ModelFolder {
 public:
  virtual ~ModelFolder() = default;
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  // The path, which messages put in front of the names of the files.
  const std::string& path() const { return path_; }
  LoadContext* load() const { return load_; }

  virtual bool Has(std::string_view file) const = 0;
  // Errors as OpenedFile::Open and ReadWhole, and RESOURCE_EXHAUSTED where the load's memory is too small: for the bytes,
  // before one of them is read; for the values that such a text is parsed into, before it is parsed.
  // Both count until the load ends.
  virtual absl::StatusOr<std::string> Read(std::string_view file, size_t max_bytes) const = 0;
  // The same as MappedFile::Open.
  virtual absl::StatusOr<MappedFile> Map(std::string_view file, size_t max_bytes) const = 0;

  // Nothing where there is no such file.
  absl::StatusOr<std::optional<std::string>> ReadOptional(std::string_view file,
                                                          size_t max_bytes) const;

 protected:
  ModelFolder(std::string path, LoadContext* load) : path_(std::move(path)), load_(load) {}

  // Read counts with these a file of `bytes` that is read whole, and the values that its text is parsed
  // into.
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

  // The first bytes of a file that is not recorded: `most` of them, fewer if it has fewer, none if it
  // cannot be read.
  std::string FirstBytes(std::string_view file, size_t most) const;

  // The names that end in one of `endings`, sorted; none if the folder cannot be read.
  std::vector<std::string> Names(const std::vector<std::string>& endings) const;

 private:
  // Records the file and returns its path.
  std::string Noted(std::string_view file, bool is_read) const;
};

}  // namespace dragoman::engine
