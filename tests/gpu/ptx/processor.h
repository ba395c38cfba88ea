// Checks that this machine's processor supports the instructions for which the interpreter is
// compiled. Files that include this must be compiled without those instructions.
#pragma once

#include <string>

namespace dragoman::ptx {

// Returns "" if the processor supports the interpreter, or what is missing.
inline std::string WhyNoInterpreter() {
  const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                   __builtin_cpu_supports("f16c") != 0;
  return has ? "" : "the PTX device needs a processor with AVX2, FMA and F16C";
}

}  // namespace dragoman::ptx
