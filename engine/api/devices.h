// Chooses the devices and the compute type of a model, from the settings `device` and
// `compute-type` and from the devices that the machine has.
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
  // The setting is "auto": uses every usable CUDA device, or the CPU if there is none. With compute
  // type int8, always uses the CPU.
  bool automatic = false;
  std::vector<int> cuda;  // these devices, all of which must be usable; empty: the CPU
  std::optional<kernels::ComputeType> compute_type;  // empty: int8 on the CPU, float16 on CUDA
};

// ReadDevice reads "auto", "cpu" or "cuda:N[,cuda:M]" into `request`. ReadComputeType reads "auto"
// or the name of a compute type. If the text is valid, they return "". Otherwise they return what
// was expected, and leave `request` unchanged.
std::string ReadDevice(const std::string& text, DeviceRequest* request);
std::string ReadComputeType(const std::string& text, DeviceRequest* request);

// Reads both settings and checks that the devices support the compute type, as CheckDevices does.
// INVALID_ARGUMENT says what was found and expected.
absl::StatusOr<DeviceRequest> ParseDevices(const std::string& device,
                                           const std::string& compute_type);

// Checks that the requested kind of device, CPU or GPU, supports the requested compute type. Does
// not look at the machine. INVALID_ARGUMENT says what was found and expected.
absl::Status CheckDevices(const DeviceRequest& request);

// Returns the text of the setting for these devices. ReadDevice can read this text.
std::string DeviceText(const DeviceRequest& request);

// The CUDA devices of this machine and whether this build can use them.
struct CudaProbe {
  std::string why_none;  // why no device can be used; "": `unfit` says which can
  // One entry for each device: why it cannot be used; "": it can be used.
  std::vector<std::string> unfit;
  // The device is a MIG part of a card; CUDA then shows the process no other device.
  bool mig_part = false;
  // The compute capability of each device: 75 is 7.5, 0 is not known. Empty: none is known.
  std::vector<int> capability;
  // `card` and `remedy` are set if no device can be used although the machine has an NVIDIA card.
  std::string card;    // a path that exists because of the card: "/dev/nvidia0"
  std::string remedy;  // how to make the card usable
};

// Looks for the devices of this machine. Takes up to a second for each device. Also works in a
// build or on a machine without CUDA.
CudaProbe ProbeCuda();

struct DeviceChoice {
  std::vector<int> cuda;  // empty: the CPU
  // The lowest compute capability of the devices: 75 is 7.5; 0: not known.
  int least_capability = 0;
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;
  std::string note;  // for an automatic choice: why it does not use some devices, or any device
  // Names the cards that an automatic choice does not use, with the reason and the remedy. "":
  // there are none.
  std::string warning;
  std::string type_note;  // the reason for the compute type; "" if the request named the type
};

// Chooses the devices and the compute type. Returns FAILED_PRECONDITION if a requested device
// cannot be used, and INVALID_ARGUMENT if the chosen devices do not support the compute type.
absl::StatusOr<DeviceChoice> ChooseDevices(const DeviceRequest& request, const CudaProbe& probe);

// Chooses the CPU for a model that the automatically chosen `gpus` do not support. The warning of
// the result names these GPUs and the reason `why`. Returns INVALID_ARGUMENT if the CPU does not
// support the requested compute type. REQUIRES: request.automatic.
absl::StatusOr<DeviceChoice> ChooseCpuInstead(const DeviceRequest& request,
                                              const DeviceChoice& gpus, std::string why);

// Returns "cpu", or a list such as "cuda:0,cuda:1".
std::string DeviceNames(const DeviceChoice& choice);

// The following functions record the GPUs that this process has given up because a kernel did not
// end within its time limit. Nothing stops such a kernel, so a call that waits for the device or
// frees its memory never returns.
//
// Thread-safe. `device` is the number N of "cuda:N". A device stays given up until the process
// ends.
//
// Records that the device is given up. `held` owns the objects whose destruction would wait for the
// device. They are never destroyed.
void GiveUpDevice(int device, std::string why, std::shared_ptr<void> held);

// Returns why the device was given up, or "".
std::string WhyGivenUp(int device);

// If true, the process must end by _exit, because the driver waits for the kernel at a regular end.
bool AnyDeviceGivenUp();

}  // namespace dragoman::engine
