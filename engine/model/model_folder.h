// The files of a model, in a directory or in an archive. A layout that reads them through this does
// not know which.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/mapped_file.h"

namespace dragoman {

class ModelFolder {
 public:
  virtual ~ModelFolder() = default;

  // Where it is, in front of the names of its files in messages.
  virtual const std::string& path() const = 0;

  virtual bool Has(std::string_view file) const = 0;
  // As ReadWholeFile.
  virtual absl::StatusOr<std::string> Read(std::string_view file, size_t max_bytes) const = 0;
  // As MappedFile::Open.
  virtual absl::StatusOr<MappedFile> Map(std::string_view file, size_t max_bytes) const = 0;

  // Nothing where there is no such file.
  absl::StatusOr<std::optional<std::string>> ReadOptional(std::string_view file,
                                                          size_t max_bytes) const;
};

class DiskFolder : public ModelFolder {
 public:
  explicit DiskFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const override { return path_; }
  bool Has(std::string_view file) const override;
  absl::StatusOr<std::string> Read(std::string_view file, size_t max_bytes) const override;
  absl::StatusOr<MappedFile> Map(std::string_view file, size_t max_bytes) const override;

 private:
  std::string path_;
};

}  // namespace dragoman
