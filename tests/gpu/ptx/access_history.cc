#include "tests/gpu/ptx/access_history.h"

#include <algorithm>
#include <bit>

namespace dragoman::ptx {

AccessHistory::Granule* AccessHistory::Find(size_t offset, uint32_t bytes, uint32_t* count) {
  std::unique_ptr<Page>& slot = pages_[offset / kPageBytes];
  if (slot == nullptr) {
    slot = std::make_unique<Page>();
    slot->granules.resize(kPageBytes >> kCoarsest);
  }
  Page& page = *slot;
  if (page.era != era_) {
    std::fill(page.granules.begin(), page.granules.end(), Granule{});
    page.era = era_;
  }
  const auto shift = static_cast<uint32_t>(std::countr_zero(bytes));
  if (shift < page.shift) {
    // Each part of a granule inherits the history of the whole granule.
    std::vector<Granule> finer(kPageBytes >> shift);
    for (size_t i = 0; i < finer.size(); ++i) {
      finer[i] = page.granules[i >> (page.shift - shift)];
      // Each part needs its own copy of the lists.
      for (uint32_t* const list : {&finer[i].readers, &finer[i].writers}) {
        if (*list == 0) continue;
        const uint32_t copy = NewList();
        lists_[copy] = lists_[*list];
        *list = copy;
      }
    }
    for (const Granule& whole : page.granules) {
      Recycle(whole.readers);
      Recycle(whole.writers);
    }
    page.granules = std::move(finer);
    page.shift = shift;
  }
  *count = std::max(1U, bytes >> page.shift);
  return &page.granules[offset % kPageBytes >> page.shift];
}

void AccessHistory::AddReader(Granule& granule, const Moment& now, const VectorClock& clock,
                              int lane) {
  Moment& read = granule.read;
  if (read.agent == now.agent && read.tick == now.tick) {
    if (read.lane != now.lane) read.lane = Moment::kSeveralLanes;
    if (now.strong == 0) read.strong = 0;
    return;
  }
  // A clock that knows this read also knows the earlier one, so the earlier read can be dropped.
  if (read.agent == 0 || (clock.Knows(read, lane) && granule.readers == 0)) {
    read = now;
    return;
  }
  Remember(&granule.readers, now, clock, lane);
}

uint32_t AccessHistory::NewList() {
  if (free_.empty()) {
    lists_.emplace_back();
    return static_cast<uint32_t>(lists_.size() - 1);
  }
  const uint32_t list = free_.back();
  free_.pop_back();
  return list;
}

void AccessHistory::Recycle(uint32_t list) {
  if (list == 0) return;
  lists_[list].clear();
  free_.push_back(list);
}

void AccessHistory::Remember(uint32_t* list, const Moment& now, const VectorClock& clock,
                             int lane) {
  if (*list == 0) *list = NewList();
  std::vector<Moment>& moments = lists_[*list];
  for (Moment& moment : moments) {
    if (moment.agent != now.agent) continue;
    if (moment.tick != now.tick) {
      moment = now;
      return;
    }
    if (moment.lane != now.lane) moment.lane = Moment::kSeveralLanes;
    if (now.strong == 0) moment.strong = 0;
    return;
  }
  if (moments.size() == kRemembered) {
    std::erase_if(moments, [&](const Moment& earlier) { return clock.Knows(earlier, lane); });
  }
  if (moments.size() < kRemembered) moments.push_back(now);
}

std::optional<Race> AccessHistory::Read(size_t offset, uint32_t bytes, const VectorClock& clock,
                                        int lane, bool strong) {
  uint32_t count = 0;
  Granule* const granules = Find(offset, bytes, &count);
  const Moment now = clock.Now(lane, strong);
  std::optional<Race> race;
  for (uint32_t i = 0; i < count; ++i) {
    Granule& granule = granules[i];
    const bool unordered = granule.write.agent != 0 && !(granule.write.strong != 0 && strong) &&
                           !clock.Knows(granule.write, lane);
    if (unordered && !KnowsOne(granule.writers, clock, lane)) race = Race{granule.write, true};
    AddReader(granule, now, clock, lane);
  }
  return race;
}

bool AccessHistory::KnowsOne(uint32_t list, const VectorClock& clock, int lane) const {
  return list != 0 && std::any_of(lists_[list].begin(), lists_[list].end(),
                                  [&](const Moment& moment) { return clock.Knows(moment, lane); });
}

std::optional<Race> AccessHistory::Write(size_t offset, uint32_t bytes, const VectorClock& clock,
                                         int lane, bool strong, bool same_bits) {
  uint32_t count = 0;
  Granule* const granules = Find(offset, bytes, &count);
  const Moment now = clock.Now(lane, strong);
  std::optional<Race> race;
  const auto unordered = [&](const Moment& earlier) {
    return earlier.agent != 0 && !(earlier.strong != 0 && strong) && !clock.Knows(earlier, lane);
  };
  for (uint32_t i = 0; i < count; ++i) {
    Granule& granule = granules[i];
    if (same_bits && granule.write.agent != 0) {
      Remember(&granule.writers, now, clock, lane);
      continue;
    }
    if (unordered(granule.write)) race = Race{granule.write, true};
    if (unordered(granule.read)) race = Race{granule.read, false};
    for (const Moment& other : lists_[granule.readers]) {
      if (unordered(other)) race = Race{other, false};
    }
    for (const Moment& other : lists_[granule.writers]) {
      if (unordered(other)) race = Race{other, true};
    }
    Recycle(granule.readers);
    Recycle(granule.writers);
    granule = {now, {}, 0, 0};
  }
  return race;
}

void AccessHistory::Replace(size_t offset, uint32_t bytes, const VectorClock& clock, int lane) {
  uint32_t count = 0;
  Granule* const granules = Find(offset, bytes, &count);
  for (uint32_t i = 0; i < count; ++i) {
    Recycle(granules[i].readers);
    Recycle(granules[i].writers);
    granules[i] = {clock.Now(lane, false), {}, 0, 0};
  }
}

}  // namespace dragoman::ptx
