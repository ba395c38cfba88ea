// Describes this build of the engine and the CPU instruction sets that it uses, for bug reports.
#pragma once

#include <string>
#include <vector>

namespace dragoman::engine {

struct EngineBuild {
  std::string instruction_set;  // used by the CPU operations: "avx2"
  // All instruction sets that this machine supports, ordered from the simplest to the most capable.
  std::vector<std::string> instruction_sets;
  bool cuda = false;  // whether the build has code for GPUs
};

// Thread-safe.
EngineBuild DescribeEngineBuild();

}  // namespace dragoman::engine
