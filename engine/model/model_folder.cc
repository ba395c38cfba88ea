#include "engine/model/model_folder.h"

#include <filesystem>
#include <system_error>

#include "engine/model/file_bytes.h"
#include "engine/model/model_files.h"

namespace dragoman {

absl::StatusOr<std::optional<std::string>> ModelFolder::ReadOptional(std::string_view file,
                                                                     size_t max_bytes) const {
  if (!Has(file)) return std::nullopt;
  absl::StatusOr<std::string> text = Read(file, max_bytes);
  if (!text.ok()) return text.status();
  return *std::move(text);
}

std::string DiskFolder::Noted(std::string_view file, bool is_read) const {
  std::string path = PathOf(this->path(), file);
  if (load() != nullptr) load()->files().Note(path, is_read);
  return path;
}

bool DiskFolder::Has(std::string_view file) const {
  std::error_code error;
  return std::filesystem::exists(Noted(file, false), error);
}

absl::StatusOr<std::string> DiskFolder::Read(std::string_view file, size_t max_bytes) const {
  return ReadWholeFile(Noted(file, true), max_bytes);
}

absl::StatusOr<MappedFile> DiskFolder::Map(std::string_view file, size_t max_bytes) const {
  return MappedFile::Open(Noted(file, true), max_bytes);
}

std::vector<std::string> DiskFolder::Names(const std::vector<std::string>& endings) const {
  return load() == nullptr ? ListNames(path(), endings) : load()->files().List(path(), endings);
}

}  // namespace dragoman
