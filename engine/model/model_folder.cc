#include "engine/model/model_folder.h"

#include "engine/model/model_files.h"

namespace dragoman {

absl::StatusOr<std::optional<std::string>> ModelFolder::ReadOptional(std::string_view file,
                                                                     size_t max_bytes) const {
  if (!Has(file)) return std::nullopt;
  absl::StatusOr<std::string> text = Read(file, max_bytes);
  if (!text.ok()) return text.status();
  return *std::move(text);
}

bool DiskFolder::Has(std::string_view file) const { return Exists(path_, file); }

absl::StatusOr<std::string> DiskFolder::Read(std::string_view file, size_t max_bytes) const {
  return ReadModelFile(path_, file, max_bytes);
}

absl::StatusOr<MappedFile> DiskFolder::Map(std::string_view file, size_t max_bytes) const {
  return MappedFile::Open(PathOf(path_, file), max_bytes);
}

}  // namespace dragoman
