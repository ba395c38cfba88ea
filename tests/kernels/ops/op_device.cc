#include "tests/kernels/ops/op_device.h"

#include <cstring>
#include <new>

#ifdef DRAGOMAN_HAVE_CUDA
#include <cuda_runtime_api.h>

#include "kernels/cuda/device.h"
#include "kernels/cuda/launch.h"
#include "tests/gpu/cuda_switches.h"
#endif

namespace dragoman::kernels {
namespace {

#ifdef DRAGOMAN_HAVE_CUDA
// Kernels that the main thread launches itself obey DRAGOMAN_CUDA_OFF, as an engine's kernels do.
const cuda::EarlyLaunches early_launches(CudaOptionsOfEnvironment().early_launch);
#endif

uint32_t Bits(float x) {
  uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

float FromBits(uint32_t bits) {
  float x = 0;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// Rounds to nearest even, as the devices do. NaN stays NaN.
uint16_t ToBFloat16(float x) {
  const uint32_t bits = Bits(x);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<uint16_t>((bits >> 16) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

float FromBFloat16(uint16_t x) { return FromBits(uint32_t{x} << 16); }

// Uses the compiler's half-precision type, for conversions only.
uint16_t ToHalf(float x) {
  const auto half = static_cast<_Float16>(x);
  uint16_t bits = 0;
  std::memcpy(&bits, &half, sizeof(bits));
  return bits;
}

float FromHalf(uint16_t bits) {
  _Float16 half = 0;
  std::memcpy(&half, &bits, sizeof(bits));
  return static_cast<float>(half);
}

uint16_t Quantized(float x, ComputeType type) {
  return type == ComputeType::kFloat16 ? ToHalf(x) : ToBFloat16(x);
}

float Widen(uint16_t x, ComputeType type) {
  return type == ComputeType::kFloat16 ? FromHalf(x) : FromBFloat16(x);
}

}  // namespace

std::vector<OpDevice> OpDevices() {
  std::vector<OpDevice> devices;
  for (const cpu::Isa isa : FloatIsas()) {
    for (const int threads : {1, 3}) devices.push_back({.isa = isa, .threads = threads});
  }
#ifdef DRAGOMAN_HAVE_CUDA
  for (const ComputeType type :
       {ComputeType::kFloat32, ComputeType::kFloat16, ComputeType::kBFloat16}) {
    devices.push_back({true, type});
  }
#endif
  return devices;
}

std::vector<OpDevice> OpDevicesAndEmulation() {
  std::vector<OpDevice> devices = OpDevices();
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  for (const ComputeType type :
       {ComputeType::kFloat32, ComputeType::kFloat16, ComputeType::kBFloat16}) {
    devices.push_back({.type = type, .emulated = true});
  }
#endif
  return devices;
}

std::vector<OpDevice> LaunchDevices() {
  std::vector<OpDevice> devices = OpDevicesAndEmulation();
  std::erase_if(devices, [](const OpDevice& d) { return !d.launches(); });
  return devices;
}

std::string OpDeviceName(const ::testing::TestParamInfo<OpDevice>& info) {
  const OpDevice& device = info.param;
  if (device.launches()) {
    return std::string(device.cuda ? "Cuda_" : "Emulated_") + ComputeTypeName(device.type);
  }
  return "Cpu_" + std::string(cpu::IsaName(device.isa)) + "_" + std::to_string(device.threads);
}

std::string WhyNoCuda() {
#ifdef DRAGOMAN_HAVE_CUDA
  std::string why;
  return cuda::DeviceCount(&why) > 0 ? "" : why;
#else
  return "this build has no CUDA";
#endif
}

std::vector<float> Rounded(const std::vector<float>& values, ComputeType type) {
  if (type == ComputeType::kFloat32) return values;
  std::vector<float> rounded;
  rounded.reserve(values.size());
  for (const float x : values) rounded.push_back(Widen(Quantized(x, type), type));
  return rounded;
}

#ifdef DRAGOMAN_HAVE_CUDA
namespace {

void ExpectDone(cudaError_t status) {
  EXPECT_EQ(status, cudaSuccess) << cudaGetErrorString(status);
}

}  // namespace
#endif

OpBytes::OpBytes(const OpDevice& device, size_t bytes) : cuda_(device.cuda), bytes_(bytes) {
  if (!cuda_) {
    data_ = ::operator new (bytes, std::align_val_t{128});
    return;
  }
#ifdef DRAGOMAN_HAVE_CUDA
  ExpectDone(cudaMalloc(&data_, bytes == 0 ? 1 : bytes));
#endif
}

OpBytes::~OpBytes() {
  if (!cuda_) {
    ::operator delete (data_, std::align_val_t{128});
    return;
  }
#ifdef DRAGOMAN_HAVE_CUDA
  ExpectDone(cudaFree(data_));
#endif
}

void OpBytes::Upload(const void* from, size_t bytes) {
  if (bytes == 0) return;
  if (!cuda_) {
    std::memcpy(data_, from, bytes);
    return;
  }
#ifdef DRAGOMAN_HAVE_CUDA
  ExpectDone(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice));
  // cudaMemcpy may return while the bytes are still in transit, and other streams do not wait for
  // them.
  ExpectDone(cudaDeviceSynchronize());
#endif
}

void OpBytes::Download(void* to, size_t bytes) const {
  if (bytes == 0) return;
  if (!cuda_) {
    std::memcpy(to, data_, bytes);
    return;
  }
#ifdef DRAGOMAN_HAVE_CUDA
  ExpectDone(cudaDeviceSynchronize());
  ExpectDone(cudaMemcpy(to, data_, bytes, cudaMemcpyDeviceToHost));
#endif
}

OpNumbers::OpNumbers(const OpDevice& device, const std::vector<float>& values)
    : type_(device.type),
      size_(values.size()),
      bytes_(device, values.size() * static_cast<size_t>(ElementBytes(device.type))) {
  if (type_ == ComputeType::kFloat32) {
    bytes_.Upload(values.data(), bytes_.size());
    return;
  }
  std::vector<uint16_t> quantized;
  quantized.reserve(size_);
  for (const float x : values) quantized.push_back(Quantized(x, type_));
  bytes_.Upload(quantized.data(), bytes_.size());
}

std::vector<float> OpNumbers::Download() const {
  std::vector<float> values(size_);
  if (type_ == ComputeType::kFloat32) {
    bytes_.Download(values.data(), bytes_.size());
    return values;
  }
  std::vector<uint16_t> quantized(size_);
  bytes_.Download(quantized.data(), bytes_.size());
  for (size_t i = 0; i < size_; ++i) values[i] = Widen(quantized[i], type_);
  return values;
}

std::vector<uint8_t> OpNumbers::Bits() const {
  std::vector<uint8_t> bits(bytes_.size());
  bytes_.Download(bits.data(), bits.size());
  return bits;
}

}  // namespace dragoman::kernels
