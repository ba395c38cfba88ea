// Reads a model's files from a folder of a zip archive. Read and Map decompress a file into memory.
// Nothing is written to disk.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/formats/mapped_file.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/formats/zip_directory.h"

namespace dragoman::engine {

class ZipArchive {
 public:
  // Returns NOT_FOUND if there is no such file, and INVALID_ARGUMENT if it is not a zip archive, is
  // damaged, or has an entry whose name would put it outside the archive's folder.
  static absl::StatusOr<ZipArchive> Open(const std::string& path, LoadContext* load = nullptr);

  const std::string& path() const { return path_; }
  LoadContext* load() const { return load_; }
  const ZipEntries& entries() const { return entries_; }
  // Returns INVALID_ARGUMENT if the file was truncated or changed since Open.
  absl::Status Check() const { return file_.Check(); }

 private:
  ZipArchive(std::string path, LoadContext* load, MappedFile file, ZipEntries entries)
      : path_(std::move(path)), load_(load), file_(std::move(file)), entries_(std::move(entries)) {}

  std::string path_;
  LoadContext* load_;
  MappedFile file_;
  ZipEntries entries_;
};

class ZipFolder : public ModelFolder {
 public:
  // The folder has the entries whose names begin with `prefix`, which is "" or a path with '/' at
  // its end. REQUIRES: `archive` outlives the folder. The archive need not outlive files that Map
  // returns.
  ZipFolder(const ZipArchive* archive, std::string prefix);

  bool Has(std::string_view file) const override;
  absl::StatusOr<std::string> Read(std::string_view file, size_t max_bytes) const override;
  // Decompresses the file into memory, which the result owns. The file may have at most 4 GiB.
  absl::StatusOr<MappedFile> Map(std::string_view file, size_t max_bytes) const override;

 private:
  // Returns NOT_FOUND, which names the file, if the archive lacks it.
  absl::StatusOr<const ZipEntry*> Find(std::string_view file) const;
  std::string PathOfFile(std::string_view file) const;

  const ZipArchive* const archive_;
  const std::string prefix_;
};

}  // namespace dragoman::engine
