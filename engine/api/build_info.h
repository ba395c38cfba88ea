// Describes this build of the engine and what it uses on this machine, for bug reports.
#pragma once

#include <string>
#include <vector>

namespace dragoman::engine {

struct EngineBuild {
  std::string instruction_set;                // the one that the CPU operations use
  std::vector<std::string> instruction_sets;  // all that this machine has, the lowest first
  bool cuda = false;                          // whether the build has code for GPUs
};

// Thread-safe.
EngineBuild DescribeEngineBuild();

}  // namespace dragoman::engine
