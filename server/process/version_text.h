// The text that --version prints.
#pragma once

#include <string>

#include "engine/api/build_info.h"

namespace dragoman::server {

// The name and the version; with `verbose` also the compiler and its flags, what the engine uses on
// this machine, and the libraries that this process has loaded, by the names of their files.
std::string VersionText(bool verbose, const engine::EngineBuild& engine);

}  // namespace dragoman::server
