#include "tests/gpu/ptx/stream_order.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace dragoman::ptx {

// The order of the kernels of a chain.
class StreamOrder::Order : public ChainOrder {
 public:
  // `base`: what the first kernel knows without a wait, if it may begin early.
  Order(StreamOrder& all, uint32_t stream, std::vector<Operation> operations, bool first_is_early,
        const StreamClock& base)
      : all_(all),
        stream_(stream),
        operations_(std::move(operations)),
        first_is_early_(first_is_early),
        base_(first_is_early ? base : operations_[0].before) {}

  // Before its wait, a kernel knows what the chain is ordered after, and what the host had waited
  // for.
  OtherOperations Begin(size_t index, uint32_t agents) override {
    const Operation& operation = operations_[index];
    StreamClock before = base_;
    Join(&before, operation.host);
    return all_.Begin(before, index == 0 ? operation.before : before, {stream_, operation.number},
                      operation.work.name, agents);
  }
  bool FirstIsEarly() const override { return first_is_early_; }
  std::string NameOf(uint32_t agent) override { return all_.NameOf(agent); }

  const StreamClock& base() const { return base_; }

 private:
  StreamOrder& all_;
  const uint32_t stream_;
  const std::vector<Operation> operations_;
  const bool first_is_early_;
  const StreamClock base_;
};

StreamOrder::StreamOrder(When when, EarlyStart early, uint64_t seed, DeviceMemory& memory,
                         RunKernels run)
    : when_(when), early_(early), random_(seed), memory_(memory), run_(std::move(run)) {
  NewStream();  // 0: the default stream
}

uint32_t StreamOrder::NewStream() {
  const uint32_t stream = next_stream_++;
  streams_[stream].clock = host_;
  return stream;
}

void StreamOrder::DropStream(uint32_t stream) {
  Stream& dropped = streams_.at(stream);
  dropped.dropped = true;
  if (dropped.queue.empty()) Erase(stream);
}

void StreamOrder::Erase(uint32_t stream) {
  gone_[stream] = streams_.at(stream).last;
  streams_.erase(stream);
}

bool StreamOrder::HasStream(uint32_t stream) const {
  const auto found = streams_.find(stream);
  return found != streams_.end() && !found->second.dropped;
}

void StreamOrder::Join(StreamClock* clock, const StreamClock& other) {
  for (const auto& [stream, number] : other) {
    uint64_t& mine = (*clock)[stream];
    mine = std::max(mine, number);
  }
}

bool StreamOrder::Covers(const StreamClock& clock, const StreamPlace& place) {
  const auto found = clock.find(place.stream);
  return found != clock.end() && found->second >= place.number;
}

void StreamOrder::Put(uint32_t stream, std::vector<Work> works) {
  Stream& on = streams_.at(stream);
  Join(&on.clock, host_);
  for (Work& work : works) {
    Operation operation;
    operation.work = std::move(work);
    operation.number = ++on.last;
    operation.before = on.clock;
    operation.host = host_;
    on.clock[stream] = on.last;
    on.queue.push_back(std::move(operation));
  }
  if (when_ == When::kNow) RunAll();
  if (when_ == When::kRandom) RunSome();
}

StreamPlace StreamOrder::PlaceOf(uint32_t stream) const {
  return {stream, streams_.at(stream).last};
}

StreamClock StreamOrder::ClockOf(uint32_t stream) const { return streams_.at(stream).clock; }

void StreamOrder::PutWait(uint32_t stream, const StreamPlace& place, const StreamClock& clock) {
  Stream& on = streams_.at(stream);
  Join(&on.clock, clock);
  Operation operation;
  operation.waits = true;
  operation.after = place;
  operation.number = ++on.last;
  on.clock[stream] = on.last;
  on.queue.push_back(std::move(operation));
  if (when_ == When::kNow) RunAll();
}

bool StreamOrder::HasHappened(const StreamPlace& place) const {
  const auto found = streams_.find(place.stream);
  // All operations of a dropped stream have happened.
  return found == streams_.end() || found->second.done >= place.number;
}

void StreamOrder::Wait(const StreamPlace& place, const StreamClock& clock) {
  if (when_ == When::kRandom) RunSome();
  RunUntil(place);
  Join(&host_, clock);
}

void StreamOrder::WaitForAll() {
  RunAll();
  for (const auto& [number, stream] : streams_) Join(&host_, stream.clock);
  Join(&host_, gone_);
  gone_.clear();
}

void StreamOrder::Advance(const StreamPlace& place) {
  if (HasHappened(place)) return;
  if (when_ == When::kRandom) RunSome();
  StreamPlace needed = place;
  while (!HasHappened(needed) && !IsReady(streams_.at(needed.stream))) {
    needed = streams_.at(needed.stream).queue.front().after;
  }
  if (!HasHappened(needed)) RunNext(needed.stream);
}

