#include "server/http/held_bytes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dragoman {

HeldBytes::Share::Share(HeldBytes* all, std::function<void()> evict)
    : all_(all), evict_(std::move(evict)) {
  MutexLock lock(&all_->mu_);
  all_->shares_.insert(this);
}

HeldBytes::Share::~Share() {
  {
    MutexLock lock(&all_->mu_);
    all_->shares_.erase(this);
  }
  all_->total_ -= bytes_;
}

void HeldBytes::Share::Set(int64_t bytes) {
  if (evicted_) bytes = 0;
  const int64_t more = bytes - bytes_.exchange(bytes);
  if (more == 0) return;
  const int64_t total = all_->total_ += more;
  if (more > 0 && total > all_->limit_) all_->EvictGreediest();
}

void HeldBytes::EvictGreediest() {
  MutexLock lock(&mu_);
  // Until well below the limit, so that the next one does not meet it at once.
  const int64_t wanted = limit_ / 4 * 3;
  std::vector<std::pair<int64_t, Share*>> by_size;
  int64_t left = 0;
  for (Share* const share : shares_) {
    const int64_t bytes = share->bytes_;
    if (bytes == 0) continue;
    left += bytes;
    by_size.emplace_back(bytes, share);
  }
  if (left <= limit_) return;
  std::sort(by_size.begin(), by_size.end(), std::greater<>());
  for (const auto& [bytes, share] : by_size) {
    if (left <= wanted) return;
    left -= bytes;
    share->evicted_ = true;
    total_ -= share->bytes_.exchange(0);
    share->evict_();
  }
}

}  // namespace dragoman
