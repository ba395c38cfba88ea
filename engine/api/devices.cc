#include "engine/api/devices.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/base/mutex.h"

namespace dragoman::engine {
namespace {

constexpr int kMaxDevice = 1023;

constexpr const char* kCpuTypes = "auto, float32, bfloat16 or int8 on the CPU";
constexpr const char* kGpuTypes = "auto, float32, float16 or bfloat16 on a GPU";

// int8 gives the same results on every instruction set, because its sums are exact. Its BLEU is in
// engine/decode/README.md.
constexpr const char* kWhyInt8 = "the fastest on a CPU; float32 has the checkpoint's own scores";
constexpr const char* kWhyFloat16 = "the fastest on a GPU";

constexpr const char* kOnePart =
    " to show, because a process sees one part of a card that is divided (MIG): run a daemon for "
    "each, "
    "with "
    "CUDA_VISIBLE_DEVICES";

bool IsOfCpu(kernels::ComputeType type) { return type != kernels::ComputeType::kFloat16; }
bool IsOfGpu(kernels::ComputeType type) { return type != kernels::ComputeType::kInt8; }

absl::Status Refuse(const char* name, const std::string& found, const std::string& expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": found '", absl::CEscape(found), "', expected ", expected));
}

// Returns the N of "cuda:N"; -1 for any other text.
int CudaNumber(const std::string& text) {
  constexpr std::string_view kPrefix = "cuda:";
  int number = -1;
  if (text.rfind(kPrefix, 0) != 0) return -1;
  const char* const begin = text.data() + kPrefix.size();
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(begin, end, number);
  return result.ec == std::errc() && result.ptr == end && number <= kMaxDevice ? number : -1;
}

std::string WhyNotOf(const CudaProbe& probe, int device) {
  if (!probe.why_none.empty()) {
    return probe.card.empty() ? probe.why_none : absl::StrCat(probe.why_none, "; ", probe.remedy);
  }
  const auto count = static_cast<int>(probe.unfit.size());
  if (device >= count) {
    return absl::StrCat("this machine has ", count, count == 1 ? " CUDA device" : " CUDA devices",
                        probe.mig_part ? kOnePart : "");
  }
  return probe.unfit[static_cast<size_t>(device)];
}

constexpr const char* kUnusedCard = "this machine has an NVIDIA card that is not used: ";
constexpr const char* kSilence = "; --device names those that are to be used, or cpu";

DeviceChoice ChooseAutomatically(const CudaProbe& probe) {
  DeviceChoice choice;
  std::vector<std::string> reasons;
  if (!probe.why_none.empty()) {
    reasons.push_back(probe.why_none);
    if (!probe.card.empty()) {
      choice.warning = absl::StrCat(kUnusedCard, probe.why_none, " (", probe.card, "); ",
                                    probe.remedy, kSilence);
    }
  }
  for (size_t i = 0; i < probe.unfit.size(); ++i) {
    if (probe.unfit[i].empty()) {
      choice.cuda.push_back(static_cast<int>(i));
    } else {
      reasons.push_back(absl::StrCat("cuda:", i, ": ", probe.unfit[i]));
    }
  }
  choice.note = absl::StrJoin(reasons, "; ");
  if (probe.why_none.empty() && !reasons.empty()) {
    choice.warning = absl::StrCat(kUnusedCard, choice.note, kSilence);
  }
  return choice;
}

// Returns a probe result without a usable GPU. The GPUs `gpus` do not support the model.
CudaProbe WithoutGpus(const DeviceChoice& gpus, std::string why) {
  CudaProbe none;
  none.why_none = std::move(why);
  none.card = DeviceNames(gpus);
  none.remedy = "the CPU serves this model beside those that GPUs take";
  return none;
}

struct GivenUp {
  std::string why;
  std::shared_ptr<void> held;
};

struct Devices {
  Mutex mu;
  std::multimap<int, GivenUp> given_up ABSL_GUARDED_BY(mu);
};

// Never destroyed, because the `held` objects must outlive every destructor of the process.
Devices& All() {
  static auto* const devices = new Devices;
  return *devices;
}

}  // namespace

std::string ReadDevice(const std::string& text, DeviceRequest* request) {
  std::vector<int> cuda;
  if (text != "auto" && text != "cpu") {
    for (const std::string& one : std::vector<std::string>(absl::StrSplit(text, ','))) {
      const int number = CudaNumber(one);
      if (number < 0) return "auto, cpu, or cuda:N[,cuda:M]";
      if (std::count(cuda.begin(), cuda.end(), number) > 0) return "each device once";
      cuda.push_back(number);
    }
  }
  request->automatic = text == "auto";
  request->cuda = std::move(cuda);
  return "";
}

