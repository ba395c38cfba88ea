#include "engine/decode/cuda/step_mailboxes.h"

#include "kernels/base/kv_pages.h"
#include "kernels/search/options.h"

namespace dragoman::engine {
namespace {

constexpr int64_t kAlignment = 256;
constexpr int32_t kOutputWordsPerRow = 128;

}  // namespace

int64_t CarveMailbox(const kernels::BatchLimits& limits, void* memory,
                     kernels::StepMailbox* mailbox) {
  mailbox->command_capacity =
      limits.rules_words + limits.max_rows * (kernels::kMaxSlotLanes + limits.pages_per_lane());
  mailbox->output_capacity = kernels::kMaxBeam * kernels::HypothesisWords(limits.positions, true) +
                             limits.max_rows * kOutputWordsPerRow;
  int64_t bytes = 0;
  const auto take = [&]<class T>(int64_t count, T** array) {
    *array = memory == nullptr ? nullptr
                               : reinterpret_cast<T*>(static_cast<unsigned char*>(memory) + bytes);
    bytes += (count * static_cast<int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
  };
  take(1, &mailbox->command);
  take(limits.max_rows, &mailbox->cancelled);
  take(limits.max_rows, &mailbox->admissions);
  take(mailbox->command_capacity, &mailbox->command_words);
  take(1, &mailbox->output);
  take(limits.max_rows, &mailbox->deliveries);
  take(mailbox->output_capacity, &mailbox->output_words);
  return bytes;
}

}  // namespace dragoman::engine
