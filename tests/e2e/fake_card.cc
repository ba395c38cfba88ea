// A fake GPU that replaces the library's functions of kernels/cuda/device.h and cublas_lt.h. A
// daemon that is linked with this file finds exactly one GPU, which environment variables describe.
// Memory, streams and launches are not replaced, so they fail on a machine without a GPU.
//
//   DRAGOMAN_TEST_CARD        the cudaError_t that a search for the kernels' code for this GPU
//                             returns; 0: there is code
//   DRAGOMAN_TEST_CARD_NAME   the name of the GPU; default: Imagined B300
#include <cstdlib>

#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/device.h"

namespace dragoman::kernels::cuda {

int DeviceCount(std::string*) { return 1; }

Error Describe(int, DeviceInfo* info) {
  const char* const name = std::getenv("DRAGOMAN_TEST_CARD_NAME");
  *info = {
      name == nullptr ? "Imagined B300" : name, 10, 3, 148, int64_t{288} << 30, int64_t{280} << 30};
  return Error::kNone;
}

Error FreeMemory(int64_t* bytes) {
  *bytes = int64_t{280} << 30;
  return Error::kNone;
}

Error SetDevice(int) { return Error::kNone; }
int CurrentDevice() { return 0; }
bool LaunchesEarly() { return false; }
int DriverVersion() { return 13000; }
int RuntimeVersion() { return 13000; }
int LeastDriver() { return 580; }
const char* CompiledArchitectures() { return "75, 80"; }

Error FindCode(int) {
  const char* const status = std::getenv("DRAGOMAN_TEST_CARD");
  return Error{status == nullptr ? 0 : std::atoi(status)};
}

bool MeansNoCode(Error error) { return error == Error{209}; }

const CublasLt* LoadCublasLt(const char**) {
  static const CublasLt library;
  return &library;
}

}  // namespace dragoman::kernels::cuda
