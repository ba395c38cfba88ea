// oracle_runner [--reference | --cuda] [--trace] DIR
//
// Runs every case (*.json) of a directory and prints a line for each: 'ok ID', 'FAILED ID: what
// differs', or 'skipped ID: why'. The last line is 'N passed, N failed'. Exit status 0 if there was
// a case and none failed.
//
//   --reference  runs the reference decoders of tests/engine/support, not the production code
//   --cuda       runs the searches only, on the kernels of cuda:0; skips what they do not support
//   --trace      also compares the beams after every step
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "tests/oracle/oracle_case.h"
#include "tests/oracle/production_backend.h"
#include "tests/oracle/reference_backend.h"
#ifdef DRAGOMAN_HAVE_CUDA
#include "kernels/cuda/device.h"
#include "tests/gpu/device_backend.h"
#endif

namespace {

using dragoman::oracle::ProductionBackend;
using dragoman::oracle::ReferenceBackend;
using dragoman::oracle::RunOptions;
using dragoman::oracle::SearchBackend;

struct Counts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};

// Runs one file, prints its line and counts it.
void RunOneFile(const std::string& path, SearchBackend& backend, const RunOptions& options,
                bool searches_only, Counts* counts) {
  std::string name = path;
  absl::Status status;
  if (const auto text = dragoman::oracle::ReadFile(path); !text.ok()) {
    status = text.status();
  } else if (const auto c = dragoman::oracle::ParseCase(*text); !c.ok()) {
    status = c.status();
  } else {
    name = c->id;
    if (searches_only && !dragoman::oracle::IsSearch(c->kind)) {
      std::printf("skipped %s: %s is no search\n", name.c_str(), c->kind.c_str());
      ++counts->skipped;
      return;
    }
    status = dragoman::oracle::RunCase(*c, backend, options);
  }
  const std::string message(status.message());
  if (status.ok()) {
    std::printf("ok %s\n", name.c_str());
    ++counts->passed;
  } else if (searches_only && status.code() == absl::StatusCode::kUnimplemented) {
    std::printf("skipped %s: %s\n", name.c_str(), message.c_str());
    ++counts->skipped;
  } else {
    std::printf("FAILED %s: %s\n", name.c_str(), message.c_str());
    ++counts->failed;
  }
}

std::unique_ptr<SearchBackend> CudaBackend() {
#ifdef DRAGOMAN_HAVE_CUDA
  return std::make_unique<dragoman::oracle::DeviceBackend>();
#else
  return nullptr;
#endif
}

// Returns why --cuda cannot run, or "" if it can.
std::string WhyNoCuda() {
#ifdef DRAGOMAN_HAVE_CUDA
  std::string why;
  return dragoman::kernels::cuda::DeviceCount(&why) > 0 ? "" : why;
#else
  return "this build has no CUDA";
#endif
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<SearchBackend> backend = std::make_unique<ProductionBackend>();
  RunOptions options;
  bool cuda = false;
  std::string directory;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--trace") {
      options.compare_traces = true;
    } else if (argument == "--cuda") {
      cuda = true;
    } else if (argument == "--reference") {
      backend = std::make_unique<ReferenceBackend>();
    } else if (directory.empty() && !argument.starts_with("-")) {
      directory = argument;
    } else {
      directory.clear();
      break;
    }
  }
  if (directory.empty()) {
    std::fprintf(stderr, "usage: oracle_runner [--reference | --cuda] [--trace] DIR\n");
    return 2;
  }
  if (cuda) {
    if (const std::string why = WhyNoCuda(); !why.empty()) {
      std::printf("CUDA cases skipped: %s\nskipped all\n0 passed, 0 failed\n", why.c_str());
      return 0;
    }
    backend = CudaBackend();
  }
  const auto files = dragoman::oracle::CaseFiles(directory);
  if (!files.ok()) {
    std::fprintf(stderr, "oracle_runner: %s\n", std::string(files.status().message()).c_str());
    return 2;
  }
  Counts counts;
  for (const std::string& path : *files) RunOneFile(path, *backend, options, cuda, &counts);
  if (counts.skipped > 0) std::printf("%d skipped\n", counts.skipped);
  std::printf("%d passed, %d failed\n", counts.passed, counts.failed);
  return counts.passed > 0 && counts.failed == 0 ? 0 : 1;
}
