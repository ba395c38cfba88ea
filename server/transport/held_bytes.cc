#include "server/transport/held_bytes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::server {
namespace {

// Connections with fewer bytes are not ended, because that would free too little memory.
constexpr int64_t kLeastBytes = 4096;

}  // namespace

HeldBytes::Share::Share(HeldBytes* all, std::function<void()> evict)
    : all_(all), evict_(std::move(evict)) {
  engine::MutexLock lock(&all_->mu_);
  all_->shares_.insert(this);
}

HeldBytes::Share::~Share() {
  {
    engine::MutexLock lock(&all_->mu_);
    all_->shares_.erase(this);
  }
  all_->total_ -= set_ + reserved_;
}

void HeldBytes::Share::SetClient(RequestClient client) {
  engine::MutexLock lock(&all_->mu_);
  client_ = std::move(client);
}

void HeldBytes::Share::Exchange(std::atomic<int64_t>* part, int64_t bytes) {
  if (evicted_) bytes = 0;
  const int64_t more = bytes - part->exchange(bytes);
  if (more == 0) return;
  const int64_t total = all_->total_ += more;
  if (more > 0 && total > all_->limit_) all_->Evict();
}

void HeldBytes::Evict() {
  // The connections of one client. Evict sorts them by bytes, in ascending order.
  struct Held {
    int64_t bytes = 0;
    std::vector<std::pair<int64_t, Share*>> shares;
  };
  engine::MutexLock lock(&mu_);
  // Evicts until the total is well below the limit, so that the next Set or Reserve does not exceed
  // it again.
  const int64_t wanted = limit_ / 4 * 3;
  std::map<std::pair<bool, std::string>, Held> by_client;
  int64_t left = 0;
  for (Share* const share : shares_) {
    const int64_t bytes = share->set_ + share->reserved_;
    left += bytes;
    if (bytes < std::min(kLeastBytes, limit_ / 4)) continue;
    Held& held = by_client[{share->client_.has_key, share->client_.name}];
    held.bytes += bytes;
    held.shares.emplace_back(bytes, share);
  }
  if (left <= limit_) return;
  for (auto& [client, held] : by_client) std::sort(held.shares.begin(), held.shares.end());
  while (left > wanted && !by_client.empty()) {
    const auto most =
        std::max_element(by_client.begin(), by_client.end(), [](const auto& a, const auto& b) {
          return std::pair(!a.first.first, a.second.bytes) <
                 std::pair(!b.first.first, b.second.bytes);
        });
    const auto [bytes, share] = most->second.shares.back();
    most->second.shares.pop_back();
    most->second.bytes -= bytes;
    if (most->second.shares.empty()) by_client.erase(most);
    left -= bytes;
    share->evicted_ = true;
    total_ -= share->set_.exchange(0) + share->reserved_.exchange(0);
    share->evict_();
  }
}

}  // namespace dragoman::server
