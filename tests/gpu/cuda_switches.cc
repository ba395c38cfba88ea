#include "tests/gpu/cuda_switches.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace dragoman {

engine::CudaOptions CudaOptionsOfEnvironment() {
  engine::CudaOptions options;
  const char* const names = std::getenv(engine::kCudaOffVariable);
  const absl::Status status = engine::TurnOff(names == nullptr ? "" : names, &options);
  if (status.ok()) return options;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::exit(2);
}

}  // namespace dragoman
