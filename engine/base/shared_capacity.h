// A capacity, such as the places of a queue, that clients share so that no client shuts out the
// others. Tracks the amount that each client holds, and decides whether a client may take more.
//
// The more a client holds, the more it must leave free for others. If `free` of the capacity is
// left after a request is admitted, the client of the request may hold at most this amount,
// including the request:
//
//     kPartScale * share * free * free / capacity.
//
// This is a dynamic threshold (Choudhury & Hahne 1998). It needs no count of clients, and it falls
// for all of them as the capacity fills. The original rule is linear in `free`. With the square,
// many large clients together leave more room free. If all clients have share 1 and take as much as
// they can, the formula gives:
//
//     clients             1     2     5    10    20   100
//     each holds        78 %  42 %  18 %  9.2 %  4.7 %  1.0 %
//     is left free      22 %  16 %  11 %  7.6 %  5.4 %  2.5 %
//
// A single client of share 16 may hold 94 %. A client that holds nothing may take k units if at
// least sqrt(k * capacity / (kPartScale * share)) units stay free. With share 1, the first of 4,096
// units needs 16 free units.
//
// While no client holds anything, any amount fits. So a request that is larger than LargestPart can
// be served. When the rule computes `free` for the other clients, it counts at most LargestPart for
// this client.
//
// Not thread-safe: the owner must lock. Amounts have the unit of the capacity, which the caller
// chooses.
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

  // Reports whether `client` may take `amount` in addition to what it holds.
  bool Fits(uint64_t client, int share, int64_t amount) const;

  // Reports whether a client that holds nothing may take `amount`. If this is true and Fits is
  // false, the client is refused because of the amount that it already holds.
  bool FitsAnother(int share, int64_t amount) const { return Fits(Holding{}, share, amount); }

  // Charges `amount` to `client` even if it does not fit. `share` replaces the client's earlier
  // share.
  void Take(uint64_t client, int share, int64_t amount);

  // Releases `amount` of what `client` holds. REQUIRES: the client holds at least `amount`.
  void Give(uint64_t client, int64_t amount);

  // Returns the most that a client of this share may hold if no other client holds anything.
  int64_t LargestPart(int share) const;

  int64_t capacity() const { return capacity_; }
  int64_t held() const { return held_; }  // by all clients
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
  int64_t counted_ = 0;  // the sum over clients, each limited to its largest_part
  std::unordered_map<uint64_t, Holding> holdings_;  // by client number; no amount is 0
};

}  // namespace dragoman::engine
