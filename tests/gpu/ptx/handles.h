// The streams, events and graphs that the program has made and not yet destroyed. A handle is a
// number that looks like a pointer but points at nothing. A number is never used again, so a
// destroyed handle is recognised.
//
// Not thread-safe: the caller holds the device's mutex.
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
  // `number` is above 0 and differs from that of every other handle of the kind, destroyed ones
  // included.
  void* Make(HandleKind kind, int device, uint64_t number);
  static uint64_t NumberOf(const void* handle);

  // Returns nullptr if the handle was destroyed or never made.
  const Handle* Find(HandleKind kind, const void* handle) const;
  // Returns false if the handle was destroyed or never made.
  bool Drop(HandleKind kind, const void* handle);

  int64_t count(HandleKind kind) const;

 private:
  std::map<const void*, Handle> live_;
};

}  // namespace dragoman::ptx
