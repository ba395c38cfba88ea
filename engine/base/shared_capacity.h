// A capacity that clients share so that no client shuts out the others. Tracks how much each client
// has, and decides whether a client may have more.
//
// The more a client has, the more it must leave free. If `free` is left after a request, the client
// may have at most
//
//     kPartScale * share * free * free / capacity.
//
// This is a dynamic threshold (Choudhury & Hahne 1998). It needs no count of clients, and it falls
// for all of them as the capacity fills. The original is linear in `free`. The square makes many
// large clients leave more room. Clients of share 1 that take all they can:
//
//     clients             1     2     5    10    20   100
//     each holds        78 %  42 %  18 %  9.2 %  4.7 %  1.0 %
//     is left free      22 %  16 %  11 %  7.6 %  5.4 %  2.5 %
//
// A client of share 16 alone may have 94 %. A client that has nothing may take k units if sqrt(k *
// capacity / (kPartScale * share)) stay free: for the first unit, 16 of 4,096.
//
// Any amount fits while no client has anything, so a request above LargestPart can fit. Against
// other clients, a client counts for at most its LargestPart, so it never takes their room.
//
// Not thread-safe: the owner must lock. Amounts are in any unit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

namespace dragoman::engine {

// Returns the number that identifies a client in capacities and queues.
inline uint64_t ClientNumber(const std::string& client) { return std::hash<std::string>{}(client); }

class SharedCapacity {
 public:
  static constexpr double kPartScale = 16;

  explicit SharedCapacity(int64_t capacity) : capacity_(capacity) {}

  // Reports whether `client` may have `amount` more.
  bool Fits(uint64_t client, int share, int64_t amount) const;

  // Reports whether a client that has nothing may have `amount`. If it may and Fits is false, the
  // reason is what the client has already.
  bool FitsAnother(int share, int64_t amount) const { return Fits(Holding{}, share, amount); }

  // Charges `amount` to `client` even if it does not fit. The last share counts.
  void Take(uint64_t client, int share, int64_t amount);

  // Releases `amount` of `client`. REQUIRES: the client has at least `amount`.
  void Give(uint64_t client, int64_t amount);

  // Returns the most that a client of this share may have when it is alone.
  int64_t LargestPart(int share) const;

  int64_t capacity() const { return capacity_; }
  int64_t held() const { return held_; }  // by all
  int64_t held(uint64_t client) const;

 private:
  struct Holding {
    int64_t amount = 0;
    int64_t largest_part = 0;
  };
  static int64_t Counted(const Holding& holding);
  bool Fits(const Holding& own, int share, int64_t amount) const;

  const int64_t capacity_;
  int64_t held_ = 0;
  int64_t counted_ = 0;  // the same with each client limited to its largest part
  std::unordered_map<uint64_t, Holding> holdings_;  // none is 0
};

}  // namespace dragoman::engine
