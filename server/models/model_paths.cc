#include "server/models/model_paths.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/base/quoted.h"

namespace dragoman {

std::vector<std::string> DirectoriesOf(const ModelSettings& settings) {
  std::vector<std::string> directories{settings.model_directory};
  directories.insert(directories.end(), settings.ensemble.directories.begin(),
                     settings.ensemble.directories.end());
  return directories;
}

absl::Status CheckPaths(const std::string& directory, const SettingTexts& settings) {
  if (!directory.empty() && directory[0] != '/') {
    return absl::InvalidArgumentError(absl::StrCat("directory: found ", Quoted(directory),
                                                   ", expected an absolute path on the server"));
  }
  const auto with = settings.find("ensemble-with");
  if (with == settings.end()) return absl::OkStatus();
  for (const absl::string_view other : absl::StrSplit(with->second, ',', absl::SkipEmpty())) {
    if (other[0] == '/') continue;
    return absl::InvalidArgumentError(absl::StrCat("settings: ensemble-with: found ",
                                                   Quoted(std::string(other)),
                                                   ", expected absolute paths on the server"));
  }
  return absl::OkStatus();
}

}  // namespace dragoman
