#include "kernels/base/op_context.h"

#include <algorithm>

#include "kernels/base/float_buffer.h"

namespace dragoman {

OpContext::OpContext(int threads, int64_t work_per_thread)
    : threads_(std::max(threads, 1)),
      work_per_thread_(std::max<int64_t>(work_per_thread, 1)),
      scratch_(static_cast<size_t>(threads_)) {}

OpContext::~OpContext() = default;

void OpContext::Free::operator()(float* p) const { cpu::FreeFloats()(p); }

void OpContext::Reserve(size_t floats_per_thread) {
  for (int thread = 0; thread < threads_; ++thread) Scratch(thread, floats_per_thread);
}

int64_t OpContext::bytes() const {
  size_t floats = 0;
  for (const Buffer& buffer : scratch_) floats += buffer.size;
  return static_cast<int64_t>(floats * sizeof(float));
}

float* OpContext::Scratch(int thread, size_t floats) {
  Buffer& buffer = scratch_[static_cast<size_t>(thread)];
  if (buffer.size < floats || buffer.floats == nullptr) {
    buffer.floats.reset();
    buffer.floats.reset(cpu::AllocateFloats(floats).release());
    buffer.size = floats;
  }
  return buffer.floats.get();
}

}  // namespace dragoman
