// Whether this machine's processor has what the interpreter is compiled for. For files that are not.
#pragma once

#include <string>

namespace dragoman::ptx {

// "" if it has.
inline std::string WhyNoInterpreter() {
  const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                   __builtin_cpu_supports("f16c") != 0;
  return has ? "" : "the PTX device needs a processor with AVX2, FMA and F16C";
}

}  // namespace dragoman::ptx
