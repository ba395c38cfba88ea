// A description of this build of the engine, and of what it uses on this machine, for bug reports.
#pragma once

#include <string>
#include <vector>

namespace dragoman::engine {

struct EngineBuild {
  std::string instruction_set;                // of the CPU operations, in use
  std::vector<std::string> instruction_sets;  // that this machine has, the lowest first
  bool cuda = false;                          // the code for GPUs is in it
};

// Thread-safe.
EngineBuild DescribeEngineBuild();

}  // namespace dragoman::engine
