// Which devices a model runs on, and in which numbers: what was asked for, what the machine has,
// and what comes of both.
//
// Pure but for ProbeCuda.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

struct DeviceRequest {
  bool automatic = false;  // every CUDA device that is fit, else the CPU; with int8 the CPU
  std::vector<int> cuda;   // these, and none of them may be missing; empty: the CPU
  std::optional<kernels::ComputeType> compute_type;  // empty: int8 on the CPU, float16 on CUDA
};

// Read "auto", "cpu" or "cuda:N[,cuda:M]", and "auto" or a type's name, into the request. Each
// returns "", or what was expected; the request then stays as it was.
std::string ReadDevice(const std::string& text, DeviceRequest* request);
std::string ReadComputeType(const std::string& text, DeviceRequest* request);

// Reads both, and checks that they go together. INVALID_ARGUMENT says which of the two, what was
// found and what was expected.
absl::StatusOr<DeviceRequest> ParseDevices(const std::string& device,
                                           const std::string& compute_type);

// Whether the compute type is one of the devices', as far as that can be told without the machine.
// INVALID_ARGUMENT as ParseDevices.
absl::Status CheckDevices(const DeviceRequest& request);

// The devices as ParseDevices takes them.
std::string DeviceText(const DeviceRequest& request);

// The CUDA devices of this machine, as far as this build can use them.
struct CudaProbe {
  std::string why_none;  // not empty: no device can be used, and why
  // Why each device cannot be used; "" if it can.
  std::vector<std::string> unfit;
  bool mig_part = false;        // one of them is a part of a card, which hides all others
  std::vector<int> capability;  // of each device: 75 is 7.5; empty: not known
  // With why_none: where a card shows all the same, "" if nowhere; and what can be done about it.
  std::string card;
  std::string remedy;
};

// Looks at the machine. A build without CUDA says so. Takes up to a second for each device.
CudaProbe ProbeCuda();

struct DeviceChoice {
  std::vector<int> cuda;  // empty: the CPU
  // The least compute capability among them, 75 for 7.5; 0: not known.
  int least_capability = 0;
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;
  std::string note;  // of an automatic choice: what is left unused, and why
  // An automatic choice names a card that it leaves unused, with why and what can be done about it;
  // "" if there is none.
  std::string warning;
  std::string type_note;  // of a compute type that was not asked for: why this one
};

// FAILED_PRECONDITION when a device that was asked for cannot be used, INVALID_ARGUMENT when the
// compute type is none of the chosen device's.
absl::StatusOr<DeviceChoice> ChooseDevices(const DeviceRequest& request, const CudaProbe& probe);

// The choice for a model that `gpus`, which were chosen automatically, do not take for this reason:
// the CPU, with a warning that names them. INVALID_ARGUMENT as ChooseDevices.
// REQUIRES: request.automatic.
absl::StatusOr<DeviceChoice> ChooseCpuInstead(const DeviceRequest& request,
                                              const DeviceChoice& gpus, std::string why);

// "cpu", or "cuda:0,cuda:1".
std::string DeviceNames(const DeviceChoice& choice);

}  // namespace dragoman::engine
