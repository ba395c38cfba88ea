// See tests/bench/README.md, "The programs":
//   record_bits DIRECTORY [--requests 3000] [--emulated-requests 100] > FILE

#include <cstdio>
#include <iostream>
#include <string>
#include <utility>

#include "engine/create_loaded_engine.h"
#include "tests/bench/arguments.h"
#include "tests/bench/bits/record.h"
#include "tests/engine/support/fakes.h"
#ifdef DRAGOMAN_EMULATED_CUDA
#include "tests/engine/decode/cuda/emulated_backend.h"
#include "tests/engine/decode/cuda/emulated_engine.h"
#endif

namespace dragoman {
namespace {

constexpr int kMaxRows = 40;

class Recorder {
 public:
  Recorder(std::string directory, size_t requests, size_t emulated)
      : directory_(std::move(directory)), requests_(requests), emulated_(emulated) {}

  absl::Status OnCpu() {
    if (requests_ == 0) return absl::OkStatus();
    engine::EngineConfig config;
    config.max_rows = kMaxRows;
    auto engine = engine::CreateEngine(directory_, config, &clock_, &observer_);
    if (!engine.ok()) return engine.status();
    std::cout << "# cpu float32\n";
    bench::RecordBits(**engine, requests_, std::cout);
    return absl::OkStatus();
  }

#ifdef DRAGOMAN_EMULATED_CUDA
  absl::Status OnEmulatedDevice(kernels::ComputeType type) {
    if (emulated_ == 0) return absl::OkStatus();
    auto loaded = engine::LoadModel(directory_);
    if (!loaded.ok()) return loaded.status();
    std::cout << "# emulated " << kernels::ComputeTypeName(type) << '\n';
    if (const auto fits = engine::CheckEmulatedCudaModel(loaded->program); !fits.ok()) {
      std::cout << fits.message() << '\n';
      return absl::OkStatus();
    }
    auto engine = engine::StartEmulatedEngine(
        *std::move(loaded), {.type = type, .max_rows = kMaxRows}, &clock_, &observer_);
    if (!engine.ok()) return engine.status();
    bench::RecordBits(**engine, emulated_, std::cout);
    return absl::OkStatus();
  }
#endif

  absl::Status All() {
    if (const auto status = OnCpu(); !status.ok()) return status;
#ifdef DRAGOMAN_EMULATED_CUDA
    for (const auto type : {kernels::ComputeType::kFloat32, kernels::ComputeType::kFloat16,
                            kernels::ComputeType::kBFloat16}) {
      if (const auto status = OnEmulatedDevice(type); !status.ok()) return status;
    }
#endif
    return absl::OkStatus();
  }

 private:
  const std::string directory_;
  const size_t requests_;
  const size_t emulated_;
  testing::FakeClock clock_;
  testing::CountingObserver observer_;
};

}  // namespace
}  // namespace dragoman

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "record_bits: expected the directory of a model\n";
    return 2;
  }
  dragoman::bench::Arguments arguments(argc, argv, 2);
  const auto requests = static_cast<size_t>(arguments.Number("requests", 3000));
  const auto emulated = static_cast<size_t>(arguments.Number("emulated-requests", 100));
  arguments.RefuseOthers();
  const absl::Status status = dragoman::Recorder(argv[1], requests, emulated).All();
  if (!status.ok()) std::cerr << "record_bits: " << status << '\n';
  return status.ok() ? 0 : 1;
}
