// Chooses the devices and the compute type of a model from a request and from what the machine has.
//
// All functions except ProbeCuda are pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

struct DeviceRequest {
  bool automatic = false;  // every fit CUDA device, or the CPU if there is none; with int8 the CPU
  std::vector<int> cuda;   // these devices, all of which must be usable; empty: the CPU
  std::optional<kernels::ComputeType> compute_type;  // empty: int8 on the CPU, float16 on CUDA
};

// Read "auto", "cpu" or "cuda:N[,cuda:M]", and "auto" or the name of a type, into the request. Each
// returns "", or what was expected; then it leaves the request unchanged.
std::string ReadDevice(const std::string& text, DeviceRequest* request);
std::string ReadComputeType(const std::string& text, DeviceRequest* request);

// Reads both and checks that they go together. INVALID_ARGUMENT says what was found and expected.
absl::StatusOr<DeviceRequest> ParseDevices(const std::string& device,
                                           const std::string& compute_type);

// Checks that the devices have the compute type, as far as this is known without the machine.
// Returns INVALID_ARGUMENT as ParseDevices does.
absl::Status CheckDevices(const DeviceRequest& request);

// Returns the devices as ParseDevices takes them.
std::string DeviceText(const DeviceRequest& request);

// The CUDA devices of this machine and whether this build can use them.
struct CudaProbe {
  std::string why_none;  // why no device at all can be used; "" if one may be usable
  // Why each device cannot be used; "" if it can.
  std::vector<std::string> unfit;
  bool mig_part = false;        // a device is a MIG part of a card, which hides all other devices
  std::vector<int> capability;  // of each device: 75 is 7.5, 0 is not known; empty: none is known
  // If why_none is set: where the system shows a card ("" if nowhere), and how to make it usable.
  std::string card;
  std::string remedy;
};

// Looks at the machine, which takes up to a second for each device. Works without CUDA too.
CudaProbe ProbeCuda();

struct DeviceChoice {
  std::vector<int> cuda;  // empty: the CPU
  // The least compute capability of the devices: 75 is 7.5; 0: not known.
  int least_capability = 0;
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;
  std::string note;  // for an automatic choice: the devices that it does not use, and why
  // A card that an automatic choice does not use, why, and how to change that; "" if none.
  std::string warning;
  std::string type_note;  // why this compute type; "" if the request named the type
};

// Chooses the devices. Returns FAILED_PRECONDITION if a requested device cannot be used, and
// INVALID_ARGUMENT if the chosen devices do not have the compute type.
absl::StatusOr<DeviceChoice> ChooseDevices(const DeviceRequest& request, const CudaProbe& probe);

// Chooses the CPU for a model that the automatically chosen `gpus` do not take. The warning names
// them and `why`. Returns INVALID_ARGUMENT as ChooseDevices does. REQUIRES: request.automatic.
absl::StatusOr<DeviceChoice> ChooseCpuInstead(const DeviceRequest& request,
                                              const DeviceChoice& gpus, std::string why);

// Returns "cpu", or a list such as "cuda:0,cuda:1".
std::string DeviceNames(const DeviceChoice& choice);

// Records the GPUs that this process has given up because a kernel did not end in its time. Nothing
// stops such a kernel, so waiting for the device or freeing its memory never returns.
//
// Thread-safe. Devices are numbers as in "cuda:0". A device stays given up until the process ends.
//
// Gives the device up. `held` owns the objects whose destruction would wait for the device. It is
// kept until the process ends.
void GiveUpDevice(int device, std::string why, std::shared_ptr<void> held);

// Returns why the device was given up, or "".
std::string WhyGivenUp(int device);

// If true, the process must end by _exit, because the driver waits for the kernel at a regular end.
bool AnyDeviceGivenUp();

}  // namespace dragoman::engine
