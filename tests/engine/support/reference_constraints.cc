#include "tests/engine/support/reference_constraints.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace dragoman::testing {
namespace {

bool StartsWith(const TokenList& list, const TokenList& prefix) {
  return list.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), list.begin());
}

}  // namespace

ReferenceConstraints::ReferenceConstraints(std::vector<TokenList> phrases, ReferenceWordEdges edges)
    : needed_(std::move(phrases)), edges_(std::move(edges)) {}

bool ReferenceConstraints::IsNeeded(const TokenList& tokens) const {
  return std::find(needed_.begin(), needed_.end(), tokens) != needed_.end();
}

bool ReferenceConstraints::IsLongerNeeded(const TokenList& tokens) const {
  return std::any_of(needed_.begin(), needed_.end(), [&](const TokenList& phrase) {
    return phrase.size() > tokens.size() && StartsWith(phrase, tokens);
  });
}

void ReferenceConstraints::Complete(const TokenList& phrase) {
  completed_tokens_ += static_cast<int32_t>(phrase.size());
  needed_.erase(std::find(needed_.begin(), needed_.end(), phrase));
}

void ReferenceConstraints::Advance(int32_t token) {
  const bool boundary = edges_.IsBoundary(last_, token);
  const TokenList ended = std::exchange(ended_, {});
  if (!ended.empty() && !boundary) {
    needed_.push_back(ended);
    completed_tokens_ -= static_cast<int32_t>(ended.size());
    TokenList longer = ended;
    longer.push_back(token);
    MatchAgain(longer);
    return;
  }
  TokenList longer = path_;
  longer.push_back(token);
  const bool may_grow = !path_.empty() || boundary;
  if (!may_grow || !(IsNeeded(longer) || IsLongerNeeded(longer))) {
    MatchAgain(longer);
    return;
  }
  last_ = token;
  path_ = longer;
  if (IsNeeded(path_) && !IsLongerNeeded(path_)) {
    Complete(path_);
    ended_ = std::exchange(path_, {});
  }
}

void ReferenceConstraints::MatchAgain(const TokenList& longer) {
  // The longest prefix of the path that is a needed phrase and ends at a boundary is completed;
  // without one the path's first token is dropped. What is left is scanned again from the root, the
  // new token last.
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
  for (size_t i = used; i < longer.size(); ++i) Advance(longer[i]);
}

bool ReferenceConstraints::ends_in_word() const {
  return edges_.IsOpen(last_) && (!ended_.empty() || (!path_.empty() && IsNeeded(path_)));
}

int32_t ReferenceConstraints::bank() const {
  return completed_tokens_ + static_cast<int32_t>(path_.size());
}

bool ReferenceConstraints::finished() const {
  return needed_.empty() || (needed_.size() == 1 && needed_.front() == path_);
}

TokenList ReferenceConstraints::Allowed() const {
  std::set<int32_t> tokens;
  for (const TokenList& phrase : needed_) {
    if (StartsWith(phrase, path_) && phrase.size() > path_.size()) {
      tokens.insert(phrase[path_.size()]);
    }
  }
  if (path_.empty()) {
    std::erase_if(tokens, [&](int32_t token) { return !edges_.IsBoundary(last_, token); });
  } else if (IsNeeded(path_)) {
    // Pending and complete: it may also be left as it is, and another phrase begun.
    ReferenceConstraints after = *this;
    after.Complete(path_);
    after.path_.clear();
    const TokenList root = after.Allowed();
    tokens.insert(root.begin(), root.end());
  }
  return {tokens.begin(), tokens.end()};
}

std::vector<int32_t> BankSlots(int32_t k, const std::vector<int32_t>& candidate_counts) {
  const size_t banks = candidate_counts.size();
  std::vector<int32_t> slots(banks, 0);
  int32_t total = 0;
  for (const int32_t count : candidate_counts) total += count;
  // One slot after the other goes to its bank, or down to the next one with a candidate to spare.
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
