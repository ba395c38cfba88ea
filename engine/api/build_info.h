// What this build of the engine is, and what it uses on this machine: for people who report bugs.
#pragma once

#include <string>
#include <vector>

namespace dragoman {

struct EngineBuild {
  std::string instruction_set;                // of the CPU operations, in use
  std::vector<std::string> instruction_sets;  // that this machine has, the lowest first
  bool cuda = false;                          // the code for GPUs is in it
};

// Thread-safe.
EngineBuild DescribeEngineBuild();

}  // namespace dragoman
