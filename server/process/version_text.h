// Formats the output of --version.
#pragma once

#include <string>

#include "engine/api/build_info.h"

namespace dragoman::server {

// Returns the name and the version. With `verbose` also the compiler and its flags, the engine's
// devices and instruction set, and the file names of the loaded libraries.
std::string VersionText(bool verbose, const engine::EngineBuild& engine);

}  // namespace dragoman::server
