#include "tests/bench/search/device.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/api/devices.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"
#include "tests/engine/support/host_device_backend.h"

namespace dragoman::bench {

absl::StatusOr<Device> ChooseDevice(const std::string& device, const std::string& compute_type,
                                    const BenchModel& model) {
  if (device == "host") {
    return Device{"host", "float32", [model = model.shared_model()](const BatchConfig&) {
                    return absl::StatusOr<std::shared_ptr<const Backend>>(
                        testing::CreateHostDeviceBackend(model, {}));
                  }};
  }
  const absl::StatusOr<DeviceRequest> request = ParseDevices(device, compute_type);
  if (!request.ok()) return request.status();
  if (request->automatic || request->cuda.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("device: found '", device, "', expected cpu, host or cuda:N"));
  }
  if (request->cuda.empty()) {
    if (compute_type != "auto" && compute_type != "float32") {
      return absl::InvalidArgumentError(
          absl::StrCat("compute-type: found '", compute_type,
                       "', expected float32: nothing else is measured on the CPU here"));
    }
    return Device{};
  }
  const absl::StatusOr<DeviceChoice> choice = ChooseDevices(*request, ProbeCuda());
  if (!choice.ok()) return choice.status();
  if (absl::Status status = CheckCudaModel(model.program()); !status.ok()) return status;
  absl::StatusOr<WeightImage> made =
      MakeWeightImage(model.program(), model.weights(), choice->compute_type);
  if (!made.ok()) return made.status();
  const auto image = std::make_shared<const WeightImage>(*std::move(made));  // std::function copies
  CudaBackendConfig config;
  config.device = choice->cuda.front();
  return Device{DeviceNames(*choice), ComputeTypeName(choice->compute_type),
                [config, image, program = model.program()](const BatchConfig& batch) mutable {
                  config.batch = batch;
                  return CreateCudaBackend(config, program, *image);
                }};
}

}  // namespace dragoman::bench
