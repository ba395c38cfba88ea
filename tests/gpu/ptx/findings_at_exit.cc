// Programs that are not tests link this. Prints each finding of the PTX device and each runtime
// object that was not freed to standard error, one a line, and a summary at the end. Ends the
// process with status 99 if there are findings, or at the start with status 77 if the interpreter
// does not support the processor.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "tests/gpu/ptx/calls.h"
#include "tests/gpu/ptx/device.h"
#include "tests/gpu/ptx/processor.h"

namespace dragoman::ptx {
namespace {

constexpr int kFound = 99;
constexpr int kSkipped = 77;

struct AtExit {
  AtExit() {
    if (const std::string why = WhyNoInterpreter(); !why.empty()) {
      std::fprintf(stderr, "PTX device: skipped: %s\n", why.c_str());
      std::_Exit(kSkipped);
    }
    Device::Get();
  }
  ~AtExit() {
    Device& device = Device::Get();
    Calls::Get().CheckFreed();
    std::fprintf(stderr, "PTX device: %s\n", Calls::Get().Text().c_str());
    const std::lock_guard lock(device.mutex());
    const std::vector<Finding> findings = device.TakeFindings();
    for (const Finding& finding : findings) {
      std::fprintf(stderr, "PTX device: %s\n", finding.Text().c_str());
    }
    std::fprintf(stderr, "%s, %zu findings\n", device.Summary().c_str(), findings.size());
    if (!findings.empty()) std::_Exit(kFound);
  }
} at_exit;

}  // namespace
}  // namespace dragoman::ptx
