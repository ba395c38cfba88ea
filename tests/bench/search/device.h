// The device that a command line names, for runs on it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/api/devices.h"
#include "kernels/base/compute_type.h"
#include "tests/bench/search/bench_model.h"
#include "tests/bench/search/run.h"

namespace dragoman::bench {

// The device of a command line: "cpu", "cuda:N", or "host": the model of the CPU with the batch of
// a device, whose tables and steps are BatchTables and batch_step.h.
struct AskedDevice {
  bool host = false;
  engine::DeviceRequest request;  // at most one device; none: the CPU's model

  // The type of the model on the CPU. float32 unless another is named: the figures of
  // tests/bench/README.md are in it, and a GPU's runs use this model for its vocabulary only.
  kernels::ComputeType cpu_type() const;
};

// compute_type: "auto" or a type's name. INVALID_ARGUMENT for anything else, and for a type that the
// device does not have.
absl::StatusOr<AskedDevice> ParseDevice(const std::string& device, const std::string& compute_type);

struct Device {
  std::string name;
  std::string compute_type;
  MakeBackend make;  // empty: the CPU
};

// The model is borrowed for the call only. FAILED_PRECONDITION when the device cannot be used,
// UNIMPLEMENTED when it does not take the model. REQUIRES: the model is of asked.cpu_type().
absl::StatusOr<Device> ChooseDevice(const AskedDevice& asked, const BenchModel& model);

}  // namespace dragoman::bench
