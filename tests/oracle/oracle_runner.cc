// oracle_runner [--reference] [--trace] DIR
//
// Runs every case (*.json) of a directory and prints a line for each: 'ok ID', or 'FAILED ID: what
// differs'. The last line is 'N passed, N failed'. Exit status 0 if there was a case and none
// failed.
//
//   --reference  on the reference decoders of tests/engine/support, not on the production code
//   --trace      compares the beams after every step too
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "tests/oracle/oracle_case.h"
#include "tests/oracle/production_backend.h"
#include "tests/oracle/reference_backend.h"

namespace {

using dragoman::oracle::CaseFiles;
using dragoman::oracle::ParseCase;
using dragoman::oracle::ProductionBackend;
using dragoman::oracle::ReadFile;
using dragoman::oracle::ReferenceBackend;
using dragoman::oracle::RunCase;
using dragoman::oracle::RunOptions;
using dragoman::oracle::SearchBackend;

// Prints the line of one file. Whether it passed.
bool RunOneFile(const std::string& path, SearchBackend& backend, const RunOptions& options) {
  std::string name = path;
  absl::Status status;
  if (const auto text = ReadFile(path); !text.ok()) {
    status = text.status();
  } else if (const auto c = ParseCase(*text); !c.ok()) {
    status = c.status();
  } else {
    name = c->id;
    status = RunCase(*c, backend, options);
  }
  if (status.ok()) {
    std::printf("ok %s\n", name.c_str());
  } else {
    std::printf("FAILED %s: %s\n", name.c_str(), std::string(status.message()).c_str());
  }
  return status.ok();
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<SearchBackend> backend = std::make_unique<ProductionBackend>();
  RunOptions options;
  std::string directory;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--trace") {
      options.compare_traces = true;
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
    std::fprintf(stderr, "usage: oracle_runner [--reference] [--trace] DIR\n");
    return 2;
  }
  const auto files = CaseFiles(directory);
  if (!files.ok()) {
    std::fprintf(stderr, "oracle_runner: %s\n", std::string(files.status().message()).c_str());
    return 2;
  }
  int passed = 0;
  int failed = 0;
  for (const std::string& path : *files) {
    ++(RunOneFile(path, *backend, options) ? passed : failed);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return passed > 0 && failed == 0 ? 0 : 1;
}
