// The CUDA runtime: launches, and registration of kernels as done by nvcc's host code.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/ptx/calls.h"
#include "tests/gpu/ptx/capture.h"
#include "tests/gpu/ptx/device.h"
#include "tests/gpu/ptx/program.h"

namespace {

using dragoman::ptx::BadProgram;
using dragoman::ptx::Called;
using dragoman::ptx::CallKind;
using dragoman::ptx::Device;
using dragoman::ptx::Finding;
using dragoman::ptx::FindingKind;
using dragoman::ptx::Grid;
using dragoman::ptx::HeldLaunch;
using dragoman::ptx::RegisteredKernel;
using dragoman::ptx::Work;

struct Configuration {
  dim3 grid;
  dim3 block;
  size_t shared_bytes;
  cudaStream_t stream;
};
// The configurations between <<<>>> and the call of the stub.
thread_local std::vector<Configuration> configurations;

// A kernel is loaded at its first launch, which allocates memory. So the first launch must not be
// captured.
void NoteLoaded(RegisteredKernel* kernel, const std::string& name) {
  RegisteredKernel::State& state = kernel->on[static_cast<size_t>(Device::Current())];
  if (dragoman::ptx::Capturing() != nullptr && !state.loaded) {
    Finding finding;
    finding.kind = FindingKind::kCapture;
    finding.kernel = "cudaLaunchKernel";
    finding.what = "the first launch of " + name + " on device " +
                   std::to_string(Device::Current()) +
                   ", which loads it, while the thread captures";
    Device::Get().report().Add(finding);
  }
  state.loaded = true;
}

cudaError_t LaunchOn(const char* function, cudaStream_t stream, const void* stub, dim3 grid,
                     dim3 block, void** arguments, size_t shared_bytes, bool early) {
  const Grid shape{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes};
  return dragoman::ptx::Called(
      {.function = function, .kind = CallKind::kWork, .stream = stream, .grid = &shape},
      [&](Device& device) {
        auto held = std::make_shared<HeldLaunch>();
        {
          const std::lock_guard lock(device.mutex());
          if (dragoman::ptx::DeviceOf(stream) != Device::Current()) {
            return device.Note(cudaErrorInvalidResourceHandle);
          }
          const cudaError_t error = device.Hold(stub, shape, arguments, held.get());
          if (error != cudaSuccess) return error;
          bool has_code = false;
          NoteLoaded(device.FindKernel(stub, &has_code), held->kernel->readable);
        }
        Work work;
        work.name = "kernel " + held->kernel->readable;
        work.launch = std::move(held);
        work.early = early;
        // Errors of a kernel are returned by later calls, unless the device refuses the launch.
        return dragoman::ptx::Put(stream, std::move(work));
      });
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  try {
    // A handle is never dereferenced.
    return reinterpret_cast<void**>(device.AddModule(wrapper) + 1);
  } catch (const BadProgram& error) {
    std::fprintf(stderr, "PTX device: %s\n", error.what());
    std::abort();
  }
}
void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}
void __cudaUnregisterFatBinary(void** /*handle*/) {}

void __cudaRegisterFunction(void** handle, const char* stub, char* /*device_fun*/,
                            const char* device_name, int /*thread_limit*/, uint3* /*tid*/,
                            uint3* /*bid*/, dim3* /*block*/, dim3* /*grid*/, int* /*warp_size*/) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  device.AddKernel(reinterpret_cast<size_t>(handle) - 1, stub, device_name);
}

char __cudaInitModule(void** /*handle*/) { return 1; }

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     cudaStream_t stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                       void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const Configuration configuration = configurations.back();
  configurations.pop_back();
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}

// nvcc's stubs look a kernel up by its stub and launch the result. Here both are the stub's
// address.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(stub));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream) {
  return LaunchOn("cudaLaunchKernel", stream, kernel, grid, block, arguments, shared_bytes, false);
}

cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  return LaunchOn("cudaLaunchKernel", stream, stub, grid, block, arguments, shared_bytes, false);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* stub,
                                void** arguments) {
  bool early = false;
  for (unsigned n = 0; n < config->numAttrs; ++n) {
    const cudaLaunchAttribute& attribute = config->attrs[n];
    Device& device = Device::Get();
    const std::lock_guard lock(device.mutex());
    if (attribute.id != cudaLaunchAttributeProgrammaticStreamSerialization ||
        device.architecture().major < 9) {
      return dragoman::ptx::NotModelled("attribute " + std::to_string(attribute.id) +
                                        " of a launch on sm_" + device.architecture().name);
    }
    early = attribute.val.programmaticStreamSerializationAllowed != 0;
  }
  return LaunchOn("cudaLaunchKernelExC", config->stream, stub, config->gridDim, config->blockDim,
                  arguments, config->dynamicSmemBytes, early);
}

cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute attribute, int value) {
  return dragoman::ptx::Called(
      {.function = "cudaFuncSetAttribute", .kind = CallKind::kSetAttribute}, [&](Device& device) {
        const std::lock_guard lock(device.mutex());
        bool has_code = false;
        RegisteredKernel* const kernel = device.FindKernel(stub, &has_code);
        if (kernel == nullptr || !has_code) return device.Note(cudaErrorInvalidDeviceFunction);
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
          return device.Note(cudaErrorNotSupported);
        }
        const size_t limit = device.architecture().limits.shared_bytes_per_block -
                             device.Decoded(*kernel)->static_shared_bytes;
        if (value < 0 || static_cast<size_t>(value) > limit) {
          return device.Note(cudaErrorInvalidValue);
        }
        RegisteredKernel::State& state = kernel->on[static_cast<size_t>(Device::Current())];
        state.max_dynamic_shared_bytes = static_cast<size_t>(value);
        return cudaSuccess;
      });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* stub) {
  return dragoman::ptx::Called({.function = "cudaFuncGetAttributes"}, [&](Device& device) {
    const std::lock_guard lock(device.mutex());
    *attributes = {};
    bool has_code = false;
    const RegisteredKernel* const kernel = device.FindKernel(stub, &has_code);
    if (kernel == nullptr) return device.Note(cudaErrorInvalidDeviceFunction);
    if (!has_code) return device.Note(cudaErrorNoKernelImageForDevice);
    const dragoman::ptx::Kernel* const decoded = device.Decoded(*kernel);
    attributes->sharedSizeBytes = decoded->static_shared_bytes;
    attributes->localSizeBytes = decoded->local_bytes;
    attributes->maxThreadsPerBlock =
        decoded->max_threads != 0 ? static_cast<int>(decoded->max_threads) : 1024;
    attributes->ptxVersion = device.architecture().major * 10 + device.architecture().minor;
    attributes->binaryVersion = attributes->ptxVersion;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(
        kernel->on[static_cast<size_t>(Device::Current())].max_dynamic_shared_bytes);
    return cudaSuccess;
  });
}

}  // extern "C"
