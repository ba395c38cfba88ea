// Findings: what the device found wrong with a kernel, and where.
//
// Not thread-safe: the device runs one launch at a time. A finding of the same kind at the same
// instruction is counted, not repeated.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::ptx {

enum class FindingKind : uint8_t {
  kOutOfBounds,
  kMisaligned,
  kUninitialised,   // memory that nothing has written is read
  kRace,            // two accesses to a byte, one of them a write, that nothing orders
  kMissingLanes,    // lanes that a .sync instruction waits for do not come
  kBarrierMisuse,   // a barrier is used in a way that the ISA leaves undefined
  kDeadlock,        // nothing can happen any more
  kUnfinished,      // copies, products or barriers under way when their block ends
  kLaunchLimit,     // more threads, shared memory or registers than the kernel may have
  kUndefinedValue,  // an instruction whose result the ISA leaves undefined
  kUnknownProgram,  // PTX that this device does not know
  // The following concern calls to the runtime, not kernels (calls.h):
  kCapture,      // a call that may not be made while a graph is captured
  kWrongDevice,  // another device is current than the one whose stream, event, graph or memory it is
  kStaleHandle,  // something that was destroyed or freed before, or never was
  kNotFreed,     // something that was made is left at the end
};

std::string_view FindingName(FindingKind kind);

struct Index3 {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;
};

struct Finding {
  FindingKind kind = FindingKind::kUnknownProgram;
  std::string kernel;       // demangled; of the runtime's calls the function
  int line = 0;             // of the PTX; 0: of the launch as a whole
  std::string instruction;  // its text
  Index3 block;
  Index3 thread;
  std::string what;  // what was found, and what was expected
  uint64_t times = 1;

  // All of it, on one line.
  std::string Text() const;
};

// Ends a launch: the device can tell what went wrong, but not what a card would do next.
class Fault : public std::runtime_error {
 public:
  explicit Fault(Finding finding)
      : std::runtime_error(finding.Text()), finding_(std::move(finding)) {}
  const Finding& finding() const { return finding_; }

 private:
  Finding finding_;
};

class Report {
 public:
  void Add(const Finding& finding);
  const std::vector<Finding>& findings() const { return findings_; }
  bool Has(FindingKind kind) const;
  void Clear() { findings_.clear(); }
  // A line for each; "" without any.
  std::string Text() const;

 private:
  std::vector<Finding> findings_;
};

}  // namespace dragoman::ptx
