#include "engine/text/pipeline/bpe_merges.h"

#include <algorithm>

namespace dragoman::engine {
namespace {

uint64_t KeyOf(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

}  // namespace

BpeMerges::BpeMerges(std::span<const BpeMerge> merges) {
  targets_.reserve(merges.size());
  int32_t rank = 0;
  for (const BpeMerge& merge : merges) {
    targets_.insert_or_assign(KeyOf(merge.left, merge.right), Target{rank++, merge.merged});
  }
}

const BpeMerges::Target* BpeMerges::Find(int32_t left, int32_t right) const {
  const auto found = targets_.find(KeyOf(left, right));
  return found == targets_.end() ? nullptr : &found->second;
}

void BpeMerges::Apply(std::vector<PieceSpan>* symbols) const {
  struct Link {
    int32_t prev = -1;
    int32_t next = -1;
    bool gone = false;
  };
  struct Waiting {
    int32_t rank = 0;
    int32_t at = 0;
    int32_t id = 0;
  };
  const auto later = [](const Waiting& a, const Waiting& b) {
    return a.rank > b.rank || (a.rank == b.rank && a.at > b.at);
  };
  std::vector<PieceSpan>& all = *symbols;
  const auto size = static_cast<int32_t>(all.size());
  const auto symbol = [&](int32_t i) -> PieceSpan& { return all[static_cast<size_t>(i)]; };
  std::vector<Link> links(all.size());
  const auto link = [&](int32_t i) -> Link& { return links[static_cast<size_t>(i)]; };
  std::vector<Waiting> agenda;  // a heap
  const auto offer = [&](int32_t left, int32_t right) {
    if (left < 0 || right < 0) return;
    const Target* target = Find(symbol(left).id, symbol(right).id);
    if (target == nullptr) return;
    agenda.push_back({target->rank, left, target->id});
    std::push_heap(agenda.begin(), agenda.end(), later);
  };
  for (int32_t i = 0; i < size; ++i) {
    link(i) = {i - 1, i + 1 < size ? i + 1 : -1, false};
    if (i > 0) offer(i - 1, i);
  }
  while (!agenda.empty()) {
    std::pop_heap(agenda.begin(), agenda.end(), later);
    const Waiting top = agenda.back();
    agenda.pop_back();
    const int32_t right = link(top.at).next;
    if (link(top.at).gone || right < 0) continue;
    // Skip the entry if one of its two symbols has been merged since it was added.
    const Target* target = Find(symbol(top.at).id, symbol(right).id);
    if (target == nullptr || target->id != top.id) continue;
    symbol(top.at).id = top.id;
    symbol(top.at).end = symbol(right).end;
    link(right).gone = true;
    link(top.at).next = link(right).next;
    if (link(right).next >= 0) link(link(right).next).prev = top.at;
    offer(link(top.at).prev, top.at);
    offer(top.at, link(top.at).next);
  }
  size_t kept = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!links[i].gone) all[kept++] = all[i];
  }
  all.resize(kept);
}

}  // namespace dragoman::engine