bool StreamOrder::IsReady(const Stream& stream) const {
  if (stream.queue.empty()) return false;
  const Operation& next = stream.queue.front();
  return !next.waits || HasHappened(next.after);
}

void StreamOrder::RunUntil(const StreamPlace& place) {
  while (!HasHappened(place)) {
    const Operation& next = streams_.at(place.stream).queue.front();
    if (next.waits) RunUntil(StreamPlace{next.after});
    RunNext(place.stream);
  }
}

void StreamOrder::RunAll() {
  for (bool ran = true; ran;) {
    ran = false;
    std::vector<uint32_t> numbers;
    for (const auto& [number, of] : streams_) numbers.push_back(number);
    for (const uint32_t stream : numbers) {
      while (streams_.contains(stream) && IsReady(streams_.at(stream))) {
        RunNext(stream);
        ran = true;
      }
    }
  }
}

void StreamOrder::RunSome() {
  constexpr uint64_t kMost = 4;
  for (uint64_t left = random_() % kMost; left > 0; --left) {
    std::vector<uint32_t> ready;
    for (const auto& [number, stream] : streams_) {
      if (IsReady(stream)) ready.push_back(number);
    }
    if (ready.empty()) return;
    RunNext(ready[random_() % ready.size()]);
  }
}

void StreamOrder::RunNext(uint32_t stream) {
  Forget();
  Stream& on = streams_.at(stream);
  Operation first = std::move(on.queue.front());
  on.queue.pop_front();
  uint64_t last = first.number;
  if (first.work.launch != nullptr) {
    std::vector<Operation> chain;
    std::vector<const HeldLaunch*> launches;
    chain.push_back(std::move(first));
    while (!on.queue.empty() && on.queue.front().work.launch != nullptr &&
           on.queue.front().work.early) {
      chain.push_back(std::move(on.queue.front()));
      on.queue.pop_front();
    }
    last = chain.back().number;
    std::erase_if(chain, [](const Operation& operation) { return operation.work.is_skipped; });
    for (const Operation& operation : chain) launches.push_back(operation.work.launch.get());
    if (chain.empty()) {
      on.after_kernel = false;
    } else {
      const bool early = chain[0].work.early && on.after_kernel;
      Order order(*this, stream, std::move(chain), early, on.base);
      run_(launches, early_, order);
      on.after_kernel = true;
      on.base = order.base();
    }
  } else if (first.waits || first.work.is_skipped) {
    on.after_kernel = false;
  } else {
    on.after_kernel = false;
    others_ = Begin(first.before, first.before, {stream, first.number}, first.work.name, 1);
    agent_ = VectorClock(others_.first, others_.first, 1, &others_);
    first.work.act();
  }
  on.done = last;
  if (on.dropped && on.queue.empty()) Erase(stream);
}

OtherOperations StreamOrder::Begin(const StreamClock& before, const StreamClock& after_wait,
                                   const StreamPlace& place, const std::string& name,
                                   uint32_t agents) {
  using Known = OtherOperations::Known;
  if (next_agent_ > ~agents)
    throw std::length_error("PTX device: too many operations that nobody waits for");
  OtherOperations others;
  others.first = next_agent_;
  others.end = next_agent_ += agents;
  bool all = true;
  for (const Record& record : records_) {
    const bool known = Covers(before, record.place);
    all = all && known;
    if (all) continue;
    if (others.spans.empty()) others.floor = record.first;
    const Known how = known                              ? Known::kAlways
                      : Covers(after_wait, record.place) ? Known::kAfterWait
                                                         : Known::kNever;
    others.spans.push_back({record.first, record.end, how});
  }
  if (others.spans.empty()) others.floor = others.first;
  records_.push_back({others.first, others.end, place, name});
  return others;
}

void StreamOrder::Forget() {
  const auto known_to_all = [this](const Record& record) {
    if (!Covers(host_, record.place)) return false;
    return std::all_of(streams_.begin(), streams_.end(), [&](const auto& numbered) {
      const std::deque<Operation>& queue = numbered.second.queue;
      return std::all_of(queue.begin(), queue.end(), [&](const Operation& operation) {
        return operation.waits || Covers(operation.before, record.place);
      });
    });
  };
  while (!records_.empty() && known_to_all(records_.front())) records_.pop_front();
  if (!records_.empty()) return;
  // Nothing refers to dropped streams any more.
  const auto forget = [this](StreamClock* clock) {
    std::erase_if(*clock, [this](const auto& entry) { return !streams_.contains(entry.first); });
  };
  if (host_.size() > streams_.size()) {
    forget(&host_);
    for (auto& [number, of] : streams_) {
      forget(&of.clock);
      forget(&of.base);
    }
  }
  memory_.ForgetAccesses();
  next_agent_ = 1;
}

std::string StreamOrder::NameOf(uint32_t agent) const {
  for (const Record& record : records_) {
    if (agent >= record.first && agent < record.end) return record.name;
  }
  return "an operation that is long over";
}

}  // namespace dragoman::ptx
