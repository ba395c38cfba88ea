#include "tests/bench/search/device.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"
#include "tests/engine/support/host_device_backend.h"

namespace dragoman::bench {

kernels::ComputeType AskedDevice::cpu_type() const {
  return request.cuda.empty() ? request.compute_type.value_or(kernels::ComputeType::kFloat32)
                              : kernels::ComputeType::kFloat32;
}

absl::StatusOr<AskedDevice> ParseDevice(const std::string& device,
                                        const std::string& compute_type) {
  AskedDevice asked;
  asked.host = device == "host";
  const absl::StatusOr<engine::DeviceRequest> request =
      engine::ParseDevices(asked.host ? "cpu" : device, compute_type);
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
    const char* const type = kernels::ComputeTypeName(model.model().compute_type());
    if (!asked.host) return Device{"cpu", type, nullptr};
    return Device{"host", type, [model = model.shared_model()](const engine::BatchConfig&) {
                    return absl::StatusOr<std::shared_ptr<const engine::Backend>>(
                        testing::CreateHostDeviceBackend(model, {}));
                  }};
  }
  const absl::StatusOr<engine::DeviceChoice> choice =
      engine::ChooseDevices(asked.request, engine::ProbeCuda());
  if (!choice.ok()) return choice.status();
  if (absl::Status status = engine::CheckCudaModel(model.program()); !status.ok()) return status;
  absl::StatusOr<engine::WeightImage> made =
      engine::MakeWeightImage(model.program(), model.weights(), choice->compute_type);
  if (!made.ok()) return made.status();
  const auto image =
      std::make_shared<const engine::WeightImage>(*std::move(made));  // std::function copies
  engine::CudaBackendConfig config;
  config.device = choice->cuda.front();
  return Device{
      engine::DeviceNames(*choice), kernels::ComputeTypeName(choice->compute_type),
      [config, image, program = model.program()](const engine::BatchConfig& batch) mutable {
        config.batch = batch;
        return engine::CreateCudaBackend(config, program, *image);
      }};
}

}  // namespace dragoman::bench
