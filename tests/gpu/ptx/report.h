// Findings: what the device found wrong with a kernel or a call, and where.
//
// Not thread-safe: the device runs one launch at a time. Another finding of the same kind at the
// same instruction only increases a count.
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
  kUninitialised,   // memory that was never written is read
  kRace,            // two accesses to a byte, one of them a write, that nothing orders
  kMissingLanes,    // lanes that a .sync instruction needs do not come
  kBarrierMisuse,   // a barrier is used in a way that the ISA leaves undefined
  kDeadlock,        // no thread can make progress any more
  kUnfinished,      // copies, products or barriers are pending when their block ends
  kLaunchLimit,     // more threads, shared memory or registers than the kernel may have
  kUndefinedValue,  // an instruction whose result the ISA leaves undefined
  kUnknownProgram,  // PTX that this device does not know
  // The following concern calls to the runtime, not kernels (calls.h):
  kCapture,      // a call that may not be made while a graph is captured
  kWrongDevice,  // a stream, event, graph or memory is used while another device is current
  kStaleHandle,  // an object that was destroyed or freed before, or that never existed
  kNotFreed,     // an object is left at the end
};

std::string_view FindingName(FindingKind kind);

struct Index3 {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;
};

struct Finding {
  FindingKind kind = FindingKind::kUnknownProgram;
  std::string kernel;       // demangled; the function, for calls of the runtime
  int line = 0;             // of the PTX; 0: the finding concerns the whole launch
  std::string instruction;  // its text
  Index3 block;
  Index3 thread;
  std::string what;  // what was found, and what was expected
  uint64_t times = 1;

  // Returns all fields on one line.
  std::string Text() const;
};

// Ends a launch: the device knows what went wrong, but not what a card would do next.
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
  // Returns a line for each finding, or "" if there are none.
  std::string Text() const;

 private:
  std::vector<Finding> findings_;
};

}  // namespace dragoman::ptx
