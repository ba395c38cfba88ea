#include "engine/schedule/fair_queue.h"

#include <algorithm>

namespace dragoman::engine {

int64_t FairQueue::Cost(const Segment& segment) {
  const Load load = segment.load();
  return load.source_tokens * std::max<int64_t>(load.cost, 1);
}

void FairQueue::Enter(Flow* flow) {
  const auto cost = static_cast<double>(Cost(flow->head()));
  turns_.Enter(flow, cost / static_cast<double>(flow->weight()));
  ages_.emplace(flow->head().queued_at, flow);
}

void FairQueue::Leave(Flow* flow) {
  turns_.Leave(flow);
  ages_.erase({flow->head().queued_at, flow});
}

FairQueue::Flow* FairQueue::Next() {
  if (next_ == nullptr) next_ = static_cast<Flow*>(turns_.Next());
  return next_;
}

void FairQueue::Push(std::unique_ptr<Segment> segment) {
  auto& flows = flows_[static_cast<size_t>(segment->priority)];
  const auto [found, is_new] = flows.try_emplace(segment->client);
  Flow& flow = found->second;
  const int64_t cost = Cost(*segment);
  flow.share = segment->share;
  flow.cost += cost;
  cost_ += cost;
  load_.Add(segment->load());
  auto place = flow.segments.end();
  if (segment->again && !is_new) {
    // The first stays the first, because Peek may have chosen it.
    place = std::find_if(flow.segments.begin() + 1, flow.segments.end(),
                         [](const auto& waiting) { return !waiting->again; });
  }
  flow.segments.insert(place, std::move(segment));
  if (!is_new) return;
  flow.client = flow.head().client;
  flow.priority = flow.head().priority;
  turns_.Begin(&flow);
  Enter(&flow);
}

const Segment* FairQueue::Peek() { return empty() ? nullptr : &Next()->head(); }

std::unique_ptr<Segment> FairQueue::Pop() {
  Flow* const flow = Next();
  next_ = nullptr;
  Leave(flow);
  turns_.Took(flow);
  std::unique_ptr<Segment> segment = std::move(flow->segments.front());
  flow->segments.pop_front();
  flow->cost -= Cost(*segment);
  cost_ -= Cost(*segment);
  load_.Subtract(segment->load());
  if (flow->segments.empty()) {
    flows_[static_cast<size_t>(flow->priority)].erase(flow->client);
  } else {
    Enter(flow);
  }
  return segment;
}

std::vector<std::unique_ptr<Segment>> FairQueue::Remove(const SegmentOwner* owner) {
  std::vector<std::unique_ptr<Segment>> removed;
  for (auto& flows : flows_) {
    for (auto at = flows.begin(); at != flows.end();) {
      Flow& flow = at->second;
      const bool head_goes = owner == nullptr || flow.head().owner.get() == owner;
      if (head_goes) Leave(&flow);
      std::deque<std::unique_ptr<Segment>> kept;
      for (std::unique_ptr<Segment>& segment : flow.segments) {
        if (owner != nullptr && segment->owner.get() != owner) {
          kept.push_back(std::move(segment));
          continue;
        }
        flow.cost -= Cost(*segment);
        cost_ -= Cost(*segment);
        load_.Subtract(segment->load());
        removed.push_back(std::move(segment));
      }
      flow.segments = std::move(kept);
      if (head_goes && next_ == &flow) next_ = nullptr;
      if (flow.segments.empty()) {
        at = flows.erase(at);
        continue;
      }
      if (head_goes) Enter(&flow);
      ++at;
    }
  }
  return removed;
}

int64_t FairQueue::CostBefore(uint64_t client, int share, Priority priority) const {
  const auto& alike = flows_[static_cast<size_t>(priority)];
  const auto found = alike.find(client);
  const Flow* const own = found == alike.end() ? nullptr : &found->second;
  const int64_t own_cost = own == nullptr ? 0 : own->cost;
  const int64_t own_weight = share * kPriorityWeights[static_cast<size_t>(priority)];
  // The new segment leaves after the client's own segments. In that time, the queue serves every
  // other flow in proportion to its weight, but at most the flow's own cost.
  int64_t before = own_cost;
  for (const auto& flows : flows_) {
    for (const auto& [of, flow] : flows) {
      if (&flow == own) continue;
      before += std::min(flow.cost, flow.weight() * (own_cost + kSentenceCost) / own_weight);
    }
  }
  return before;
}

Nanos FairQueue::OldestQueuedAt(Nanos now) const {
  return ages_.empty() ? now : std::min(now, ages_.begin()->first);
}

}  // namespace dragoman::engine
