// The device that a command line names, for runs on it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tests/bench/search/bench_model.h"
#include "tests/bench/search/run.h"

namespace dragoman::bench {

struct Device {
  std::string name = "cpu";
  std::string compute_type = "float32";
  MakeBackend make;  // empty: the CPU
};

// device: "cpu", "cuda:N", or "host": the model of the CPU with the batch of a device, whose tables
// and steps are BatchTables and batch_step.h. compute_type: "auto" or a type's name. The model is borrowed for the
// call only. INVALID_ARGUMENT for anything else, FAILED_PRECONDITION when the device cannot be
// used, UNIMPLEMENTED when it does not take the model.
absl::StatusOr<Device> ChooseDevice(const std::string& device, const std::string& compute_type,
                                    const BenchModel& model);

}  // namespace dragoman::bench
