#include "engine/base/shared_capacity.h"

#include <algorithm>
#include <cmath>

namespace dragoman::engine {

int64_t SharedCapacity::Counted(const Holding& holding) {
  return std::min(holding.amount, holding.largest_part);
}

int64_t SharedCapacity::LargestPart(int share) const {
  // Solves x = scale * (1 - x)^2 for x, the fraction of the capacity that a single client holds.
  const double scale = kPartScale * share;
  const double part = (2 * scale + 1 - std::sqrt(4 * scale + 1)) / (2 * scale);
  return static_cast<int64_t>(part * static_cast<double>(capacity_));
}

bool SharedCapacity::Fits(uint64_t client, int share, int64_t amount) const {
  const auto found = holdings_.find(client);
  return Fits(found == holdings_.end() ? Holding{} : found->second, share, amount);
}

bool SharedCapacity::Fits(const Holding& own, int share, int64_t amount) const {
  if (held_ == 0) return true;
  const int64_t after = own.amount + amount;
  const int64_t free = capacity_ - (counted_ - Counted(own)) - after;
  if (free < 0) return false;
  const auto left = static_cast<double>(free);
  return static_cast<double>(after) * static_cast<double>(capacity_) <=
         kPartScale * share * left * left;
}

void SharedCapacity::Take(uint64_t client, int share, int64_t amount) {
  if (amount == 0) return;
  Holding& holding = holdings_[client];
  counted_ -= Counted(holding);
  holding.amount += amount;
  holding.largest_part = LargestPart(share);
  counted_ += Counted(holding);
  held_ += amount;
}

void SharedCapacity::Give(uint64_t client, int64_t amount) {
  const auto found = holdings_.find(client);
  if (found == holdings_.end()) return;
  Holding& holding = found->second;
  counted_ -= Counted(holding);
  holding.amount -= amount;
  counted_ += Counted(holding);
  held_ -= amount;
  if (holding.amount == 0) holdings_.erase(found);
}

int64_t SharedCapacity::held(uint64_t client) const {
  const auto found = holdings_.find(client);
  return found == holdings_.end() ? 0 : found->second.amount;
}

}  // namespace dragoman::engine
