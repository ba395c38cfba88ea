// gpu_bench [--json FILE] PART | machine | --list
//
// Measures a part on cuda:0 (parts.h). Tables go to standard output. The last line is 'N passed, N
// failed'. 'machine' describes the machine, and '--list' names the parts, most important first.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/device.h"
#include "tests/gpu/bench/parts.h"

namespace {

struct Part {
  const char* name;
  absl::StatusOr<nlohmann::json> (*run)();
  bool is_listed = true;
};
constexpr Part kParts[] = {{"ceilings", dragoman::bench::Ceilings},
                           {"graph_step", dragoman::bench::GraphStep},
                           {"throughput", dragoman::bench::Throughput},
                           {"step_table", dragoman::bench::StepTable},
                           {"output_layer", dragoman::bench::OutputLayers},
                           {"one_sentence", dragoman::bench::OneSentence},
                           {"graph_step_quantized", dragoman::bench::GraphStepQuantized},
                           {"graph_step_4096", dragoman::bench::GraphStepOf4096, false},
                           {"graph_step_4", dragoman::bench::GraphStepOf4, false}};

int Machine() {
  namespace cuda = dragoman::kernels::cuda;
  std::string why;
  if (cuda::DeviceCount(&why) == 0) {
    std::printf("no CUDA device: %s\n", why.c_str());
    return 1;
  }
  cuda::DeviceInfo info;
  if (cuda::Describe(0, &info) != cuda::Error::kNone) return 1;
  std::printf("cuda:0 %s, compute capability %d.%d, %d multiprocessors, %lld MiB (%lld free)\n",
              info.name.c_str(), info.major, info.minor, info.multiprocessors,
              static_cast<long long>(info.total_bytes >> 20),
              static_cast<long long>(info.free_bytes >> 20));
  const char* why_not = nullptr;
  const cuda::CublasLt* const lt = cuda::LoadCublasLt(&why_not);
  std::printf("CUDA driver %d, runtime %d, cuBLASLt %s\n", cuda::DriverVersion(),
              cuda::RuntimeVersion(),
              lt != nullptr ? std::to_string(lt->get_version()).c_str() : why_not);
  return 0;
}

int Run(const Part& part, const std::string& json_path) {
  const auto result = part.run();
  if (!result.ok()) {
    std::printf("%s: %s\n0 passed, 1 failed\n", part.name,
                std::string(result.status().message()).c_str());
    return 1;
  }
  if (!json_path.empty()) std::ofstream(json_path) << result->dump(1) << "\n";
  std::printf("1 passed, 0 failed\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::string json_path;
  if (arguments.size() == 3 && arguments[0] == "--json") {
    json_path = arguments[1];
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  if (arguments.size() == 1 && arguments[0] == "machine") return Machine();
  if (arguments.size() == 1 && arguments[0] == "--list") {
    for (const Part& part : kParts) {
      if (part.is_listed) std::printf("%s\n", part.name);
    }
    return 0;
  }
  for (const Part& part : kParts) {
    if (arguments.size() == 1 && arguments[0] == part.name) return Run(part, json_path);
  }
  std::fprintf(stderr, "usage: gpu_bench [--json FILE] PART | machine | --list\n");
  return 2;
}
