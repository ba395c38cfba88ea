#include "tests/gpu/cuda_switches.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dragoman {

absl::StatusOr<CudaOptions> ParseCudaOff(std::string_view names) {
  constexpr std::pair<std::string_view, bool CudaOptions::*> kSwitches[] = {
      {"fused-output", &CudaOptions::fused_output},
      {"few-rows", &CudaOptions::few_rows},
      {"bucket-algorithms", &CudaOptions::bucket_algorithms},
      {"graphs", &CudaOptions::graphs},
      {"early-launch", &CudaOptions::early_launch}};
  CudaOptions options;
  if (names.empty()) return options;
  for (const std::string& name :
       std::vector<std::string>(absl::StrSplit(std::string(names), ','))) {
    bool found = false;
    std::string all;
    for (const auto& [known, member] : kSwitches) {
      absl::StrAppend(&all, all.empty() ? "" : ", ", std::string(known));
      if (name != known) continue;
      options.*member = false;
      found = true;
    }
    if (!found) {
      return absl::InvalidArgumentError(
          absl::StrCat("DRAGOMAN_CUDA_OFF: found '", name, "', expected some of ", all));
    }
  }
  return options;
}

CudaOptions CudaOptionsOfEnvironment() {
  const char* const names = std::getenv("DRAGOMAN_CUDA_OFF");
  const absl::StatusOr<CudaOptions> options = ParseCudaOff(names == nullptr ? "" : names);
  if (options.ok()) return *options;
  std::fprintf(stderr, "%s\n", std::string(options.status().message()).c_str());
  std::exit(2);
}

}  // namespace dragoman
