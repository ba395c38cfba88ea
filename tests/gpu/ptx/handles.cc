#include "tests/gpu/ptx/handles.h"

#include <algorithm>

namespace dragoman::ptx {
namespace {

constexpr uint64_t kKindBits = 4;

}  // namespace

const char* HandleName(HandleKind kind) {
  switch (kind) {
    case HandleKind::kStream:
      return "stream";
    case HandleKind::kEvent:
      return "event";
    case HandleKind::kGraph:
      return "graph";
    case HandleKind::kExecutable:
      return "executable graph";
  }
  return "";
}

void* Handles::Make(HandleKind kind, int device, uint64_t number) {
  void* const handle = reinterpret_cast<void*>(number << kKindBits | static_cast<uint64_t>(kind));
  live_[handle] = {kind, device};
  return handle;
}

uint64_t Handles::NumberOf(const void* handle) {
  return reinterpret_cast<uint64_t>(handle) >> kKindBits;
}

const Handle* Handles::Find(HandleKind kind, const void* handle) const {
  const auto found = live_.find(handle);
  return found == live_.end() || found->second.kind != kind ? nullptr : &found->second;
}

bool Handles::Drop(HandleKind kind, const void* handle) {
  return Find(kind, handle) != nullptr && live_.erase(handle) == 1;
}

int64_t Handles::count(HandleKind kind) const {
  return std::count_if(live_.begin(), live_.end(),
                       [kind](const auto& handle) { return handle.second.kind == kind; });
}

}  // namespace dragoman::ptx
