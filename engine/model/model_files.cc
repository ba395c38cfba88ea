#include "engine/model/model_files.h"

#include <filesystem>
#include <system_error>

#include "engine/model/file_bytes.h"

namespace dragoman {

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
