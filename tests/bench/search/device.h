// The device that a command line names.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/api/devices.h"
#include "kernels/base/compute_type.h"
#include "tests/bench/search/bench_model.h"
#include "tests/bench/search/run.h"

namespace dragoman::bench {

// The device of a command line: "cpu", "cuda:N", or "host". "host" is the CPU's model with the
// batch of a device (BatchTables and batch_step.h).
struct AskedDevice {
  bool host = false;
  engine::DeviceRequest request;  // at most one device; empty: the CPU's model

  // The type of the model on the CPU: float32 unless the command line names another, because the
  // figures of tests/bench/README.md use it. Runs on a GPU use this model only for its vocabulary.
  kernels::ComputeType cpu_type() const;
};

// `compute_type` is "auto" or the name of a type. Returns INVALID_ARGUMENT for any other text and
// for a type that the device does not support.
absl::StatusOr<AskedDevice> ParseDevice(const std::string& device, const std::string& compute_type);

struct Device {
  std::string name;
  std::string compute_type;
  MakeBackend make;  // empty: the CPU
};

// Borrows the model only during the call. FAILED_PRECONDITION: the device cannot be used.
// UNIMPLEMENTED: it does not support the model. REQUIRES: the model has asked.cpu_type().
absl::StatusOr<Device> ChooseDevice(const AskedDevice& asked, const BenchModel& model);

}  // namespace dragoman::bench
