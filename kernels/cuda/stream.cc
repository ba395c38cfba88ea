#include "kernels/cuda/stream.h"

#include "kernels/cuda/checked.h"

namespace dragoman::kernels::cuda {

const char* ErrorText(Error error) { return cudaGetErrorString(static_cast<cudaError_t>(error)); }

Error OwnedStream::Create(StreamPriority priority) {
  Destroy();
  int lowest = 0;
  int highest = 0;
  const Error error = Checked(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  if (error != Error::kNone) return error;
  return Checked(cudaStreamCreateWithPriority(
      &stream_, cudaStreamNonBlocking, priority == StreamPriority::kHigh ? highest : lowest));
}

Error OwnedStream::Wait() const { return Checked(cudaStreamSynchronize(stream_)); }

void OwnedStream::Destroy() {
  if (stream_ == nullptr) return;
  // Ignores the error, which was already reported or concerns no caller.
  static_cast<void>(Wait());
  static_cast<void>(Checked(cudaStreamDestroy(stream_)));
  stream_ = nullptr;
}

Error Event::Create(Timing timing, HostWait wait) {
  Destroy();
  const unsigned timed = timing == Timing::kOn ? cudaEventDefault : cudaEventDisableTiming;
  const unsigned waited = wait == HostWait::kSleep ? cudaEventBlockingSync : cudaEventDefault;
  return Checked(cudaEventCreateWithFlags(&event_, timed | waited));
}

Error Event::Record(Stream stream) { return Checked(cudaEventRecord(event_, stream)); }

Error Event::Before(Stream stream) const { return Checked(cudaStreamWaitEvent(stream, event_, 0)); }

Error Event::Wait() const { return Checked(cudaEventSynchronize(event_)); }

Error Event::WaitAtMost(std::chrono::nanoseconds limit, bool* came) const {
  return PollAtMost(
      limit, [this](bool* done) { return Done(done); }, came);
}

Error Event::Done(bool* done) const {
  const cudaError_t status = cudaEventQuery(event_);
  const Error error =
      Checked(status);  // also clears "not ready", which the runtime keeps as an error
  *done = status == cudaSuccess;
  return status == cudaErrorNotReady ? Error::kNone : error;
}

Error Event::MillisecondsSince(const Event& begin, float* milliseconds) const {
  return Checked(cudaEventElapsedTime(milliseconds, begin.event_, event_));
}

void Event::Destroy() {
  if (event_ != nullptr) static_cast<void>(Checked(cudaEventDestroy(event_)));
  event_ = nullptr;
}

}  // namespace dragoman::kernels::cuda
