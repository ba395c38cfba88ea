#include "kernels/base/op_context.h"

#include <algorithm>

#include "kernels/base/helper_threads.h"

namespace dragoman::kernels {

namespace {

int ThreadsOf(int threads) { return std::clamp(threads, 1, HelpedThread::kMostThreads); }

}  // namespace

OpContext::OpContext(int threads, int64_t work_per_thread)
    : threads_(ThreadsOf(threads)),
      work_per_thread_(std::max<int64_t>(work_per_thread, 1)),
      own_(threads_ > 1 ? std::make_unique<HelperThreads>(threads_) : nullptr),
      helped_(own_ != nullptr ? std::make_unique<HelpedThread>(own_.get(), threads_) : nullptr),
      scratch_(static_cast<size_t>(threads_)) {
  Begin();
}

OpContext::OpContext(HelperThreads* helpers, int threads, int64_t work_per_thread)
    : threads_(ThreadsOf(std::min(threads, helpers->cores()))),
      work_per_thread_(std::max<int64_t>(work_per_thread, 1)),
      helped_(std::make_unique<HelpedThread>(helpers, threads_)),
      scratch_(static_cast<size_t>(threads_)) {}

OpContext::~OpContext() = default;

void OpContext::Begin() {
  if (begun_ || helped_ == nullptr) return;
  begun_ = true;
  helped_->Begin();
}

void OpContext::End() {
  if (!begun_) return;
  begun_ = false;
  helped_->End();
}

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
    buffer.floats = cpu::AllocateFloats(floats);
    buffer.size = floats;
  }
  return buffer.floats.get();
}

}  // namespace dragoman::kernels
