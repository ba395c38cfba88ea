#include "engine/model/model_files.h"

#include <filesystem>
#include <system_error>

#include "engine/model/concat.h"
#include "engine/model/file_bytes.h"

namespace dragoman {

std::string NameOf(const std::string& directory) {
  std::filesystem::path path(directory);
  if (!path.has_filename()) path = path.parent_path();
  return path.filename().string();
}

absl::Status InDirectory(const std::string& directory, const absl::Status& status) {
  const bool named = status.message().substr(0, directory.size()) == directory;
  return named ? status : absl::Status(status.code(), Concat(directory, ": ", status.message()));
}

std::string PathOf(const std::string& directory, std::string_view file) {
  return (std::filesystem::path(directory) / file).string();
}

bool Exists(const std::string& directory, std::string_view file) {
  std::error_code error;
  return std::filesystem::exists(PathOf(directory, file), error);
}

absl::StatusOr<std::string> ReadModelFile(const std::string& directory, std::string_view file,
                                          size_t max_bytes) {
  return ReadWholeFile(PathOf(directory, file), max_bytes);
}

absl::StatusOr<std::optional<std::string>> ReadOptionalFile(const std::string& directory,
                                                            std::string_view file,
                                                            size_t max_bytes) {
  if (!Exists(directory, file)) return std::nullopt;
  absl::StatusOr<std::string> text = ReadModelFile(directory, file, max_bytes);
  if (!text.ok()) return text.status();
  return *std::move(text);
}

}  // namespace dragoman
