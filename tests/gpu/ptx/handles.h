// The streams, events and graphs that the program has made and not yet destroyed. A handle is a number
// that looks like a pointer, points at nothing and is never used again, so that one which was destroyed is known.
//
// Not thread-safe: the device's mutex is held.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dragoman::ptx {

enum class HandleKind : uint8_t { kStream = 1, kEvent, kGraph, kExecutable };

// "stream", "event", "graph", "executable graph".
const char* HandleName(HandleKind kind);

struct Handle {
  HandleKind kind = HandleKind::kStream;
  int device = 0;
};

class Handles {
 public:
  // `number`: not that of another handle of the kind, whether it lives or not; above 0.
  void* Make(HandleKind kind, int device, uint64_t number);
  static uint64_t NumberOf(const void* handle);

  // nullptr: it was destroyed, or never made.
  const Handle* Find(HandleKind kind, const void* handle) const;
  // False: as above.
  bool Drop(HandleKind kind, const void* handle);

  int64_t count(HandleKind kind) const;

 private:
  std::map<const void*, Handle> live_;
};

}  // namespace dragoman::ptx