std::string ReadComputeType(const std::string& text, DeviceRequest* request) {
  if (text == "auto") {
    request->compute_type = std::nullopt;
    return "";
  }
  for (const kernels::ComputeType type :
       {kernels::ComputeType::kFloat32, kernels::ComputeType::kFloat16,
        kernels::ComputeType::kBFloat16, kernels::ComputeType::kInt8}) {
    if (text != kernels::ComputeTypeName(type)) continue;
    request->compute_type = type;
    return "";
  }
  return "auto, float32, float16, bfloat16 or int8";
}

absl::StatusOr<DeviceRequest> ParseDevices(const std::string& device,
                                           const std::string& compute_type) {
  DeviceRequest request;
  std::string expected = ReadDevice(device, &request);
  if (!expected.empty()) return Refuse("device", device, expected);
  expected = ReadComputeType(compute_type, &request);
  if (!expected.empty()) return Refuse("compute-type", compute_type, expected);
  if (absl::Status status = CheckDevices(request); !status.ok()) return status;
  return request;
}

absl::Status CheckDevices(const DeviceRequest& request) {
  if (request.automatic || !request.compute_type.has_value()) return absl::OkStatus();
  const kernels::ComputeType type = *request.compute_type;
  if (request.cuda.empty() && !IsOfCpu(type)) {
    return Refuse("compute-type", kernels::ComputeTypeName(type), kCpuTypes);
  }
  if (!request.cuda.empty() && !IsOfGpu(type)) {
    return Refuse("compute-type", kernels::ComputeTypeName(type), kGpuTypes);
  }
  return absl::OkStatus();
}

std::string DeviceText(const DeviceRequest& request) {
  if (request.automatic) return "auto";
  DeviceChoice choice;
  choice.cuda = request.cuda;
  return DeviceNames(choice);
}

absl::StatusOr<DeviceChoice> ChooseDevices(const DeviceRequest& request, const CudaProbe& probe) {
  DeviceChoice choice;
  if (request.automatic) {
    choice = ChooseAutomatically(probe);
    if (!choice.cuda.empty() &&
        !IsOfGpu(request.compute_type.value_or(kernels::ComputeType::kFloat16))) {
      choice = ChooseAutomatically(WithoutGpus(
          choice,
          absl::StrCat("compute-type: found ", kernels::ComputeTypeName(*request.compute_type),
                       ", expected ", kGpuTypes)));
    }
  } else {
    for (const int device : request.cuda) {
      const std::string why = WhyNotOf(probe, device);
      if (!why.empty()) {
        return absl::FailedPreconditionError(
            absl::StrCat("device cuda:", device, " cannot be used: ", why));
      }
    }
    choice.cuda = request.cuda;
  }
  for (const int device : choice.cuda) {
    if (static_cast<size_t>(device) >= probe.capability.size()) continue;
    const int capability = probe.capability[static_cast<size_t>(device)];
    if (choice.least_capability == 0 || capability < choice.least_capability) {
      choice.least_capability = capability;
    }
  }
  const bool cpu = choice.cuda.empty();
  if (!request.compute_type.has_value()) {
    choice.compute_type = cpu ? kernels::ComputeType::kInt8 : kernels::ComputeType::kFloat16;
    choice.type_note = cpu ? kWhyInt8 : kWhyFloat16;
    return choice;
  }
  choice.compute_type = *request.compute_type;
  const std::string found = kernels::ComputeTypeName(choice.compute_type);
  if (cpu && !IsOfCpu(choice.compute_type)) {
    return Refuse("compute-type", found,
                  absl::StrCat(kCpuTypes, ", which is used because no GPU can be: ", choice.note));
  }
  if (!cpu && !IsOfGpu(choice.compute_type)) return Refuse("compute-type", found, kGpuTypes);
  return choice;
}

absl::StatusOr<DeviceChoice> ChooseCpuInstead(const DeviceRequest& request,
                                              const DeviceChoice& gpus, std::string why) {
  return ChooseDevices(request, WithoutGpus(gpus, std::move(why)));
}

std::string DeviceNames(const DeviceChoice& choice) {
  if (choice.cuda.empty()) return "cpu";
  return absl::StrJoin(choice.cuda, ",",
                       [](std::string* out, int device) { absl::StrAppend(out, "cuda:", device); });
}

void GiveUpDevice(int device, std::string why, std::shared_ptr<void> held) {
  Devices& all = All();
  MutexLock lock(&all.mu);
  all.given_up.emplace(device, GivenUp{std::move(why), std::move(held)});
}

std::string WhyGivenUp(int device) {
  Devices& all = All();
  MutexLock lock(&all.mu);
  const auto first = all.given_up.find(device);
  return first == all.given_up.end() ? "" : first->second.why;
}

bool AnyDeviceGivenUp() {
  Devices& all = All();
  MutexLock lock(&all.mu);
  return !all.given_up.empty();
}

}  // namespace dragoman::engine
