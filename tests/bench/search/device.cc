#include "tests/bench/search/device.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"
#include "tests/engine/support/host_device_backend.h"

namespace dragoman::bench {

ComputeType AskedDevice::cpu_type() const {
  return request.cuda.empty() ? request.compute_type.value_or(ComputeType::kFloat32)
                              : ComputeType::kFloat32;
}

absl::StatusOr<AskedDevice> ParseDevice(const std::string& device,
                                        const std::string& compute_type) {
  AskedDevice asked;
  asked.host = device == "host";
  const absl::StatusOr<DeviceRequest> request =
      ParseDevices(asked.host ? "cpu" : device, compute_type);
  if (!request.ok()) return request.status();
  if (request->automatic || request->cuda.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("device: found '", device, "', expected cpu, host or cuda:N"));
  }
  asked.request = *request;
  return asked;
}

absl::StatusOr<Device> ChooseDevice(const AskedDevice& asked, const BenchModel& model) {
  if (asked.request.cuda.empty()) {
    const char* const type = ComputeTypeName(model.model().compute_type());
    if (!asked.host) return Device{"cpu", type, nullptr};
    return Device{"host", type, [model = model.shared_model()](const BatchConfig&) {
                    return absl::StatusOr<std::shared_ptr<const Backend>>(
                        testing::CreateHostDeviceBackend(model, {}));
                  }};
  }
  const absl::StatusOr<DeviceChoice> choice = ChooseDevices(asked.request, ProbeCuda());
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
