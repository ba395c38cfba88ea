#include "engine/decode/cuda/port_layout.h"

#include "kernels/base/kv_pages.h"
#include "kernels/search/options.h"

namespace dragoman {
namespace {

constexpr int64_t kAlignment = 256;
constexpr int32_t kOutputWordsPerRow = 128;

}  // namespace

int64_t CarvePort(const BatchLimits& limits, void* memory, StepPort* port) {
  port->command_capacity =
      limits.rules_words + limits.max_rows * (kMaxSlotLanes + limits.pages_per_lane());
  port->output_capacity =
      kMaxBeam * HypothesisWords(limits.positions, true) + limits.max_rows * kOutputWordsPerRow;
  int64_t bytes = 0;
  const auto take = [&]<class T>(int64_t count, T** array) {
    *array = memory == nullptr ? nullptr
                               : reinterpret_cast<T*>(static_cast<unsigned char*>(memory) + bytes);
    bytes += (count * static_cast<int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
  };
  take(1, &port->command);
  take(limits.max_rows, &port->cancelled);
  take(limits.max_rows, &port->admissions);
  take(port->command_capacity, &port->command_words);
  take(1, &port->output);
  take(limits.max_rows, &port->deliveries);
  take(port->output_capacity, &port->output_words);
  return bytes;
}

}  // namespace dragoman
