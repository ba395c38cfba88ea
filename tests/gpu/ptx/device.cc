#include "tests/gpu/ptx/device.h"

#include <cstdlib>
#include <iterator>
#include <regex>
#include <stdexcept>

#include "tests/gpu/ptx/fat_binary.h"

namespace dragoman::ptx {
namespace {

// The runtime's note of the last error is the thread's own.
thread_local cudaError_t last_error = cudaSuccess;

const char* Setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

Architecture ArchitectureOf(const std::string& name) {
  // Shared memory that a block may have: the CUDA programming guide's table of compute capabilities.
  const auto with_shared = [](uint32_t kib) {
    DeviceLimits limits;
    limits.shared_bytes_per_block = kib << 10;
    return limits;
  };
  if (name == "90a") return {name, 9, 0, with_shared(227)};
  if (name == "80") return {name, 8, 0, with_shared(163)};
  if (name == "75") return {name, 7, 5, with_shared(64)};
  throw std::runtime_error("DRAGOMAN_PTX_ARCH is '" + name + "', expected 90a, 80 or 75");
}

cudaError_t ErrorOf(FindingKind kind) {
  switch (kind) {
    case FindingKind::kOutOfBounds:
      return cudaErrorIllegalAddress;
    case FindingKind::kMisaligned:
      return cudaErrorMisalignedAddress;
    case FindingKind::kDeadlock:
      return cudaErrorLaunchTimeout;
    case FindingKind::kUnknownProgram:
      return cudaErrorInvalidPtx;
    default:
      return cudaErrorLaunchFailure;
  }
}

// Changes a module's text as the environment says; how many places.
int PlantIn(std::string* text) {
  const std::string find = Setting("DRAGOMAN_PTX_PLANT_FIND", "");
  if (find.empty() || text->find(Setting("DRAGOMAN_PTX_PLANT_IN", "")) == std::string::npos)
    return 0;
  const std::regex pattern(find);
  const auto places = std::distance(std::sregex_iterator(text->begin(), text->end(), pattern), {});
  *text = std::regex_replace(*text, pattern, Setting("DRAGOMAN_PTX_PLANT_PUT", ""));
  return static_cast<int>(places);
}

}  // namespace

Device& Device::Get() {
  // Never destroyed: what the program frees at its end needs it.
  static Device* const device = new Device;
  return *device;
}

Device::Device()
    : architecture_(ArchitectureOf(Setting("DRAGOMAN_PTX_ARCH", "90a"))),
      seed_(std::strtoull(Setting("DRAGOMAN_PTX_SEED", "1"), nullptr, 10)) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    why_not_ = "the PTX device needs a processor with AVX2 and FMA";
  }
}

size_t Device::AddModule(const void* fat_binary) {
  LoadedModule loaded;
  for (std::string& text : PtxTexts(fat_binary)) {
    const std::string target = ".target sm_" + architecture_.name;
    const size_t found = text.find(target);
    if (found == std::string::npos) continue;
    const char after = text[found + target.size()];
    if (after != '\n' && after != ',' && after != ' ') continue;
    loaded.text = std::move(text);
    planted_ += PlantIn(&loaded.text);
  }
  modules_.push_back(std::move(loaded));
  return modules_.size() - 1;
}

void Device::AddKernel(size_t module, const void* stub, const std::string& name) {
  kernels_[stub] = {module, name};
}

RegisteredKernel* Device::FindKernel(const void* stub, bool* has_code) {
  const auto found = kernels_.find(stub);
  if (found == kernels_.end()) return nullptr;
  *has_code = !modules_[found->second.module].text.empty();
  return &found->second;
}

const Kernel* Device::Decoded(const RegisteredKernel& kernel) {
  LoadedModule& loaded = modules_[kernel.module];
  if (loaded.module == nullptr) loaded.module = std::make_unique<Module>(loaded.text);
  return loaded.module->Find(kernel.name);
}

cudaError_t Device::Launch(const void* stub, const Grid& grid, const void* const* arguments) {
  if (lasting_error_ != cudaSuccess) return Note(lasting_error_);
  bool has_code = false;
  const RegisteredKernel* const registered = FindKernel(stub, &has_code);
  if (registered == nullptr) return Note(cudaErrorInvalidDeviceFunction);
  if (!has_code) return Note(cudaErrorNoKernelImageForDevice);
  LaunchOptions options;
  options.limits = architecture_.limits;
  options.max_dynamic_shared_bytes = registered->max_dynamic_shared_bytes;
  options.seed = seed_ + launches_;
  ++launches_;
  const size_t before = report_.findings().size();
  try {
    const Kernel* const kernel = Decoded(*registered);
    if (kernel == nullptr) return Note(cudaErrorInvalidDeviceFunction);
    const bool completed = ptx::Launch(*kernel, grid, {arguments, kernel->parameters.size()},
                                       memory_, options, report_, counts_);
    if (completed) return cudaSuccess;
  } catch (const BadProgram& error) {
    Finding finding;
    finding.kind = FindingKind::kUnknownProgram;
    finding.kernel = registered->name;
    finding.what = error.what();
    report_.Add(finding);
  }
  const bool added = report_.findings().size() > before;
  const FindingKind kind = added ? report_.findings().back().kind : FindingKind::kUndefinedValue;
  // Limits are looked at before anything runs; the device is as it was.
  if (kind == FindingKind::kLaunchLimit) return Note(cudaErrorInvalidConfiguration);
  lasting_error_ = ErrorOf(kind);
  return cudaSuccess;
}

cudaError_t Device::Note(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t Device::TakeLastError() { return std::exchange(last_error, cudaSuccess); }

std::vector<Finding> Device::TakeFindings() {
  std::vector<Finding> findings = report_.findings();
  report_.Clear();
  lasting_error_ = cudaSuccess;
  last_error = cudaSuccess;
  return findings;
}

}  // namespace dragoman::ptx
