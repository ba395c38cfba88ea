#include "engine/model/formats/model_files.h"

#include <filesystem>

#include "engine/base/concat.h"

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

}  // namespace dragoman
