#include "engine/schedule/fair_queue.h"

#include <algorithm>

namespace dragoman {
namespace {

constexpr auto kBulk = static_cast<size_t>(Priority::kBulk);

}  // namespace

int64_t FairQueue::Cost(const Segment& segment) {
  const Load load = segment.load();
  return load.source_tokens * std::max<int64_t>(load.cost, 1);
}

void FairQueue::Class::Push(std::unique_ptr<Segment> segment) {
  const auto [found, is_new] = flows_.try_emplace(segment->client);
  if (is_new) {
    found->second = turns_.insert(turns_.end(), Flow{segment->client});
    heads_.emplace(segment->queued_at, segment->client);
  }
  Flow& flow = *found->second;
  flow.share = segment->share;
  flow.cost += Cost(*segment);
  cost_ += Cost(*segment);
  flow.segments.push_back(std::move(segment));
  if (turns_.size() == 1) Settle();
}

std::unique_ptr<Segment> FairQueue::Class::Pop() {
  Flow& flow = turns_.front();
  std::unique_ptr<Segment> segment = std::move(flow.segments.front());
  flow.segments.pop_front();
  flow.deficit -= Cost(*segment);
  flow.cost -= Cost(*segment);
  cost_ -= Cost(*segment);
  heads_.erase({segment->queued_at, flow.client});
  if (flow.segments.empty()) {
    Erase(turns_.begin());
  } else {
    heads_.emplace(flow.head().queued_at, flow.client);
    if (flow.deficit < Cost(flow.head())) turns_.splice(turns_.end(), turns_, turns_.begin());
  }
  Settle();
  return segment;
}

void FairQueue::Class::Remove(const SegmentOwner* owner,
                              std::vector<std::unique_ptr<Segment>>* removed) {
  for (auto flow = turns_.begin(); flow != turns_.end();) {
    heads_.erase({flow->head().queued_at, flow->client});
    std::deque<std::unique_ptr<Segment>> kept;
    for (std::unique_ptr<Segment>& segment : flow->segments) {
      if (owner != nullptr && segment->owner.get() != owner) {
        kept.push_back(std::move(segment));
      } else {
        flow->cost -= Cost(*segment);
        cost_ -= Cost(*segment);
        removed->push_back(std::move(segment));
      }
    }
    flow->segments = std::move(kept);
    if (flow->segments.empty()) {
      flow = Erase(flow);
    } else {
      heads_.emplace(flow->head().queued_at, flow->client);
      ++flow;
    }
  }
  Settle();
}

void FairQueue::Class::Settle() {
  while (!turns_.empty() && turns_.front().deficit < Cost(turns_.front().head())) {
    Flow& flow = turns_.front();
    flow.deficit += kFairQuantum * flow.share;
    if (flow.deficit >= Cost(flow.head())) break;
    turns_.splice(turns_.end(), turns_, turns_.begin());
  }
}

int64_t FairQueue::Class::CostBefore(uint64_t client, int64_t share) const {
  const auto own = flows_.find(client);
  const int64_t own_cost = own == flows_.end() ? 0 : own->second->cost;
  int64_t before = own_cost;
  // While what the client has waiting leaves, others' leaves too, by their shares.
  for (const Flow& flow : turns_) {
    if (flow.client == client) continue;
    before += std::min(flow.cost, flow.share * (own_cost / share + kFairQuantum));
  }
  return before;
}

FairQueue::Class::Turns::iterator FairQueue::Class::Erase(Turns::iterator flow) {
  flows_.erase(flow->client);
  return turns_.erase(flow);
}

void FairQueue::Push(std::unique_ptr<Segment> segment) {
  load_.Add(segment->load());
  Class& to = classes_[static_cast<size_t>(segment->priority)];
  to.Push(std::move(segment));
}

size_t FairQueue::Next(Nanos now) const {
  size_t next = 0;
  while (classes_[next].empty()) ++next;
  // Every other one: a backlog of BULK older than the bound must not keep everybody else out.
  const Class& bulk = classes_[kBulk];
  const bool due = !bulk.empty() && now - bulk.oldest() > kMaxBulkWait && !last_was_bulk_;
  return due ? kBulk : next;
}

const Segment* FairQueue::Peek(Nanos now) const {
  return empty() ? nullptr : &classes_[Next(now)].head();
}

std::unique_ptr<Segment> FairQueue::Pop(Nanos now) {
  const size_t next = Next(now);
  last_was_bulk_ = next == kBulk;
  std::unique_ptr<Segment> segment = classes_[next].Pop();
  load_.Subtract(segment->load());
  return segment;
}

std::vector<std::unique_ptr<Segment>> FairQueue::Remove(const SegmentOwner* owner) {
  std::vector<std::unique_ptr<Segment>> removed;
  for (Class& from : classes_) from.Remove(owner, &removed);
  for (const std::unique_ptr<Segment>& segment : removed) load_.Subtract(segment->load());
  return removed;
}

int64_t FairQueue::CostBefore(uint64_t client, int share, Priority priority) const {
  const auto own = static_cast<size_t>(priority);
  int64_t before = classes_[own].CostBefore(client, share);
  // BULK does not wait for them for ever.
  for (size_t higher = 0; higher < own && own != kBulk; ++higher) before += classes_[higher].cost();
  return before;
}

int64_t FairQueue::cost() const {
  int64_t cost = 0;
  for (const Class& of : classes_) cost += of.cost();
  return cost;
}

Nanos FairQueue::OldestQueuedAt(Nanos now) const {
  Nanos oldest = now;
  for (const Class& of : classes_) {
    if (!of.empty()) oldest = std::min(oldest, of.oldest());
  }
  return oldest;
}

}  // namespace dragoman
