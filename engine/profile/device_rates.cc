#include "engine/profile/cuda_profile.h"

#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/quantization.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/linear_cuda.h"

namespace dragoman::engine {
namespace {

constexpr int64_t kCopyBytes = int64_t{512} << 20;
constexpr int kSize = 8192;
constexpr int kRepeats = 10;

// Returns random numbers from -1 to 1. With constant numbers, a GPU would take less power and run
// faster.
std::vector<uint8_t> RandomNumbers(int64_t count, kernels::ComputeType type) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  const auto element = static_cast<size_t>(kernels::ElementBytes(type));
  std::vector<uint8_t> bytes(static_cast<size_t>(count) * element);
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const float x = uniform(random);
    uint8_t* const to = bytes.data() + i * element;
    if (type == kernels::ComputeType::kFloat32) {
      std::memcpy(to, &x, sizeof(x));
    } else {
      const uint16_t narrow = type == kernels::ComputeType::kFloat16 ? ToFloat16(x) : ToBFloat16(x);
      std::memcpy(to, &narrow, sizeof(narrow));
    }
  }
  return bytes;
}

// Sets *seconds to the mean time of kRepeats runs. One run before them is not measured.
cuda::Error Time(cuda::Stream stream, const std::function<cuda::Error()>& run, double* seconds) {
  cuda::Event begin;
  cuda::Event end;
  cuda::Error error = begin.Create(cuda::Event::Timing::kOn);
  if (error == cuda::Error::kNone) error = end.Create(cuda::Event::Timing::kOn);
  if (error == cuda::Error::kNone) error = run();
  if (error == cuda::Error::kNone) error = begin.Record(stream);
  for (int i = 0; i < kRepeats && error == cuda::Error::kNone; ++i) error = run();
  if (error == cuda::Error::kNone) error = end.Record(stream);
  if (error == cuda::Error::kNone) error = end.Wait();
  float milliseconds = 0;
  if (error == cuda::Error::kNone) error = end.MillisecondsSince(begin, &milliseconds);
  *seconds = milliseconds / 1e3 / kRepeats;
  return error;
}

cuda::Error TimeCopy(cuda::Stream stream, double* seconds) {
  cuda::DeviceBuffer from;
  cuda::DeviceBuffer to;
  cuda::Error error = from.Allocate(kCopyBytes);
  if (error == cuda::Error::kNone) error = to.Allocate(kCopyBytes);
  if (error == cuda::Error::kNone) error = cuda::Fill(stream, from.data(), 1, kCopyBytes);
  if (error != cuda::Error::kNone) return error;
  return Time(
      stream, [&] { return cuda::Copy(stream, to.data(), from.data(), kCopyBytes); }, seconds);
}

absl::Status TimeProduct(int device, const cuda::OwnedStream& stream, kernels::ComputeType type,
                         double* seconds) {
  const int64_t bytes = int64_t{kSize} * kSize * kernels::ElementBytes(type);
  const std::vector<uint8_t> numbers = RandomNumbers(int64_t{kSize} * 128, type);
  const auto piece = static_cast<int64_t>(numbers.size());
  cuda::DeviceBuffer x, weight, y, workspace;
  cuda::Error error = x.Allocate(bytes);
  if (error == cuda::Error::kNone) error = weight.Allocate(bytes);
  if (error == cuda::Error::kNone) error = y.Allocate(bytes);
  if (error == cuda::Error::kNone) error = workspace.Allocate(cuda::Blas::kWorkspaceBytes);
  for (const cuda::DeviceBuffer* matrix : {&x, &weight}) {
    for (int64_t at = 0; at < bytes && error == cuda::Error::kNone; at += piece) {
      error = cuda::Copy(stream.get(), static_cast<uint8_t*>(matrix->data()) + at, numbers.data(),
                         piece);
    }
  }
  if (error == cuda::Error::kNone) error = stream.Wait();  // Create uses another stream
  if (error == cuda::Error::kNone) {
    std::string why;
    const std::unique_ptr<cuda::Blas> blas = cuda::Blas::Create(&why);
    cuda::LinearOptions options;
    options.in = kSize;
    options.out = kSize;
    options.type = type;
    options.tune_rows = kSize;
    const int buckets[] = {kSize};
    std::unique_ptr<cuda::Linear> product;
    if (blas != nullptr) {
      product = cuda::Linear::Create(blas.get(), options, weight.data(), nullptr, buckets, &why);
    }
    if (product == nullptr) {
      return absl::InternalError(absl::StrCat(CudaDeviceName(device), ": cuBLASLt: ", why));
    }
    error = Time(
        stream.get(),
        [&] {
          return product->Run(stream.get(), workspace.data(), x.data(), kSize, nullptr, y.data());
        },
        seconds);
  }
  return CudaStatus(device, "measuring matrix products", error);
}

}  // namespace

absl::StatusOr<DeviceRates> MeasureRates(int device, kernels::ComputeType type) {
  cuda::OwnedStream stream;
  cuda::Error error = stream.Create(cuda::StreamPriority::kHigh);
  double copy = 0;
  if (error == cuda::Error::kNone) error = TimeCopy(stream.get(), &copy);
  if (error != cuda::Error::kNone) return CudaStatus(device, "measuring copies", error);
  double product = 0;
  if (absl::Status status = TimeProduct(device, stream, type, &product); !status.ok()) {
    return status;
  }
  DeviceRates rates;
  rates.bytes_per_second = 2.0 * static_cast<double>(kCopyBytes) / copy;
  rates.flop_per_second = 2.0 * kSize * kSize * kSize / product;
  return rates;
}

}  // namespace dragoman::engine
