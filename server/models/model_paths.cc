#include "server/models/model_paths.h"

#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"

namespace dragoman {

std::vector<std::string> DirectoriesOf(const ModelSettings& settings) {
  std::vector<std::string> directories{settings.model_directory};
  directories.insert(directories.end(), settings.ensemble.directories.begin(),
                     settings.ensemble.directories.end());
  return directories;
}

absl::Status CheckDirectory(const std::string& directory) {
  if (directory.empty() || directory[0] == '/') return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("directory: found ", Quoted(directory),
                                                 ", expected an absolute path on the server"));
}

}  // namespace dragoman
