#include "tests/engine/support/reference_constraints.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace dragoman::testing {
namespace {

bool StartsWith(const TokenList& list, const TokenList& prefix) {
  return list.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), list.begin());
}

}  // namespace

ReferenceConstraints::ReferenceConstraints(const std::vector<TokenList>& phrases,
                                           ReferenceWordEdges edges,
                                           const std::vector<ReferenceGate>& gates)
    : edges_(std::move(edges)) {
  constexpr ReferenceGate kOpen{0, std::numeric_limits<int32_t>::max()};
  for (size_t i = 0; i < phrases.size(); ++i) {
    needed_.push_back({phrases[i], gates.empty() ? kOpen : gates[i]});
  }
  std::sort(needed_.begin(), needed_.end());
}

bool ReferenceConstraints::IsNeeded(const TokenList& tokens) const {
  return std::any_of(needed_.begin(), needed_.end(),
                     [&](const Needed& phrase) { return phrase.tokens == tokens; });
}

bool ReferenceConstraints::IsLongerNeeded(const TokenList& tokens) const {
  return std::any_of(needed_.begin(), needed_.end(), [&](const Needed& phrase) {
    return phrase.tokens.size() > tokens.size() && StartsWith(phrase.tokens, tokens);
  });
}

ReferenceConstraints::Needed ReferenceConstraints::Complete(const TokenList& phrase) {
  const auto with = [&](bool open) {
    return std::find_if(needed_.begin(), needed_.end(), [&](const Needed& needed) {
      return needed.tokens == phrase && (!open || needed.gate.IsOpen(path_source_));
    });
  };
  auto found = with(true);
  if (found == needed_.end()) found = with(false);
  Needed completed = *found;
  completed_tokens_ += static_cast<int32_t>(phrase.size());
  needed_.erase(found);
  return completed;
}

void ReferenceConstraints::Advance(int32_t token, int32_t source) {
  const bool boundary = edges_.IsBoundary(last_, token);
  const Needed ended = std::exchange(ended_, {});
  if (!ended.tokens.empty() && !boundary) {
    needed_.push_back(ended);
    std::sort(needed_.begin(), needed_.end());
    completed_tokens_ -= static_cast<int32_t>(ended.tokens.size());
    TokenList longer = ended.tokens;
    longer.push_back(token);
    MatchAgain(longer, source);
    return;
  }
  TokenList longer = path_;
  longer.push_back(token);
  const bool may_grow = !path_.empty() || boundary;
  if (!may_grow || !(IsNeeded(longer) || IsLongerNeeded(longer))) {
    MatchAgain(longer, source);
    return;
  }
  last_ = token;
  if (path_.empty()) path_source_ = source;
  path_ = longer;
  if (IsNeeded(path_) && !IsLongerNeeded(path_)) {
    ended_ = Complete(path_);
    path_.clear();
  }
}

void ReferenceConstraints::MatchAgain(const TokenList& longer, int32_t source) {
  // Completes the longest prefix of the path that is a needed phrase and ends at a boundary. If
  // there is none, drops the first token of the path. Then scans the rest again from the root, with
  // the new token last.
  size_t used = longer.size() - 1;
  const auto prefix = [&] {
    return TokenList(longer.begin(), longer.begin() + static_cast<int>(used));
  };
  while (used > 0 && !(IsNeeded(prefix()) && edges_.IsBoundary(longer[used - 1], longer[used]))) {
    --used;
  }
  if (used > 0) Complete(prefix());
  used = std::max<size_t>(used, 1);
  path_.clear();
  last_ = longer[used - 1];
  for (size_t i = used; i < longer.size(); ++i) Advance(longer[i], source);
}

bool ReferenceConstraints::ends_in_word() const {
  return edges_.IsOpen(last_) && (!ended_.tokens.empty() || (!path_.empty() && IsNeeded(path_)));
}

int32_t ReferenceConstraints::bank() const {
  return completed_tokens_ + static_cast<int32_t>(path_.size());
}

bool ReferenceConstraints::finished() const {
  return needed_.empty() || (needed_.size() == 1 && needed_.front().tokens == path_);
}

TokenList ReferenceConstraints::Allowed(int32_t source) const {
  std::set<int32_t> tokens;
  for (const Needed& phrase : needed_) {
    if (StartsWith(phrase.tokens, path_) && phrase.tokens.size() > path_.size() &&
        (source == ReferenceGate::kAnyPosition ||
         phrase.gate.IsOpen(path_.empty() ? source : path_source_))) {
      tokens.insert(phrase.tokens[path_.size()]);
    }
  }
  if (path_.empty()) {
    std::erase_if(tokens, [&](int32_t token) { return !edges_.IsBoundary(last_, token); });
  } else if (IsNeeded(path_)) {
    // The path is a complete phrase and a prefix of a longer one. The next token may also begin
    // another phrase instead of continuing the longer one.
    ReferenceConstraints after = *this;
    after.Complete(path_);
    after.path_.clear();
    const TokenList root = after.Allowed(source);
    tokens.insert(root.begin(), root.end());
  }
  return {tokens.begin(), tokens.end()};
}

std::vector<int32_t> BankSlots(int32_t k, const std::vector<int32_t>& candidate_counts) {
  const size_t banks = candidate_counts.size();
  std::vector<int32_t> slots(banks, 0);
  int32_t total = 0;
  for (const int32_t count : candidate_counts) total += count;
  // Gives the slots to the banks one by one. If a bank has no candidate left, its slot goes to the
  // next lower bank that has one.
  int32_t to_place = std::min(k, total);
  const auto place = [&](size_t bank, int32_t count) {
    for (; count > 0 && to_place > 0; --count, --to_place) {
      while (slots[bank] == candidate_counts[bank]) bank = bank == 0 ? banks - 1 : bank - 1;
      ++slots[bank];
    }
  };
  const auto base = k / static_cast<int32_t>(banks);
  place(banks - 1, base + k % static_cast<int32_t>(banks));
  for (size_t bank = banks - 1; bank-- > 0;) place(bank, base);
  return slots;
}

std::vector<size_t> StripeSelect(int32_t k, const std::vector<BankedCandidate>& candidates) {
  std::map<int32_t, std::vector<size_t>> banks;
  for (size_t i = 0; i < candidates.size(); ++i) banks[candidates[i].bank].push_back(i);
  struct Place {
    size_t rank;
    int32_t bank;
    size_t index;
  };
  std::vector<Place> places;
  for (auto& [bank, members] : banks) {
    std::stable_sort(members.begin(), members.end(),
                     [&](size_t a, size_t b) { return candidates[a].score > candidates[b].score; });
    for (size_t rank = 0; rank < members.size(); ++rank) {
      places.push_back({rank, bank, members[rank]});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.bank > b.bank;
  });
  std::vector<size_t> chosen;
  for (size_t i = 0; i < places.size() && i < static_cast<size_t>(k); ++i) {
    chosen.push_back(places[i].index);
  }
  return chosen;
}

}  // namespace dragoman::testing
