// The paths of a model: of its directory, or of those of an ensemble's members. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/settings/config.h"

namespace dragoman {

// The directory of a model, or those of the members of an ensemble.
std::vector<std::string> DirectoriesOf(const ModelSettings& settings);

// INVALID_ARGUMENT: `directory` of a request ("": none) is not absolute.
absl::Status CheckDirectory(const std::string& directory);

}  // namespace dragoman
