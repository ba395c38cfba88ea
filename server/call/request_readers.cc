#include "server/call/request_readers.h"

#include <utility>

#include "server/call/call_id.h"

namespace dragoman::server {

void RequestReaders::Post(const Grant* grant, std::string_view peer, int64_t bytes,
                          std::function<void()> read) {
  const int share = grant == nullptr ? 1 : grant->client().share();
  Waiting waiting{.read = std::move(read),
                  .ticket = std::make_shared<CallTracker::Ticket>(tracker_),
                  .cost = static_cast<double>(bytes) / share};
  std::string client = ClientName(grant, peer);
  {
    engine::MutexLock lock(&mu_);
    const auto [found, is_new] = flows_.try_emplace(std::move(client));
    Flow& flow = found->second;
    flow.requests.push_back(std::move(waiting));
    if (is_new) {
      flow.client = found->first;
      turns_.Begin(&flow);
      turns_.Enter(&flow, flow.requests.front().cost);
    }
  }
  pool_.Post([this] { ReadNext(); });
}

void RequestReaders::ReadNext() {
  Waiting next;
  {
    engine::MutexLock lock(&mu_);
    auto* const flow = static_cast<Flow*>(turns_.Next());
    turns_.Leave(flow);
    turns_.Took(flow);
    next = std::move(flow->requests.front());
    flow->requests.pop_front();
    if (flow->requests.empty()) {
      flows_.erase(flows_.find(flow->client));
    } else {
      turns_.Enter(flow, flow->requests.front().cost);
    }
  }
  next.read();
}

}  // namespace dragoman::server
