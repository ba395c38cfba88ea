#include "tests/gpu/ptx/device.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <stdexcept>

#include "tests/gpu/ptx/fat_binary.h"
#include "tests/gpu/ptx/processor.h"

namespace dragoman::ptx {
namespace {

// The last error and the current device belong to the calling thread.
thread_local cudaError_t last_error = cudaSuccess;
thread_local int current = 0;

const char* Setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

// Returns the value of a setting. The default is the first choice.
template <class Value>
Value Choice(const char* name, const std::vector<std::pair<std::string, Value>>& choices) {
  const std::string value = Setting(name, choices[0].first.c_str());
  std::string expected;
  for (const auto& [word, meaning] : choices) {
    if (word == value) return meaning;
    expected += (expected.empty() ? "" : ", ") + word;
  }
  throw std::runtime_error(std::string(name) + " is '" + value + "', expected one of " + expected);
}

int CountOf(const std::string& count) {
  const bool known = count.size() == 1 && count[0] >= '1' && count[0] <= '0' + kMostDevices;
  if (known) return count[0] - '0';
  throw std::runtime_error("DRAGOMAN_PTX_DEVICES is '" + count + "', expected 1 to " +
                           std::to_string(kMostDevices));
}

Architecture ArchitectureOf(const std::string& name) {
  // The maximum shared memory of a block, from the CUDA programming guide's table of compute
  // capabilities.
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

// Changes the text of a module as the environment demands. Returns the number of places changed.
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
  // Never destroyed, because the program still frees objects when it ends.
  static Device* const device = new Device;
  return *device;
}

int Device::Current() { return current; }
void Device::SetCurrent(int device) { current = device; }

Device::Device()
    : architecture_(ArchitectureOf(Setting("DRAGOMAN_PTX_ARCH", "90a"))),
      why_not_(WhyNoInterpreter()),
      seed_(std::strtoull(Setting("DRAGOMAN_PTX_SEED", "1"), nullptr, 10)),
      count_(CountOf(Setting("DRAGOMAN_PTX_DEVICES", "1"))),
      order_(
          Choice<StreamOrder::When>("DRAGOMAN_PTX_ORDER", {{"now", StreamOrder::When::kNow},
                                                           {"late", StreamOrder::When::kLate},
                                                           {"random", StreamOrder::When::kRandom}}),
          Choice<EarlyStart>("DRAGOMAN_PTX_EARLY", {{"earliest", EarlyStart::kEarliest},
                                                    {"random", EarlyStart::kRandom},
                                                    {"latest", EarlyStart::kLatest}}),
          seed_, memory_, [this](const auto& chain, EarlyStart start, ChainOrder& order) {
            Run(chain, start, order);
          }) {}

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

cudaError_t Device::Hold(const void* stub, const Grid& grid, const void* const* arguments,
                         HeldLaunch* held) {
  bool has_code = false;
  const RegisteredKernel* const registered = FindKernel(stub, &has_code);
  if (registered == nullptr) return Note(cudaErrorInvalidDeviceFunction);
  if (!has_code) return Note(cudaErrorNoKernelImageForDevice);
  Finding finding;
  finding.kernel = registered->name;
  held->grid = grid;
  held->options.limits = architecture_.limits;
  held->device = current;
  held->options.max_dynamic_shared_bytes =
      registered->on[static_cast<size_t>(current)].max_dynamic_shared_bytes;
  try {
    held->kernel = Decoded(*registered);
    if (held->kernel == nullptr) return Note(cudaErrorInvalidDeviceFunction);
    finding.kernel = held->kernel->readable;
    finding.what = WhyNoLaunch(*held->kernel, grid, held->options);
    finding.kind = FindingKind::kLaunchLimit;
  } catch (const BadProgram& error) {
    finding.what = error.what();
    finding.kind = FindingKind::kUnknownProgram;
  }
  if (!finding.what.empty()) {
    report_.Add(finding);
    return Note(finding.kind == FindingKind::kLaunchLimit ? cudaErrorInvalidConfiguration
                                                          : cudaErrorInvalidPtx);
  }
  for (const Parameter& parameter : held->kernel->parameters) {
    const auto* const bytes = static_cast<const uint8_t*>(arguments[held->arguments.size()]);
    held->arguments.emplace_back(bytes, bytes + parameter.bytes);
  }
  return cudaSuccess;
}

void Device::Run(const std::vector<const HeldLaunch*>& chain, EarlyStart start, ChainOrder& order) {
  const int device = chain[0]->device;
  if (lasting_error(device) != cudaSuccess) return;
  std::vector<std::vector<const void*>> arguments(chain.size());
  std::vector<ChainedLaunch> launches;
  for (size_t i = 0; i < chain.size(); ++i) {
    for (const std::vector<uint8_t>& argument : chain[i]->arguments) {
      arguments[i].push_back(argument.data());
    }
    launches.push_back({chain[i]->kernel, chain[i]->grid, arguments[i], chain[i]->options});
    launches.back().options.seed = seed_ + launches_++;
  }
  const size_t before = report_.findings().size();
  memory_.SetReader(device);
  const bool ended = LaunchChain(launches, start, order, memory_, report_, counts_);
  memory_.SetReader(Piece::kAnyDevice);
  if (ended) return;
  const bool added = report_.findings().size() > before;
  Break(device, ErrorOf(added ? report_.findings().back().kind : FindingKind::kUndefinedValue));
}

void Device::Act(int device, const std::function<void()>& act) {
  if (lasting_error(device) != cudaSuccess) return;
  running_ = device;
  act();
}

cudaError_t Device::Note(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t Device::TakeLastError() {
  const cudaError_t error = std::exchange(last_error, cudaSuccess);
  // A lasting error is not cleared.
  return lasting_error(current) != cudaSuccess ? lasting_error(current) : error;
}

std::string Device::Summary() const {
  return "PTX device sm_" + architecture_.name + ": " + std::to_string(launches_) + " launches, " +
         std::to_string(counts_.blocks) + " blocks, " + std::to_string(counts_.warp_instructions) +
         " warp and " + std::to_string(counts_.thread_instructions) + " thread instructions";
}

std::vector<Finding> Device::TakeFindings() {
  const bool is_broken = std::any_of(lasting_.begin(), lasting_.end(),
                                     [](cudaError_t error) { return error != cudaSuccess; });
  if (is_broken) order_.WaitForAll();
  std::vector<Finding> findings = report_.findings();
  report_.Clear();
  lasting_.fill(cudaSuccess);
  last_error = cudaSuccess;
  return findings;
}

}  // namespace dragoman::ptx
